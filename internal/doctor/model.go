package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// model has the embedding model make a vector, and shows what its similarities mean.
func (o Options) model(ctx context.Context) (string, error) {
	if o.Servers.Dimension == nil {
		return "", Skipped("not asked: nobody knows where Ollama is")
	}
	model, dimension, err := o.Servers.Dimension(ctx)
	if err != nil {
		return "", err
	}
	cal := memory.CalibrationFor(model)
	detail := fmt.Sprintf("%s, %d dimensions; two texts are the same fact above cosine %.2f (similarity %.2f); recall bar %.2f",
		cal.Model, dimension, cal.Cosine(memory.DuplicateAbove), memory.DuplicateAbove, memory.DefaultMinScore)
	if !cal.Measured {
		return detail + "; calibration: none measured, the model is taken at its word", nil
	}
	return detail + "; calibration: measured " + curve("texts", cal.Documents) + ", " + curve("questions", cal.Recall), nil
}

// curve writes the corners of a calibration: what the model says → what it means.
func curve(name string, points []memory.Point) string {
	corners := make([]string, len(points))
	for i, p := range points {
		corners[i] = fmt.Sprintf("%g→%g", p.X, p.Y)
	}
	return name + " " + strings.Join(corners, " ")
}
