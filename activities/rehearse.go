package activities

import (
	"context"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/memory"
)

// RehearseInput is a dry run.
type RehearseInput struct {
	Organize memory.OrganizeInput  `json:"organize"` // cleaned
	Report   memory.OrganizeReport `json:"report"`   // that it begins with; StartedAt is the time of the run
}

// RehearseOrganize reports what an organize run would do, and changes nothing.
// It takes the steps of OrganizeMemory in their order on a copy of what the
// ledger knows, and keeps them as a plan that can be read and applied. Its
// heartbeats carry the report so far.
func (a *Activities) RehearseOrganize(ctx context.Context, in RehearseInput) (memory.OrganizeReport, error) {
	report := in.Report
	standings, err := a.Ledger.Standings(ctx, in.Organize.Project)
	if err != nil {
		return report, err
	}
	now := in.Report.StartedAt.UTC().Truncate(time.Microsecond) // as the ledger keeps times
	r := memory.NewRehearsal(now, standings)
	watch, err := a.watchQuestions(ctx)
	if err != nil {
		return report, err
	}
	r.Heed(watch)
	across, err := a.across(ctx, in.Organize.Order(), in.Organize.Project, func(int) { activity.RecordHeartbeat(ctx, report) })
	if err != nil {
		return report, err
	}
	for _, collection := range in.Organize.Order() {
		part := memory.CollectionReport{Collection: collection}
		if err := a.rehearse(ctx, r, in.Organize.Project, &part); err != nil {
			return report, err
		}
		report.Collections = append(report.Collections, part)
		activity.RecordHeartbeat(ctx, report)
	}
	if err := a.rehearseAcross(ctx, r, across, &report); err != nil {
		return report, err
	}
	if !in.Organize.Yes {
		report.Held = r.Hold()
	}
	for i := range report.Collections {
		part := &report.Collections[i]
		pruned := r.Prune(part.Collection, report.Held)
		part.Pruned, part.PrunedIDs = len(pruned), pruned[:min(len(pruned), memory.ReportMost)]
	}
	if err := a.rehearseAnnouncements(ctx, r, &report); err != nil {
		return report, err
	}
	left := r.LeftOut()
	left = left[:min(len(left), memory.ReportMost)]
	if len(left) > 0 {
		report.LeftOut = left
	}
	head := memory.PlanHead{ID: report.WorkflowID, Input: in.Organize, At: now, Held: report.Held, LeftOut: left}
	return report, a.Ledger.KeepPlan(ctx, head, r.Plan())
}

// rehearseAnnouncements names what is nearly pruned.
func (a *Activities) rehearseAnnouncements(ctx context.Context, r *memory.Rehearsal, report *memory.OrganizeReport) error {
	for i := range report.Collections {
		part := &report.Collections[i]
		named := r.Announce(part.Collection)
		part.Announced = len(named)
		nearly, err := a.nearly(ctx, map[string][]string{part.Collection: named})
		if err != nil {
			return err
		}
		part.Nearly = nearly[part.Collection]
		for k := range part.Nearly {
			if text, merged := r.Text(part.Nearly[k].ID); merged {
				part.Nearly[k].Text = excerpt(text)
			}
		}
	}
	return nil
}

// rehearseAcross merges what says the same in several collections.
func (a *Activities) rehearseAcross(ctx context.Context, r *memory.Rehearsal, found memory.Groups, report *memory.OrganizeReport) error {
	for page := range slices.Chunk(found.IDs, mergePage) {
		members, err := a.Ledger.Members(ctx, r.Now(slices.Concat(page...)))
		if err != nil {
			return err
		}
		for _, ids := range page {
			g, collection := r.MergeAcross(ids, members)
			if len(g.MergedIDs) > 0 {
				report.Part(collection).AddMerge(shortened(g))
			}
		}
	}
	return nil
}

// rehearse takes the steps of one collection that come before the pruning.
func (a *Activities) rehearse(ctx context.Context, r *memory.Rehearsal, project string, part *memory.CollectionReport) error {
	found, err := a.groups(ctx, part.Collection, project, func(int) {})
	if err != nil {
		return err
	}
	part.Scanned = found.Scanned
	part.Expired = r.Expire(part.Collection)
	if part.Promoted, err = r.Promote(part.Collection, func(ids []string) (map[string]memory.Record, error) {
		return a.Ledger.Members(ctx, ids)
	}); err != nil {
		return err
	}
	for page := range slices.Chunk(found.IDs, mergePage) {
		members, err := a.Ledger.Members(ctx, slices.Concat(page...))
		if err != nil {
			return err
		}
		for _, ids := range page {
			g := r.Merge(part.Collection, membersOf(members, ids))
			part.AddMerge(shortened(g))
		}
	}
	part.Decayed, err = r.Decay(part.Collection, func(since map[string]time.Time) (map[string]int, error) {
		return a.Ledger.Ignored(ctx, since)
	})
	return err
}

// mergePage is how many groups are read at a time.
const mergePage = 50

// membersOf returns the records of those ids that are there, in the order of the ledger.
func membersOf(members map[string]memory.Record, ids []string) []memory.Record {
	var out []memory.Record
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if r, ok := members[id]; ok {
			out = append(out, r)
		}
	}
	return out
}
