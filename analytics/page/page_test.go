package page_test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/analytics/page"
)

var day = time.Date(2026, 11, 2, 3, 0, 0, 0, time.UTC)

// reports are the three that a page must look right for.
func reports() map[string]analytics.Report {
	full := analytics.Report{
		TakenAt: day, Days: 30,
		Totals:   analytics.Totals{Live: 12345, Projects: 4, NeverUsed: 7, Recalls: 300, Hits: 180, Tokens: 99000, Injections: 80, TokensPerHit: 61.25, Sessions: 40, SessionsWithHit: 31},
		MostUsed: []analytics.Used{{ID: "1c", Project: `a "quoted" <project>`, Text: "<script>alert(1)</script> never deploy on Fridays", Uses: 12, Confidence: .91}},
		Organize: []analytics.OrganizeRun{{WorkflowID: "organize/weekly", StartedAt: day, Merged: 3}},
		Latency:  []analytics.Latency{{Action: "recall", Calls: 300, P50: 9.5, P95: 22, P99: 41}, {Action: "store", Calls: 12, P50: 14, P95: 30, P99: 60}},
	}
	for i := range 30 {
		at := day.AddDate(0, 0, i-30)
		full.HitRate = append(full.HitRate, analytics.DayRate{Day: at, Recalls: 10, Hits: int64(i % 10)})
		full.Growth = append(full.Growth, analytics.DayCount{Day: at, Live: int64(12000 + 10*i)})
	}
	for i := range 10 {
		full.Confidence = append(full.Confidence, analytics.Bucket{From: float64(i) / 10, Memories: int64(i * i)})
	}
	one := analytics.Report{
		TakenAt: day, Days: 1, Totals: analytics.Totals{Live: 1, Projects: 1, Recalls: 1, Hits: 1},
		HitRate: []analytics.DayRate{{Day: day, Recalls: 1, Hits: 1}}, Growth: []analytics.DayCount{{Day: day, Live: 1}},
		Confidence: []analytics.Bucket{{From: .5, Memories: 1}},
	}
	return map[string]analytics.Report{"full": full, "one": one, "empty": {TakenAt: day, Days: 30}}
}

func write(t *testing.T, r analytics.Report) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, page.Write(&b, r))
	return b.String()
}

func TestPageStandsAlone(t *testing.T) {
	t.Parallel()
	for name, r := range reports() {
		html := write(t, r)
		for _, far := range []string{"http://", "https://", "src=", "url(", "@import", "<script", "NaN", "Inf"} {
			assert.NotContains(t, html, far, name)
		}
		assert.NotContains(t, html, "ZgotmplZ", "the template trusts its own numbers only")
	}
	assert.Contains(t, write(t, reports()["full"]), "&lt;script&gt;", "texts stay texts")
	assert.Contains(t, write(t, reports()["empty"]), "Nothing yet.")
}

// TestPlotsAreSVG reads every drawing as the XML that it must be.
func TestPlotsAreSVG(t *testing.T) {
	t.Parallel()
	html := write(t, reports()["full"])
	drawn := 0
	for {
		from := strings.Index(html, "<svg")
		if from < 0 {
			break
		}
		to := strings.Index(html, "</svg>") + len("</svg>")
		d := xml.NewDecoder(strings.NewReader(html[from:to]))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
		html, drawn = html[to:], drawn+1
	}
	assert.Equal(t, 4, drawn, "all but the mean, of which there is no sample")
}

// TestPageInABrowser shows the pages in a real browser, light and dark, and
// looks at what it laid out: nothing sticks out, and text can be told from
// its background.
func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := findBrowser()
	if browser == "" {
		t.Skip("no Chromium on PATH (Debian: apt-get install chromium): the page was not looked at")
	}
	for name, r := range reports() {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(name+"/"+scheme, func(t *testing.T) { look(t, browser, write(t, r), scheme) })
		}
	}
}

func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// probe is run in the page. The document's title is its result.
const probe = `<script>
const lum = c => { const p = c.match(/[\d.]+/g).slice(0, 3).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4) }); return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2] };
const contrast = (a, b) => { const x = lum(a), y = lum(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) };
const problems = [];
if (document.documentElement.scrollWidth > innerWidth) problems.push("wider than the window");
const card = getComputedStyle(document.querySelector(".tile")).backgroundColor;
for (const [what, sel, prop] of [["ink", "h1", "color"], ["faint", ".faint", "color"]])
  if (contrast(getComputedStyle(document.querySelector(sel))[prop], card) < 4.5) problems.push(what + " is hard to read");
for (const svg of document.querySelectorAll("svg")) {
  const box = svg.getBoundingClientRect();
  if (box.width < 100 || box.height < 40) problems.push("a plot is not there");
  for (const e of svg.querySelectorAll("rect, circle, path, text")) {
    const r = e.getBoundingClientRect();
    if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1) problems.push(e.tagName + " sticks out");
  }
}
document.body.insertAdjacentHTML("beforeend", "<p id=verdict>" + (problems.join("; ") || "fine") + " dark=" + matchMedia("(prefers-color-scheme: dark)").matches + "</p>");
</script></body>`

func look(t *testing.T, browser, html, scheme string) {
	t.Helper()
	// The probe is a script, which the page's own policy forbids.
	html = strings.Replace(html, "default-src 'none'; style-src 'unsafe-inline'", "default-src 'unsafe-inline'", 1)
	html = strings.Replace(html, "</body>", probe, 1)
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	require.NoError(t, os.WriteFile(file, []byte(html), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-extensions", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--window-size=1280,900", "--dump-dom",
	}
	if scheme == "dark" {
		args = append(args, "--blink-settings=preferredColorScheme=0")
	} else {
		args = append(args, "--blink-settings=preferredColorScheme=1")
	}
	out, err := exec.CommandContext(ctx, browser, append(args, "file://"+file)...).Output()
	require.NoError(t, err)
	want := map[string]string{"light": "fine dark=false", "dark": "fine dark=true"}[scheme]
	_, verdict, _ := strings.Cut(string(out), `<p id="verdict">`)
	verdict, _, _ = strings.Cut(verdict, "</p>")
	assert.Equal(t, want, verdict)
}
