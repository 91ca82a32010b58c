package families

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/gating"
	"bigmkl/internal/model"
	"bigmkl/internal/projection"
	trainpkg "bigmkl/internal/train"
	"bigmkl/tests/bigmkltest"
)

// descents are gates and projections of every kind, and both together.
var descents = []bigmkl.Options{
	{Kernels: "proj(poly:2,2)"}, {Kernels: "proj(gauss:0.5,2)"}, {Kernels: "proj(gauss:0.5,diag)"}, {Kernels: "proj(gauss:0.3,1),linear", Norm: 4. / 3},
	{Kernels: "linear,gauss:0.5", Gating: "softmax"}, {Kernels: "linear,gauss:0.5", Gating: "sigmoid"}, {Kernels: "linear,gauss:0.5", Gating: "gauss"},
	{Kernels: "proj(gauss:0.5,2),linear", Gating: "gauss"},
}

// problemsOfADescent is the number of problems of each kind.
const problemsOfADescent = 10

// descentRows are rows of four features whose classes and targets are not a function of one kernel alone.
func descentRows(rng *rand.Rand, n int) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		x := make([]float64, 4)
		for j := range x {
			x[j] = math.Round(256*rng.NormFloat64()) / 256
		}
		y := x[0]*x[1] + x[2]/2 + 0.5*rng.NormFloat64()
		rows[i] = dataset.Row{Index: []int32{0, 1, 2, 3}, Value: x, Target: y, Label: map[bool]string{true: "1", false: "-1"}[y > 0]}
	}
	return rows
}

// kindOf names the kind of a descent.
func kindOf(o bigmkl.Options) string {
	return strings.NewReplacer(",", " ", ":", "").Replace(cmp.Or(o.Gating, "projection") + " " + o.Kernels)
}

// TestConvergedDescents: a converged descent has a slope within the tolerance, for any loss, and most descents converge.
// Others have another status.
func TestConvergedDescents(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 37201)
	number := 0
	for _, kind := range descents {
		t.Run(kindOf(kind), func(t *testing.T) {
			converged, tried := 0, 0
			for k := range problemsOfADescent {
				rows := descentRows(rng, 80+rng.IntN(80))
				o := kind
				o.Threads, o.C = 2, math.Pow(2, float64(k%3)-1)
				o.Task = []string{bigmkl.TaskClass, bigmkl.TaskSVR, bigmkl.TaskClass, bigmkl.TaskOneClass}[k%4]
				if number++; !bigmkltest.IsDrawn(number, 16) {
					continue
				}
				tried++
				m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				slope := 0.0
				if p := m.Family.Projection(); p != nil {
					slope = p.Stationarity
				}
				if g := m.Family.Gates(); g != nil {
					slope = math.Hypot(slope, g.Stationarity)
				}
				switch {
				case r.Status == chunking.Converged:
					converged++
					if !(slope <= 1e-2) {
						t.Errorf("problem %d, %s, C = %g: converged with a slope of %.3g", k, o.Task, o.C, slope)
					}
				case r.Status != trainpkg.StepLimit && r.Status != chunking.Stalled:
					t.Errorf("problem %d, %s: %s", k, o.Task, r.Status)
				}
				if p := m.Family.Projection(); p != nil {
					mustVerifyProjected(t, m, rows)
				} else {
					bigmkltest.MustVerifyGated(t, m, rows, "")
				}
			}
			if !(converged >= tried/2) {
				t.Errorf("%d of %d descents have converged", converged, tried)
			}
		})
	}
}

// TestClaimedSlopes: the stationarity that a model claims agrees with finite differences of the optimum, where each value is a training with
// a projection, or gates, that stay. The losses are smooth: with a hinge the optimum may have a kink there.
func TestClaimedSlopes(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 37202)
	number := 0
	for _, kind := range descents[:7] {
		if kind.Norm != 0 {
			continue // two kernels, of which one is projected
		}
		t.Run(kindOf(kind), func(t *testing.T) {
			for k := range problemsOfADescent {
				rows := descentRows(rng, 50)
				o := kind
				o.Threads, o.C, o.Normalize, o.Scale, o.Precision, o.Gap = 2, math.Pow(2, float64(k%3)-1), "none", "none", "64", 1e-9
				o.GateSteps, o.GateTol, o.Norm = 1+k%4, 1e-4, 2
				if o.Task = []string{bigmkl.TaskClass, bigmkl.TaskSquare}[k%2]; o.Task == bigmkl.TaskClass {
					o.Loss = bigmkl.LossSquaredHinge
				}
				if number++; !bigmkltest.IsDrawn(number, 8) {
					continue
				}
				m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				claimed, optimum := optimaAround(t, m, rows, o)
				const h = 1e-4
				slope, value := make([]float64, len(optimum.parameters)), 0.0
				for at := range slope {
					up, down := optimum.at(at, h), optimum.at(at, -h)
					slope[at], value = (up-down)/(2*h), (up+down)/2
				}
				if g := m.Family.Gates(); g != nil && o.Gating == "gauss" {
					(&gating.Learned{Form: gating.Gauss, Features: 4, Parameters: g.Parameters}).Free(slope)
				}
				square := 0.0
				for _, x := range slope {
					square += x * x
				}
				if own := math.Sqrt(square) / math.Abs(value); !(math.Abs(own-claimed) <= 1e-3*claimed+1e-4) {
					t.Errorf("problem %d, %s after %d steps: %.6g is claimed, differences say %.6g", k, o.Task, o.GateSteps, claimed, own)
				}
			}
		})
	}
}

// optima gives the optimum near what a model has learned.
type optima struct {
	parameters []float64
	of         func(parameters []float64) float64
}

// at is the optimum with a parameter moved.
func (o *optima) at(parameter int, by float64) float64 {
	moved := slices.Clone(o.parameters)
	moved[parameter] += by
	return o.of(moved)
}

// optimaAround returns the stationarity that a model claims and the optima around it.
func optimaAround(t *testing.T, m *bigmkl.Model, rows []dataset.Row, o bigmkl.Options) (float64, *optima) {
	t.Helper()
	middle := func(o bigmkl.Options, rows []dataset.Row) float64 {
		o.Gap, o.Scratch = 1e-11, t.TempDir()
		m, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o)
		if err != nil {
			t.Fatal(err)
		}
		return (m.Certificate.Primal + m.Certificate.Dual) / 2
	}
	if p := m.Family.Projection(); p != nil {
		form, err := projection.Parse(o.Kernels)
		if err != nil {
			t.Fatal(err)
		}
		return p.Stationarity, &optima{p.W, func(a []float64) float64 {
			w, ok := form.Make(a)
			if !ok {
				t.Fatal("no matrix")
			}
			of := &model.Projection{Features: 4, Columns: form.Columns, W: w.W}
			projected := slices.Clone(rows)
			for i, r := range rows {
				z := make([]float64, form.Width(4))
				of.Project(r.Index, r.Value, z)
				projected[i].Value = z
				projected[i].Index = nil
				for j := range z {
					projected[i].Index = append(projected[i].Index, int32(j))
				}
			}
			plain := o
			plain.Kernels, _, _ = strings.Cut(strings.TrimPrefix(o.Kernels, projection.Prefix), ",")
			return middle(plain, projected)
		}}
	}
	g := m.Family.Gates()
	form, err := gating.ParseForm(o.Gating)
	if err != nil {
		t.Fatal(err)
	}
	return g.Stationarity, &optima{g.Parameters, func(v []float64) float64 {
		l := &gating.Learned{Form: form, Features: 4, Parameters: v}
		f := &gating.Features{Mean: g.Mean, Deviation: g.Deviation}
		eta := make([][]float64, len(rows))
		for i, r := range rows {
			x, z := make([]float32, 4), make([]float64, 4)
			for j, v := range r.Value {
				x[j] = float32(v)
			}
			f.Standardise(x, z)
			eta[i] = make([]float64, g.Number)
			l.Values(z, eta[i])
		}
		plain := o
		plain.Gating = "fixed:" + bigmkltest.WriteArray(t, eta)
		return middle(plain, rows)
	}}
}

// TestGaussianGatesStayAlive: Gaussian gates reach about the objective of softmax gates, which are Gaussian gates with one spread. Gates of a
// start that ended in closed gates are not kept.
func TestGaussianGatesStayAlive(t *testing.T) {
	t.Parallel()
	for k := range 6 {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			bigmkltest.InTurn(t, k, 3)
			rng := datasettest.Random(t, uint64(37210+k))
			rows := descentRows(rng, 120)
			o := bigmkl.Options{Kernels: "linear,gauss:0.5", Threads: 2}
			lowest := map[string]float64{}
			for _, o.Gating = range []string{"softmax", "gauss"} {
				m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				lowest[o.Gating] = m.Certificate.Primal
				if o.Gating == "gauss" && !(m.Family.Gates().Stationarity > 1e-12) {
					t.Errorf("stationary to %g: gates of 0 and 1", m.Family.Gates().Stationarity)
				}
			}
			if !(lowest["gauss"] <= 1.1*lowest["softmax"]) {
				t.Errorf("P is %.6g with Gaussian gates, %.6g with those of softmax", lowest["gauss"], lowest["softmax"])
			}
		})
	}
}
