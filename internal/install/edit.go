package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// edit is one entry of ours in a file.
type edit struct {
	Path  []string        `json:"path"`
	List  bool            `json:"list,omitempty"`  // Value is an element of the list at Path, else the member there
	Value json.RawMessage `json:"value,omitempty"` // none: Claude Code wrote it, and only its place is known
}

// apply returns a file with the entries in it. A file with all entries is
// returned unchanged.
func apply(path string, data []byte, edits []edit) ([]byte, error) {
	d, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	if d.has(edits) {
		return data, nil
	}
	for _, e := range edits {
		if e.List {
			err = d.add(e.Value, e.Path...)
		} else {
			err = d.set(e.Value, e.Path...)
		}
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", path, err)
		}
	}
	return d.bytes(), nil
}

// has reports whether all entries are there.
func (d *document) has(edits []edit) bool {
	for _, e := range edits {
		v := d.get(e.Path...)
		if v == nil {
			return false
		}
		if !e.List {
			if !same(v.Pack(), e.Value) {
				return false
			}
			continue
		}
		list, ok := v.Value.(*hujson.Array)
		if !ok || !contains(list, e.Value) {
			return false
		}
	}
	return true
}

func contains(list *hujson.Array, value []byte) bool {
	for _, e := range list.Elements {
		if same(e.Pack(), value) {
			return true
		}
	}
	return false
}

// strip takes the entries out of a file that was edited since, and leaves the
// rest. What was there before us, by the file's earlier content, stays or comes
// back; containers that were made for us and are empty now go.
func strip(path string, data, before []byte, edits []edit, programs string) ([]byte, error) {
	d, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	old, err := parse(path, before)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		if !e.List {
			if err := d.putBack(old, e.Path); err != nil {
				return nil, fmt.Errorf("edit %s: %w", path, err)
			}
			continue
		}
		kept := old.get(e.Path...)
		d.dropElements(func(v *hujson.Value) bool {
			if kept != nil {
				if list, ok := kept.Value.(*hujson.Array); ok && contains(list, v.Pack()) {
					return false
				}
			}
			return same(v.Pack(), e.Value) || len(e.Path) > 0 && e.Path[0] == "hooks" && dropOurs(v, programs)
		}, e.Path...)
	}
	for _, e := range edits {
		d.prune(old, e.Path)
	}
	return d.bytes(), nil
}

// dropForgotten takes hooks of ours out that nothing is remembered of, such as those
// of an earlier version whose data folder was removed: beside the new ones they would
// make every hook run twice. Those that are wanted stay.
func dropForgotten(path string, data []byte, wanted []edit, programs string) ([]byte, error) {
	d, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	hooks := d.get("hooks")
	if hooks == nil {
		return data, nil
	}
	events, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return data, nil // apply says what is wrong with it
	}
	dropped := false
	for _, m := range slices.Clone(events.Members) {
		name, ok := m.Name.Value.(hujson.Literal)
		if !ok {
			continue
		}
		place := []string{"hooks", name.String()}
		if !d.dropUnwanted(wanted, programs, place) {
			continue
		}
		dropped = true
		if v := d.get(place...); v != nil && empty(v) {
			d.drop(place...)
		}
	}
	if !dropped {
		return data, nil
	}
	return d.bytes(), nil
}

// dropUnwanted takes our hooks out of an event's list, but for the wanted ones, and
// reports whether there were any.
func (d *document) dropUnwanted(wanted []edit, programs string, event []string) bool {
	before := d.bytes()
	d.dropElements(func(v *hujson.Value) bool {
		needed := slices.ContainsFunc(wanted, func(e edit) bool { return slices.Equal(e.Path, event) && same(v.Pack(), e.Value) })
		return !needed && dropOurs(v, programs)
	}, event...)
	return !bytes.Equal(before, d.bytes())
}

// putBack restores a member's earlier value.
func (d *document) putBack(old *document, path []string) error {
	v := old.get(path...)
	if v == nil {
		d.drop(path...)
		return nil
	}
	if d.get(path...) == nil {
		return nil // the user has taken it out since
	}
	return d.set(compact(v), path...)
}

func compact(v *hujson.Value) json.RawMessage {
	c := v.Clone()
	c.Minimize()
	return c.Pack()
}

// prune removes the containers on a path that are empty and were not there before,
// the innermost first.
func (d *document) prune(old *document, path []string) {
	for n := len(path); n > 0; n-- {
		v := d.get(path[:n]...)
		if v == nil {
			continue
		}
		if !empty(v) || old.get(path[:n]...) != nil {
			return
		}
		d.drop(path[:n]...)
	}
}

func empty(v *hujson.Value) bool {
	switch c := v.Value.(type) {
	case *hujson.Object:
		return len(c.Members) == 0
	case *hujson.Array:
		return len(c.Elements) == 0
	default:
		return false
	}
}

// dropOurs takes our commands out of a group of hooks that the user has changed,
// and reports whether nothing is left of it.
func dropOurs(group *hujson.Value, programs string) bool {
	obj, ok := group.Value.(*hujson.Object)
	if !ok {
		return false
	}
	i := member(obj, "hooks")
	if i < 0 {
		return false
	}
	list, ok := obj.Members[i].Value.Value.(*hujson.Array)
	if !ok || len(list.Elements) == 0 {
		return false
	}
	one := document{root: hujson.Value{Value: obj}}
	one.dropElements(func(v *hujson.Value) bool { return isOurs(v, programs) }, "hooks")
	return len(list.Elements) == 0
}

// isOurs reports whether a hook runs our program from its folder.
func isOurs(hook *hujson.Value, programs string) bool {
	obj, ok := hook.Value.(*hujson.Object)
	if !ok {
		return false
	}
	i := member(obj, "command")
	if i < 0 {
		return false
	}
	command, ok := obj.Members[i].Value.Value.(hujson.Literal)
	program := filepath.Join(programs, hookProgram)
	return ok && (strings.Contains(command.String(), program) || strings.Contains(command.String(), shellQuote(program)))
}
