//go:build !linux

package portowner

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// firstPerson is the lowest id of a person's account on macOS; those below are root and
// services.
const firstPerson = 500

// listeners asks lsof, which names the programs of the user who asks, and to root all.
// Somebody else's are not seen: their owner is unknown, which is no more trusted.
func listeners(address netip.AddrPort) ([]int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "lsof", "-nP", "-a", fmt.Sprintf("-iTCP:%d", address.Port()), "-sTCP:LISTEN", "-Fu").Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return nil, nil // it found nothing
	}
	if err != nil {
		return nil, fmt.Errorf("ask lsof who listens at %s: %w", address, err)
	}
	var owners []int
	for _, line := range strings.Split(string(out), "\n") {
		text, ok := strings.CutPrefix(line, "u")
		if uid, err := strconv.Atoi(text); ok && err == nil && !slices.Contains(owners, uid) {
			owners = append(owners, uid)
		}
	}
	return owners, nil
}
