package console

import (
	"context"
	"net/http"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// maxChosen bounds how many memories one form may choose: a page's worth and a few more.
const maxChosen = 200

// chosenView asks whether to do something to memories, and shows their texts.
type chosenView struct {
	Do       string // "forget" or "merge"
	Memories []memory.Details
	Back     string
}

// chosen asks before it changes anything: it shows the texts of what was chosen in a list.
func (s *server) chosen(ctx context.Context, r *http.Request) (answer, error) {
	ids, err := idsOf(r)
	if err != nil {
		return answer{}, err
	}
	v := chosenView{Do: r.FormValue("do"), Back: back(r.FormValue("back"))}
	switch {
	case v.Do != "forget" && v.Do != "merge":
		return answer{}, memory.Errorf(memory.Invalid, "choose forget or merge", "there is no action %q", v.Do)
	case v.Do == "merge" && len(ids) < 2:
		return answer{}, memory.Errorf(memory.Invalid, "choose at least two memories", "one memory cannot be merged")
	}
	if v.Memories, err = s.Client.Get(ctx, ids); err != nil {
		return answer{}, err
	}
	if len(v.Memories) == 0 {
		return answer{}, memory.Errorf(memory.NotFound, "look at the list again",
			"none of the chosen memories is there any more")
	}
	return answer{page: "chosen", view: view{Title: "Are you sure?", Here: "memories", Data: v}}, nil
}

// idsOf reads the chosen memories of a form.
func idsOf(r *http.Request) ([]string, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(r.Form["id"])))
	if len(ids) == 0 {
		return nil, memory.Errorf(memory.Invalid, "choose memories in the list first", "no memory was chosen")
	}
	if len(ids) > maxChosen {
		return nil, memory.Errorf(memory.Invalid, "choose fewer, or use \"mneme forget\"",
			"%d memories are more than %d", len(ids), maxChosen)
	}
	for _, id := range ids {
		if err := memory.CheckRef(id); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// forget forgets what the question before it showed.
func (s *server) forget(ctx context.Context, r *http.Request) (answer, error) {
	ids, err := idsOf(r)
	if err != nil {
		return answer{}, err
	}
	receipt, err := s.Client.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{IDs: ids}, User: s.User})
	if err != nil {
		return answer{}, err
	}
	return answer{goTo: told(r.FormValue("back"), "forgotten", receipt.Count, receipt.WorkflowID)}, nil
}

// merge makes one memory of those that the question before it showed.
func (s *server) merge(ctx context.Context, r *http.Request) (answer, error) {
	ids, err := idsOf(r)
	if err != nil {
		return answer{}, err
	}
	group, err := s.Client.Merge(ctx, ids)
	if err != nil {
		return answer{}, err
	}
	return answer{goTo: told("/memories/"+group.SurvivorID, "merged", len(group.MergedIDs)+1, group.SurvivorID)}, nil
}
