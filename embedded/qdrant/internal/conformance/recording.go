// Package conformance replays what a real Qdrant 1.17.1 answered. A recording is a list of
// scenarios, each a list of gRPC calls with their answers; a [Player] makes the same calls to
// another server, and [Compare] says where its answers differ.
//
// Not compared are times, versions of points, numbers of segments and of indexed vectors, and
// the texts of errors. Numbers may differ by 1e-4 of the larger one, and points of equal
// score may come in any order.
package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Scenario is a list of calls that belong together, on collections that
// exist for it alone: they are deleted before the first step and after the
// last.
type Scenario struct {
	Group       string   `json:"-"` // the recording's file name without .json
	Name        string   `json:"name"`
	About       string   `json:"about"`
	Collections []string `json:"collections"`
	Steps       []Step   `json:"steps"`
}

// A Step is one call and, once played, its answer: a response or an error.
type Step struct {
	Name   string `json:"name"`
	Method string `json:"method"` // as in "qdrant.Points/Query"

	// Auth names the key that is sent: "none", "wrong" or "read-only".
	// Empty means the key that is good for everything, if any.
	Auth string `json:"auth,omitempty"`

	// Until makes the step repeat its call, for a minute at most, until the
	// response holds this value at this path, as in "result.status=Green".
	Until string `json:"until,omitempty"`

	// Save keeps a string of the response, by path, under a name that later
	// requests use as "${name}". It is compared by that name, not by value.
	Save map[string]string `json:"save,omitempty"`

	// Unordered lists are compared as sets, by the path of the list.
	Unordered []string `json:"unordered,omitempty"`

	// Ignore lists what is not compared, by path.
	Ignore []string `json:"ignore,omitempty"`

	// CodeOneOf lists gRPC codes that are as good as the recorded one.
	CodeOneOf []string `json:"code_one_of,omitempty"`

	Request  json.RawMessage `json:"request"` // protojson
	Response json.RawMessage `json:"response,omitempty"`
	Error    *Status         `json:"error,omitempty"`
}

// Status is how a call failed.
type Status struct {
	Code    string `json:"code"` // as codes.Code prints it
	Message string `json:"message"`
}

// unanswered returns the scenario with its answers removed.
func (s Scenario) unanswered() Scenario {
	s.Steps = slices.Clone(s.Steps)
	for i := range s.Steps {
		s.Steps[i].Response, s.Steps[i].Error = nil, nil
	}
	return s
}

// Load reads every recording (*.json) in a folder, in the order of the file names.
func Load(dir string) ([]Scenario, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []Scenario
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var list []Scenario
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		base := filepath.Base(file)
		for i := range list {
			list[i].Group = base[:len(base)-len(".json")]
		}
		all = append(all, list...)
	}
	return all, nil
}
