package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// keyHeader names a change, so that it is made once however often it is sent.
const (
	keyHeader = "Idempotency-Key"
	maxKey    = 200
)

// route is one operation: its name, its input and its answers.
type route struct {
	method, path string
	id           string // of the operation
	about        string
	params       []param
	keyed        bool         // takes an Idempotency-Key
	body         reflect.Type // nil for none
	out          reflect.Type
	statuses     []int
	handle       func(ctx context.Context, r *http.Request) (any, int, error)
}

// param is a parameter in an address.
type param struct {
	Name  string
	Type  string // of JSON Schema
	About string
}

// nothing is the body of a route that takes none.
type nothing struct{}

// operation makes a route of a function from a body to an answer.
func operation[In, Out any](
	at, id, about string, statuses []int, params []param,
	do func(ctx context.Context, r *http.Request, in In) (Out, int, error),
) route {
	method, path, _ := strings.Cut(at, " ")
	rt := route{
		method: method, path: path, id: id, about: about, params: params, statuses: statuses, out: reflect.TypeFor[Out](),
	}
	if reflect.TypeFor[In]() != reflect.TypeFor[nothing]() {
		rt.body = reflect.TypeFor[In]()
	}
	rt.handle = func(ctx context.Context, r *http.Request) (any, int, error) {
		var in In
		if rt.body != nil {
			if err := decode(r.Body, &in); err != nil {
				return nil, 0, err
			}
		}
		return do(ctx, r, in)
	}
	return rt
}

// once marks a route that takes an Idempotency-Key.
func (rt route) once() route { rt.keyed = true; return rt }

// decode reads one JSON value and refuses what is not known, or more than one.
func decode(body io.Reader, in any) error {
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return memory.Errorf(memory.Invalid, "see "+Root+"/openapi.json", "read the body: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return memory.Errorf(memory.Invalid, "send one JSON value", "there is more after the JSON value of the body")
	}
	return nil
}

// The parameters of paged lists.
var (
	limitParam  = param{"limit", "integer", "how many at most"}
	cursorParam = param{"cursor", "string", "\"next\" of the page before"}
)

// numberOf reads a parameter; none means the default.
func numberOf(r *http.Request, name string, none, least, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return none, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, memory.Errorf(memory.Invalid, "leave it out for the default", "%s must be a number from %d to %d", name, least, most)
	}
	return n, nil
}

// maxSkip bounds how deep pages that are counted go.
const maxSkip = 10_000_000

// skipOf reads the cursor of a list whose pages are counted.
func skipOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("cursor")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text, "skip-"))
	if err != nil || n < 0 || n > maxSkip || !strings.HasPrefix(text, "skip-") {
		return 0, memory.Errorf(memory.Invalid, "send \"next\" of the page before, or leave it out", "the cursor is none of this list")
	}
	return n, nil
}

// more cuts a list to a page and returns the cursor of the next, "" if there is none.
func more[T any](all []T, skip, limit int) (page []T, next string) {
	if all == nil {
		all = []T{}
	}
	if len(all) <= limit {
		return all, ""
	}
	return all[:limit], fmt.Sprintf("skip-%d", skip+limit)
}
