package transcript

import (
	"bufio"
	"errors"
	"io"
)

// line is one complete line of the file, without its line feed.
type line struct {
	offset  int64
	end     int64 // where the next line begins
	data    []byte
	tooLong bool // data is empty
}

// lineReader gives complete lines. The buffer grows with the longest line up
// to max; what is longer is passed over without being held.
type lineReader struct {
	r      *bufio.Reader
	buf    []byte
	offset int64
	max    int
}

func newLineReader(r io.Reader, offset int64, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), offset: offset, max: limit}
}

// next returns the next line, whose data is valid until the following call.
// It ends with io.EOF; a last line without a line feed is still being written
// and is not given.
func (l *lineReader) next() (line, error) {
	l.buf = l.buf[:0]
	out := line{offset: l.offset}
	for {
		part, err := l.r.ReadSlice('\n')
		l.offset += int64(len(part))
		if !out.tooLong && len(l.buf)+len(part) > l.max+1 {
			out.tooLong = true
			l.buf = l.buf[:0]
		}
		if !out.tooLong {
			l.buf = append(l.buf, part...)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line{}, err
		}
	}
	if n := len(l.buf); n > 0 {
		out.data = l.buf[:n-1]
	}
	out.end = l.offset
	return out, nil
}
