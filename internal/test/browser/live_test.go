package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestLive watches pages while the command line changes memories: new memories appear without a reload, also
// those stored while the page was in the background, and a selection in the page stays.
func TestLive(t *testing.T) {
	const first, second = "Live: the queue is drained before a deploy", "Live: the cache is warmed after a deploy"
	shared.store(t, "live", first)
	w := shared.open(t, 1440, 900, false)
	evaluate[bool](w, `window.same = true`)
	id := shared.store(t, "live", second)
	w.shows("a new memory", second)

	evaluate[bool](w, `dispatchEvent(new Event("pagehide"))`)
	if _, err := shared.run(t.Context(), "forget", id, "--yes"); err != nil {
		t.Fatal(err)
	}
	evaluate[bool](w, `dispatchEvent(new Event("pageshow"))`)
	w.do("what happened unseen", chromedp.WaitVisible(`//section[@id="changes"]//td[starts-with(., "forget")]`))
	if !evaluate[bool](w, `window.same === true`) {
		t.Error("the page was loaded anew")
	}

	w.do("the project's list", chromedp.Navigate(w.base()+"/memories?project=live"))
	w.do("choose one", chromedp.Click(chromedp.CSS(`#memories input`)), chromedp.WaitVisible(`//span[contains(., "1 chosen")]`))
	shared.store(t, "live", "Live: a third fact that comes while one is chosen")
	w.shows("the news", "Something has changed.")
	if !evaluate[bool](w, `document.querySelector("#memories input").checked`) {
		t.Error("what was chosen was taken away")
	}
	w.press("Show it")
	w.shows("the third", "a third fact")
}
