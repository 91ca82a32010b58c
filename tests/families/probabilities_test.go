package families

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/probability"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// Probabilities of unseen rows are near the probabilities with which their classes were drawn, and much nearer than a sigmoid of the training
// rows' own decision values.
func TestCalibration(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 5)
	rows, _ := uncertain(rng, 1500, 8)
	unseen, truth := uncertain(rng, 4000, 8)
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:auto/3", C: 10, Folds: 5})
	off := func(list []bigmkl.Prediction) (sum, bias float64) {
		for i, p := range list {
			sum += math.Abs(p.Probabilities[1]-truth[i]) / float64(len(truth))
			bias += (p.Probabilities[1] - truth[i]) / float64(len(truth))
			if d := p.Probabilities[0] + p.Probabilities[1] - 1; math.Abs(d) > 1e-14 {
				t.Fatalf("%v sum to 1 + %g", p.Probabilities, d)
			}
		}
		return
	}
	mean, bias := off(estimates(t, m, unseen))
	var own []float64
	var positive []bool
	for _, p := range outcomes(t, m, rows, bigmkl.PredictOptions{}) {
		own, positive = append(own, p.Decision), append(positive, p.Known == "1")
	}
	greedy := *m
	greedy.Sigmoids = []probability.Sigmoid{probability.Fit(own, positive)}
	worse, _ := off(estimates(t, &greedy, unseen))
	t.Logf("probabilities are off by %.3f, by %.3f in the mean; %.3f from the training rows' own values", mean, bias, worse)
	if mean > 0.15 || math.Abs(bias) > 0.03 || worse < mean+0.02 {
		t.Errorf("probabilities are off by %v, %v in the mean; from the rows' own values by %v", mean, bias, worse)
	}
}

// Several classifiers: their probabilities are what the formulas make of the sigmoids.
func TestProbabilitiesOfSeveral(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 6)
	for _, kind := range []string{bigmkl.OneVsRest, bigmkl.OneVsOne, bigmkl.MultiLabel} {
		rows, unseen := datasettest.Clusters(rng, 400, 5, 4, kind == bigmkl.MultiLabel), datasettest.Clusters(rng, 200, 5, 4, kind == bigmkl.MultiLabel)
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:auto/3,linear", Multiclass: kind, Folds: 4})
		right, likely := 0, 0
		for i, p := range estimates(t, m, unseen) {
			sum, want := 0.0, make([]float64, len(m.Classes))
			for k, f := range p.Decisions {
				if kind != bigmkl.OneVsOne {
					want[k] = m.Sigmoids[k].At(f)
					sum += want[k]
				}
			}
			switch kind {
			case bigmkl.OneVsRest:
				for k := range want {
					want[k] /= sum
				}
			case bigmkl.OneVsOne: // the equations: (Qp)_k is the same for all classes
				want = p.Probabilities
				var qp []float64
				for a := range m.Classes {
					x := 0.0
					for k, f := range p.Decisions {
						r := m.Sigmoids[k].At(f)
						switch i, j := int(m.Classifiers[k].Positive), int(m.Classifiers[k].Negative); a {
						case i:
							x += (1-r)*(1-r)*want[i] - r*(1-r)*want[j]
						case j:
							x += r*r*want[j] - r*(1-r)*want[i]
						}
					}
					qp = append(qp, x)
				}
				if slices.Max(qp)-slices.Min(qp) > 1e-7 {
					t.Errorf("row %d: Qp = %v", i, qp)
				}
			}
			sum = 0
			for k, x := range p.Probabilities {
				sum += x
				if math.Abs(x-want[k]) > 1e-12 || x < 0 || x > 1 {
					t.Fatalf("%s, row %d: %v, want %v", kind, i, p.Probabilities, want)
				}
			}
			if kind == bigmkl.MultiLabel {
				continue
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s, row %d: %v", kind, i, p.Probabilities)
			}
			if p.Label == p.Known {
				right++
			}
			if m.Classes[slices.Index(p.Probabilities, slices.Max(p.Probabilities))] == p.Known {
				likely++
			}
		}
		if kind != bigmkl.MultiLabel && (likely < right-10 || likely < 140) {
			t.Errorf("%s: the likeliest class is right in %d of 200 rows, the label in %d", kind, likely, right)
		}
	}
}

// A class of fewer rows than there are folds.
func TestRareClass(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 7), 60, 4, 2, false)
	for i := range rows {
		if i > 2 {
			rows[i].Label = "0"
		}
	}
	rows = append(rows, dataset.Row{Label: "2", Index: []int32{0}, Value: []float64{5}}) // alone: a fold has no row of it
	for _, o := range []bigmkl.Options{{Positive: []string{"1"}}, {Positive: []string{"2"}}, {Multiclass: bigmkl.OneVsRest}, {Multiclass: bigmkl.OneVsOne}, {Multiclass: bigmkl.OneVsOne, Folds: 1000}} {
		o.Kernels, o.Folds = "gauss:0.2,linear", max(o.Folds, 5)
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		for _, s := range m.Sigmoids {
			if !s.Valid() {
				t.Errorf("%+v: %v", o, m.Sigmoids)
			}
		}
		for _, p := range estimates(t, m, rows) {
			for _, x := range p.Probabilities {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("%+v: %v", o, p.Probabilities)
				}
			}
		}
	}
}

// LIBSVM draws its folds by its own numbers: its probabilities are as near as probabilities from other folds.
func TestProbabilitiesOfLIBSVM(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 9)
	for name, c := range map[string]struct {
		rows, unseen []dataset.Row
		kind         string
	}{
		"two classes":   {datasettest.Clouds(rng, 800, 6), datasettest.Clouds(rng, 800, 6), ""},
		"three classes": {datasettest.Clusters(rng, 900, 5, 3, false), datasettest.Clusters(rng, 600, 5, 3, false), bigmkl.OneVsOne},
	} {
		o := bigmkl.Options{Kernels: "gauss:0.1", Normalize: "none", Norm: 2, Gap: 1e-5, Folds: 5, Multiclass: c.kind}
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), o)
		list := estimates(t, m, c.unseen)
		names := m.Classes
		if c.kind == "" {
			names = []string{m.Negative, m.Positive}
		}
		theirs := libsvmProbabilities(t, c.rows, c.unseen, names, "-t", "2", "-g", "0.1", "-c", "1")
		sum, worst := 0.0, 0.0
		for i, p := range list {
			for k, x := range p.Probabilities {
				d := math.Abs(x - theirs[i][k])
				sum, worst = sum+d/float64(len(list)*len(names)), max(worst, d)
			}
		}
		t.Logf("%s: probabilities differ by %.4f in the mean, by %.4f at most", name, sum, worst)
		if sum > 0.01 || worst > 0.06 {
			t.Errorf("%s: probabilities differ by %v in the mean, by %v at most", name, sum, worst)
		}
	}
}

// libsvmProbabilities returns the probabilities of svm-train -b 1 for unseen rows, in the order of names.
func libsvmProbabilities(t *testing.T, rows, unseen []dataset.Row, names []string, args ...string) [][]float64 {
	t.Helper()
	train, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("svm-train of libsvm-tools is not installed")
	}
	folder := t.TempDir()
	file := func(name string, rows []dataset.Row) string {
		var b strings.Builder
		for _, r := range rows {
			b.WriteString(r.Label)
			for j, x := range r.Value {
				fmt.Fprintf(&b, " %d:%.17g", r.Index[j]+1, x)
			}
			b.WriteByte('\n')
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	out := filepath.Join(folder, "out")
	args = append(append(args, "-q", "-b", "1"), file("rows", rows), filepath.Join(folder, "model"))
	if text, err := exec.Command(train, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if text, err := exec.Command(strings.TrimSuffix(train, "train")+"predict", "-b", "1", file("unseen", unseen), filepath.Join(folder, "model"), out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	order := strings.Fields(lines[0])[1:]
	var list [][]float64
	for _, line := range lines[1:] {
		p := make([]float64, len(names))
		for k, text := range strings.Fields(line)[1:] {
			if p[slices.Index(names, order[k])], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, p)
	}
	return list
}

// estimates predicts rows with probabilities.
func estimates(t *testing.T, m *bigmkl.Model, rows []dataset.Row) []bigmkl.Prediction {
	t.Helper()
	var list []bigmkl.Prediction
	err := m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{Probability: true}, func(p bigmkl.Prediction) error {
		p.Probabilities, p.Decisions = slices.Clone(p.Probabilities), slices.Clone(p.Decisions)
		list = append(list, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// uncertain draws rows whose class is 1 with the probability 1/(1 + exp(-s)), s a score of theirs.
func uncertain(rng *rand.Rand, n, d int) (rows []dataset.Row, truth []float64) {
	for range n {
		r, score := dataset.Row{Label: "-1"}, 0.0
		for j := range d {
			x := rng.NormFloat64()
			r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, x)
			if j < 3 {
				score += 1.2 * x
			}
		}
		p := 1 / (1 + math.Exp(-score))
		if rng.Float64() < p {
			r.Label = "1"
		}
		rows, truth = append(rows, r), append(truth, p)
	}
	return
}

// TestProbabilitiesOfCutDescents: a descent that the limit of iterations ends has a smoothed loss. Its folds are trained with the loss
// of the problem, and the model has probabilities.
func TestProbabilitiesOfCutDescents(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 510056)
	rows := descentRows(rng, 80)
	for _, gating := range []string{"softmax", "sigmoid", "gauss"} {
		t.Run(gating, func(t *testing.T) {
			o := bigmkl.Options{Kernels: "linear,gauss:0.5", Gating: gating, Folds: 2, MaxIterations: 6}
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
			if r.Status != chunking.IterationLimit || len(m.Sigmoids) != 1 {
				t.Errorf("%s after %d iterations, %d sigmoids", r.Status, r.Iterations, len(m.Sigmoids))
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		})
	}
}
