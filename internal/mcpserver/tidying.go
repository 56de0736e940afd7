package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// organized answers memory_organize.
type organized struct {
	Status      string             `json:"status"` // done or running
	WorkflowID  string             `json:"workflow_id,omitempty"`
	DryRun      bool               `json:"dry_run"`
	TookSeconds float64            `json:"took_seconds,omitempty"`
	Collections []collectionReport `json:"collections"`
	Held        []memory.HeldPrune `json:"held,omitempty"`
	Message     string             `json:"message"`

	Plan []plannedStep `json:"plan,omitempty"` // of a dry run: the first steps
}

// collectionReport is one collection's counts; collections in which nothing
// happened are left out.
type collectionReport struct {
	Collection string        `json:"collection"`
	Scanned    int           `json:"scanned"`
	Expired    int           `json:"expired,omitempty"`
	Promoted   int           `json:"promoted,omitempty"`
	Merged     int           `json:"merged,omitempty"`
	Decayed    int           `json:"decayed,omitempty"`
	Pruned     int           `json:"pruned,omitempty"`
	Announced  int           `json:"announced,omitempty"`
	Rebuilt    bool          `json:"rebuilt,omitempty"`
	Groups     []mergedGroup `json:"groups,omitempty"`
	PrunedIDs  []string      `json:"pruned_ids,omitempty"`

	Nearly []memory.NearlyPruned `json:"nearly_pruned,omitempty"`
}

type mergedGroup struct {
	SurvivorID string   `json:"survivor_id"`
	MergedIDs  []string `json:"merged_ids"`
	Similarity float64  `json:"similarity"`
	Text       string   `json:"text"`
}

func (a organized) text() string { return a.Message }

// The examples shown for each collection; the counts are always whole.
const (
	maxGroups    = 3
	maxGroupIDs  = 5
	maxPrunedIDs = 5
	maxGroupText = 160
)

func newOrganized(r memory.OrganizeReport, status string) organized {
	a := organized{
		Status: status, WorkflowID: r.WorkflowID, DryRun: r.DryRun, TookSeconds: round(r.TookSeconds),
		Collections: []collectionReport{},
	}
	var total collectionReport
	for _, c := range r.Collections {
		total.Scanned += c.Scanned
		total.Expired += c.Expired
		total.Promoted += c.Promoted
		total.Merged += c.Merged
		total.Pruned += c.Pruned
		total.Announced += c.Announced
		if c.Scanned > 0 || c.Expired > 0 {
			a.Collections = append(a.Collections, newCollectionReport(c))
		}
	}
	would := ""
	if r.DryRun {
		would = "would be "
	}
	a.Message = fmt.Sprintf("%s looked at; %d %smerged, %d %spruned, %d %spromoted, %d %sexpired",
		plural(total.Scanned), total.Merged, would, total.Pruned, would, total.Promoted, would, total.Expired, would)
	if total.Announced > 0 {
		a.Message += fmt.Sprintf("; %d nearly pruned: the user can keep them with \"mneme review\"", total.Announced)
	}
	if n := len(r.LeftOut); n > 0 {
		a.Message += fmt.Sprintf("; %d left alone because a question would lose its answer", n)
	}
	for _, h := range r.Held[:min(len(r.Held), maxGroups)] {
		h.Project = cleanText(h.Project)
		a.Held = append(a.Held, h)
	}
	if text, hint := memory.HeldText(r.Held); text != "" {
		a.Message += "; " + cleanText(text) + ": " + cleanText(hint)
	}
	return a
}

func newCollectionReport(c memory.CollectionReport) collectionReport {
	out := collectionReport{
		Collection: c.Collection, Scanned: c.Scanned, Expired: c.Expired, Promoted: c.Promoted, Merged: c.Merged,
		Decayed: c.Decayed, Pruned: c.Pruned, Announced: c.Announced, Rebuilt: c.Rebuilt, PrunedIDs: shortIDs(c.PrunedIDs[:min(len(c.PrunedIDs), maxPrunedIDs)]),
	}
	for _, g := range c.Groups[:min(len(c.Groups), maxGroups)] {
		text, _ := cut(cleanText(g.Text), maxGroupText)
		out.Groups = append(out.Groups, mergedGroup{
			SurvivorID: memory.ShortID(g.SurvivorID), MergedIDs: shortIDs(g.MergedIDs[:min(len(g.MergedIDs), maxGroupIDs)]), Similarity: round(g.Similarity), Text: text,
		})
	}
	for _, n := range c.Nearly[:min(len(c.Nearly), maxPrunedIDs)] {
		n.ID, n.Project = memory.ShortID(n.ID), cleanText(n.Project)
		n.Text, _ = cut(cleanText(n.Text), maxGroupText)
		out.Nearly = append(out.Nearly, n)
	}
	return out
}

type organizeArgs struct {
	DryRun      bool     `json:"dry_run"`
	Collections []string `json:"collections"`
	Project     string   `json:"project"`
	Yes         bool     `json:"yes"`
}

func (in organizeArgs) input() memory.OrganizeInput {
	return memory.OrganizeInput{Collections: in.Collections, Project: in.Project, DryRun: in.DryRun, Yes: in.Yes}
}

func (in organizeArgs) validate() error { _, err := in.input().Clean(); return err }

// organize waits for the report until the deadline. The workflow does not
// need anyone to wait for it, so after that the answer is that it goes on.
func (s *Server) organize(ctx context.Context, c Client, in organizeArgs) (answer, error) {
	input := in.input()
	input.User = s.opts.User
	var mu sync.Mutex
	last := memory.OrganizeReport{DryRun: in.DryRun}
	report, err := c.Organize(ctx, input, func(r memory.OrganizeReport) {
		mu.Lock()
		defer mu.Unlock()
		last = r
	})
	if err == nil {
		a := newOrganized(report, "done")
		if report.DryRun {
			err = s.addPlan(ctx, c, report.WorkflowID, &a)
		}
		return a, err
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	if last.WorkflowID == "" {
		return nil, err // nothing says that it was started
	}
	a := newOrganized(last, "running")
	a.Message = "it goes on in the background as workflow " + last.WorkflowID + "; so far: " + a.Message
	return a, nil
}

// forgotten answers memory_forget.
type forgotten struct {
	Count    int      `json:"count"`
	IDs      []string `json:"ids"`
	Links    int      `json:"links,omitempty"`
	DryRun   bool     `json:"dry_run"`
	Purged   bool     `json:"purged,omitempty"`
	Verified bool     `json:"verified"`
	Project  string   `json:"project,omitempty"` // that a call without one went to
	Message  string   `json:"message"`

	Memories []toForget `json:"memories,omitempty"` // the first of those that would be forgotten
}

func (a forgotten) text() string {
	lines := []string{a.Message}
	for _, m := range a.Memories {
		lines = append(lines, fmt.Sprintf("- %s, %s, %s: %s", m.ID, m.Project, m.Date, m.Text))
	}
	return strings.Join(lines, "\n")
}

// maxForgottenIDs is how many ids an answer shows; the count is whole.
const maxForgottenIDs = 50

type forgetArgs struct {
	ID         string   `json:"id"`
	Tags       []string `json:"tags"`
	DateBefore string   `json:"date_before"`
	Project    string   `json:"project"`
	Collection string   `json:"collection"`
	DryRun     bool     `json:"dry_run"`
	Purge      bool     `json:"purge"`
	Confirm    int      `json:"confirm"`
}

// filter returns what is asked to be forgotten, before a project is added.
func (in forgetArgs) filter() (memory.Filter, error) {
	f := memory.Filter{Tags: in.Tags, Project: in.Project, Collection: in.Collection}
	if in.ID != "" {
		f.IDs = []string{in.ID}
	}
	if in.DateBefore != "" {
		t, err := parseDate("date_before", in.DateBefore)
		if err != nil {
			return f, err
		}
		f.Before = &t
	}
	_, err := f.Clean()
	return f, err // as it came: see store
}

func (in forgetArgs) validate() error { _, err := in.filter(); return err }

func (s *Server) forget(ctx context.Context, c Client, in forgetArgs) (answer, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	if len(f.IDs) == 0 {
		// Never another project's memories because a tag happens to be used
		// there too.
		f.Project = s.project(ctx, f.Project)
	}
	// The project that was named is not repeated: nobody has redacted it.
	named := ""
	if in.Project == "" {
		named = f.Project
	}
	input := memory.ForgetInput{Filter: f, DryRun: true, Purge: in.Purge, User: s.opts.User}
	would, err := c.Forget(ctx, input)
	if err != nil {
		return nil, err
	}
	if in.DryRun || would.Count == 0 || would.Count > 1 && would.Count != in.Confirm {
		return s.wouldForget(ctx, c, would, named)
	}
	input.DryRun = false
	if would.Count == len(would.IDs) {
		input.Filter.IDs = would.IDs // what was shown, and nothing that matches since
	}
	r, err := c.Forget(ctx, input)
	if in.Purge && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, memory.Down("the purge", `it goes on by itself; "mneme status" tells whether it waits, and its receipt is in the folder purges of mneme's home`,
			errors.New("the texts are still being taken away and looked for"))
	}
	if err != nil {
		return nil, err
	}
	return newForgotten(r, named), nil
}

// wouldForget shows what a forget is about, for the user to agree.
func (s *Server) wouldForget(ctx context.Context, c Client, r memory.ForgetReceipt, project string) (answer, error) {
	a := newForgotten(r, project)
	if r.Count == 0 {
		return a, nil
	}
	found, err := c.Get(ctx, r.IDs[:min(len(r.IDs), maxForgottenShown)])
	if err != nil {
		return nil, err
	}
	for _, m := range found {
		text, _ := cut(cleanText(m.Text), maxGroupText)
		a.Memories = append(a.Memories, toForget{memory.ShortID(m.ID), cleanText(m.Project), m.CreatedAt.UTC().Format(time.DateOnly), text})
	}
	a.IDs, a.Message = []string{}, fmt.Sprintf("nothing was forgotten yet. %s would be", plural(r.Count))
	if more := r.Count - len(a.Memories); more > 0 {
		a.Message += fmt.Sprintf("; %d of them are not shown: narrow the filter to see them", more)
	}
	a.Message += fmt.Sprintf(". Show them to the user; if the user agrees, call again with the same arguments, without dry_run, and confirm: %d", r.Count)
	return a, nil
}

// toForget is a memory as the user is to see it before it is forgotten.
type toForget struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Date    string `json:"date"`
	Text    string `json:"text"`
}

// maxForgottenShown is how many memories are shown before they are forgotten.
const maxForgottenShown = 30

func newForgotten(r memory.ForgetReceipt, project string) forgotten {
	ids := append([]string{}, shortIDs(r.IDs[:min(len(r.IDs), maxForgottenIDs)])...)
	a := forgotten{
		Count: r.Count, IDs: ids, Links: r.Links, DryRun: r.DryRun, Purged: r.Purged, Verified: r.Verified, Project: cleanText(project),
	}
	switch {
	case r.Count == 0:
		a.Message = "no memory matched; nothing was forgotten"
	case r.Purge != nil && !r.DryRun:
		a.Message = plural(r.Count) + " forgotten for good. " + purgeText(*r.Purge)
	default:
		a.Message = plural(r.Count) + " forgotten; memory_undo brings them back"
	}
	return a
}

// purgeText says what was looked for and found; it claims nothing else.
func purgeText(r memory.PurgeReport) string {
	var places []string
	for _, p := range r.Places {
		places = append(places, fmt.Sprintf("%d %s of %s", p.Count, p.What, cleanText(p.Place)))
	}
	text := "The texts were looked for in " + strings.Join(places, ", ") + ": "
	if r.Clean() {
		text += "none was found."
	} else {
		text += fmt.Sprintf("%d traces are still there, such as in %s.",
			len(r.Found)+r.More, cleanText(r.Found[0].Place))
	}
	return text + " Receipt: " + cleanText(r.Receipt) + ". Not searched: this session's transcript, exports, backups"
}

// summarized answers memory_summarize.
type summarized struct {
	Summary  string   `json:"summary"`
	Method   string   `json:"method"`
	Memories int      `json:"memories"`
	IDs      []string `json:"ids"`
}

func (a summarized) text() string {
	return fmt.Sprintf("%s\n(%s, %s)", a.Summary, plural(a.Memories), a.Method)
}

type summarizeArgs struct {
	Collection string `json:"collection"`
	Project    string `json:"project"`
	Sentences  int    `json:"sentences"`
}

func (s *Server) summarize(ctx context.Context, c Client, in summarizeArgs) (answer, error) {
	input, err := memory.SummaryInput{
		Collection: in.Collection, Project: s.project(ctx, in.Project), Sentences: in.Sentences,
	}.Clean()
	if err != nil {
		return nil, err
	}
	r, err := c.Summarize(ctx, input)
	if err != nil {
		return nil, err
	}
	a := summarized{Method: r.Method, Memories: r.Memories, IDs: append([]string{}, shortIDs(r.IDs[:min(len(r.IDs), maxForgottenIDs)])...)}
	a.Summary, _ = cut(cleanText(r.Text), maxResultBytes-400-jsonSize(a.IDs))
	if r.Memories == 0 && a.Summary == "" {
		a.Summary = "there is nothing to summarise yet"
	}
	return a, nil
}
