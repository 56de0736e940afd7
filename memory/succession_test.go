package memory

import (
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// told is a candidate of a text that was stored some days after noon.
func told(days int, text string, cosine float64) Candidate {
	m := Memory{
		ID: NewID("p", Memories, text), Project: "p", Collection: Memories, Type: TypeFact, Text: text, State: Live,
		CreatedAt: noon.Add(time.Duration(days) * 24 * time.Hour),
	}
	return Candidate{Memory: m, Cosine: cosine, HasCosine: true}
}

func textsOfHits(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

func TestNewerComesFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		older, newer string
		why          string
	}{
		{"The API listens on port 8080.", "The API moved from port 8080 to port 9090.", ByWords},
		{"The API listens on port 8080.", "The API listens on port 9090.", ByValue},
		{"Der Export läuft per FTP.", "Der Export läuft nicht mehr per FTP, sondern per REST.", ByWords},
		{"Staging listens on port 8080.", "Production listens on port 9090.", ""},
		{"Worker 3 listens on port 8080.", "Worker 4 listens on port 8080.", ""},
	} {
		q := Query{Text: "Which port?", Project: "p", Limit: 5}
		older, newer, other := told(0, c.older, .9), told(1, c.newer, .5), told(2, "Lunch is at noon.", .4)
		hits := Rank(q, CalibrationFor(""), []Candidate{older, newer, other}, noon.Add(72*time.Hour)).Hits
		at := func(text string) int { return slices.Index(textsOfHits(hits), text) }
		by := hits[at(c.older)].SupersededBy
		if c.why == "" {
			if by != nil {
				t.Errorf("%q does not replace %q", c.newer, c.older)
			}
			continue
		}
		if by == nil || by.ID != newer.ID || by.Text != c.newer || by.Why != c.why {
			t.Errorf("%q is superseded by %+v, want %q", c.older, by, c.newer)
		}
		if at(c.newer) != 0 || at(c.older) != 1 {
			t.Errorf("the order is %q", textsOfHits(hits))
		}
		if !slices.IsSortedFunc(hits, func(a, b Hit) int { return int(1e9 * (b.Score - a.Score)) }) {
			t.Errorf("the score rises: %+v", hits)
		}
	}
}

func TestWhatHappenedStays(t *testing.T) {
	t.Parallel()
	older, newer := told(0, "The outage of the API took 3 hours.", .9), told(1, "The outage of the API took 5 hours.", .5)
	older.Type, newer.Type = TypeEpisode, TypeEpisode
	for _, h := range Rank(Query{Text: "outage", Limit: 5}, CalibrationFor(""), []Candidate{older, newer}, noon).Hits {
		if h.SupersededBy != nil {
			t.Errorf("%q is superseded: two things happened", h.Text)
		}
	}
}

func TestWithLinks(t *testing.T) {
	t.Parallel()
	a, b, c := told(0, "We deploy by hand.", 0).Memory, told(1, "The robot deploys.", 0).Memory, told(2, "The robot reads deploy.yaml.", 0).Memory
	strong := hitOf(a)
	strong.Score, strong.Strong = .9, true
	link := func(source, target Memory, typ string) Link {
		return Link{SourceID: source.ID, TargetID: target.ID, Type: typ}
	}
	beside := func(links ...Link) Beside {
		return Beside{Links: links, Memories: map[string]Memory{b.ID: b, c.ID: c}}
	}
	for name, w := range map[string]struct {
		q      Query
		hits   []Hit
		beside Beside
		want   []string
	}{
		"no links":                           {Query{Limit: 5}, []Hit{strong}, Beside{}, []string{a.Text}},
		"contradicted by what is there":      {Query{Limit: 5}, []Hit{strong, hitOf(b)}, beside(link(b, a, LinkContradicts)), []string{b.Text, a.Text}},
		"contradicted by what was not found": {Query{Limit: 5}, []Hit{strong}, beside(link(b, a, LinkContradicts)), []string{b.Text, a.Text}},
		"both ways, the newer":               {Query{Limit: 5}, []Hit{hitOf(b), strong}, beside(link(a, b, LinkContradicts), link(b, a, LinkContradicts)), []string{b.Text, a.Text}},
		"in turn":                            {Query{Limit: 5}, []Hit{strong, hitOf(b)}, beside(link(b, a, LinkContradicts), link(c, b, LinkContradicts)), []string{c.Text, b.Text, a.Text}},
		"a circle":                           {Query{Limit: 5}, []Hit{strong, hitOf(b), hitOf(c)}, beside(link(b, a, LinkContradicts), link(c, b, LinkContradicts), link(a, c, LinkContradicts)), nil},
		"a neighbour":                        {Query{Limit: 5}, []Hit{strong}, beside(link(c, a, LinkClarifies)), []string{a.Text, c.Text}},
		"a neighbour beyond the limit":       {Query{Limit: 1}, []Hit{strong}, beside(link(c, a, LinkClarifies)), []string{a.Text}},
		"of a weak hit":                      {Query{Limit: 5}, []Hit{hitOf(a)}, beside(link(c, a, LinkClarifies)), []string{a.Text}},
		"of a weak hit, asked for":           {Query{Limit: 5, ExpandLinks: true}, []Hit{hitOf(a)}, beside(link(c, a, LinkBuildsOn)), []string{a.Text, c.Text}},
		"at the start of a session":          {Query{Limit: 5, Work: true}, []Hit{strong}, beside(link(b, a, LinkContradicts)), []string{b.Text}},
	} {
		got := textsOfHits(WithLinks(w.q, w.hits, w.beside))
		if w.want != nil && !slices.Equal(got, w.want) {
			t.Errorf("%s: %q, want %q", name, got, w.want)
		}
		if slices.Sort(got); len(slices.Compact(got)) != len(got) {
			t.Errorf("%s: twice in %q", name, got)
		}
	}
}

func TestWithLinksExplains(t *testing.T) {
	t.Parallel()
	found := Hit{ID: NewID("p", Memories, "found"), Text: "found", Score: .9, Strong: true}
	for _, direction := range []bool{true, false} {
		other := Memory{ID: NewID("p", Memories, "other"), Text: "other", State: Live, Importance: .5}
		link := Link{ID: "k", SourceID: found.ID, TargetID: other.ID, Type: LinkBuildsOn}
		want := ShortID(found.ID) + " builds_on it"
		if direction {
			link.SourceID, link.TargetID = other.ID, found.ID
			want = "builds_on " + ShortID(found.ID)
		}
		beside := Beside{Links: []Link{link}, Memories: map[string]Memory{other.ID: other}}
		got := WithLinks(Query{Limit: 5, Explain: true}, []Hit{found}, beside)
		if len(got) != 2 || got[1].Why == nil || got[1].Why.Linked != want || got[1].Why.Importance != .5 {
			t.Errorf("explained %+v, want %q", got, want)
		}
		if got := WithLinks(Query{Limit: 5}, []Hit{found}, beside); len(got) != 2 || got[1].Why != nil {
			t.Errorf("unasked: %+v", got)
		}
	}
}
