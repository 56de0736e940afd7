// Package metrics writes figures in the text format of Prometheus.
package metrics

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Metric is one figure, with a sample for each value of its label.
type Metric struct {
	Name    string   `json:"name"`
	Help    string   `json:"help"`
	Label   string   `json:"label,omitempty"` // the name of the samples' label; empty for a single sample
	Samples []Sample `json:"samples"`
}

// Sample is one value.
type Sample struct {
	Label string  `json:"label,omitempty"`
	Value float64 `json:"value"`
}

// One returns a metric with a single sample.
func One(name, help string, value float64) Metric {
	return Metric{Name: name, Help: help, Samples: []Sample{{Value: value}}}
}

// Yes is 1 for true and 0 for false.
func Yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Write writes all metrics as gauges. Metrics without samples are left out.
func Write(w io.Writer, all []Metric) error {
	var b strings.Builder
	for _, m := range all {
		if len(m.Samples) == 0 {
			continue
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n", m.Name, escape(m.Help, false), m.Name)
		for _, s := range m.Samples {
			labels := ""
			if m.Label != "" {
				labels = fmt.Sprintf(`{%s="%s"}`, m.Label, escape(s.Label, true))
			}
			fmt.Fprintf(&b, "%s%s %s\n", m.Name, labels, strconv.FormatFloat(s.Value, 'g', -1, 64))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escape writes a text as the format wants it. Quotes are escaped in labels only.
func escape(s string, label bool) string {
	s = strings.NewReplacer("\\", `\\`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\uFFFD"))
	if label {
		s = strings.ReplaceAll(s, `"`, `\"`)
	}
	return s
}
