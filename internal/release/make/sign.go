package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mneme-memory/mneme/internal/release"
)

// sign signs SHA256SUMS, and with it all it names, with an SSH key: every machine that fetches a
// release has ssh-keygen to verify it with. Without a key it says that the release is unsigned.
func (o options) sign(ctx context.Context) error {
	if o.key == "" {
		fmt.Println("no key (-key, MNEME_RELEASE_KEY): the release is not signed")
		return nil
	}
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-Y", "sign", "-f", o.key, "-n", release.Namespace, filepath.Join(o.out, release.SumsName)) //nolint:gosec // the key is the caller's
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr                                                                                               // it may ask for the key's passphrase
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sign the release: %w", err)
	}
	fmt.Println("signed with", o.key)
	return nil
}
