package heldout

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"bigmkl/dataset"
)

// A cohort is rows of two classes with several sources, as studies of patients have them. Source s shows a quantity
//
//	t_s = y delta_s + e,   e normal,
//
// through its features: the features of its first part are t_s plus a normal error each, and the others are noise.
// Given the class, the t_s of sources are independent, except for a pair that shows the same one. A source with
// delta_s = 0 is noise.

// These are the kinds of sources. Each kind has a known answer to whether it is needed, so findings of
// an importance can be right or wrong.
const (
	// The values are the names in the tables.
	noiseSource  = "noise"
	weakSource   = "weak"
	strongSource = "strong"
	pairSource   = "pair"
)

// cohortSource is a source of a cohort.
// latent is the index of the quantity in deltas, which a pair shares.
type cohortSource struct {
	kind     string
	features int
	shown    int // the features that show the quantity
	latent   int // its number
}

// cohort is a cohort without its rows, which are drawn one by one.
type cohort struct {
	rows    int
	sources []cohortSource
	deltas  []float64 // of each quantity
	seed    uint64
}

// newCohort draws a cohort of 80 to 400 rows and 3 to 6 sources of 5 to 2,000 features. Medical studies
// have these numbers of rows, and the importance of their sources is uncertain.
func newCohort(seed uint64, number int) *cohort {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	// Sizes alternate with the number, so each part of a run has all of them.
	c := &cohort{rows: []int{80, 120, 200, 400}[number%4], seed: rng.Uint64()}
	count := 3 + rng.IntN(4)
	// Every cohort has a source without information.
	kinds := []string{noiseSource}
	if number%2 == 0 { // half of the cohorts have a pair
		kinds = append(kinds, pairSource, pairSource)
	}
	for len(kinds) < count {
		kinds = append(kinds, []string{noiseSource, weakSource, weakSource, strongSource}[rng.IntN(4)])
	}
	rng.Shuffle(len(kinds), func(a, b int) { kinds[a], kinds[b] = kinds[b], kinds[a] })
	// pair is the quantity of the first source of the pair, -1 before it.
	pair := -1
	for _, kind := range kinds {
		// 5 400^u with u uniform in [0, 1] is spread evenly in its logarithm.
		s := cohortSource{kind: kind, features: int(math.Round(5 * math.Pow(400, rng.Float64()))), latent: len(c.deltas)}
		// Most features of a source show nothing, as most genes do not depend on one disease.
		s.shown = max(3, s.features/20)
		// A noise source has no entry, so its delta is 0.
		delta := map[string]float64{weakSource: 0.3 + 0.3*rng.Float64(), strongSource: 0.7 + 0.5*rng.Float64(), pairSource: 0.6 + 0.6*rng.Float64()}[kind]
		if kind == pairSource && pair >= 0 {
			s.latent = pair
		} else {
			c.deltas = append(c.deltas, delta)
		}
		if kind == pairSource {
			pair = s.latent
		}
		c.sources = append(c.sources, s)
	}
	return c
}

// all yields count rows, the rows of the study from number 0 on.
// Rows from first on are yielded.
func (c *cohort) all(first, count int) iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		for i := range count {
			if !yield(c.row(first + i)) {
				return
			}
		}
	}
}

// row draws row i. A row depends on its number alone, so a large test set needs no memory and the
// training rows stay as they are.
func (c *cohort) row(i int) dataset.Row {
	rng := rand.New(rand.NewPCG(c.seed, uint64(i)))
	// The classes alternate, so each has half of the rows.
	y := 1 - 2*float64(i%2)
	r := dataset.Row{Label: fmt.Sprint(y), Target: math.NaN()}
	t := make([]float64, len(c.deltas))
	for k, delta := range c.deltas {
		t[k] = y*delta + rng.NormFloat64()
	}
	for _, s := range c.sources {
		for j := range s.features {
			x := rng.NormFloat64()
			if j < s.shown {
				x += t[s.latent]
			}
			r.Index, r.Value = append(r.Index, int32(len(r.Index))), append(r.Value, x)
		}
	}
	return r
}

// views lists a view for each source: s1, s2, ..
// Features count from 1, source after source.
func (c *cohort) views() (views []dataset.View) {
	first := 1
	for k, s := range c.sources {
		views = append(views, dataset.View{Name: fmt.Sprintf("s%d", k+1), First: first, Last: first + s.features - 1})
		first += s.features
	}
	return views
}
