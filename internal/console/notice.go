package console

import (
	"net/http"
	"net/url"
	"strconv"
)

// notice is the line that tells what the last form did, with a way to take it back.
type notice struct {
	Text string
	Undo string // what to undo: a workflow's or a memory's id; "" if there is nothing to undo
}

// done are the notices by the word that stands in an address after a form. Only the word
// and an id come from the address, so that no link can put a text of its own on a page.
func done(word string, n int) string {
	switch word {
	case "edited":
		return "Saved."
	case "pinned":
		return "Pinned: it is never pruned and comes first at session start."
	case "unpinned":
		return "No longer pinned."
	case "forgotten":
		return count(n, "memory", "memories") + " forgotten."
	case "merged":
		return count(n, "memory", "memories") + " became one."
	case "restored":
		return "Restored."
	case "undone":
		return count(n, "memory is", "memories are") + " again what they were before the change."
	default:
		return ""
	}
}

func noticeOf(r *http.Request) *notice {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil {
		n = 0
	}
	text := done(r.FormValue("did"), n)
	if text == "" || r.Method != http.MethodGet {
		return nil
	}
	return &notice{Text: text, Undo: r.FormValue("undo")}
}

// told returns an address with what was done.
func told(to, word string, n int, undo string) string {
	u, err := url.Parse(back(to))
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	q := u.Query()
	for _, old := range []string{"did", "n", "undo"} {
		q.Del(old)
	}
	q.Set("did", word)
	if n > 0 {
		q.Set("n", strconv.Itoa(n))
	}
	if undo != "" {
		q.Set("undo", undo)
	}
	u.RawQuery = q.Encode()
	return u.String()
}
