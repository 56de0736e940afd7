package durability

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/backup"
	"github.com/mneme-memory/mneme/memory"
)

// session is one user with a separate project, and therefore knows every memory that the project must hold.
type session struct {
	*site
	project string
	chance  *rand.Rand
	facts   []*fact
	calls   int // so far
	recalls asked
	pairs   []pair
}

// fact is one memory with the changes made to that memory.
type fact struct {
	id, text string
	state    memory.State // "" when its text was purged
	made     map[string]*made
	// unsure says that nobody answered one of the calls: it may take effect at any time, also after
	// the call that was made in its place, so the memory is left alone from then on.
	unsure bool
}

// made counts one kind of change: how often it was acknowledged and how often asked for. A
// call that nobody answered may have taken effect or not.
type made struct {
	acknowledged, asked int
	fact                *fact // nil if it is not about one
}

// pair is what an organize run, or an import, was to leave in a project.
type pair struct {
	project, what, sql string
	want               int
}

func newSession(s *site, project string, chance *rand.Rand) *session {
	return &session{site: s, project: project, chance: chance}
}

// work does one thing after the other until ctx ends.
func (u *session) work(ctx context.Context) {
	things := []struct {
		weight int
		do     func()
	}{
		{26, u.storeNew},
		{8, u.storeAgain},
		{22, u.recallOne},
		{8, u.edit},
		{8, u.link},
		{9, u.forget},
		{5, u.restore},
		{5, u.undo},
		{4, u.importSome},
		{2, u.organize},
		{1, u.purge},
		{1, u.rebuild},
		{1, u.backup},
	}
	sum := 0
	for _, thing := range things {
		sum += thing.weight
	}
	for ctx.Err() == nil && !u.Failed() {
		n := u.chance.IntN(sum)
		for _, thing := range things {
			if n -= thing.weight; n < 0 {
				thing.do()
				break
			}
		}
		u.calls++
	}
}

// any returns a memory in a state, nil if there is none.
func (u *session) any(state memory.State) *fact {
	var all []*fact
	for _, f := range u.facts {
		if f.state == state && !f.unsure {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[u.chance.IntN(len(all))]
}

// answer is what became of a call.
type answer int

const (
	unheard answer = iota // nobody answered: it is asked again
	done                  // it is
	later                 // accepted, and made later
	refused               // it cannot be: somebody did it before, or does it now
)

func answerOf(err error) answer {
	switch {
	case err == nil:
		return done
	case toldLater(err):
		return later
	case memory.Waits(err), strings.Contains(err.Error(), context.DeadlineExceeded.Error()):
		return unheard
	default:
		return refused
	}
}

// insist asks until somebody answers. A call that was refused only because an earlier one, of
// which nobody heard, took effect is told.
func (u *session) insist(what string, m *made, call func(ctx context.Context) error, happened func() bool) bool {
	u.Helper()
	return u.insistFor(patient, patience, what, m, call, happened)
}

// longest is how long a long operation may take: it begins anew, or goes on, each time it is killed.
const longest = 3 * patience

// insistLong is insist for what may take its time: each further call would begin one more.
func (u *session) insistLong(what string, m *made, call func(ctx context.Context) error, happened func() bool) bool {
	u.Helper()
	return u.insistFor(longest, longest, what, m, call, happened)
}

func (u *session) insistFor(
	each, all time.Duration, what string, m *made, call func(ctx context.Context) error, happened func() bool,
) bool {
	u.Helper()
	ctx, cancel := context.WithTimeout(u.Context(), all)
	defer cancel()
	for {
		m.asked++
		u.tally.op(what, func(o *opCount) { o.asked++ })
		once, end := context.WithTimeout(ctx, each)
		err := call(once)
		end()
		switch answerOf(err) {
		case done:
			u.acknowledge(what, m)
			if !happened() && (m.fact == nil || !m.fact.unsure) {
				u.lost(what, "was told that it is done, and it is not")
			}
			return true
		case later:
			u.acknowledge(what, m)
			eventually(u, func(context.Context) string {
				if happened() {
					return ""
				}
				return u.project + ": " + what + ": accepted, and not done"
			})
			return true
		case refused:
			if m.asked > 1 && happened() {
				return true
			}
			if memory.CodeOf(err) == memory.Conflict {
				return false
			}
			u.Errorf("%s: %s: %v", u.project, what, err)
			return false
		case unheard:
			if m.fact != nil {
				m.fact.unsure = true
			}
		}
		select {
		case <-ctx.Done():
			u.Errorf("%s: %s: nobody answered in %s: %v", u.project, what, all, err)
			return false
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (u *session) acknowledge(what string, m *made) {
	m.acknowledged++
	u.site.done.Add(1)
	u.tally.op(what, func(o *opCount) { o.acknowledged++ })
}

func (u *session) lost(what, how string) {
	u.tally.op(what, func(o *opCount) { o.lost++ })
	u.Errorf("%s: %s %s", u.project, what, how)
}

func (f *fact) of(what string) *made {
	if f.made[what] == nil {
		f.made[what] = &made{fact: f}
	}
	return f.made[what]
}

func (u *session) countOf(sql string, args ...any) int { return u.eyes.count(u, sql, args...) }

func (u *session) has(f *fact, condition string) func() bool {
	return func() bool {
		return u.countOf(`select count(*) from memories where id = $1 and `+condition, f.id) == 1
	}
}

func (u *session) storeNew() {
	text := fmt.Sprintf("Machine %d of the farm stands in rack %d.", len(u.facts), len(u.facts)*7)
	in := memory.StoreInput{Text: text, Project: u.project}
	f := &fact{text: text, made: map[string]*made{}}
	f.id = memory.StoreInput{Text: text, Project: u.project, Collection: collection()}.ID()
	if u.insist(memory.ActionStore, f.of(memory.ActionStore), u.storing(in, f), u.has(f, `state = 'live' and text <> ''`)) {
		f.state = memory.Live
		u.facts = append(u.facts, f)
	}
}

// storing stores a text, and wants to hear of one memory.
func (u *session) storing(in memory.StoreInput, f *fact) func(context.Context) error {
	return func(ctx context.Context) error {
		r, err := u.client.Store(ctx, in)
		if err == nil && r.Status == memory.Accepted {
			return memory.Down(r.WaitingFor, "wait", fmt.Errorf("accepted"))
		}
		if err == nil && r.ID != f.id {
			u.Errorf("%s: stored %q as %s, want %s: %+v", u.project, in.Text, r.ID, f.id, r)
		}
		return err
	}
}

func (u *session) storeAgain() {
	if f := u.any(memory.Live); f != nil && f.of(memory.ActionUpdate).asked == 0 {
		u.insist("store again", f.of("again"), u.storing(memory.StoreInput{Text: f.text, Project: u.project}, f), u.has(f, `state = 'live'`))
	}
}

// recallOne wants to find a memory that is there, and none that was forgotten.
func (u *session) recallOne() {
	f := u.any(memory.Live)
	if f == nil {
		return
	}
	var r memory.RecallResult
	var m made
	u.insist(memory.ActionRecall, &m, func(ctx context.Context) (err error) {
		r, err = u.recallAll(ctx, f)
		return err
	}, func() bool { return true })
	found := map[string]bool{}
	for _, h := range r.Hits {
		found[h.ID] = true
	}
	if !found[f.id] && r.Degraded == "" && m.acknowledged > 0 && u.countOf(`select count(*) from memories where id = $1 and not dirty`, f.id) == 1 {
		u.notFound(f, r)
	}
	for _, other := range u.facts {
		if other.state != memory.Live && !other.unsure && found[other.id] {
			u.notShown(other)
		}
	}
}

// notShown asks again for what was forgotten: a recall that the ledger does not answer in half a
// second shows what the index has.
func (u *session) notShown(f *fact) {
	eventually(u, func(ctx context.Context) string {
		r, err := u.recallAll(ctx, f)
		if err != nil || slices.ContainsFunc(r.Hits, func(h memory.Hit) bool { return h.ID == f.id }) {
			return fmt.Sprintf("%s: %s was forgotten, and is shown: %v", u.project, f.id, err)
		}
		return ""
	})
}

// recallAll asks for a memory by its text, and for whatever is near.
func (u *session) recallAll(ctx context.Context, f *fact) (memory.RecallResult, error) {
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	everything := 0.0
	u.recalls.all++
	r, err := u.client.Recall(ctx, memory.Query{Text: f.text, Project: u.project, MinScore: &everything, Limit: 20})
	if err == nil {
		u.recalls.answered++
	}
	return r, err
}

// notFound asks once more: between the answer and the question to the ledger the index may
// have come into step.
func (u *session) notFound(f *fact, first memory.RecallResult) {
	eventually(u, func(ctx context.Context) string {
		r, err := u.recallAll(ctx, f)
		if slices.ContainsFunc(r.Hits, func(h memory.Hit) bool { return h.ID == f.id }) {
			return ""
		}
		return fmt.Sprintf("%s: %s is not found: %v, %+v; before %+v", u.project, f.id, err, r, first)
	})
}

func (u *session) edit() {
	f := u.any(memory.Live)
	if f == nil {
		return
	}
	text := fmt.Sprintf("%s Checked on day %d.", strings.TrimSuffix(f.text, "."), u.calls)
	is := func() bool {
		return u.countOf(`select count(*) from memories where id = $1 and text = $2`, f.id, text) == 1
	}
	if u.insist(memory.ActionUpdate, f.of(memory.ActionUpdate), func(ctx context.Context) error {
		_, err := u.client.Update(ctx, memory.UpdateInput{ID: f.id, Text: &text})
		return err
	}, is) {
		f.text = text
	}
}

func (u *session) link() {
	a, b := u.any(memory.Live), u.any(memory.Live)
	if a == nil || a == b {
		return
	}
	is := func() bool {
		return u.countOf(`select count(*) from memory_links where source_id = $1 and target_id = $2`, a.id, b.id) == 1
	}
	u.insist(memory.ActionLink, a.of(memory.ActionLink+" "+b.id), func(ctx context.Context) error {
		_, err := u.client.Link(ctx, memory.Link{SourceID: a.id, TargetID: b.id, Type: memory.LinkBuildsOn})
		return err
	}, is)
}

func (u *session) forget() {
	f := u.any(memory.Live)
	if f == nil {
		return
	}
	if u.insist(memory.ActionForget, f.of(memory.ActionForget), func(ctx context.Context) error {
		_, err := u.client.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{IDs: []string{f.id}, Project: u.project}})
		return err
	}, u.has(f, `state = 'forgotten'`)) {
		f.state = memory.Forgotten
	}
}

func (u *session) restore() {
	f := u.any(memory.Forgotten)
	if f == nil {
		return
	}
	if u.insist(memory.ActionRestore, f.of(memory.ActionRestore), func(ctx context.Context) error {
		_, err := u.client.Restore(ctx, f.id, "")
		return err
	}, u.has(f, `state = 'live'`)) {
		f.state = memory.Live
	}
}

// undo takes the forget of a memory back.
func (u *session) undo() {
	f := u.any(memory.Forgotten)
	if f == nil {
		return
	}
	if u.insistLong(memory.ActionUndo, f.of(memory.ActionUndo), func(ctx context.Context) error {
		if u.has(f, `state = 'live'`)() {
			return nil // an undo of which nobody heard: the next would take that one back
		}
		r, err := u.client.Undo(ctx, memory.UndoInput{Of: f.id}, nil)
		if err == nil && !r.Verified {
			u.Errorf("%s: undo of %s is not verified: %+v", u.project, f.id, r)
		}
		return err
	}, u.has(f, `state = 'live'`)) {
		f.state = memory.Live
	}
}

func (u *session) purge() {
	f := u.any(memory.Live)
	if f == nil {
		return
	}
	if u.insistLong("purge", f.of("purge"), func(ctx context.Context) error {
		_, err := u.client.Purge(ctx, memory.ForgetInput{Filter: memory.Filter{IDs: []string{f.id}, Project: u.project, Forgotten: true}, Purge: true}, nil)
		return err
	}, func() bool {
		return u.countOf(`select count(*) from memories where text = $1 and project = $2`, f.text, u.project) == 0 &&
			u.countOf(`select count(*) from memory_versions where memory_id = $1 and (before ->> 'text' <> '' or after ->> 'text' <> '')`, f.id) == 0
	}) {
		f.state = ""
	}
}

// importSome imports two texts, one of them twice.
func (u *session) importSome() {
	project := fmt.Sprintf("%s/import/%d", u.project, u.calls)
	items := []memory.StoreInput{{Text: text, Project: project}, {Text: another, Project: project}, {Text: text, Project: project}}
	const live = `select count(*) from memories where project = $1 and state = 'live'`
	if u.importing(project, items, live) {
		u.pairs = append(u.pairs,
			pair{project, memory.ActionImport, live, 2},
			pair{project, memory.ActionImport, `select count(*) from memory_audit where project = $1 and action = 'import'`, 2})
	}
}

func (u *session) importing(project string, items []memory.StoreInput, live string) bool {
	var m made
	return u.insist(memory.ActionImport, &m, func(ctx context.Context) error {
		if _, err := u.client.ImportBatch(ctx, project, memory.ImportBatch{Items: items}); err != nil {
			return err
		}
		_, err := u.client.ImportFinish(ctx, project)
		return err
	}, func() bool { return u.countOf(live, project) == 2 })
}

// organize has two memories merged.
func (u *session) organize() {
	project := fmt.Sprintf("%s/organize/%d", u.project, u.calls)
	items := []memory.StoreInput{{Text: text, Project: project}, {Text: nearly, Project: project}}
	if !u.importing(project, items, `select count(*) from memories where project = $1 and state in ('live', 'merged')`) {
		return
	}
	var m made
	const merged = `select count(*) from memories where project = $1 and state = 'merged'`
	const both = `select count(*) from memories where project = $1 and state in ('live', 'merged')`
	happened := func() bool { return u.countOf(merged, project) == 1 }
	// To a run, what a worker with a clock ahead stored was changed after the run began: it is left for a later one.
	apart := os.Getenv(clockEnv) != ""
	if apart {
		happened = func() bool { return u.countOf(both, project) == 2 }
	}
	if !u.insistLong(memory.ActionOrganize, &m, func(ctx context.Context) error {
		_, err := u.client.Organize(ctx, memory.OrganizeInput{Project: project, Collections: []string{collection()}}, nil)
		return err
	}, happened) {
		return
	}
	u.pairs = append(u.pairs, pair{project, memory.ActionOrganize, both, 2})
	if !apart {
		u.pairs = append(u.pairs,
			pair{project, memory.ActionOrganize, merged, 1},
			pair{project, memory.ActionOrganize, `select count(*) from memory_audit where project = $1 and action = 'merge'`, 1})
	}
}

func (u *session) rebuild() {
	var m made
	u.insistLong(memory.ActionRebuild, &m, func(ctx context.Context) error {
		_, err := u.client.Rebuild(ctx, memory.RebuildInput{}, nil)
		return err
	}, func() bool { return true })
}

// backup writes a backup and reads it whole.
func (u *session) backup() {
	var m made
	var r memory.BackupReport
	u.insistLong(memory.ActionBackup, &m, func(ctx context.Context) (err error) {
		r, err = u.client.Backup(ctx, memory.BackupInput{Dir: u.backups(), Keep: 100}, nil)
		return err
	}, func() bool {
		file, err := backup.Open(r.Path, nil)
		if err != nil {
			u.Errorf("open the backup: %v", err)
			return false
		}
		defer file.Close()
		b, err := file.Check(u.Context(), nil)
		if err != nil || b.Head.Live != r.Live {
			u.Errorf("the backup: %+v, %v; told %+v", b, err, r)
		}
		return err == nil
	})
}
