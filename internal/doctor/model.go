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
	how := "measured"
	if !cal.Measured {
		how = "not measured"
	}
	return fmt.Sprintf("%s, %d dimensions; two texts may be one fact above cosine %.2f (similarity %.2f); an answer is strong above %.2f; calibration %s: texts %s; unrelated %.2f ± %.2f; score from lead over second %.2f, over sixth %.2f, base %.2f",
		cal.Model, dimension, cal.Cosine(memory.DuplicateAbove), memory.DuplicateAbove, memory.StrongAbove, how, corners(cal.Documents),
		cal.Background.Mean, cal.Background.Spread, cal.Chance.Second, cal.Chance.Sixth, cal.Chance.Intercept), nil
}

// corners writes those of a calibration's curve: the model's cosine → the similarity.
func corners(points []memory.Point) string {
	if len(points) == 0 {
		return "as they are"
	}
	out := make([]string, len(points))
	for i, p := range points {
		out[i] = fmt.Sprintf("%g→%g", p.X, p.Y)
	}
	return strings.Join(out, " ")
}
