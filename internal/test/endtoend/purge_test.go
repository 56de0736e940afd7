package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// purged are texts, each as it came: all have to be gone afterwards.
var purged = struct{ command, tool, spooled, edited, edit string }{
	command: "the zanzibar gateway of \"Team Ö\" speaks <only> on tuesdays, see C:\\new\\table",
	tool:    "every yttrium deploy needs two lantern keepers. " + strings.Repeat("The quokka counts the lanterns in the vault of the north again. ", 80),
	spooled: "the walrus archive is opened with the copper key of the harbour master",
	edited:  "vexillology reports are written by the heron on the second floor",
	edit:    "vexillology reports are written by the bittern in the cellar",
}

// purgedNeedles are the texts and their parts in the forms that a file may hold.
func purgedNeedles() []needle {
	var out []needle
	for _, text := range []string{
		purged.command, "speaks <only> on tuesdays", purged.tool, "The quokka counts the lanterns in the vault", "needs two lantern keepers",
		purged.spooled, "opened with the copper key", purged.edited, "by the heron on the second floor", purged.edit, "by the bittern in the cellar",
	} {
		out = append(out, needlesOf(text, text)...)
	}
	return out
}

// TestPurgedTextsAreGone stores texts through several doors, and has each place that mneme writes
// to hold some. After a purge none is in any file of the home, as it is or escaped, and none when
// mneme has stopped. The receipt notices when they come back.
func TestPurgedTextsAreGone(t *testing.T) {
	t.Parallel()
	w := live(t, "purge")
	ids, archive := w.storeToPurge(t), t.TempDir()
	w.archiveToPurge(t, archive, ids[0])
	found, err := search(purgedNeedles(), w.home)
	check(t, err)
	for _, place := range []string{"postgres", "qdrant", "spool", "sessions", "logs"} {
		if !strings.Contains(joined(found), filepath.Join(w.home, place)) {
			t.Errorf("nothing is in %s before the purge: the test proves nothing of it\n%s", place, joined(found))
		}
	}
	var out memory.ForgetReceipt
	check(t, json.Unmarshal([]byte(w.ok(t, append([]string{"forget", "--purge", "--yes", "--json"}, ids...)...)), &out))
	if out.Purge == nil || out.Count != len(ids) || !out.Verified || out.Purge.Texts < len(ids) || out.Purge.Histories == 0 || out.Purge.Spooled != 1 ||
		out.Purge.Sessions != 1 || out.Purge.LogLines != 1 || out.Purge.Messages != 2 || out.Purge.Questions != 1 || len(out.Purge.Places) != 3 {
		t.Errorf("the receipt says %+v", out.Purge)
	}
	w.namesBackup(t, *out.Purge, filepath.Join(archive, "mneme.backup"))
	w.holdsNothing(t)
	if info, err := os.Stat(out.Purge.Receipt); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(filepath.Dir(out.Purge.Receipt)) != w.home {
		t.Errorf("the receipt %s: %v, %v", out.Purge.Receipt, info, err)
	}
	if a := w.cli(t, "", "undo", out.WorkflowID); a.code == 0 || !strings.Contains(a.stdout, "its text was purged") {
		t.Errorf("undo of a purge: exit %d, %s%s", a.code, a.stdout, a.stderr)
	}
	if a := w.cli(t, "", "recall", "lantern keepers", "--project", "p"); strings.Contains(a.stdout, "yttrium") || !strings.Contains(a.stdout, "staying") {
		t.Errorf("recall after the purge: %s", a.stdout)
	}
	w.comesBack(t, out.Purge.Receipt)
	w.end(t)
	w.holdsNothing(t)
}

// storeToPurge stores the texts that a purge has to remove, through the command, a tool and the spool
// of the hooks, and returns the ids of the memories to purge.
func (w *world) storeToPurge(t *testing.T) []string {
	t.Helper()
	var ids []string
	note := func(args ...string) {
		var m struct {
			ID string `json:"id"`
		}
		check(t, json.Unmarshal([]byte(w.ok(t, append([]string{"store", "--json", "--project", "p"}, args...)...)), &m))
		ids = append(ids, m.ID)
	}
	note(purged.command)
	door := w.stdio(t)
	out := door.call(t, "memory_store", map[string]any{"text": purged.tool, "project": "p"})
	ids = append(ids, out["id"].(string))
	w.ok(t, "recall", "which gateway speaks on tuesdays", "--project", "p")
	note(purged.edited)
	w.ok(t, "edit", ids[len(ids)-1], purged.edit)
	w.ok(t, "store", "--project", "p", "nothing about lanterns is known to the staying memory")
	// What hooks leave: a request that is delivered, one that never can be, the state of a session, a line of the log.
	box := spool.Open(w.home, unredacted{})
	check(t, box.Add(spool.Entry{Key: "walrus", Store: &memory.StoreInput{Text: purged.spooled, Project: "p", Collection: memory.Memories}}))
	k := killing{waiting: box}
	k.until(t, "the daemon delivers", func() string {
		if state, err := box.State(); err != nil || state.Entries > 0 {
			return "it waits"
		}
		return ""
	})
	var found []struct {
		ID string `json:"id"`
	}
	check(t, json.Unmarshal([]byte(w.ok(t, "list", "--json", "--project", "p", "--limit", "1")), &found))
	ids = append(ids, found[0].ID)
	check(t, os.MkdirAll(filepath.Join(w.home, "spool", "quarantine"), 0o700))
	aside, err := json.Marshal(map[string]any{"reason": "no", "kind": "store", "entry": map[string]any{"store": map[string]any{"text": purged.command}}})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(w.home, "spool", "quarantine", "0a.json"), aside, 0o600))
	check(t, session.Open(w.home).Update(t.Context(), "s1", func(s *session.State) error {
		s.Show(session.Injection{ID: "0e5a6a4e-0000-8000-8000-00000000000a", Text: "another memory"}, session.Injection{ID: ids[0], Text: purged.command})
		s.Topic = "is it true that " + purged.edited
		return nil
	}))
	check(t, hooklog.Append(w.home, hooklog.Entry{At: time.Now(), Event: "Stop", Outcome: hooklog.Failed, Detail: "could not store: " + purged.spooled}))
	return ids
}

// archiveToPurge has the archive of conversations, a pinned question and a backup hold texts. The
// transcripts and the backup lie in a folder that is not of the home.
func (w *world) archiveToPurge(t *testing.T, dir, id string) {
	t.Helper()
	line := func(n int, role, text string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":"u%d","sessionId":"zoo","timestamp":"2026-02-03T08:00:0%dZ","cwd":"/src/zoo","message":{"id":"m%d","content":[{"type":"text","text":%q}]}}`+"\n",
			role, n, n, n, text)
	}
	path := filepath.Join(dir, "projects", "-src-zoo", "zoo.jsonl")
	check(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(t, os.WriteFile(path, []byte(line(0, "user", "Is it so that "+purged.spooled+"?")+
		line(1, "assistant", "Yes. "+purged.tool+" That is all.")+line(2, "user", "Then tell me where the zebras sleep.")), 0o600))
	there := *w
	there.env = append(slices.Clone(w.env), "CLAUDE_CONFIG_DIR="+dir)
	there.ok(t, "import", "--claude", "--no-memories")
	w.ok(t, "pin-question", purged.edit+", is that so?", "--project", "p", "--expect", id)
	w.ok(t, "backup", filepath.Join(dir, "mneme.backup"))
}

// namesBackup looks whether a receipt names the backup, and what else the purge left of the archive.
func (w *world) namesBackup(t *testing.T, r memory.PurgeReport, path string) {
	t.Helper()
	named := false
	for _, u := range r.Unreached {
		named = named || strings.Contains(u.What, path)
	}
	if !named {
		t.Errorf("the receipt does not name the backup %s: %+v", path, r.Unreached)
	}
	if left := w.ok(t, "conversations", "show", "--all-projects", "--session", "zoo"); !strings.Contains(left, "zebras") || strings.Contains(left, "copper") {
		t.Errorf("left of the conversation: %s", left)
	}
	if asked := w.ok(t, "pin-question", "--list", "--project", "p", "--json"); strings.Contains(asked, "bittern") {
		t.Errorf("pinned questions: %s", asked)
	}
}

func joined(found []error) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(f.Error() + "\n")
	}
	return b.String()
}

func (w *world) holdsNothing(t *testing.T) {
	t.Helper()
	found, err := search(purgedNeedles(), w.home)
	check(t, err)
	if len(found) > 0 {
		t.Errorf("after the purge: %s", joined(found))
	}
	state, ok, err := session.Open(w.home).Get("s1")
	if err != nil || !ok || len(state.Injected) != 1 {
		t.Errorf("the state of the session: %+v, %v", state, err)
	}
}

// comesBack has a receipt notice a text that is stored again, and one in a file.
func (w *world) comesBack(t *testing.T, receipt string) {
	t.Helper()
	w.ok(t, "forget", "--verify", receipt)
	var again struct {
		ID string `json:"id"`
	}
	check(t, json.Unmarshal([]byte(w.ok(t, "store", "--json", "--project", "q", purged.spooled)), &again))
	file := filepath.Join(w.home, "notes.txt")
	check(t, os.WriteFile(file, []byte("somebody noted that \\u0065very yttrium\n deploy needs TWO lantern keepers"), 0o600))
	a := w.cli(t, "", "forget", "--verify", receipt)
	for _, want := range []string{"memory " + again.ID, file, "Temporal, history of"} {
		if a.code != 1 || !strings.Contains(a.stdout, want) {
			t.Errorf("exit %d, and %q is not in\n%s%s", a.code, want, a.stdout, a.stderr)
		}
	}
	check(t, os.Remove(file))
	w.ok(t, "forget", "--purge", "--yes", again.ID)
	w.ok(t, "forget", "--verify", receipt)
}
