package resume

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/dataset/parts"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/probability"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// dealt deals rows out to folds as a training with probabilities does.
func dealt(t *testing.T, rows []dataset.Row, folds int, seed uint64) []int32 {
	t.Helper()
	kept, err := parts.Read(t.Context(), datasettest.Stream(rows), t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	return kept.Deal(folds, seed)
}

// foldNotes notes the certificates of trainings without a fold, by the fold.
type foldNotes map[int]string

func (n foldNotes) Record(e bigmkl.Event) error {
	n[e.Fold] += fmt.Sprintln(e.Classifier, e.Iteration, e.Primal, e.Dual)
	return nil
}

// TestProbabilitiesOfRowsNeverSeen: labels are noise, and the rows of one fold have values that are larger by a factor of a million
// and a feature of their own, which betrays them to everything that is prepared from all rows. The training without the fold is the
// same to the bit. Trainings that share the preparation differ, so the test can detect it.
func TestProbabilitiesOfRowsNeverSeen(t *testing.T) {
	t.Parallel()
	const folds, hidden = 3, 1
	for name, o := range map[string]bigmkl.Options{
		"scaling":       {Scale: "standard", Kernels: "gauss:0.5,linear"},
		"minmax":        {Scale: "minmax", Kernels: "gauss:0.5"},
		"widths":        {Kernels: "gauss:auto/3", Normalize: "none"},
		"normalisation": {Kernels: "gauss:0.1,poly:2"},
		"centring":      {Kernels: "linear norm=centred,gauss:0.1 norm=centred", Normalize: "none"},
		"regions":       {Kernels: "linear,gauss:0.1", Gating: "regions:2", Normalize: "none"},
		"medians":       {Kernels: "gauss:0.5", Scale: "standard", Impute: "median"},
		"ovr":           {Scale: "standard", Kernels: "gauss:0.5", Multiclass: bigmkl.OneVsRest},
		"ovo":           {Scale: "standard", Kernels: "gauss:auto", Multiclass: bigmkl.OneVsOne},
		"labels":        {Scale: "standard", Kernels: "gauss:0.5", Multiclass: bigmkl.MultiLabel},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testlevel.Sample(t, 3, 2)
			rng := datasettest.Random(t, 91)
			var rows []dataset.Row
			for i := range 60 {
				r := dataset.Row{Label: fmt.Sprint((rng.IntN(2) + i) % 3)}
				if o.Multiclass == "" {
					r.Label = fmt.Sprint(rng.IntN(2))
				}
				for j := range 4 {
					r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, rng.NormFloat64())
				}
				if o.Impute != "" && i%7 == 0 {
					r.Value[2] = math.NaN()
				}
				rows = append(rows, r)
			}
			o.Folds, o.Threads = folds, 1
			of := dealt(t, rows, folds, 0)
			trained := func(scale float64, shared bool) string {
				var list []dataset.Row
				for i, r := range rows {
					if of[i] == hidden && scale != 1 {
						v := []float64{}
						for _, x := range r.Value {
							v = append(v, x*scale)
						}
						r.Index, r.Value = []int32{0, 1, 2, 3, 4}, append(v, scale)
					} else if i == 0 && of[i] != hidden || i == 1 && of[0] == hidden {
						r.Index, r.Value = []int32{0, 1, 2, 3, 4}, append(slices.Clone(r.Value), 1) // Another row has that feature.
					}
					list = append(list, r)
				}
				notes := foldNotes{}
				o := o
				o.Recorder, o.SharedPreparation = notes, shared
				bigmkltest.TrainModel(t, datasettest.Stream(list), o)
				return notes[hidden+1]
			}
			want := trained(1, false)
			if want == "" {
				t.Fatal("nothing is told of the training without the fold")
			}
			if got := trained(1e6, false); got != want {
				t.Errorf("rows that are held out move the training:\n%s\n%s", want, got)
			}
			if trained(1e6, true) == trained(1, true) {
				t.Error("shared preparation does not move it either: the test sees nothing")
			}
		})
	}
}

// TestSigmoidsOfPlainLoops compares sigmoids with the sigmoids of a plain loop of trainings on the other rows and predictions
// of the fold. Classes are rare, so some folds lack one.
func TestSigmoidsOfPlainLoops(t *testing.T) {
	t.Parallel()
	const folds, seed = 3, 5
	for name, multiclass := range map[string]string{
		"two classes": "", "ovr": bigmkl.OneVsRest, "ovo": bigmkl.OneVsOne, "labels": bigmkl.MultiLabel, "projection": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := datasettest.Random(t, 17)
			rows := datasettest.Clusters(rng, 72, 4, 3, multiclass == bigmkl.MultiLabel)
			if multiclass == "" {
				rows = datasettest.Clouds(rng, 60, 4)
			} else {
				rows[10].Label = "rare"
			}
			o := bigmkl.Options{Kernels: "gauss:auto,linear", Scale: "standard", Gap: 1e-2, Multiclass: multiclass, Seed: seed, Threads: 1}
			if name == "projection" {
				o.Kernels = "proj(gauss:0.3,2)"
			}
			with := o
			with.Folds = folds
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), with)
			of := dealt(t, rows, folds, seed)
			classifiers := max(1, len(m.Classifiers))
			decisions, positive := make([][]float64, classifiers), make([][]bool, classifiers)
			for k := range int32(folds) {
				var rest, out []dataset.Row
				for i, row := range rows {
					if of[i] == k {
						out = append(out, row)
					} else {
						rest = append(rest, row)
					}
				}
				one, _ := bigmkltest.TrainModel(t, datasettest.Stream(rest), o)
				i := 0
				if err := one.Predict(t.Context(), datasettest.Stream(out), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
					for j := range classifiers {
						a, b := m.Positive, m.Negative
						if m.Several() {
							a, b = m.Classes[m.Classifiers[j].Positive], ""
							if n := m.Classifiers[j].Negative; n >= 0 {
								b = m.Classes[n]
							}
						}
						has := out[i].Label == a || multiclass == bigmkl.MultiLabel && slices.Contains(labeltext.OfSet(out[i].Label), a)
						if !has && b != "" && out[i].Label != b {
							continue
						}
						decisions[j], positive[j] = append(decisions[j], decisionBetween(one, &p, a, b)), append(positive[j], has)
					}
					i++
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			for j, s := range m.Sigmoids {
				if want := probability.Fit(decisions[j], positive[j]); want != s {
					t.Errorf("classifier %d: %v, want %v", j, s, want)
				}
			}
			if m.Several() != (r.Folding.Posteriors == nil) || !m.Several() && len(r.Folding.Posteriors) != len(rows) {
				t.Errorf("%d probabilities of %d rows", len(r.Folding.Posteriors), len(rows))
			}
			for i, p := range r.Folding.Posteriors {
				if x := m.Sigmoids[0].At(decisions[0][slices.Index(order(of), i)]); p != x {
					t.Errorf("row %d: %g, want %g", i, p, x)
				}
			}
		})
	}
}

// order lists the rows of fold 0, then of fold 1, and so on.
func order(of []int32) (rows []int) {
	for k := range slices.Max(of) + 1 {
		for i, f := range of {
			if f == k {
				rows = append(rows, i)
			}
		}
	}
	return rows
}

// decisionBetween is the decision of a model for class a and against b, or against all others if b is empty. It is -1 where no
// row has a, and 1 where none has b.
func decisionBetween(m *bigmkl.Model, p *bigmkl.Prediction, a, b string) float64 {
	classes := m.ClassNames()
	if classes == nil {
		classes = m.Classes
	}
	switch {
	case !slices.Contains(classes, a) && (b == "" || slices.Contains(classes, b)):
		return -1
	case b != "" && !slices.Contains(classes, b):
		return 1
	case !m.Several():
		if m.Positive == a {
			return p.Decision
		}
		return -p.Decision
	}
	for j, one := range m.Classifiers {
		if m.Classes[one.Positive] == a && (b == "" || m.Classes[one.Negative] == b) {
			return p.Decisions[j]
		}
	}
	return 0
}
