package selection

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
)

// charged is a selection among powers of counted costs.
func charged() Options {
	o := small()
	o.Norms, o.Costs, o.CostPowers, o.CostBase = []float64{1}, []float64{1}, []float64{0, 0.25, 1}, CostEigen
	return o
}

// TestPowers: the power 0 is the norm without costs, to the bit, others have the figures of costs in the specifications,
// and counted costs agree with the eigenvalues, here of a kernel that is nearly constant and of one that is nearly the
// identity.
func TestPowers(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 41), 60, 3)
	o := charged()
	o.Training.Kernels = "gauss:1e-7 prior=2,gauss:1e6"
	s, _, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	const named = "gauss:1e-07 prior=2 cost=1,gauss:1e+06 cost=60"
	grid := 0
	for k, a := range s.Arms {
		if a.Kind != Grid {
			continue
		}
		if grid++; a.Kernels != named || a.CostPower == nil || *a.CostPower != o.CostPowers[k] {
			t.Errorf("arm %d is %+v", k, a)
		}
	}
	if grid != len(o.CostPowers) {
		t.Errorf("%d arms of %d powers", grid, len(o.CostPowers))
	}
	for k, power := range o.CostPowers {
		plain := o
		plain.CostPowers, plain.CostBase, plain.NoBaselines = nil, "", true
		if plain.Training.Kernels = named; power == 0 {
			plain.Training.Kernels = o.Training.Kernels
		} else {
			plain.Training.CostPower = power
		}
		want, _, err := selectRows(t, t.Context(), rows, plain)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Cells[k].Values
		for f, v := range want.Cells[0].Values {
			if got[f] != v {
				t.Errorf("power %g, fold %d: %v, want %v", power, f, got[f], v)
			}
		}
	}
}

// TestPowersResume: a selection that was cut counts the same costs again and ends with the same table.
func TestPowersResume(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 42), 60, 3)
	_, want, err := selectRows(t, t.Context(), rows, charged())
	if err != nil {
		t.Fatal(err)
	}
	for stop := 1; stop < 9; stop += 3 {
		ctx, cancel := context.WithCancel(t.Context())
		o := charged()
		o.Folder, o.Resume = t.TempDir(), true
		o.Report = func(p Progress) {
			if p.Done == stop {
				cancel()
			}
		}
		if _, _, err := selectRows(t, ctx, rows, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d trainings: %v", stop, err)
		}
		if _, err := os.Stat(filepath.Join(o.Folder, tableFile)); err == nil {
			t.Fatal("there is a table")
		}
		o.Report, o.Training.Threads = nil, 1
		_, got, err := selectRows(t, t.Context(), rows, o)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("after %d trainings: another table, %v", stop, err)
		}
		other := o
		other.CostPowers = []float64{0, 0.5, 1}
		if _, _, err := selectRows(t, t.Context(), rows, other); !errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage) {
			t.Errorf("other powers go on in the folder: %v", err)
		}
		cancel()
	}
}

// TestPowersAreChecked: what makes no sense is rejected before anything is trained.
func TestPowersAreChecked(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 43), 30, 2)
	for text, change := range map[string]func(o *Options){
		"costs of kernels to the power -1":                func(o *Options) { o.CostPowers[0] = -1 },
		"powers of costs to choose from, and one":         func(o *Options) { o.Training.CostPower = 2 },
		"a tuning finds the costs of kernels by itself":   func(o *Options) { o.Tune = TuneCosts },
		"cost= beside costs that are counted":             func(o *Options) { o.Training.Kernels = "linear cost=2" },
		"powers of costs, and no kernel has a cost":       func(o *Options) { o.CostBase = "" },
		"costs of kernels have no base \"size\"":          func(o *Options) { o.CostBase = "size" },
		"costs of kernels with gates are not chosen":      func(o *Options) { o.Training.Gating = "regions:2" },
		"costs of kernels beside fixed weights":           func(o *Options) { o.Training.Regularizer.Weights = []float64{1, 1, 1} },
		"costs to the power 300 leave kernel 1 an import": func(o *Options) { o.CostPowers[2] = 300 },
	} {
		o := charged()
		change(&o)
		if _, _, err := selectRows(t, t.Context(), rows, o); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
	o := charged()
	o.Training.Memory = 1
	if _, _, err := selectRows(t, t.Context(), rows, o); !errors.Is(err, bigmkl.ErrBudget) {
		t.Errorf("%v", err)
	}
}
