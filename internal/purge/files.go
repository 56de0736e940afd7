package purge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// chunk is how much of a file is read at once.
const chunk = 1 << 20

// searchFiles looks for texts in every file below a folder. Progress is told of each piece.
func searchFiles(
	ctx context.Context, f *finder, dir string, progress func(), found func(path string, m []match),
) (memory.Searched, []memory.Unreached, error) {
	out := memory.Searched{Place: dir, What: "files"}
	var unreached []memory.Unreached
	buffer := make([]byte, chunk)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted since
		}
		if err != nil {
			unreached = append(unreached,
				memory.Unreached{What: path + " cannot be read", Until: "somebody gives you the right to read it"})
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		progress()
		n, matches, err := searchFile(ctx, f, path, buffer, progress)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			unreached = append(unreached,
				memory.Unreached{What: path + " cannot be read", Until: "somebody gives you the right to read it"})
			return nil
		}
		out.Count++
		out.Bytes += n
		if len(matches) > 0 {
			found(path, matches)
		}
		return nil
	})
	return out, unreached, err
}

func searchFile(ctx context.Context, f *finder, path string, buffer []byte, progress func()) (int64, []match, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	s := f.scan()
	var size int64
	for {
		n, err := file.Read(buffer)
		_, _ = s.Write(buffer[:n]) // never fails
		size += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return size, nil, err
		}
		progress()
	}
	if len(s.found) == 0 {
		return size, nil, nil
	}
	return size, s.matches(), nil
}

// blankLines counts the lines of a log that hold a text. With apply it writes spaces over them, where
// they are: whoever appends to it meanwhile is not disturbed.
func blankLines(path string, apply bool, holds func([]byte) bool) (int, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open log: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return 0, fmt.Errorf("read log: %w", err)
	}
	blanked := 0
	for at := 0; at < len(data); {
		end := at + bytes.IndexByte(data[at:], '\n')
		if end < at {
			end = len(data)
		}
		if line := data[at:end]; len(line) > 0 && holds(line) {
			blanked++
			if apply {
				if _, err := file.WriteAt(bytes.Repeat([]byte{' '}, len(line)), int64(at)); err != nil {
					return blanked, fmt.Errorf("blank a line of a log: %w", err)
				}
			}
		}
		at = end + 1
	}
	if blanked > 0 && apply {
		if err := file.Sync(); err != nil {
			return blanked, fmt.Errorf("blank a line of a log: %w", err)
		}
	}
	return blanked, nil
}

// logs are the files below logs/ of a home.
func logs(home string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(home, "logs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			out = append(out, filepath.Join(home, "logs", e.Name()))
		}
	}
	return out, err
}

// torn are the files that the embedded index keeps of a write that a crash cut off.
func torn(home string) ([]string, error) {
	return filepath.Glob(filepath.Join(home, "qdrant", "*", "*.torn"))
}

// again is what takes texts away once more.
func again(receipt string) string { return "mneme forget --purge --verify " + receipt }

// hint says what to do about a file that holds a text.
func (k *Keeper) hint(path, receipt string) string {
	name, err := filepath.Rel(k.Home, path)
	if err != nil {
		return ""
	}
	switch folder, _, _ := strings.Cut(filepath.ToSlash(name), "/"); folder {
	case "postgres", "qdrant", "spool", "sessions", "logs":
		return again(receipt) + "; what a memory holds goes with the memory"
	case "qdrant-server":
		return "the qdrant program lets go of it when it tidies its segments up"
	case "temporal":
		return "Temporal kept it before its payloads were encrypted: it goes within a day and a half"
	default:
		return "delete the file if it is not needed"
	}
}
