package backup

import (
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"

	"github.com/mneme-memory/mneme/memory"
)

// maxKeyFile bounds a file of keys.
const maxKeyFile = 1 << 20

// IsRecipient reports whether a text is meant as a public key, and not as a file of them.
func IsRecipient(text string) bool { return strings.HasPrefix(text, "age1") }

// Recipients reads for whom to encrypt: public keys of age (age1…), or files with one a line.
func Recipients(given []string) ([]age.Recipient, error) {
	var out []age.Recipient
	for _, text := range given {
		in := io.Reader(strings.NewReader(text))
		if !IsRecipient(text) {
			f, err := os.Open(text)
			if err != nil {
				return nil, memory.Errorf(memory.Invalid, hintRecipient, "read the recipients: %w", err)
			}
			defer f.Close()
			in = io.LimitReader(f, maxKeyFile)
		}
		some, err := age.ParseRecipients(in)
		if err != nil {
			return nil, memory.Errorf(memory.Invalid, hintRecipient, "%q is no recipient of age", memory.Clip(text, 80))
		}
		out = append(out, some...)
	}
	return out, nil
}

const hintRecipient = `give a public key such as age1…, which "age-keygen" prints, or a file with such keys`

// Identities reads files with secret keys of age.
func Identities(paths []string) ([]age.Identity, error) {
	var out []age.Identity
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, memory.Errorf(memory.Invalid, `give the file that "age-keygen" wrote`,
				"read the identity: %w", err)
		}
		some, err := age.ParseIdentities(io.LimitReader(f, maxKeyFile))
		if closeErr := f.Close(); closeErr != nil {
			return nil, fmt.Errorf("read the identity: %w", closeErr)
		}
		if err != nil { // what it says may quote the key
			return nil, memory.Errorf(memory.Invalid,
				`give the file that "age-keygen" wrote; one with a passphrase is opened first with "age -d"`,
				"%s holds no secret key of age", path)
		}
		out = append(out, some...)
	}
	return out, nil
}
