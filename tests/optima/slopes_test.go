package optima

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/gating"
	"bigmkl/tests/bigmkltest"
)

// TestSlopesOfGates: the derivatives of the optimum by the parameters of gates are its central differences, where each value is a
// training. By the theorem of the envelope dual variables and weights count as constants.
func TestSlopesOfGates(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 11)
	const n, d = 60, 2
	own := []func(x, z []float64) float64{bigmkltest.LinearValue, bigmkltest.Gaussian(0.5), bigmkltest.Gaussian(0.1)}
	x, rows := make([][]float64, n), make([]dataset.Row, n)
	for i := range x {
		x[i] = []float64{math.Round(64*rng.NormFloat64()) / 64, math.Round(64*rng.NormFloat64()) / 64}
		y := x[i][0]*x[i][1] + 0.3*rng.NormFloat64()
		rows[i] = dataset.Row{Index: []int32{0, 1}, Value: x[i], Label: map[bool]string{true: "1", false: "-1"}[y > 0], Target: y}
	}
	for _, form := range []string{"softmax", "sigmoid", "gauss"} {
		for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskLogistic, bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskQuantile, bigmkl.TaskHuber, bigmkl.TaskExpectile, bigmkl.TaskSurvival, bigmkl.TaskOneClass} {
			for _, p := range []float64{2, 4.0 / 3} {
				t.Run(fmt.Sprintf("%s/%s/%g", form, task, p), func(t *testing.T) {
					f, err := gating.ParseForm(form)
					if err != nil {
						t.Fatal(err)
					}
					l := &gating.Learned{Form: f, Features: d, Parameters: make([]float64, len(own)*(d+1))}
					for k := range l.Parameters {
						l.Parameters[k] = 0.7 * rng.NormFloat64()
					}
					eta := make([][]float64, n)
					train := func() (*bigmkl.Model, float64) {
						for i := range eta {
							eta[i] = make([]float64, len(own))
							l.Values(x[i], eta[i])
						}
						o := bigmkl.Options{Task: task, Kernels: "linear,gauss:0.5,gauss:0.1", Normalize: "none", Norm: p, C: 2, Gap: 1e-10, Precision: "64", Threads: 2,
							Solver: bigmkl.SolverChunking, Gating: "fixed:" + bigmkltest.WriteArray(t, eta)}
						m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
						if m.Certificate.RelativeGap > 1e-7 {
							t.Fatalf("a gap of %.3g", m.Certificate.RelativeGap)
						}
						return m, (m.Certificate.Primal + m.Certificate.Dual) / 2
					}
					m, value := train()
					bigmkltest.MustVerifyGated(t, m, rows, bigmkltest.WriteArray(t, eta))
					alpha := make([]float64, n)
					for s, i := range m.Support {
						alpha[i] = m.Alpha[s]
					}
					slope, byGate := make([]float64, len(l.Parameters)), make([]float64, len(own))
					for i := range x {
						for k := range own {
							u := 0.0
							for j := range x {
								u += alpha[j] * eta[j][k] * own[k](x[i], x[j])
							}
							byGate[k] = -m.Theta[k] * alpha[i] * eta[i][k] * u
						}
						l.AddSlope(x[i], eta[i], byGate, slope)
					}
					size := 0.0
					for _, s := range slope {
						size = max(size, math.Abs(s))
					}
					start := slices.Clone(l.Parameters)
					for k, along := range bigmkltest.Directions(rng, len(start)) {
						const h = 1e-4
						at := func(step float64) float64 {
							for j := range start {
								l.Parameters[j] = start[j] + step*along[j]
							}
							_, value := train()
							return value
						}
						want := 0.0
						for j, s := range slope {
							want += s * along[j]
						}
						if difference := (at(h) - at(-h)) / (2 * h); !(math.Abs(difference-want) <= 1e-4*size) {
							t.Errorf("direction %d: the slope is %.9g, the difference %.9g of %.6g", k, want, difference, value)
						}
					}
				})
			}
		}
	}
}
