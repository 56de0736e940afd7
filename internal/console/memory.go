package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/mneme-memory/mneme/internal/difference"
	"github.com/mneme-memory/mneme/memory"
)

// neighbours is how many linked memories and neighbours of the session a page shows.
const neighbours = 20

// memoryView is one memory with its life.
type memoryView struct {
	Memory       memory.Memory
	Live         bool
	SupersededBy []string
	Related      []memory.Related
	Beside       []memory.Memory // of the same session
	Life         []chapter       // newest first
	Shown        int             // how often it was returned by a recall
	Types        []string
}

// chapter is one version of a memory.
type chapter struct {
	memory.Version
	User  string
	Lines []difference.Line
}

func (s *server) memory(ctx context.Context, r *http.Request) (answer, error) {
	id := r.PathValue("id")
	if err := memory.CheckRef(id); err != nil {
		return answer{}, err
	}
	h, err := s.Client.History(ctx, id)
	if err != nil {
		return answer{}, err
	}
	v := memoryView{Memory: h.Memory, Live: h.Memory.State == memory.Live, Types: memory.Types()}
	v.Life, v.Shown = life(h)
	if v.Live {
		found, err := s.Client.Get(ctx, []string{h.Memory.ID})
		if err != nil {
			return answer{}, err
		}
		for _, d := range found {
			v.SupersededBy = d.SupersededBy
		}
		if v.Related, err = s.Client.Related(ctx, h.Memory.ID, 1, neighbours); err != nil {
			return answer{}, err
		}
	}
	if h.Memory.Session != "" {
		page := memory.Page{
			Project: h.Memory.Project, Session: h.Memory.Session,
			Sort: memory.SortNewest, Limit: neighbours,
		}
		if v.Beside, err = s.Client.List(ctx, page); err != nil {
			return answer{}, err
		}
	}
	return answer{
		page: "memory",
		view: view{Title: "Memory " + memory.ShortID(h.Memory.ID), Here: "memories", Data: v, Follow: h.Memory.ID},
	}, nil
}

// life returns the versions, newest first, and how often recalls returned the memory.
func life(h memory.History) (chapters []chapter, shown int) {
	users := map[string]string{} // by workflow and step
	for _, e := range h.Audit {
		users[e.WorkflowID+" "+e.Step] = e.User
		if e.Action == memory.ActionRecall {
			shown++
		}
	}
	for _, v := range h.Versions {
		c := chapter{Version: v, User: users[v.WorkflowID+" "+v.Step], Lines: difference.Of(v)}
		chapters = append([]chapter{c}, chapters...)
	}
	return chapters, shown
}

// edit changes the fields of a memory that the person changed in the form, and no other field.
func (s *server) edit(ctx context.Context, r *http.Request) (answer, error) {
	id := r.PathValue("id")
	in := memory.UpdateInput{ID: id, Source: memory.SourceConsole, User: s.User}
	found, err := s.Client.Get(ctx, []string{id})
	if err != nil {
		return answer{}, err
	}
	if len(found) == 0 {
		return answer{}, memory.Errorf(memory.NotFound, "it may be forgotten: see Changes", "there is no memory %s", id)
	}
	now := found[0].Memory
	if hash := r.FormValue("hash"); hash != now.ContentHash {
		return answer{}, memory.Errorf(memory.Conflict, "open the memory again and edit what it says now",
			"memory %s was changed since this page was made", memory.ShortID(now.ID))
	}
	in.ID = now.ID
	if text := strings.ReplaceAll(r.FormValue("text"), "\r\n", "\n"); text != now.Text {
		in.Text = &text
	}
	if kind := r.FormValue("type"); kind != now.Type {
		in.Type = &kind
	}
	if tags := tagsOf(r.FormValue("tags")); strings.Join(tags, ",") != strings.Join(now.Tags, ",") {
		in.Tags = &tags
	}
	weight, err := strconv.ParseFloat(r.FormValue("importance"), 64)
	if err != nil {
		return answer{}, memory.Errorf(memory.Invalid, "use a number from 0 to 1, such as 0.5",
			"the importance %q is no number", r.FormValue("importance"))
	}
	if weight != now.Importance {
		in.Importance = &weight
	}
	to := "/memories/" + now.ID
	if in.Text == nil && in.Type == nil && in.Tags == nil && in.Importance == nil {
		return answer{goTo: to}, nil
	}
	if _, err := s.Client.Update(ctx, in); err != nil {
		return answer{}, err
	}
	return answer{goTo: told(to, "edited", 0, now.ID)}, nil
}

// pin pins a memory, or takes the pin away.
func (s *server) pin(ctx context.Context, r *http.Request) (answer, error) {
	id, pinned := r.PathValue("id"), r.FormValue("pinned") == "yes"
	m, err := s.Client.Update(ctx,
		memory.UpdateInput{ID: id, Pinned: &pinned, Source: memory.SourceConsole, User: s.User})
	if err != nil {
		return answer{}, err
	}
	word := "unpinned"
	if pinned {
		word = "pinned"
	}
	return answer{goTo: told("/memories/"+m.ID, word, 0, m.ID)}, nil
}

// restore brings one forgotten, merged or pruned memory back.
func (s *server) restore(ctx context.Context, r *http.Request) (answer, error) {
	m, err := s.Client.Restore(ctx, r.PathValue("id"), s.User)
	if err != nil {
		return answer{}, err
	}
	return answer{goTo: told("/memories/"+m.ID, "restored", 0, "")}, nil
}
