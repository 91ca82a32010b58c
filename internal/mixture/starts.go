package mixture

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Starts alternate between three kinds. A draw of its own for each row separates components that have
// kernels of their own. Components of one kernel need starts with a structure: slices of the data along
// a random direction, the same in both classes, or the posteriors of a mixture that the EM algorithm
// has fitted to each class in the same spaces (em.go).

const (
	dirichlet = 0.3 // parameter of the draws
	ownSlice  = 0.9 // share of the component of a row's slice
	fitted    = 256 // rows of each class that EM fits its mixtures to, at most
)

// starts sets q at the beginning of each start. It has em for the starts of the third kind.
type starts struct {
	*em
	run *run
}

// begin sets q to the start of the present restart.
func (s *starts) begin(ctx context.Context) error {
	random := s.run.startSource()
	kinds := 3
	if s.Likelihood {
		kinds = 2 // EM from posteriors of EM would be the same start twice.
	}
	kind := s.run.restart % kinds
	// Without a hidden row all starts are the same. A draw is the cheapest.
	if s.AllObserved() {
		kind = 0
	}
	switch kind {
	case 1:
		s.slice(random)
	case 2:
		if err := s.posteriors(ctx, random); err != nil {
			return err
		}
	default:
		for t := range s.Positive {
			draw(random, s.q.of(t))
		}
	}
	s.q.observe()
	return nil
}

// draw sets q to a draw of the symmetric Dirichlet distribution. It is a vector of gamma draws, divided
// by their sum. With a parameter below 1 most draws are near one component, which breaks the symmetry
// between components.
func draw(random *rand.Rand, q []float64) {
	total := 0.0
	for c := range q {
		q[c] = gamma(random, dirichlet)
		total += q[c]
	}
	for c := range q {
		if total > 0 {
			q[c] /= total
		} else {
			q[c] = 1 / float64(len(q))
		}
	}
}

// gamma draws from the gamma distribution of a shape below 1 (Ahrens and Dieter 1974, algorithm GS).
func gamma(random *rand.Rand, shape float64) float64 {
	// Below 1 the density has a pole at 0 and an exponential tail. The algorithm draws from an
	// envelope of both and rejects.
	b := 1 + shape/math.E
	for {
		p := b * random.Float64()
		e := -math.Log(1 - random.Float64())
		if p <= 1 {
			if x := math.Pow(p, 1/shape); x <= e {
				return x
			}
		} else if x := -math.Log((b - p) / shape); math.Pow(x, shape-1) >= 1-random.Float64() {
			return x
		}
	}
}

// slice orders the rows along a random direction, and gives each component a slice of equally
// many rows of both classes together.
func (s *starts) slice(random *rand.Rand) {
	n := s.rows()
	along, order := make([]float64, n), make([]int, n)
	s.run.Along(random, along)
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(along[a], along[b]) })
	for rank, t := range order {
		// The slices of both classes lie at the same places along the direction, so a component of one
		// class meets the component of the other that covers the same region.
		q := s.q.of(t)
		soften(q, rank*len(q)/n)
	}
}

// soften puts most of q on one component.
func soften(q []float64, on int) {
	for c := range q {
		q[c] = (1 - ownSlice) / float64(max(1, len(q)-1))
	}
	if q[on] = ownSlice; len(q) == 1 {
		q[on] = 1
	}
}

// posteriors sets q to the posteriors of mixtures that are fitted to some rows of each class.
func (s *starts) posteriors(ctx context.Context, random *rand.Rand) error {
	chosen := make([]bool, s.rows())
	for _, class := range []bool{true, false} {
		var rows []int
		for t, positive := range s.Positive {
			if positive == class {
				rows = append(rows, t)
			}
		}
		// A few hundred rows show the structure. The posteriors of all rows follow from the components
		// that fit these.
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, t := range rows[:min(len(rows), fitted)] {
			chosen[t] = true
		}
	}
	for t := range s.Positive {
		draw(random, s.q.of(t))
	}
	s.q.observe()
	return s.fit(ctx, chosen)
}
