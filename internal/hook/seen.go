package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mneme-memory/mneme/memory"
)

const (
	maxTranscript = 32 << 20 // bytes of a transcript's end that are looked through
	pieceOfIt     = 1 << 20
)

// unseen splits hits into those that are news to the session and the ids of the
// others: a session knows what was learned from it, and what its own calls of our
// tools have stored or found. Those are in the transcript, by their ids.
func (r *run) unseen(ctx context.Context, hits []memory.Hit) (fresh []memory.Hit, seen []string, err error) {
	ids := make([]string, 0, len(hits))
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	told, err := mentions(ctx, r.in.Transcript, ids)
	if err != nil {
		return nil, nil, err
	}
	for _, h := range hits {
		if told[h.ID] || h.Session != "" && h.Session == r.in.Session {
			seen = append(seen, h.ID)
			continue
		}
		fresh = append(fresh, h)
	}
	return fresh, seen, nil
}

// mentions returns which of the ids stand in a file. A missing file mentions no
// id: a session that has just begun has none.
func mentions(ctx context.Context, path string, ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	if path == "" || len(ids) == 0 {
		return found, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return found, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find transcript: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open transcript: %w", err)
	}
	defer f.Close()
	end := io.NewSectionReader(f, max(0, info.Size()-maxTranscript), maxTranscript)
	longest := 0
	for _, id := range ids {
		longest = max(longest, len(id))
	}
	buf := make([]byte, 0, pieceOfIt+longest)
	for ctx.Err() == nil {
		n, err := end.Read(buf[len(buf) : len(buf)+pieceOfIt])
		buf = buf[:len(buf)+n]
		for _, id := range ids {
			found[id] = found[id] || bytes.Contains(buf, []byte(memory.ShortID(id))) // tools show it short
		}
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		buf = append(buf[:0], buf[max(0, len(buf)-longest):]...) // an id may stand across two pieces
	}
	return nil, ctx.Err()
}
