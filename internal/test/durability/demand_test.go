package durability

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// demand is everything that can be accepted, asked for while a part refuses.
type demand struct {
	rig
	t      *testing.T
	part   string
	way    refusing
	all    sync.WaitGroup
	stored memory.StoreResult
}

func newDemand(t *testing.T, l *lane, part string, w refusing) *demand {
	return &demand{rig: rig{lane: l}, t: t, part: part, way: w}
}

// in is the project of what is asked for.
func (a *demand) in(what string) string { return a.way.name + "/" + what }

// id is the id of a text there.
func (a *demand) id(what, text string) string {
	return memory.StoreInput{Text: text, Project: a.in(what), Collection: collection()}.ID()
}

const edited = "The API listens on port 9443 behind the proxy."

// prepare stores what is to be changed.
func (a *demand) prepare() {
	a.t.Helper()
	var items []memory.StoreInput
	for _, in := range []struct{ what, text string }{
		{"forget", text},
		{"edit", text},
		{"link", text},
		{"link", another},
		{"merge", text},
		{"merge", another},
		{"organize", text},
		{"organize", nearly},
	} {
		items = append(items, memory.StoreInput{Text: in.text, Project: a.in(in.what)})
	}
	eventually(a.t, func(ctx context.Context) string {
		if _, err := a.client.ImportBatch(ctx, a.in("before"), memory.ImportBatch{Items: items}); err != nil {
			return fmt.Sprintf("%s: import: %v", a.way.name, err)
		}
		return ""
	})
}

// ask asks for everything, and returns when the store was accepted and what
// waits is known.
func (a *demand) ask() {
	a.t.Helper()
	a.later("forget", func(ctx context.Context) error {
		_, err := a.client.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{Project: a.in("forget")}})
		return err
	})
	a.later("edit", func(ctx context.Context) error {
		_, err := a.client.Update(ctx, memory.UpdateInput{ID: a.id("edit", text), Text: ptr(edited)})
		return err
	})
	a.later("link", func(ctx context.Context) error {
		_, err := a.client.Link(ctx, memory.Link{SourceID: a.id("link", text), TargetID: a.id("link", another), Type: memory.LinkBuildsOn})
		return err
	})
	a.later("merge", func(ctx context.Context) error {
		_, err := a.client.Merge(ctx, []string{a.id("merge", text), a.id("merge", another)})
		return err
	})
	a.waits("import", func(ctx context.Context) error {
		_, err := a.client.ImportBatch(ctx, a.in("import"), memory.ImportBatch{Items: []memory.StoreInput{{Text: text, Project: a.in("import")}}})
		return err
	})
	a.waits("organize", func(ctx context.Context) error {
		_, err := a.client.Organize(ctx, memory.OrganizeInput{Project: a.in("organize"), Collections: []string{collection()}}, nil)
		return err
	})
	a.store()
	a.known()
	a.recalled()
}

// later asks for a change that is made, or accepted and made later.
func (a *demand) later(what string, ask func(context.Context) error) {
	a.waits(what, func(ctx context.Context) error {
		err := ask(ctx)
		if memory.Waits(err) && strings.Contains(err.Error(), "accepted") {
			return nil
		}
		return err
	})
}

// waits asks for what answers when it is done.
func (a *demand) waits(what string, ask func(context.Context) error) {
	a.all.Go(func() {
		ctx, cancel := context.WithTimeout(a.t.Context(), patience)
		defer cancel()
		if err := ask(ctx); err != nil {
			a.t.Errorf("%s: %s: told %v", a.way.name, what, err)
		}
	})
}

// store wants to hear that the text waits for the part, and how that is mended.
func (a *demand) store() {
	a.t.Helper()
	eventually(a.t, func(ctx context.Context) string {
		ctx, cancel := context.WithTimeout(ctx, patient)
		defer cancel()
		got, err := a.client.Store(ctx, memory.StoreInput{Text: text, Project: a.in("store")})
		told := fmt.Sprintf("%s: store: told %+v, %v; want accepted, waiting for %s, and %q", a.way.name, got, err, a.part, a.way.hint)
		switch {
		case memory.Waits(err):
			return told // nobody answered in time
		case err != nil || got.Status != memory.Accepted:
			a.t.Error(told)
		case got.WaitingFor != a.part || !strings.Contains(got.Message, a.way.hint):
			return told // another part was slow just then
		}
		a.stored = got
		return ""
	})
}

// known wants the part among what is waited for.
func (a *demand) known() {
	a.t.Helper()
	eventually(a.t, func(ctx context.Context) string {
		all, err := a.client.Waiting(ctx)
		for _, w := range all {
			if w.Part == a.part && w.Code == memory.Refused && strings.Contains(w.Hint, a.way.hint) && !w.Since.IsZero() {
				return ""
			}
		}
		return fmt.Sprintf("%s: known to wait: %+v, %v; want %s with the hint %q", a.way.name, all, err, a.part, a.way.hint)
	})
}

// recalled wants an answer, or the part that refuses and how it is mended.
func (a *demand) recalled() {
	a.t.Helper()
	eventually(a.t, func(ctx context.Context) string {
		ctx, cancel := context.WithTimeout(ctx, patient)
		defer cancel()
		answer, err := a.client.Recall(ctx, memory.Query{Text: "which port", Project: a.in("edit")})
		switch {
		case err == nil && len(answer.Hits) > 0 && (a.part != "Ollama" || strings.Contains(answer.Degraded, a.way.hint)):
			return ""
		case memory.CodeOf(err) == memory.Refused && memory.PartOf(err) == a.part && strings.Contains(memory.HintOf(err), a.way.hint):
			return ""
		}
		return fmt.Sprintf("%s: recall: %+v, %v (hint %q)", a.way.name, answer, err, memory.HintOf(err))
	})
}

// check waits until everything took effect, and wants it once.
func (a *demand) check() {
	a.t.Helper()
	a.neverShown()
	a.all.Wait()
	a.eyes.checkStoredOnce(a.t, a.way.name, a.in("store"), text, a.stored.WorkflowID)
	if a.way.astray {
		a.neverShown()
	} else {
		a.eyes.checkForgottenOnce(a.t, a.in("forget"), text)
	}
	const states = `select count(*) from memories where project = $1 and not dirty and state = `
	const audits = `select count(*) from memory_audit where project = $1 and action = `
	for _, want := range []struct{ what, sql string }{
		{"edit", states + `'live' and text = '` + edited + `'`},
		{"edit", audits + `'update'`},
		{"merge", states + `'live'`},
		{"merge", states + `'merged'`},
		{"merge", audits + `'merge'`},
		{"import", states + `'live'`},
		{"import", audits + `'import'`},
		{"organize", states + `'live'`},
		{"organize", states + `'merged'`},
		{"organize", audits + `'merge'`},
		{"organize", audits + `'organize'`},
		{"link", audits + `'link'`},
		{"link", `select count(*) from memory_links l join memories m on m.id = l.source_id where m.project = $1`},
	} {
		eventually(a.t, func(context.Context) string {
			if n := a.eyes.count(a.t, want.sql, a.in(want.what)); n != 1 {
				return fmt.Sprintf("%s: %s: %d rows, want 1: %s", a.way.name, want.what, n, want.sql)
			}
			return ""
		})
	}
	eventually(a.t, func(ctx context.Context) string {
		if all, err := a.client.Waiting(ctx); err != nil || len(all) > 0 {
			return fmt.Sprintf("%s: still known to wait: %+v, %v", a.way.name, all, err)
		}
		return ""
	})
}

// shownMost is how often a recall may show what the ledger has forgotten: a recall does not wait for
// a ledger that says nothing for half a second, which happens on a busy machine.
const shownMost = 2

// neverShown recalls what the ledger has forgotten, until the index has, too.
func (a *demand) neverShown() {
	a.t.Helper()
	forgotten := func(and string) bool {
		return a.eyes.count(a.t, `select count(*) from memories where project = $1 and state = 'forgotten' `+and, a.in("forget")) == 1
	}
	shown := 0 // one after the other
	eventually(a.t, func(ctx context.Context) string {
		if !forgotten("") {
			return a.way.name + ": the ledger has not forgotten it"
		}
		answer, err := a.client.Recall(ctx, memory.Query{Text: text, Project: a.in("forget")})
		if !slices.ContainsFunc(answer.Hits, func(h memory.Hit) bool { return h.ID == a.id("forget", text) }) {
			shown = 0
		} else if shown++; shown > shownMost {
			a.t.Errorf("%s: what was forgotten is shown again: %+v", a.way.name, answer.Hits)
		}
		if err != nil || !forgotten("and not dirty") {
			return fmt.Sprintf("%s: the index has not forgotten it: %v", a.way.name, err)
		}
		return ""
	})
}

func ptr[T any](v T) *T { return &v }
