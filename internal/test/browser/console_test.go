package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestUser looks at the newest memories, finds one by a question, edits it, takes the edit back,
// forgets two, and takes that back too.
func TestUser(t *testing.T) {
	const port, release = "The staging service listens on port 8443 behind the proxy", "Releases are tagged by the build server"
	id := shared.store(t, "shop", port, "--tags", "port,staging")
	shared.store(t, "shop", release, "--type", "preference")
	w := shared.open(t, 1440, 900, false)
	w.shows("today", port)
	w.picture("today")

	w.menu("Search")
	w.do("ask", chromedp.SendKeys(chromedp.CSS("input[name=q]"), "which port does staging use"), chromedp.Click(chromedp.CSS("input[name=explain]")))
	w.press("Search")
	w.shows("the answer", port)
	w.shows("why", "meaning (cosine)")
	w.picture("search")

	w.do("open the memory", chromedp.Click(`//main//a[contains(., "8443")]`))
	w.shows("its life", "Its life, newest first")
	w.do("open the form", chromedp.Click(chromedp.CSS("summary")), chromedp.WaitVisible(chromedp.CSS("textarea")),
		chromedp.SetValue(chromedp.CSS("textarea"), "The staging service listens on port 9443 behind the proxy"))
	w.press("Save")
	w.shows("saved", "Saved.")
	w.shows("the new text", "port 9443")
	w.picture("memory")
	w.press("Undo")
	w.shows("what comes back", "What comes back")
	w.press("Undo this change")
	w.shows("undone", "again what")
	w.do("look again", chromedp.Navigate(w.base()+"/memories/"+id))
	w.shows("as before", port)

	w.menu("Memories")
	w.do("choose two", chromedp.Click(chromedp.CSS(`#content [data-all] input`)), chromedp.WaitVisible(`//span[contains(., "2 chosen")]`))
	w.picture("memories")
	w.press("Forget chosen")
	w.shows("the question", "2 memories will be forgotten")
	w.shows("with the texts", release)
	w.press("Forget 2 memories")
	w.shows("done", "2 memories forgotten.")
	w.lacks("the list", release)
	w.press("Undo")
	w.shows("what comes back", "What comes back")
	w.press("Undo this change")
	w.shows("undone", "2 memories are again what they were")
	w.picture("changes")
	w.menu("Memories")
	w.shows("both are back", release)
}

// TestThemesAndWidths looks at each page in both themes, on a telephone and on a large
// screen: nothing may be wider than the window.
func TestThemesAndWidths(t *testing.T) {
	id := shared.store(t, "narrow", "A_word_without_any_blank_"+fmt.Sprint(make([]int, 60))+" and https://example.com/a/very/long/address/that/has/no/end?with=parameters&and=more")
	for _, width := range []int64{360, 1440} {
		for _, dark := range []bool{false, true} {
			w := shared.open(t, width, 800, dark)
			for name, address := range map[string]string{
				"today": "/", "search": "/search?q=a+long+address&explain=yes", "memories": "/memories", "memory": "/memories/" + id, "changes": "/changes", "undo": "/undo",
				"sessions": "/sessions", "graph": "/graph", "runs": "/runs", "settings": "/settings",
			} {
				w.do(name, chromedp.Navigate(w.base()+address), chromedp.WaitVisible(chromedp.CSS("h1")))
				if evaluate[bool](w, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
					t.Errorf("%s is wider than %d pixels", name, width)
				}
				w.picture(fmt.Sprintf("%s-%d-%s", name, width, map[bool]string{false: "light", true: "dark"}[dark]))
			}
		}
	}
}

// TestKeyboard reaches the search with "/", and the menu and the first link with the tabulator.
func TestKeyboard(t *testing.T) {
	shared.store(t, "keys", "The build needs Go 1.26")
	w := shared.open(t, 1440, 900, false)
	w.do("type /", chromedp.KeyEvent("/"), chromedp.WaitVisible(chromedp.CSS("input[name=q]")), chromedp.KeyEvent("which Go does the build need\r"))
	w.shows("the answer", "The build needs Go 1.26")
	w.do("tab", chromedp.Navigate(w.base()+"/"), chromedp.KeyEvent("\t"))
	if first := evaluate[string](w, `document.activeElement.textContent`); first != "Skip to the content" {
		t.Errorf("the first stop of the tabulator is %q", first)
	}
}

// TestHostileMemories stores texts that want to be more, and looks at them everywhere: the browser may run nothing
// of them and load nothing for them.
func TestHostileMemories(t *testing.T) {
	for i, text := range []string{
		`<script>alert(1)</script> is a note`, `"><img src=x onerror=alert(1)> is a note`, `</textarea><script>alert(1)</script> is a note`,
		`<svg/onload=alert(1)> is a note`, `</select><script>alert(1)</script> is a note`, `javascript:alert(1) is a note`,
		`<meta http-equiv="refresh" content="0;url=/nowhere"> is a note`, `<style>body{display:none}</style> is a note`,
	} {
		id := shared.store(t, fmt.Sprintf("hostile-%d", i), text)
		w := shared.open(t, 1440, 900, false)
		for _, address := range []string{"/", "/memories", "/memories/" + id, "/search?q=a+note&explain=yes", "/changes", "/undo?of=" + id} {
			w.do(text+" at "+address, chromedp.Navigate(w.base()+address), chromedp.WaitVisible(chromedp.CSS("h1")))
		}
	}
}

// base is the console's address without a path.
func (w *window) base() string {
	w.Helper()
	return evaluate[string](w, `location.origin`)
}
