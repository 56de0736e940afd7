package page

import (
	"fmt"
	"math"
	"time"
)

// The size of a plot in SVG units. The frame leaves room for the labels.
const (
	width, height = 560.0, 220.0
	left, right   = 52.0, 12.0
	top, bottom   = 14.0, 28.0
	gridLines     = 4
	maxLabels     = 7
)

// chart is a plot, worked out as far as the template needs: coordinates and
// labels. Empty ones say so instead of showing axes around nothing.
type chart struct {
	Title, About string
	Width        float64
	Height       float64
	Grid         []label // horizontal lines with what they stand for
	Labels       []label // below the plot
	Line         string  // of a path, "" for bars
	Area         string  // the same, closed at the bottom
	Points       []mark
	Bars         []mark
}

// label is a text at a place.
type label struct {
	X, Y float64
	Text string
}

// mark is a point or a bar; Text says its value in words.
type mark struct {
	X, Y, W, H float64
	Text       string
}

// Empty reports whether there is nothing to draw.
func (c chart) Empty() bool { return len(c.Points) == 0 && len(c.Bars) == 0 }

// Left is where the grid lines begin.
func (c chart) Left() float64 { return left }

// Right is where the grid lines end.
func (c chart) Right() float64 { return width - right }

// scale says how a value on the vertical axis is written.
type scale func(float64) string

func asPercent(v float64) string  { return fmt.Sprintf("%.0f %%", 100*v) }
func asCount(v float64) string    { return count(int64(math.Round(v))) }
func asFraction(v float64) string { return fmt.Sprintf("%.2f", v) }

// series are values over days, oldest first.
type series struct {
	days   []time.Time
	values []float64
	texts  []string
}

func (s *series) add(day time.Time, v float64, text string) {
	s.days = append(s.days, day)
	s.values = append(s.values, v)
	s.texts = append(s.texts, day.UTC().Format(time.DateOnly)+": "+text)
}

// draw draws a line. A top of 0 is taken from the values.
func (s *series) draw(title, about string, most float64, write scale) chart {
	c := chart{Title: title, About: about, Width: width, Height: height}
	if len(s.values) == 0 {
		return c
	}
	if most == 0 {
		most = ceiling(s.values)
	}
	c.grid(most, write)
	first, last := s.days[0], s.days[len(s.days)-1]
	span := last.Sub(first).Seconds()
	for i, day := range s.days {
		x := left + (width-left-right)/2 // a single day stands in the middle
		if span > 0 {
			x = left + (width-left-right)*day.Sub(first).Seconds()/span
		}
		c.Points = append(c.Points, mark{X: x, Y: yOf(s.values[i], most), Text: s.texts[i]})
	}
	c.path()
	c.dayLabels(s.days)
	return c
}

// path joins the points.
func (c *chart) path() {
	for i, p := range c.Points {
		step := "L"
		if i == 0 {
			step = "M"
		}
		c.Line += fmt.Sprintf("%s%.1f %.1f", step, p.X, p.Y)
	}
	c.Area = fmt.Sprintf("%sL%.1f %.1fL%.1f %.1fZ", c.Line, c.Points[len(c.Points)-1].X, height-bottom, c.Points[0].X, height-bottom)
}

// dayLabels writes as many days as there is room for.
func (c *chart) dayLabels(days []time.Time) {
	every := (len(days) + maxLabels - 1) / maxLabels
	for i := 0; i < len(days); i += every {
		c.Labels = append(c.Labels, label{X: c.Points[i].X, Y: height - 8, Text: days[i].UTC().Format("2 Jan")})
	}
}

// bars are values with names.
type bars struct {
	names  []string
	values []float64
	texts  []string
}

func (b *bars) add(name string, v float64, text string) {
	b.names, b.values, b.texts = append(b.names, name), append(b.values, v), append(b.texts, name+": "+text)
}

func (b *bars) draw(title, about string, write scale) chart {
	c := chart{Title: title, About: about, Width: width, Height: height}
	most := ceiling(b.values)
	if len(b.values) == 0 || most == 0 {
		return c
	}
	c.grid(most, write)
	step := (width - left - right) / float64(len(b.values))
	for i, v := range b.values {
		y := yOf(v, most)
		c.Bars = append(c.Bars, mark{X: left + step*float64(i) + step*0.15, Y: y, W: step * 0.7, H: height - bottom - y, Text: b.texts[i]})
		c.Labels = append(c.Labels, label{X: left + step*(float64(i)+0.5), Y: height - 8, Text: b.names[i]})
	}
	return c
}

// grid draws the lines that the eye compares with.
func (c *chart) grid(most float64, write scale) {
	for i := 0; i <= gridLines; i++ {
		v := most * float64(i) / gridLines
		c.Grid = append(c.Grid, label{X: left - 6, Y: yOf(v, most), Text: write(v)})
	}
}

func yOf(v, most float64) float64 {
	return height - bottom - (height-top-bottom)*math.Min(v/most, 1)
}

// ceiling returns a round number that no value is above, which gridLines divide well.
func ceiling(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		most = math.Max(most, v)
	}
	if most <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{1, 2, 4, 6, 8, 10} {
		if f*unit >= most {
			return math.Max(f*unit, gridLines)
		}
	}
	return 10 * unit
}
