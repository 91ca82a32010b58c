package optima

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/contexttest"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// One set of weights for all classifiers: the certificate of the whole is the sum over the classifiers. If the
// classifiers are alike, it is the certificate of one.
func TestOneTheta(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 1)
	for _, p := range []float64{1, 1.0667, 4.0 / 3, 2} {
		for _, kind := range []string{bigmkl.OneVsRest, bigmkl.MultiLabel} {
			rows := datasettest.Clusters(rng, 160, 6, 4, kind == bigmkl.MultiLabel)
			o := bigmkl.Options{Kernels: "gauss:auto/4,linear@each-feature,poly:2", Norm: p, Multiclass: kind, OneTheta: true, Scale: "standard"}
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
			if r.Status != "converged" {
				t.Errorf("p = %g, %s: %s, gap %v after %d moves", p, kind, r.Status, m.Certificate.RelativeGap, r.Moves)
			}
			t.Logf("p = %g, %s: %d iterations, %d moves, gap %.3g", p, kind, r.Iterations, r.Moves, m.Certificate.RelativeGap)
			report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			if len(report.Classifiers) != 4 {
				t.Errorf("%d classifiers", len(report.Classifiers))
			}
			bigmkltest.MustComplain(t, m, rows, "together", func(m *bigmkl.Model) {
				m.Certificate.Primal *= 1 + 1e-2
				m.Certificate.RelativeGap = 1 - m.Certificate.Dual/m.Certificate.Primal
			})
			if p < 2 {
				bigmkltest.MustComplain(t, m, rows, "norm", func(m *bigmkl.Model) {
					for k := range m.Classifiers {
						m.Classifiers[k].Theta = slices.Clone(m.Classifiers[k].Theta)
						for j := range m.Classifiers[k].Theta {
							m.Classifiers[k].Theta[j] *= 1.01
						}
					}
				})
			}
		}
	}
}

// TestOneThetaNamesIndefiniteKernels: a kernel that turns out indefinite in the training of several
// classifiers with one set of weights is named, as it is where every classifier has weights of its
// own.
func TestOneThetaNamesIndefiniteKernels(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 12), 240, 6, 4, false)
	for _, joint := range []bool{false, true} {
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{
			Kernels: "linear,sigmoid:2:-3", Normalize: "none", Multiclass: bigmkl.OneVsRest, OneTheta: joint,
		})
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		want := "kernel 2 (sigmoid:2:-3) is indefinite here: weight 0, in "
		if len(r.Warnings) == 0 || !strings.HasPrefix(r.Warnings[0], want) {
			t.Errorf("one theta %t: warnings %q, want %q first", joint, r.Warnings, want)
		}
	}
}

// TestOneThetaInterrupted: a run of several classifiers with one set of weights that ends where the
// gap of the whole, or the gap of a classifier, is below the requested one claims no more
// than that, and records the precision.
func TestOneThetaInterrupted(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 14), 110, 4, 7, false)
	o := bigmkl.Options{
		Kernels: "gauss:0.001..10/12,poly:2..3", Normalize: "multiplicative", Norm: 2, C: 0.01, Gap: 1e-5,
		Multiclass: bigmkl.OneVsRest, OneTheta: true,
	}
	counting := contexttest.NewCountdown(math.MaxInt64)
	if _, _, err := bigmkl.Train(counting, datasettest.Stream(rows), o); err != nil {
		t.Fatal(err)
	}
	reached, asked := 0, int(counting.Asked())
	if asked == 0 {
		t.Fatal("the run never looked at its context")
	}
	for at := range asked {
		m, r, err := bigmkl.Train(contexttest.NewCountdown(int64(at+1)), datasettest.Stream(rows), o)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("interrupted after %d of %d questions: %v", at, asked, err)
			}
			continue
		}
		if r.Status == chunking.Interrupted && m.Certificate.RelativeGap <= o.Gap {
			reached++
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
	t.Logf("%d of %d runs were interrupted below the gap", reached, asked)
}
