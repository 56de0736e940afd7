package browser

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// window is a browser that shows mneme's console. An error that the browser reports fails the test.
type window struct {
	*testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// theme is what the person's system says of light and dark.
func theme(dark bool) chromedp.Action[chromedp.Void] {
	value := "light"
	if dark {
		value = "dark"
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
		})
		return err
	})
}

// listen notes errors on the browser's console, refused content, exceptions and dialogs.
func (w *window) listen() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, log.Enable, cdp.Empty{}); err != nil {
			return err
		}
		go hear(w, cdp.Events(w.ctx, t, log.EntryAdded), func(e log.EventEntryAdded) string {
			if e.Entry.Level == log.EntryLevelVerbose || e.Entry.Level == log.EntryLevelInfo {
				return ""
			}
			return e.Entry.Text + " " + e.Entry.URL
		})
		go hear(w, cdp.Events(w.ctx, t, runtime.ExceptionThrown), func(e runtime.EventExceptionThrown) string {
			return "exception: " + e.ExceptionDetails.Text
		})
		go hear(w, cdp.Events(w.ctx, t, page.JavascriptDialogOpening), func(e page.EventJavascriptDialogOpening) string {
			return "a dialog opened: " + e.Message
		})
		return nil
	})
}

// hear notes what events complain of, until the window closes.
func hear[E any](w *window, events iter.Seq2[E, error], complaint func(E) string) {
	for e, err := range events {
		if err != nil {
			return
		}
		if text := complaint(e); text != "" {
			w.mu.Lock()
			w.complaints = append(w.complaints, text)
			w.mu.Unlock()
		}
	}
}

// do does something, and wants no complaint of the browser.
func (w *window) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	w.Helper()
	if err := chromedp.Do(w.ctx, actions...); err != nil {
		w.Fatalf("%s: %v\n%s", what, err, w.text())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.complaints) > 0 {
		w.Errorf("%s: the browser complains: %s", what, strings.Join(w.complaints, "; "))
		w.complaints = nil
	}
}

// text is what the page shows.
func (w *window) text() string {
	text, err := chromedp.Run(w.ctx, chromedp.Text(chromedp.CSS("body")))
	if err != nil {
		return err.Error()
	}
	return text
}

// shows waits until a page shows a text.
func (w *window) shows(what, text string) {
	w.Helper()
	w.do(what, chromedp.WaitVisible(`//main[contains(., "`+text+`")]`))
}

// lacks wants a page not to show a text.
func (w *window) lacks(what, text string) {
	w.Helper()
	if strings.Contains(w.text(), text) {
		w.Errorf("%s: the page shows %q:\n%s", what, text, w.text())
	}
}

// menu goes to a page of the menu.
func (w *window) menu(name string) {
	w.Helper()
	w.do("go to "+name, chromedp.Click(`//header//a[text()="`+name+`"]`),
		chromedp.WaitVisible(`//header//a[@aria-current and text()="`+name+`"]`))
}

// press clicks a button by its words.
func (w *window) press(words string) {
	w.Helper()
	w.do("press "+words, chromedp.Click(`//main//button[contains(., "`+words+`")]`))
}

// picture writes what the window shows, if pictures are wanted.
func (w *window) picture(name string) {
	w.Helper()
	if *pictures == "" {
		return
	}
	png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), png, 0o644); err != nil { //nolint:gosec // for everybody
		w.Fatal(err)
	}
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](w *window, expression string) T {
	w.Helper()
	value, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		w.Fatalf("%s: %v", expression, err)
	}
	return value
}
