package workflows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// told are the messages of two projects' conversations.
func told() []conversation.Message {
	at := time.Now().UTC().Add(-48 * time.Hour).Truncate(time.Second)
	line := func(project, session, thread string, n int64, role conversation.Role, text string) conversation.Message {
		m := conversation.Message{Project: project, Session: session, Thread: thread, Role: role, Position: n, At: at.Add(time.Duration(n) * time.Minute), Text: text}
		m.ID = conversation.NewID(session, role, fmt.Sprint(thread, n))
		return m
	}
	return []conversation.Message{
		line("shop", "s1", "", 1, conversation.User, "Which port does the checkout service listen on?"),
		line("shop", "s1", "", 2, conversation.Assistant, "The checkout service listens on port 8443, behind the proxy."),
		line("shop", "s1", "", 3, conversation.User, "And why do we keep the cache in Redis?"),
		line("shop", "s1", "", 4, conversation.Assistant, "Because two nodes share the sessions, a cache in memory would be stale."),
		line("shop", "s1", "a7", 1, conversation.Assistant, "The subagent found three tests for the cache."),
		line("bank", "s2", "", 1, conversation.User, "Which port does the ledger of the bank listen on?"),
		line("bank", "s2", "", 2, conversation.Assistant, "The bank's ledger listens on port 9100."),
	}
}

func archived(t testing.TB, r *rig) []conversation.Message {
	t.Helper()
	all := told()
	got, err := r.Archive(t.Context(), conversation.Batch{Messages: all})
	if err != nil || got.Added != len(all) {
		t.Fatalf("archived %+v, %v", got, err)
	}
	return all
}

func TestConversations(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	all := archived(t, r)
	t.Run("again", func(t *testing.T) { archivedAgain(t, r, all) })
	t.Run("search", func(t *testing.T) { searchedConversations(t, r, all) })
	t.Run("read", func(t *testing.T) { readConversations(t, r, all) })
	t.Run("recall does not see it", func(t *testing.T) {
		got, err := r.Recall(t.Context(), memory.Query{Text: "which port does the checkout service listen on", Project: "shop"})
		if err != nil || len(got.Hits) != 0 || got.Degraded != "" {
			t.Errorf("recalled %+v, %v", got, err)
		}
	})
	t.Run("index", func(t *testing.T) { indexedConversations(t, r, all) })
	t.Run("forget", func(t *testing.T) { forgottenConversations(t, r, all) })
}

// archivedAgain sends a batch once more, and one message that has grown.
func archivedAgain(t *testing.T, r *rig, all []conversation.Message) {
	got, err := r.Archive(t.Context(), conversation.Batch{Messages: all})
	if err != nil || got != (conversation.Archived{Known: len(all)}) {
		t.Errorf("the same again: %+v, %v", got, err)
	}
	grown := all[3]
	grown.Text += " The password is hunter2hunter2, token ghp_" + strings.Repeat("a1B2c3D4", 5) + "."
	got, err = r.Archive(t.Context(), conversation.Batch{Messages: []conversation.Message{grown, grown}})
	if err != nil || got.Changed == 0 || got.Added != 0 {
		t.Errorf("a grown message: %+v, %v", got, err)
	}
	page, err := r.ReadConversation(t.Context(), conversation.Place{Message: grown.ID, Project: "shop"})
	if err != nil || len(page.Messages) != 1 || strings.Contains(page.Messages[0].Text, "ghp_") || !strings.Contains(page.Messages[0].Text, "stale. The") {
		t.Errorf("kept %+v, %v", page, err)
	}
	if _, err := r.Archive(t.Context(), conversation.Batch{Messages: []conversation.Message{{ID: grown.ID}}}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a message without anything: %v", err)
	}
}

func searchedConversations(t *testing.T, r *rig, all []conversation.Message) {
	since := all[2].At
	for name, tc := range map[string]struct {
		q    conversation.Query
		want string // id of the first, "" for none
	}{
		"by meaning":      {conversation.Query{Text: "port of the checkout service", Project: "shop", Roles: []conversation.Role{conversation.Assistant}}, all[1].ID},
		"by role":         {conversation.Query{Text: "port of the checkout service", Project: "shop", Roles: []conversation.Role{conversation.User}}, all[0].ID},
		"another project": {conversation.Query{Text: "port of the bank's ledger", Project: "bank", Roles: []conversation.Role{conversation.Assistant}}, all[6].ID},
		"all projects":    {conversation.Query{Text: "the bank's ledger listens on port 9100", AllProjects: true}, all[6].ID},
		"by date":         {conversation.Query{Text: "cache in Redis", Project: "shop", Since: &since, Before: &all[3].At}, all[2].ID},
		"by session":      {conversation.Query{Text: "port", AllProjects: true, Session: "nobody's"}, ""},
		"no project":      {conversation.Query{Text: "port of the checkout service"}, ""},
		"the bar":         {conversation.Query{Text: "zebra stripes", Project: "shop", MinScore: 0.99}, ""},
	} {
		got, err := r.SearchConversations(t.Context(), tc.q)
		first := ""
		if len(got.Hits) > 0 {
			first = got.Hits[0].ID
		}
		if err != nil || first != tc.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		for _, h := range got.Hits {
			if !tc.q.AllProjects && h.Project != tc.q.Project {
				t.Errorf("%s: found %q of %s", name, h.Text, h.Project)
			}
		}
	}
}

func readConversations(t *testing.T, r *rig, all []conversation.Message) {
	ids := func(p conversation.Place) string {
		page, err := r.ReadConversation(t.Context(), p)
		if err != nil {
			return string(memory.CodeOf(err))
		}
		var out []string
		for _, m := range page.Messages {
			for n := range all {
				if all[n].ID == m.ID {
					out = append(out, fmt.Sprint(n))
				}
			}
		}
		return strings.Join(out, " ")
	}
	near := all[2].At.Add(10 * time.Second)
	for want, p := range map[string]conversation.Place{
		"0 1 2 3 4": {Session: "s1", Project: "shop"},
		"0 1 2 3":   {Message: all[1].ID, Thread: true, Project: "shop"},
		"1 2 3":     {Message: memory.ShortID(all[2].ID), Around: 1, Project: "shop"},
		"2":         {Session: "s1", Near: &near, AllProjects: true},
		"not_found": {Session: "s1", Project: "bank"},
		"4":         {Message: all[4].ID, Around: 5, Project: "shop"},
	} {
		if got := ids(p); got != want {
			t.Errorf("%+v: read %q, want %q", p, got, want)
		}
	}
	if got := ids(conversation.Place{Message: all[1].ID, Project: "bank"}); got != "not_found" {
		t.Errorf("another project's message is shown: %s", got)
	}
	long := all[0]
	long.ID, long.Session, long.Text = conversation.NewID("s3", long.Role, "long"), "s3", strings.Repeat("The longest story.\n", 60_000)
	for _, part := range long.Parts() {
		if _, err := r.Archive(t.Context(), conversation.Batch{Messages: []conversation.Message{part}}); err != nil {
			t.Fatal(err)
		}
	}
	var parts []conversation.Message
	for p := (conversation.Place{Session: "s3", Project: "shop"}); ; {
		page, err := r.ReadConversation(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, page.Messages...)
		if p.After = page.Next; p.After == nil {
			break
		}
	}
	if whole := conversation.Join(parts); len(whole) != 1 || whole[0].Text != long.Text {
		t.Errorf("a message of 1.1 MB came back as %d", len(whole))
	}
	list, err := r.Conversations(t.Context(), conversation.Listing{Project: "shop"})
	if err != nil || len(list) != 2 || list[0].Messages+list[1].Messages != 6 {
		t.Errorf("listed %+v, %v", list, err)
	}
}

// indexedConversations loses the collection and has it written again.
func indexedConversations(t *testing.T, r *rig, all []conversation.Message) {
	ask := func() conversation.Result {
		got, err := r.SearchConversations(t.Context(), conversation.Query{Text: "port of the checkout service", Project: "shop"})
		check(t, err)
		return got
	}
	n, err := r.acts.Index.CountPassages(t.Context())
	check(t, err)
	check(t, r.raw(t).DeleteCollection(t.Context(), conversation.Collection))
	if got := ask(); len(got.Hits) != 0 || !strings.Contains(got.Degraded, "conversations index") {
		t.Errorf("without the collection: %+v", got)
	}
	written, err := r.IndexConversations(t.Context(), false)
	if err != nil || written == 0 {
		t.Errorf("indexed %d, %v", written, err)
	}
	if again, err := r.acts.Index.CountPassages(t.Context()); err != nil || again != n {
		t.Errorf("%d passages, before %d, %v", again, n, err)
	}
	if got := ask(); len(got.Hits) == 0 || got.Hits[0].Session != all[0].Session {
		t.Errorf("afterwards: %+v", got)
	}
}

func forgottenConversations(t *testing.T, r *rig, all []conversation.Message) {
	in := conversation.ForgetInput{Filter: conversation.Filter{Session: "s1"}, DryRun: true}
	would, err := r.ForgetConversations(t.Context(), in)
	if err != nil || would.Messages != 5 || !would.DryRun || would.Sessions != 1 {
		t.Fatalf("would forget %+v, %v", would, err)
	}
	if _, err := r.ForgetConversations(t.Context(), conversation.ForgetInput{}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("an empty filter: %v", err)
	}
	in.DryRun = false
	did, err := r.ForgetConversations(t.Context(), in)
	if err != nil || did.Messages != 5 || !did.Verified {
		t.Fatalf("forgot %+v, %v", did, err)
	}
	got, err := r.SearchConversations(t.Context(), conversation.Query{Text: "port of the checkout service", Project: "shop", Session: "s1"})
	if err != nil || len(got.Hits) != 0 {
		t.Errorf("still found: %+v, %v", got, err)
	}
	again, err := r.Archive(t.Context(), conversation.Batch{Messages: all})
	if err != nil || again.Forgotten != 5 || again.Known != 2 {
		t.Errorf("an import brings it back: %+v, %v", again, err)
	}
	again, err = r.Archive(t.Context(), conversation.Batch{Messages: all, Again: true})
	if err != nil || again.Changed != 5 {
		t.Errorf("asked for again: %+v, %v", again, err)
	}
	got, err = r.SearchConversations(t.Context(), conversation.Query{Text: "port of the checkout service", Project: "shop", Session: "s1"})
	if err != nil || len(got.Hits) == 0 {
		t.Errorf("not found again: %+v, %v", got, err)
	}
}

// conversationScenarios are recorded.
func conversationScenarios() map[string]simpleScenario {
	one := func(t *testing.T, r *rig) error {
		_, err := r.Archive(t.Context(), conversation.Batch{Messages: told()[:2]})
		return err
	}
	find := func(ctx context.Context, r *rig) error {
		_, err := r.SearchConversations(ctx, conversation.Query{Text: "port", Project: "shop"})
		return err
	}
	forget := func(dry bool) call {
		return func(t *testing.T, r *rig, _ []string) error {
			if err := one(t, r); err != nil {
				return err
			}
			_, err := r.ForgetConversations(t.Context(), conversation.ForgetInput{Filter: conversation.Filter{Session: "s1"}, DryRun: dry})
			return err
		}
	}
	return map[string]simpleScenario{
		"conversations-archived":   {"archive/", 0, func(t *testing.T, r *rig, _ []string) error { return one(t, r) }},
		"conversations-asked":      {"conversations/", 0, func(t *testing.T, r *rig, _ []string) error { return find(t.Context(), r) }},
		"conversations-forgotten":  {"forget-conversations/", 0, forget(false)},
		"conversations-forget-dry": {"forget-conversations/", 0, forget(true)},
		"conversations-indexed": {"index-conversations", 0, func(t *testing.T, r *rig, _ []string) error {
			_, err := r.IndexConversations(t.Context(), true)
			return err
		}},
	}
}
