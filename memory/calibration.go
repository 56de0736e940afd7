package memory

// Point is one corner of a piecewise linear curve.
type Point struct {
	X float64 `json:"x"` // what a model or search engine says
	Y float64 `json:"y"` // what it means on the product's scale
}

// Calibration maps what one embedding model says to the product's similarity
// scale, on which [DefaultMinScore] and [DuplicateAbove] mean the same for
// every model.
type Calibration struct {
	Model string `json:"model"`
	// Documents maps the cosine of two stored texts to their similarity.
	// Strictly increasing in both; none means identity.
	Documents []Point `json:"documents,omitempty"`
}

// CalibrationFor returns the calibration of an embedding model. A model that
// has not been measured is taken at its word: identity.
func CalibrationFor(model string) Calibration {
	c := Calibration{Model: model}
	if model == "mneme-static" || model == "mneme-static:latest" {
		c.Documents = []Point{{-1, 0}, {0, .30}, {.30, .45}, {.55, .70}, {.80, .85}, {.93, .92}, {1, 1}}
	}
	return c
}

// Similarity returns the similarity, 0 to 1, of two stored texts whose
// vectors have this cosine.
func (c Calibration) Similarity(cosine float64) float64 {
	return min(1, max(0, along(c.Documents, cosine)))
}

// Cosine is the inverse of Similarity.
func (c Calibration) Cosine(similarity float64) float64 {
	back := make([]Point, len(c.Documents))
	for i, p := range c.Documents {
		back[i] = Point{X: p.Y, Y: p.X}
	}
	return min(1, max(-1, along(back, similarity)))
}

// along evaluates a piecewise linear curve; before the first point and after
// the last it is flat, and without points it is the identity.
func along(curve []Point, x float64) float64 {
	if len(curve) == 0 {
		return x
	}
	if x <= curve[0].X {
		return curve[0].Y
	}
	for i := 1; i < len(curve); i++ {
		if a, b := curve[i-1], curve[i]; x <= b.X {
			return a.Y + (x-a.X)/(b.X-a.X)*(b.Y-a.Y)
		}
	}
	return curve[len(curve)-1].Y
}
