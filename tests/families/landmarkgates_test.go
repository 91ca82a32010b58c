package families

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/tests/bigmkltest"
)

// landmarkRows are points around three centres whose classes a bend in the middle parts.
func landmarkRows(t testing.TB, n int) []dataset.Row {
	rng := datasettest.Random(t, 31)
	rows := make([]dataset.Row, n)
	for i := range rows {
		x := []float64{math.Round(64*rng.NormFloat64()) / 64, math.Round(64*rng.NormFloat64()) / 64, float64(rng.IntN(3))}
		y := math.Abs(x[0]) - 0.7 + x[1]*(x[2]-1)/2 + 0.1*rng.NormFloat64()
		rows[i] = dataset.Row{Index: []int32{0, 1, 2}, Value: x, Target: y, Label: map[bool]string{true: "1", false: "-1"}[y > 0]}
	}
	return rows
}

// formOfGates computes gates by their definition (Gönen 2010, eq. 3.2 to 3.4) from the kernel values of a point.
func formOfGates(g *model.Gates, values []float64) []float64 {
	d := len(values)
	z, eta, sum := make([]float64, d), make([]float64, g.Number), 0.0
	for j, v := range values {
		z[j] = (float64(float32(v)) - g.Mean[j]) / g.Deviation[j]
	}
	for m := range eta {
		own, a := g.Parameters[m*(d+1):(m+1)*(d+1)], 0.0
		for j, v := range own[:d] {
			if g.Kind == model.GatesGauss {
				a -= (z[j] - v) * (z[j] - v) * math.Exp(-2*own[d])
			} else {
				a += v * z[j]
			}
		}
		if g.Kind != model.GatesGauss {
			a += own[d]
		}
		if eta[m] = math.Exp(a); g.Kind == model.GatesSigmoid {
			eta[m] = 1 / (1 + math.Exp(-a))
		}
		sum += eta[m]
	}
	if g.Kind != model.GatesSigmoid {
		for m := range eta {
			eta[m] /= sum
		}
	}
	return eta
}

// TestLandmarkGates: gates on kernel values with landmarks agree with the formulas with the values by
// their definition, of training rows and of others, and a training with them as they are ends where the descent has.
func TestLandmarkGates(t *testing.T) {
	t.Parallel()
	all := landmarkRows(t, 100)
	rows, number := all[:70], 0
	for _, c := range []struct {
		spec  string
		value func(x, z []float64) float64
	}{
		{"gauss:0.5", bigmkltest.Gaussian(0.5)},
		{"linear", bigmkltest.LinearValue},
		{"poly:2", func(x, z []float64) float64 {
			return (bigmkltest.LinearValue(x, z) + 1) * (bigmkltest.LinearValue(x, z) + 1)
		}},
		{"prod(gauss:0.25,linear@2-3)", func(x, z []float64) float64 {
			return bigmkltest.Gaussian(0.25)(x, z) * bigmkltest.LinearValue(x[1:], z[1:])
		}},
	} {
		for _, form := range []string{"softmax", "sigmoid", "gauss"} {
			for _, store := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
				number++
				t.Run(fmt.Sprintf("%s/%s/%s", c.spec, form, store), func(t *testing.T) {
					bigmkltest.InTurn(t, number, 24)
					const count = 7
					o := bigmkl.Options{Kernels: "linear copies=2,gauss:1", Normalize: "none", Gating: form, Gap: 1e-6, Threads: 2,
						Store: store, Precision: "64", GateOn: fmt.Sprintf("kernel:%s*%d", c.spec, count)}
					m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
					bigmkltest.MustVerifyGated(t, m, rows, "")
					g := m.Family.Gates()
					if len(g.Landmarks.Rows) != count || g.Steps < 1 {
						t.Fatalf("landmarks %d after %d steps", g.Landmarks.Rows, g.Steps)
					}
					var gates [][]float64
					predicted(t, m, all, func(p bigmkl.Prediction) { gates = append(gates, slices.Clone(p.Gates)) })
					for i, own := range gates {
						var values []float64
						for _, l := range g.Landmarks.Rows {
							values = append(values, c.value(all[i].Value, rows[l].Value))
						}
						for k, x := range formOfGates(g, values) {
							if math.Abs(x-own[k]) > 1e-9 {
								t.Fatalf("row %d: gate %d is %.12g, by its formula %.12g", i+1, k+1, own[k], x)
							}
						}
					}
					o.Gating, o.GateOn, o.Kernels = "fixed:"+bigmkltest.WriteArray(t, gates[:len(rows)]), "", "linear,linear,gauss:1"
					fixed, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
					if a, b := m.Certificate.Primal, fixed.Certificate.Primal; math.Abs(a-b) > 3e-6*b {
						t.Errorf("primal value %.9g, with these gates %.9g", a, b)
					}
				})
			}
		}
	}
}

// TestLandmarkGatesOfOtherData: letters, and matrices without any features, have gates on kernel values.
func TestLandmarkGatesOfOtherData(t *testing.T) {
	t.Parallel()
	letters := bigmkltest.Sites(datasettest.Random(t, 44), 120)
	points := landmarkRows(t, 120)
	gram, asRows := make([][]float64, len(points)), make([]dataset.Row, len(points))
	for i := range gram {
		for j := range points {
			gram[i] = append(gram[i], bigmkltest.Gaussian(0.5)(points[i].Value, points[j].Value))
		}
		asRows[i] = dataset.Row{Label: points[i].Label, Target: points[i].Target}
	}
	file := bigmkltest.WriteArray(t, gram)
	for name, c := range map[string]struct {
		rows []dataset.Row
		gram []string
		o    bigmkl.Options
	}{
		"letters": {letters, nil, bigmkl.Options{Sequences: dataset.DNA, Kernels: "spectrum:3,wd:4", GateOn: "kernel:spectrum:2*9"}},
		"matrix":  {asRows, []string{file}, bigmkl.Options{Kernels: "precomputed:" + file + " copies=3", GateOn: "kernel:precomputed:" + file + "*9"}},
	} {
		for _, form := range []string{"softmax", "gauss", "regions:2"} {
			t.Run(name+"/"+form, func(t *testing.T) {
				o := c.o
				o.Gating, o.GateTol, o.Threads = form, 2e-2, 2
				if form == "regions:2" {
					o.GateTol, o.Kernels = 0, strings.TrimSuffix(o.Kernels, " copies=3")
				}
				m, _ := bigmkltest.Converge(t, datasettest.Stream(c.rows), o)
				bigmkltest.MustVerifyGated(t, m, c.rows, "", c.gram...)
				text := bigmkltest.Encoded(t, m)
				read, err := model.Decode(bytes.NewReader(text), int64(len(text)), "m", model.GatesFamily)
				if err != nil {
					t.Fatal(err)
				}
				// Rows that the classifier was trained on are decided as a model that was read decides
				// them.
				var decisions []float64
				see := func(p bigmkl.Prediction) error {
					decisions = append(decisions, p.Decision)
					return nil
				}
				for _, m := range []*bigmkl.Model{m, {Model: *read}} {
					if err := m.Predict(t.Context(), datasettest.Stream(c.rows), bigmkl.PredictOptions{Gram: c.gram}, see); err != nil {
						t.Fatal(err)
					}
				}
				wrong := 0
				for i, r := range c.rows {
					if decisions[i] != decisions[len(c.rows)+i] {
						t.Fatalf("row %d: decision %g of the model, %g of the model that was read", i+1, decisions[i], decisions[len(c.rows)+i])
					}
					if decisions[i] > 0 != (r.Label == m.Positive) {
						wrong++
					}
				}
				if wrong > len(c.rows)/4 {
					t.Errorf("%d of %d training rows are decided wrongly", wrong, len(c.rows))
				}
				o.Init = m
				again, _ := bigmkltest.Converge(t, datasettest.Stream(c.rows), o)
				bigmkltest.MustVerifyGated(t, again, c.rows, "", c.gram...)
			})
		}
	}
}
