// Package verifytest holds models that tests have trained to what they claim, and their decisions
// to the definition.
package verifytest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// MustVerify computes the certificate again from the model and its training data, and fails the
// test if verify finds a fault or a gap that is larger than both the one that the model claims and
// the one that was asked for. Every test that trains ends with it. gram names the files of the
// matrices of precomputed kernels.
func MustVerify(t testing.TB, m *model.Model, src dataset.Source, gram ...string) *verify.Report {
	t.Helper()
	r, err := verify.Run(context.Background(), m, src, verify.Options{Gram: gram})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Errorf("verify: %s", f)
	}
	claimed, _ := m.Convergence().Worst()
	if limit := 1.1 * max(claimed.RelativeGap, m.Gap); !(r.RelativeGap <= limit) {
		t.Errorf("verified gap %.3g, the model claims %.3g (asked %.3g)", r.RelativeGap,
			claimed.RelativeGap, m.Gap)
	}
	return r
}

// Decided is the class, or the set of labels, of a row with the decision values f of all
// classifiers. It follows the words of the definition, and is slow. All classifiers must be
// trained.
func Decided(m *model.Model, f []float64) string {
	switch m.Multiclass {
	case model.OneVsRest, model.SingleClassifier:
		return m.Classes[slices.Index(f, slices.Max(f))]
	case model.MultiLabel:
		var list []string
		for k, x := range f {
			if x > 0 {
				list = append(list, m.Classes[k])
			}
		}
		if list == nil {
			return labeltext.EmptySet
		}
		return strings.Join(list, ",")
	}
	// Each pair of classes has a vote. The sum of the decisions is worth less than one vote, so
	// it decides between classes with as many votes.
	votes, total := make([]float64, len(m.Classes)), 0.0
	for _, x := range f {
		total += max(x, -x)
	}
	at := 0
	for a := range m.Classes {
		for b := a + 1; b < len(m.Classes); b++ {
			if f[at] > 0 {
				votes[a]++
			} else {
				votes[b]++
			}
			votes[a] += f[at] / (4 * total)
			votes[b] -= f[at] / (4 * total)
			at++
		}
	}
	return m.Classes[slices.Index(votes, slices.Max(votes))]
}
