package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mneme-memory/mneme/memory"
)

// byteOrderMark may begin a file that was saved by an editor on Windows.
const byteOrderMark = "\ufeff"

// document is a JSON file that keeps its formatting when it is edited.
type document struct {
	root    hujson.Value
	mark    string // byte order mark, if there was one
	unit    string // one step of indentation
	newline string
}

// parse reads a file. A file that does not exist is an empty object, and so is one
// that holds only white space; anything but a JSON object is refused.
func parse(path string, data []byte) (*document, error) {
	d := &document{unit: "  ", newline: "\n"}
	text := data
	if rest, ok := bytes.CutPrefix(data, []byte(byteOrderMark)); ok {
		d.mark, text = byteOrderMark, rest
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	bad := func(format string, args ...any) error {
		return memory.Errorf(memory.Invalid, "mend the file, or move it away, and try again; nothing was changed",
			"%s %w", path, fmt.Errorf(format, args...))
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, bad("is not valid JSON: %w", err)
	}
	if !root.IsStandard() {
		return nil, bad("has comments or trailing commas, which Claude Code does not read")
	}
	obj, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, bad("does not hold a JSON object")
	}
	d.root = root
	if bytes.Contains(text, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	if len(obj.Members) > 0 {
		if indent, ok := indentOf(obj.Members[0].Name.BeforeExtra); ok && indent != "" {
			d.unit = indent
		}
	}
	return d, nil
}

func (d *document) bytes() []byte { return append([]byte(d.mark), d.root.Pack()...) }

// indentOf returns the white space after the last line break, and whether there
// is a line break at all.
func indentOf(extra hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return "", false
	}
	return string(extra[i+1:]), true
}

// member returns the last member of a name: JSON's readers let the last one win.
func member(obj *hujson.Object, name string) int {
	for i := len(obj.Members) - 1; i >= 0; i-- {
		if lit, ok := obj.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			return i
		}
	}
	return -1
}

// get returns the value at a path, nil if there is none.
func (d *document) get(path ...string) *hujson.Value {
	v := &d.root
	for _, name := range path {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := member(obj, name)
		if i < 0 {
			return nil
		}
		v = &obj.Members[i].Value
	}
	return v
}

// set makes the member at a path have a value.
func (d *document) set(value json.RawMessage, path ...string) error {
	if at := d.get(path...); at != nil {
		if same(at.Pack(), value) {
			return nil
		}
		fresh, err := d.format(value, d.indentAt(path), d.inline(path))
		if err != nil {
			return err
		}
		at.Value = fresh.Value
		return nil
	}
	parent, last := path[:len(path)-1], path[len(path)-1]
	obj, err := d.object(parent)
	if err != nil {
		return err
	}
	before, indent, inline := d.slot(parent, objectExtras(obj))
	fresh, err := d.format(value, indent, inline)
	if err != nil {
		return err
	}
	if !inline {
		fresh.BeforeExtra = hujson.Extra(" ")
	} else if len(obj.Members) > 0 {
		fresh.BeforeExtra = bytes.Clone(obj.Members[0].Value.BeforeExtra)
	}
	if len(obj.Members) == 0 {
		obj.AfterExtra = d.closing(parent, inline)
	}
	obj.Members = append(obj.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(last)}, Value: fresh})
	return nil
}

// add makes the list at a path have an element.
func (d *document) add(value json.RawMessage, path ...string) error {
	if d.get(path...) == nil {
		if err := d.set(json.RawMessage("[]"), path...); err != nil {
			return err
		}
	}
	list, ok := d.get(path...).Value.(*hujson.Array)
	if !ok {
		return notA("a list", path)
	}
	for _, e := range list.Elements {
		if same(e.Pack(), value) {
			return nil
		}
	}
	before, indent, inline := d.slot(path, arrayExtras(list))
	fresh, err := d.format(value, indent, inline)
	if err != nil {
		return err
	}
	fresh.BeforeExtra = before
	if len(list.Elements) == 0 {
		list.AfterExtra = d.closing(path, inline)
	}
	list.Elements = append(list.Elements, fresh)
	return nil
}

// object returns the object at a path and makes it if need be.
func (d *document) object(path []string) (*hujson.Object, error) {
	if d.get(path...) == nil {
		if err := d.set(json.RawMessage("{}"), path...); err != nil {
			return nil, err
		}
	}
	obj, ok := d.get(path...).Value.(*hujson.Object)
	if !ok {
		return nil, notA("an object", path)
	}
	return obj, nil
}

func notA(what string, path []string) error {
	return memory.Errorf(memory.Invalid, "mend the file and try again; nothing was changed", "%q is not %s", strings.Join(path, "."), what)
}

func objectExtras(obj *hujson.Object) []hujson.Extra {
	extras := make([]hujson.Extra, 0, len(obj.Members))
	for _, m := range obj.Members {
		extras = append(extras, m.Name.BeforeExtra)
	}
	return extras
}

func arrayExtras(list *hujson.Array) []hujson.Extra {
	extras := make([]hujson.Extra, 0, len(list.Elements))
	for _, e := range list.Elements {
		extras = append(extras, e.BeforeExtra)
	}
	return extras
}

// slot returns what comes before a new entry of the container at a path, the
// entry's indentation, and whether the container is written in one line. A new
// entry is formatted as its neighbours are.
func (d *document) slot(path []string, neighbours []hujson.Extra) (before hujson.Extra, indent string, inline bool) {
	if len(neighbours) == 0 {
		if d.inline(path) {
			return nil, "", true
		}
		indent = d.indentAt(path) + d.unit
		return hujson.Extra(d.newline + indent), indent, false
	}
	last := neighbours[len(neighbours)-1]
	if indent, ok := indentOf(last); ok {
		return hujson.Extra(d.newline + indent), indent, false
	}
	if indent, ok := indentOf(neighbours[0]); ok {
		return hujson.Extra(d.newline + indent), indent, false
	}
	if len(neighbours) == 1 {
		return hujson.Extra(" "), "", true
	}
	return bytes.Clone(last), "", true
}

// inline reports whether the container at a path, or one around it, holds its
// entries in one line.
func (d *document) inline(path []string) bool {
	for depth := 0; depth <= len(path); depth++ {
		v := d.get(path[:depth]...)
		if v == nil {
			return false
		}
		var extras []hujson.Extra
		switch c := v.Value.(type) {
		case *hujson.Object:
			extras = objectExtras(c)
		case *hujson.Array:
			extras = arrayExtras(c)
		}
		if len(extras) == 0 {
			continue
		}
		_, first := indentOf(extras[0])
		_, last := indentOf(extras[len(extras)-1])
		if !first && !last {
			return true
		}
	}
	return false
}

// indentAt is the indentation of the line that the value at a path begins on.
func (d *document) indentAt(path []string) string {
	indent := ""
	for depth := range path {
		obj, ok := d.get(path[:depth]...).Value.(*hujson.Object)
		if !ok {
			return indent
		}
		i := member(obj, path[depth])
		if i < 0 {
			return indent
		}
		if in, ok := indentOf(obj.Members[i].Name.BeforeExtra); ok {
			indent = in
		}
	}
	return indent
}

// closing is what comes before the closing bracket of a container that was empty.
func (d *document) closing(path []string, inline bool) hujson.Extra {
	if inline {
		return nil
	}
	return hujson.Extra(d.newline + d.indentAt(path))
}

// format writes a value with the document's indentation.
func (d *document) format(value json.RawMessage, indent string, inline bool) (hujson.Value, error) {
	var out bytes.Buffer
	var err error
	if inline {
		err = json.Compact(&out, value)
	} else {
		err = json.Indent(&out, value, indent, d.unit)
	}
	if err != nil {
		return hujson.Value{}, fmt.Errorf("format an entry: %w", err)
	}
	text := strings.ReplaceAll(out.String(), "\n", d.newline)
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		return hujson.Value{}, fmt.Errorf("format an entry: %w", err)
	}
	return v, nil
}

// drop removes the member at a path and the white space that came with it.
func (d *document) drop(path ...string) {
	parent := d.get(path[:len(path)-1]...)
	if parent == nil {
		return
	}
	obj, ok := parent.Value.(*hujson.Object)
	if !ok {
		return
	}
	i := member(obj, path[len(path)-1])
	if i < 0 {
		return
	}
	obj.Members = append(obj.Members[:i:i], obj.Members[i+1:]...)
	if len(obj.Members) == 0 {
		obj.AfterExtra = nil
		return
	}
	trim(&obj.Members[len(obj.Members)-1].Value)
}

// dropElements removes the elements of the list at a path that are not wanted.
func (d *document) dropElements(unwanted func(e *hujson.Value) bool, path ...string) {
	v := d.get(path...)
	if v == nil {
		return
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return
	}
	kept := list.Elements[:0:0]
	for i := range list.Elements {
		if !unwanted(&list.Elements[i]) {
			kept = append(kept, list.Elements[i])
		}
	}
	list.Elements = kept
	if len(kept) == 0 {
		list.AfterExtra = nil
		return
	}
	trim(&kept[len(kept)-1])
}

// trim makes a value fit to be the last of its container: white space before a
// comma that is gone would be read as a trailing comma.
func trim(last *hujson.Value) { last.AfterExtra = nil }

// same reports whether two JSON texts mean the same.
func same(a, b []byte) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// decode keeps numbers as they are written: an id may be longer than a float.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
