package conformance

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// tolerance is how far two numbers may be apart, relative to the larger.
const tolerance = 1e-4

// Compare says, a line each, where the answers of a played scenario differ from the recorded
// ones. Nothing means that they agree.
func Compare(want, got Scenario) []string {
	var lines []string
	for i, step := range want.Steps {
		wrong := compareSteps(step, got.Steps[i])
		if len(wrong) == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("step %d, %s (%s)", i+1, step.Name, step.Method), "  request "+clip(string(step.Request)))
		for _, line := range wrong {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// compareSteps says where the answers of one step differ. The texts of errors may.
func compareSteps(want, got Step) []string {
	switch {
	case want.Error != nil && got.Error != nil:
		if got.Error.Code == want.Error.Code || slices.Contains(want.CodeOneOf, got.Error.Code) {
			return nil
		}
		return []string{fmt.Sprintf("want error %s %q, got error %s %q", want.Error.Code, want.Error.Message, got.Error.Code, got.Error.Message)}
	case want.Error != nil:
		return []string{fmt.Sprintf("want error %s %q, got %s", want.Error.Code, want.Error.Message, clip(string(got.Response)))}
	case got.Error != nil:
		return []string{fmt.Sprintf("want %s, got error %s %q", clip(string(want.Response)), got.Error.Code, got.Error.Message)}
	default:
		return diffValues("", normalise(want, want.Response), normalise(want, got.Response))
	}
}

// diffValues lists where two trees differ, each line with its path.
func diffValues(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return diffMaps(path, want, got)
		}
	case []any:
		if got, ok := got.([]any); ok {
			return diffLists(path, want, got)
		}
	case json.Number:
		if n, ok := got.(json.Number); ok && closeEnough(want.String(), n.String()) {
			return nil
		}
	}
	if text(want) == text(got) {
		return nil
	}
	return []string{fmt.Sprintf("%s: want %s, got %s", strings.TrimPrefix(path, "."), clip(text(want)), clip(text(got)))}
}

func diffMaps(path string, want, got map[string]any) []string {
	var keys []string
	for key := range want {
		keys = append(keys, key)
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var out []string
	for _, key := range keys {
		out = append(out, diffValues(path+"."+key, want[key], got[key])...)
	}
	return out
}

func diffLists(path string, want, got []any) []string {
	if len(want) != len(got) {
		return []string{
			fmt.Sprintf("%s: want %d items, got %d", strings.TrimPrefix(path, "."), len(want), len(got)),
			"want " + clip(text(want)),
			"got  " + clip(text(got)),
		}
	}
	var out []string
	for i := range want {
		out = append(out, diffValues(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
	}
	return out
}

// closeEnough compares two numbers in decimal notation.
func closeEnough(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return a == b
	}
	return math.Abs(x-y) <= max(1e-6, tolerance*max(math.Abs(x), math.Abs(y)))
}

// clip shortens a text for one line of a test's output.
func clip(s string) string {
	const most = 400
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
