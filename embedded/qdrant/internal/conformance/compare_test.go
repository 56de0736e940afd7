package conformance

import (
	"encoding/json"
	"testing"
)

func TestCompareSteps(t *testing.T) {
	t.Parallel()
	answer := func(response string) Step {
		return Step{Method: "qdrant.Points/Query", Request: json.RawMessage(`{"query":{}}`), Response: json.RawMessage(response)}
	}
	refusal := func(code, message string) Step {
		return Step{Error: &Status{Code: code, Message: message}}
	}
	for name, test := range map[string]struct {
		want, got Step
		fails     bool
	}{
		"time differs":              {answer(`{"result":[],"time":1}`), answer(`{"result":[],"time":2}`), false},
		"time in a payload differs": {answer(`{"payload":{"time":1}}`), answer(`{"payload":{"time":2}}`), true},
		"score within tolerance":    {answer(`{"score":0.5}`), answer(`{"score":0.50001}`), false},
		"score beyond tolerance":    {answer(`{"score":0.5}`), answer(`{"score":0.501}`), true},
		"ties in another order":     {answer(`{"result":[{"id":1,"score":2},{"id":2,"score":2}]}`), answer(`{"result":[{"id":2,"score":2},{"id":1,"score":2}]}`), false},
		"ties at zero":              {answer(`{"result":[{"id":1},{"id":2}]}`), answer(`{"result":[{"id":2},{"id":1}]}`), false},
		"no ties, another order":    {answer(`{"result":[{"id":1,"score":2},{"id":2,"score":1}]}`), answer(`{"result":[{"id":2,"score":2},{"id":1,"score":1}]}`), true},
		"a hit is missing":          {answer(`{"result":[{"id":1,"score":2}]}`), answer(`{"result":[]}`), true},
		"another message":           {refusal("NotFound", "a"), refusal("NotFound", "b"), false},
		"another code":              {refusal("NotFound", "a"), refusal("Internal", "a"), true},
		"an error is missing":       {refusal("NotFound", "a"), answer(`{}`), true},
		"an error is new":           {answer(`{}`), refusal("NotFound", "a"), true},
		"NaN is NaN":                {answer(`{"data":["NaN"]}`), answer(`{"data":["NaN"]}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if wrong := compareSteps(test.want, test.got); len(wrong) > 0 != test.fails {
				t.Errorf("differs = %v, want %v: %v", len(wrong) > 0, test.fails, wrong)
			}
		})
	}
}
