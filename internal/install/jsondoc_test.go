package install

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestApplyKeepsTheForm: a new entry looks like its neighbours, and all else stays
// to the byte.
func TestApplyKeepsTheForm(t *testing.T) {
	t.Parallel()
	edits := []edit{
		{Path: []string{"permissions", "allow"}, List: true, Value: json.RawMessage(`"new"`)},
		{Path: []string{"servers", "m"}, Value: json.RawMessage(`{"command": "x", "args": []}`)},
	}
	for name, c := range map[string]struct{ in, want string }{
		"nothing": {"", `{
  "permissions": {
    "allow": [
      "new"
    ]
  },
  "servers": {
    "m": {
      "command": "x",
      "args": []
    }
  }
}
`},
		"one line": {
			`{"b":1, "permissions":{"allow":["old"]}}`,
			`{"b":1, "permissions":{"allow":["old", "new"]}, "servers":{"m":{"command":"x","args":[]}}}`,
		},
		"four spaces, no line break at the end": {
			"{\n    \"permissions\": {\n        \"allow\": [\n            \"old\"\n        ],\n        \"z\":   1e400\n    }\n}",
			"{\n    \"permissions\": {\n        \"allow\": [\n            \"old\",\n            \"new\"\n        ],\n        \"z\":   1e400\n    },\n" +
				"    \"servers\": {\n        \"m\": {\n            \"command\": \"x\",\n            \"args\": []\n        }\n    }\n}",
		},
		"tabs, Windows line breaks, byte order mark": {
			"\ufeff{\r\n\t\"a\": {}\r\n}\r\n",
			"\ufeff{\r\n\t\"a\": {},\r\n\t\"permissions\": {\r\n\t\t\"allow\": [\r\n\t\t\t\"new\"\r\n\t\t]\r\n\t},\r\n" +
				"\t\"servers\": {\r\n\t\t\"m\": {\r\n\t\t\t\"command\": \"x\",\r\n\t\t\t\"args\": []\r\n\t\t}\r\n\t}\r\n}\r\n",
		},
		"a list in one line": {
			"{\n  \"permissions\": {\n    \"allow\": [\"a\", \"b\"]\n  },\n  \"servers\": {\"m\": 1}\n}\n",
			"{\n  \"permissions\": {\n    \"allow\": [\"a\", \"b\", \"new\"]\n  },\n  \"servers\": {\"m\": {\"command\":\"x\",\"args\":[]}}\n}\n",
		},
		"all there": {
			`{"servers":{"m":{"args":[],"command":"x"}},"permissions":{"allow":["new"]}}`,
			`{"servers":{"m":{"args":[],"command":"x"}},"permissions":{"allow":["new"]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := apply("settings.json", []byte(c.in), edits)
			if err != nil || string(got) != c.want {
				t.Errorf("error %v, got\n%s\nwant\n%s", err, got, c.want)
			}
			again, err := apply("settings.json", got, edits)
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time: %v\n%s", err, again)
			}
		})
	}
}

// FuzzEdit: whatever a file holds, editing it fails or gives JSON with our entries
// and all of its own, and taking them out gives what it meant before.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"hooks":{"Stop":[]}}`, `{"a":1,"a":2}`, "{\"permissions\" : {\"allow\" :[ 1 , 2 ] } }", "\ufeff{\r\n}",
		`{"hooks":{"Stop":[{"hooks":[{"command":"/h/bin/mneme-hook"}]}]}}`, `{"a":[1,]}`, `[]`, `{"enabledPlugins":{"x":false}}`,
	} {
		f.Add(seed)
	}
	edits := []edit{
		{Path: []string{"hooks", "Stop"}, List: true, Value: json.RawMessage(`{"hooks":[{"type":"command","command":"/h/bin/mneme-hook"}]}`)},
		{Path: []string{"permissions", "allow"}, List: true, Value: json.RawMessage(`"mcp__mneme"`)},
		{Path: []string{"enabledPlugins", "x"}, Value: json.RawMessage("true")},
	}
	f.Fuzz(func(t *testing.T, text string) {
		if kept, err := dropForgotten("f", []byte(text), edits, "/h/bin"); err == nil {
			again, err := dropForgotten("f", kept, edits, "/h/bin")
			if err != nil || string(again) != string(kept) {
				t.Fatalf("%q became %q and then %q: %v", text, kept, again, err)
			}
		}
		out, err := apply("f", []byte(text), edits)
		if err != nil {
			return
		}
		d, err := parse("f", out)
		if err != nil || !json.Valid([]byte(strings.TrimPrefix(string(out), byteOrderMark))) {
			if strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark)) == string(out) && len(out) == 0 {
				return
			}
			t.Fatalf("%q is no JSON: %v", out, err)
		}
		if !d.has(edits) {
			t.Fatalf("%q lacks our entries", out)
		}
		back, err := strip("f", out, []byte(text), edits, "/h/bin")
		if err != nil {
			t.Fatal(err)
		}
		was := strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
		if was == "" {
			was = "{}"
		}
		if got := strings.TrimPrefix(string(back), byteOrderMark); !same([]byte(got), []byte(was)) {
			t.Fatalf("%q became %q and then %q", text, out, back)
		}
	})
}
