package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/internal/untrusted"
)

// paint colours words on a terminal. Colour never carries meaning alone.
type paint struct{ on bool }

func (a *app) paint() paint {
	return paint{a.sys.StdoutTTY && a.sys.Env("NO_COLOR") == "" && a.sys.Env("TERM") != "dumb"}
}

func (p paint) code(n, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + n + "m" + s + "\x1b[0m"
}

func (p paint) bold(s string) string   { return p.code("1", s) }
func (p paint) faint(s string) string  { return p.code("2", s) }
func (p paint) red(s string) string    { return p.code("31", s) }
func (p paint) green(s string) string  { return p.code("32", s) }
func (p paint) yellow(s string) string { return p.code("33", s) }

// printable makes a stored text safe for a terminal.
func printable(s string) string { return untrusted.Printable(s) }

// wrap breaks a text into lines of at most width runes, each with an indent.
func wrap(text string, width int, indent string) string {
	room := max(width-utf8.RuneCountInString(indent), 20)
	var out []string
	for _, para := range strings.Split(printable(text), "\n") {
		line, size := "", 0
		for _, word := range strings.Fields(para) {
			n := utf8.RuneCountInString(word)
			if size > 0 && size+1+n > room {
				out = append(out, indent+line)
				line, size = "", 0
			}
			if size > 0 {
				line, size = line+" ", size+1
			}
			line, size = line+word, size+n
		}
		out = append(out, strings.TrimRight(indent+line, " "))
	}
	return strings.Join(out, "\n")
}

// oneLine shortens a text to one line of at most width runes.
func oneLine(text string, width int) string {
	s := []rune(strings.Join(strings.Fields(printable(text)), " "))
	if len(s) > width {
		return string(s[:max(width-1, 0)]) + "…"
	}
	return string(s)
}

// table writes rows in columns.
func table(w io.Writer, rows [][]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		if _, err := fmt.Fprintln(tw, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return tw.Flush()
}

func (a *app) date(t time.Time) string {
	return t.In(a.sys.location()).Format("2006-01-02 15:04")
}

// plural returns "1 memory", "2 memories".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func memories(n int) string { return plural(n, "memory", "memories") }

func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.sys.Stdout, format, args...)
	return err
}

// note tells the person something that is not the answer.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.sys.Stderr, "mneme: "+format+"\n", args...)
}

// orText is s, or def when there is none.
func orText(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// quoted writes a path so that a shell reads it as one word.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return strings.ContainsRune(" \t'\"$&;|<>()*?`\\!#~", r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
