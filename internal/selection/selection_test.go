package selection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// small is a selection of which every training is short.
func small() Options {
	return Options{
		Training: bigmkl.Options{Kernels: "gauss:0.1..1/2,linear", Threads: 2},
		Norms:    []float64{1, 4.0 / 3}, Costs: []float64{0.1, 1, 10},
		Splits: Splits{Folds: 3},
	}
}

// selectRows runs a selection of rows in a folder and returns what Save wrote, the table and the decision values.
func selectRows(t *testing.T, ctx context.Context, rows []dataset.Row, o Options) (*Selection, []byte, error) {
	t.Helper()
	if o.Folder == "" {
		o.Folder = t.TempDir()
	}
	s, err := Run(ctx, datasettest.Stream(rows), o)
	if err != nil || s.Missing > 0 {
		return s, nil, err
	}
	if err := s.Save(o.Folder); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(o.Folder, tableFile))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(o.Folder)
	if err != nil || fmt.Sprintf("%+v", again.Cells) != fmt.Sprintf("%+v", s.Cells) || again.Best != s.Best {
		t.Fatalf("it is read as %+v, %v", again, err)
	}
	values, err := os.ReadFile(filepath.Join(o.Folder, heldOutFile))
	if (err == nil) != (s.HeldOut != nil) {
		t.Fatalf("values %v: %v", s.HeldOut != nil, err)
	}
	if found, err := LoadHeldOut(o.Folder); err != nil || fmt.Sprint(found) != fmt.Sprint(s.HeldOut) {
		t.Fatalf("they are read as %v, %v", found, err)
	}
	return s, append(b, values...), nil
}

// TestPlainLoop compares a selection with a loop of trainings on the other rows and predictions of
// the fold. Kernels are left as they are, as widths and normalisation come from all rows here.
func TestPlainLoop(t *testing.T) {
	data := testlevel.NeedRealData(t)
	for _, name := range []string{"sonar", "heart", "pima"} {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 2, 2)
			src, err := dataset.Open([]string{filepath.Join(data, name, name+".libsvm.gz")}, dataset.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			var rows []dataset.Row
			for {
				r, err := src.Next()
				if err != nil {
					break
				}
				rows = append(rows, dataset.Row{Label: r.Label, Index: slices.Clone(r.Index), Value: slices.Clone(r.Value), Weight: r.Weight})
			}
			// The widths suit features of size 1 and are too small for others: that must agree too.
			o := Options{
				Training: bigmkl.Options{Kernels: "gauss:0.01,gauss:0.1,gauss:1", Normalize: "none", Gap: 1e-6},
				Norms:    []float64{1, 4.0 / 3, 2}, Costs: []float64{0.1, 1, 10}, NoBaselines: true,
			}
			s, _, err := selectRows(t, t.Context(), rows, o)
			if err != nil {
				t.Fatal(err)
			}
			folds := map[string][]int32{}
			h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), o.Training)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			o.setDefaults()
			drawn, err := o.Splits.draw(h.Store(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range drawn[0] {
				folds[f.Name] = f.rows
			}
			for _, c := range s.Cells {
				for k, fold := range s.Folds {
					var in, out []dataset.Row
					for i, r := range rows {
						if slices.Contains(folds[fold], int32(i)) {
							out = append(out, r)
						} else {
							in = append(in, r)
						}
					}
					training := o.Training
					training.Norm, training.C = float64(s.Arms[c.Arm].Norm), c.Cost
					m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(in), training)
					if err != nil {
						t.Fatal(err)
					}
					var predicted, known []string
					near := 0
					if err := m.Predict(t.Context(), datasettest.Stream(out), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
						predicted, known = append(predicted, p.Label), append(known, p.Known)
						if math.Abs(p.Decision) < 1e-2 {
							near++
						}
						return nil
					}); err != nil {
						t.Fatal(err)
					}
					want := evaluate.Accuracy(predicted, known)
					if got := c.Values[k]; !(math.Abs(got-want) <= (float64(near)+1e-6)/float64(len(out))) {
						t.Errorf("p = %v, C = %g, fold %s: accuracy %g, in a plain loop %g (%d rows near the boundary)",
							s.Arms[c.Arm].Norm, c.Cost, fold, got, want, near)
					}
				}
			}
		})
	}
}

// TestKilled ends a selection after each of its trainings and goes on: the table is the same to the
// byte, and no training is done twice.
func TestKilled(t *testing.T) {
	rows := datasettest.Clusters(datasettest.Random(t, 5), 90, 3, 3, false)
	o := small()
	o.Training.Multiclass, o.Nested = "ovr", true
	want, table, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if want.Nested == nil || want.Nested.Folds != 3 || want.Best < 0 {
		t.Fatalf("%+v", want)
	}
	for _, kind := range []Kind{Sum, Single} {
		if want.Arms[want.Cells[want.Best].Arm].kindOf() != kind && !slices.ContainsFunc(want.Baselines, func(c Comparison) bool { return c.Kind == kind }) {
			t.Errorf("no baseline %s in %+v", kind, want.Baselines)
		}
	}
	o.Folder, o.Resume, o.Training.Threads = t.TempDir(), true, 1 // one fold after the other
	for step := 1; ; step += 1 + step/4 {
		ctx, cancel := context.WithCancel(t.Context())
		trained, left := 0, 0
		o.Report = func(p Progress) {
			if trained++; trained == step {
				cancel()
			}
			left = p.Total - p.Done
		}
		s, again, err := selectRows(t, ctx, rows, o)
		cancel()
		if left > 0 {
			if !errors.Is(err, context.Canceled) || trained != step {
				t.Fatalf("after %d trainings: %v, %v", trained, s, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(table, again) {
			t.Fatal("the table differs from that of one run")
		}
		break
	}
	o.Report = func(Progress) { t.Error("a complete selection trains again") }
	if _, again, err := selectRows(t, t.Context(), rows, o); err != nil || !bytes.Equal(table, again) {
		t.Fatalf("it differs: %v", err)
	}
}

// TestParts: the parts of a selection, in folders of their own or in one, are joined to what one run
// finds, to the byte.
func TestParts(t *testing.T) {
	rng := datasettest.Random(t, 6)
	rows := datasettest.Clouds(rng, 80, 3)
	for i := range rows {
		rows[i].Target = rng.NormFloat64()
	}
	o := small()
	o.Training.Task, o.Splits = "svr", Splits{Random: 4, Share: 0.3}
	_, table, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	joined := o
	together := t.TempDir()
	for part := range 3 {
		for _, folder := range []string{t.TempDir(), together} {
			p := o
			p.Part, p.Parts, p.Folder = part+1, 3, folder
			s, _, err := selectRows(t, t.Context(), rows, p)
			if err != nil || s.Missing == 0 && part < 2 {
				t.Fatalf("part %d: %+v, %v", part+1, s, err)
			}
			if folder != together {
				joined.Merge = append(joined.Merge, folder)
			}
		}
	}
	joined.Report = func(Progress) { t.Error("joining trains") }
	if _, got, err := selectRows(t, t.Context(), rows, joined); err != nil || !bytes.Equal(got, table) {
		t.Errorf("the table of joined parts differs: %v", err)
	}
	o.Folder, o.Resume = together, true
	if _, got, err := selectRows(t, t.Context(), rows, o); err != nil || !bytes.Equal(got, table) {
		t.Errorf("the table of a common folder differs: %v", err)
	}
	joined.Merge = joined.Merge[1:]
	if s, _, err := selectRows(t, t.Context(), rows, joined); err != nil || s.Missing == 0 {
		t.Errorf("without one part: %+v, %v", s, err)
	}
}

// TestOtherSelection: a folder with another selection, or without leave to go on, is rejected; files
// that make no sense are damage.
func TestOtherSelection(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 7), 60, 2)
	o := small()
	o.NoBaselines, o.Folder = true, t.TempDir()
	if _, _, err := selectRows(t, t.Context(), rows, o); err != nil {
		t.Fatal(err)
	}
	if _, _, err := selectRows(t, t.Context(), rows, o); !errors.Is(err, fail.Usage) {
		t.Errorf("without leave: %v", err)
	}
	o.Resume = true
	for name, change := range map[string]func(*Options){
		"costs":   func(o *Options) { o.Costs = []float64{0.1, 1} },
		"norms":   func(o *Options) { o.Norms = []float64{2} },
		"measure": func(o *Options) { o.Measure = "auc" },
		"nested":  func(o *Options) { o.Nested = true },
		"seed":    func(o *Options) { o.Training.Seed = 9 },
		"folds":   func(o *Options) { o.Splits.Folds = 4 },
		"gap":     func(o *Options) { o.Training.Gap = 1e-2 },
	} {
		other := o
		change(&other)
		if _, _, err := selectRows(t, t.Context(), rows, other); !errors.Is(err, fail.Usage) {
			t.Errorf("other %s: %v", name, err)
		}
	}
	if _, _, err := selectRows(t, t.Context(), rows[1:], o); !errors.Is(err, fail.Usage) {
		t.Errorf("other rows: %v", err)
	}
	chains, err := filepath.Glob(filepath.Join(o.Folder, chainsFolder, "*.json"))
	if err != nil || len(chains) == 0 {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(chains[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cut": string(whole[:len(whole)/2]), "empty": "", "no JSON": "}{", "other keys": `{"arms": 3}`,
		"other chain": `{"arm": 1, "fold": "7", "cells": []}`,
		"other costs": string(bytes.Replace(whole, []byte(`"C": 0.1`), []byte(`"C": 0.2`), 1)),
		"many cells":  `{"arm": 0, "fold": "1.1", "cells": [{},{},{},{},{},{}]}`,
		"bad alpha":   `{"arm": 0, "fold": "1.1", "cells": [{"C": 0.1, "status": "converged", "gap": 0, "iterations": 1, "seconds": 1, "figures": [{}]}], "alpha": "AAAA"}`,
	} {
		if err := os.WriteFile(chains[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := selectRows(t, t.Context(), rows, o); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
