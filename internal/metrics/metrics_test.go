package metrics

import (
	"bytes"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
)

// FuzzWrite has Prometheus' own parser read what was written: every label and value comes back.
func FuzzWrite(f *testing.F) {
	f.Add("Qdrant", "how many wait", 3.0)
	f.Add("a\"b\\c\nd\r\x00", "two\nlines \\", -0.5)
	f.Add("\xff", "", 1e300)
	f.Fuzz(func(t *testing.T, label, help string, value float64) {
		var out bytes.Buffer
		if err := Write(&out, []Metric{
			{Name: "mneme_waiting_changes", Help: help, Label: "part", Samples: []Sample{{Label: label, Value: value}}},
			{Name: "mneme_none", Help: help, Label: "part"},
			One("mneme_up", "whether it runs", Yes(true)),
		}); err != nil {
			t.Fatal(err)
		}
		var parser expfmt.TextParser
		families, err := parser.TextToMetricFamilies(&out)
		if err != nil || len(families) != 2 {
			t.Fatalf("%d families, %v", len(families), err)
		}
		m := families["mneme_waiting_changes"].GetMetric()[0]
		if got := m.GetGauge().GetValue(); got != value && (got == got || value == value) { // NaN is not equal to itself
			t.Errorf("%g came back as %g", value, got)
		}
		if got := m.GetLabel()[0].GetValue(); got != strings.ToValidUTF8(label, "\uFFFD") {
			t.Errorf("%q came back as %q", label, got)
		}
		if families["mneme_up"].GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Error("mneme_up is not 1")
		}
	})
}
