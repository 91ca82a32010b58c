package kernels

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
)

// Two classes are far apart for a kernel where the distance of their centres in its feature space
// is large beside their standard deviations (Nguyen and Ho 2008). All three follow from sums of the
// kernel over the pairs of points within and between the classes, which are streamed here.

// Spread is what a kernel makes of two classes: the squares of their standard deviations and of the
// distance of their centres, in its feature space, with the factors of normalisation.
type Spread struct{ First, Second, Distance float64 }

// classSums are sums of one kernel, by class: over points with themselves, over pairs of different
// points of a class, and over pairs of different classes.
type classSums struct {
	itself, within [2]float64
	between        float64
}

// Spreads returns the spread of every kernel for the first two of o.Classes. A sample of the points
// represents all: what it gives are estimates without bias. o.Plain has no effect. It takes the
// memory of Align or less.
func (m Matrices) Spreads(ctx context.Context, o AlignOptions) ([]Spread, error) {
	o.Plain = true // The differences of centres and points need no centring.
	a, err := newAligner(m, &o)
	if err != nil {
		return nil, err
	}
	defer a.close()
	units := (a.k + a.rows - 1) / a.rows
	total := make([]classSums, a.side)
	merge := turns{at: sync.NewCond(&sync.Mutex{})}
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range max(1, min(o.Threads, units)) {
		group.Go(func() error {
			w, sums := newAlignWorker(a), make([]classSums, a.side)
			for {
				u := int(next.Add(1)) - 1
				if u >= units {
					return nil
				}
				if err := w.sumClasses(ctx, u, sums); err != nil {
					merge.stop()
					return err
				}
				if !merge.wait(u) {
					return ctx.Err()
				}
				for k := range sums {
					total[k].add(&sums[k])
				}
				merge.done()
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return a.spreads(total)
}

// add adds the sums of other rows.
func (s *classSums) add(o *classSums) {
	for c := range 2 {
		s.itself[c] += o.itself[c]
		s.within[c] += o.within[c]
	}
	s.between += o.between
}

// sumClasses sums over the rows from u*rows on, in float64. Pairs with points of earlier rows were
// counted there for both their orders.
func (w *alignWorker) sumClasses(ctx context.Context, u int, sums []classSums) error {
	clear(sums)
	w.load(u * w.rows)
	for p := w.first / simd.Width; p < panelsOf(w.k); p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.panel(p)
		w.each(func(m int, value []float64) {
			s := &sums[m]
			for i := range w.count {
				c := w.aligner.classes[w.id(w.first+i)]
				for lane := range w.lanes {
					j, v := p*simd.Width+lane, value[i*simd.Width+lane]
					switch {
					case j < w.first+i:
					case j == w.first+i:
						s.itself[c] += v
					case w.aligner.classes[w.id(j)] == c:
						s.within[c] += 2 * v
					default:
						s.between += 2 * v
					}
				}
			}
		})
	}
	return nil
}

// spreads turns sums into spreads. With n_c points of a class, of which the sample has k_c, and the
// means d_c of k(x,x), w_c of k(x,z) within the class and b between the classes,
//
//	|m_c|^2 = (d_c + (n_c - 1) w_c) / n_c,   s_c^2 = d_c - |m_c|^2,   m_1'm_2 = b.
func (a *aligner) spreads(total []classSums) ([]Spread, error) {
	var all, own [2]float64 // points of the classes, and of those in the sample
	for _, c := range a.classes {
		all[c]++
	}
	for i := range a.k {
		own[a.classes[a.id(i)]]++
	}
	if own[0] == 0 || own[1] == 0 {
		return nil, fail.New(fail.Input, "the sample of %d rows has rows of one class alone", a.k)
	}
	out := make([]Spread, a.side-1)
	for id := range out {
		s := &total[a.bank.places[id]]
		var centre, spread [2]float64
		for c, k := range own {
			d := s.itself[c] / k
			w := d
			if k > 1 {
				w = s.within[c] / (k * (k - 1))
			}
			centre[c] = (d + (all[c]-1)*w) / all[c]
			spread[c] = max(0, d-centre[c])
		}
		between := s.between / (2 * own[0] * own[1])
		scale := a.bank.Factor(id)
		out[id] = Spread{scale * spread[0], scale * spread[1],
			scale * max(0, centre[0]+centre[1]-2*between)}
	}
	return out, nil
}

// Plainly returns the bank with plain products in the place of centred ones, which is what Plain
// makes of it, and leaves the bank as it is.
func (b *Bank) Plainly() *Bank {
	r := *b
	r.Groups = append([]Group(nil), b.Groups...)
	r.Plain()
	return &r
}
