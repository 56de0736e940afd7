package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// variable names the fields that legitimately differ from one server, or one
// run, to the next: they are never compared, wherever they are.
var variable = map[string]bool{
	"time":                true,
	"usage":               true,
	"operationId":         true,
	"version":             true, // of a point: the operation that changed it last
	"segmentsCount":       true,
	"indexedVectorsCount": true,
	"optimizerConfig":     true,
	"walConfig":           true,
	"updateQueue":         true,
	"creationTime":        true,
	"checksum":            true,
	"size_bytes":          true,
}

// ours begins the name of every collection that a scenario makes.
const ours = "conformance-"

// normalise decodes a response and takes out of it what may differ.
func normalise(step Step, response json.RawMessage) any {
	tree := strip(decode(response), ranks(step))
	for _, path := range step.Ignore {
		remove(tree, strings.Split(path, "."))
	}
	for _, path := range step.Unordered {
		if list, ok := find(tree, path).([]any); ok {
			slices.SortStableFunc(list, byText)
		}
	}
	if strings.HasSuffix(step.Method, "Collections/List") {
		tree = keepOurs(tree)
	}
	return tree
}

// ranks tells whether a step's answer is sorted by score.
func ranks(step Step) bool {
	_, method, _ := strings.Cut(step.Method, "/")
	switch method {
	case "Query", "QueryGroups":
		return find(decode(step.Request), "query") != nil
	case "QueryBatch", "Search", "SearchBatch", "SearchGroups", "Recommend":
		return true
	}
	return false
}

// strip removes variable fields and, where points are ranked, puts those of
// equal score in order.
func strip(v any, ranked bool) any {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			if variable[key] {
				delete(v, key)
				continue
			}
			if key == "payload" || key == "metadata" {
				continue // the user's own words: a field named "time" is compared
			}
			v[key] = strip(child, ranked)
		}
	case []any:
		for i := range v {
			v[i] = strip(v[i], ranked)
		}
		if ranked {
			orderTies(v)
		}
	}
	return v
}

// orderTies sorts runs of points with the same score by id, for Qdrant
// promises no order among them.
func orderTies(list []any) {
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && sameScore(list[start], list[end]) {
			end++
		}
		tie := list[start:end]
		slices.SortStableFunc(tie, func(a, b any) int { return byText(find(a, "id"), find(b, "id")) })
		start = end
	}
}

// sameScore tells whether two list items are points that tie. Where points are
// ordered by a payload value, all have the same score and that value decides.
func sameScore(a, b any) bool {
	if find(a, "id") == nil || find(b, "id") == nil {
		return false
	}
	x, y := find(a, "orderValue"), find(b, "orderValue")
	if x != nil && y != nil && text(x) != text(y) {
		return false
	}
	return closeEnough(score(a), score(b))
}

// score is a point's score in decimal notation; protojson leaves out a zero.
func score(point any) string {
	switch s := find(point, "score").(type) {
	case nil:
		return "0"
	case json.Number:
		return s.String()
	default:
		return fmt.Sprint(s) // "NaN" and "Infinity" are strings
	}
}

// keepOurs drops the collections that no scenario made, and sorts the rest.
func keepOurs(tree any) any {
	list, _ := find(tree, "collections").([]any)
	var made []any
	for _, c := range list {
		if name, _ := find(c, "name").(string); strings.HasPrefix(name, ours) {
			made = append(made, c)
		}
	}
	slices.SortStableFunc(made, byText)
	return map[string]any{"collections": made}
}

func byText(a, b any) int { return strings.Compare(text(a), text(b)) }
