package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// fitted returns the weights of most likelihood, by Newton's method.
func fitted(examples []example) memory.Chance {
	var b [3]float64
	for range 30 {
		var gradient [3]float64
		var curvature [3][3]float64
		for i := range curvature {
			curvature[i][i] = 1e-6
		}
		for _, e := range examples {
			x := [3]float64{1, e.standing.Second, e.standing.Sixth}
			p := chanceOf(b).Of(e.standing)
			for i := range x {
				gradient[i] += e.weight * (one(e.right) - p) * x[i]
				for j := range x {
					curvature[i][j] += e.weight * p * (1 - p) * x[i] * x[j]
				}
			}
		}
		step := solve(curvature, gradient)
		for i := range b {
			b[i] += step[i]
		}
	}
	return chanceOf(b)
}

// shifted fits the intercept alone.
func shifted(chance memory.Chance, examples []example) memory.Chance {
	for range 30 {
		gradient, curvature := 0.0, 1e-6
		for _, e := range examples {
			p := chance.Of(e.standing)
			gradient += e.weight * (one(e.right) - p)
			curvature += e.weight * p * (1 - p)
		}
		chance.Intercept += gradient / curvature
	}
	return chance
}

func chanceOf(b [3]float64) memory.Chance {
	return memory.Chance{Intercept: b[0], Second: b[1], Sixth: b[2]}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// solve solves a system of equations by Gauss and Jordan.
func solve(a [3][3]float64, y [3]float64) [3]float64 {
	for i := range a {
		pivot := i
		for j := i + 1; j < len(a); j++ {
			if math.Abs(a[j][i]) > math.Abs(a[pivot][i]) {
				pivot = j
			}
		}
		a[i], a[pivot], y[i], y[pivot] = a[pivot], a[i], y[pivot], y[i]
		for j := range a {
			if j == i {
				continue
			}
			f := a[j][i] / a[i][i]
			for k := range a[j] {
				a[j][k] -= f * a[i][k]
			}
			y[j] -= f * y[i]
		}
	}
	for i := range y {
		y[i] /= a[i][i]
	}
	return y
}

// row is a line of the table.
func row(label string, examples []example, chance memory.Chance) string {
	var right, rightStrong, strong, none, noneStrong float64
	for _, e := range examples {
		isStrong := one(chance.Of(e.standing) > memory.StrongAbove)
		if !e.answered {
			none++
			noneStrong += isStrong
			continue
		}
		strong += isStrong
		right += one(e.right)
		rightStrong += isStrong * one(e.right)
	}
	return fmt.Sprintf("| %s | %d | %.3f | %.2f | %.2f | %.2f |", label, len(examples), auc(examples, chance), rightStrong/right, rightStrong/strong, noneStrong/none)
}

// auc is the chance that a right first has more than a wrong one.
func auc(examples []example, chance memory.Chance) float64 {
	sorted := slices.Clone(examples)
	slices.SortFunc(sorted, func(a, b example) int { return cmp.Compare(chance.Of(a.standing), chance.Of(b.standing)) })
	var right, sum float64
	for i, e := range sorted {
		right += one(e.right)
		sum += float64(i+1) * one(e.right)
	}
	return (sum - right*(right+1)/2) / (right * (float64(len(sorted)) - right))
}

// moments collects values for their mean and standard deviation.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(v float64)   { m.n, m.sum, m.squares = m.n+1, m.sum+v, m.squares+v*v }
func (m *moments) mean() float64   { return m.sum / m.n }
func (m *moments) spread() float64 { return math.Sqrt(m.squares/m.n - m.mean()*m.mean()) }
