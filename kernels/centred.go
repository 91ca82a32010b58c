package kernels

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// The centred normalisation moves the origin of a kernel's feature space to the mean of a sample S
// of the training points, and divides by the norms around it. With m(x) the mean of k(x, s) over s in S
// and M the mean of m over S it takes the kernel
//
//	k(x,z) - m(x) - m(z) + M
//
// to the spherical normalisation. That is <phi(x) - mu, phi(z) - mu> of the mean mu of S, so it is
// positive semi-definite where k is. Points that lack the view of k are not part of S.
//
// A constant of k drops out of that. Exponentials of distances are therefore taken less 1, and
// polynomials (gamma s + c)^d less c^d: near the mean points are distinguished by a small
// difference to that constant, of which a value near the constant keeps few digits.
//
// The base of such a group is that value, and it is a product of one factor, which is k. m of the
// points of a training is a table; a prediction has one for its support vectors, and computes m of
// its own points from S when it packs them.

// centring is what a group takes from its kernel.
type centring struct {
	mean    float64   // M
	rows    []float64 // m of row points by number
	columns []float64 // m of column points by number; nil: it is computed from the sample
	sample  *Set      // nil where columns are known

	// The sample, packed for the factor, in each precision. It is made when it is first needed.
	once   [2]sync.Once
	rows32 []Rows[float32]
	rows64 []Rows[float64]
}

const (
	// centreSample is the number of points up to which the mean is the mean of all.
	centreSample = 2048

	// centreRows is the number of points of the sample that are packed together.
	centreRows = 256
)

// CentreSample returns the numbers of the points, of n, at whose mean kernels are centred: all, or
// above 2,048 so many that are drawn from the seed. They ascend.
func CentreSample(n int, seed uint64) []int32 {
	if n > centreSample {
		return draw(n, centreSample, seed)
	}
	return evenlySpread(n, n)
}

// normCentred reports whether a kernel of the bank is centred at a mean.
func (gs Groups) normCentred() bool {
	for i := range gs {
		if gs[i].centre != nil {
			return true
		}
	}
	return false
}

// centrer finds at which means kernels are centred.
type centrer struct {
	Matrices
	threads int
}

// find finds the means of each centred kernel over the points with the numbers in sample,
// for all points of a training. It returns M of each kernel by number, 0 for others, or nil if no
// kernel is centred. What is needed of the sample is packed some points at a time; dense features
// lie in a file in the folder scratch. The result does not depend on the number of threads.
//
// An error comes from the context or from the file.
func (f centrer) find(ctx context.Context, sample []int32, scratch string) ([]float64, error) {
	b, points := f.Bank, f.Points
	if !b.normCentred() {
		return nil, nil
	}
	set, free, err := gatherSample(points, sample, scratch)
	if err != nil {
		return nil, err
	}
	defer free()
	means := make([]float64, b.Len())
	b.Magnified = make([]float64, b.Len())
	for m := range b.Magnified {
		b.Magnified[m] = 1
	}
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.centre == nil {
			continue
		}
		table := make([]float64, points.Len())
		have, count := g.having(set)
		for at := 0; at < len(sample); at += centreRows {
			part := set.Part(at, min(at+centreRows, len(sample)))
			if err := f.addMeans(ctx, g, table, part, have[at:]); err != nil {
				return nil, err
			}
		}
		c := &centring{rows: table, columns: table}
		c.finish(sample, have, count)
		g.centre, means[g.Members[0].ID] = c, c.mean
		b.Magnified[g.Members[0].ID] = f.magnified(g, set, have)
	}
	return means, nil
}

// addMeans adds the values of the kernel of a group between the points and a part of the sample to
// the table.
func (f centrer) addMeans(ctx context.Context, g *Group, table []float64, part *Set, have []bool) error {
	b, points, threads := f.Bank, f.Points, f.threads
	inner := g.Factors[0].Group
	var rows Rows[float64]
	NewEvaluator[float64](b).PackRows(&rows, inner, part)
	panels := panelsOf(points.Len())
	work, ctx := errgroup.WithContext(ctx)
	for t := range max(1, min(threads, panels)) {
		work.Go(func() error {
			e := NewEvaluator[float64](b)
			var cols Columns[float64]
			var buffer PanelBuffer
			for p := t; p < panels; p += max(1, threads) {
				if err := ctx.Err(); err != nil {
					return err
				}
				panel := PanelOf(points, p, &buffer)
				e.PackColumns(&cols, inner, &panel, points.Len())
				var sum [simd.Width]float64
				e.addValues(&sum, inner, &rows, have, &cols)
				for lane, v := range sum[:panel.Len] {
					table[p*simd.Width+lane] += v
				}
			}
			return nil
		})
	}
	return work.Wait()
}

// mostMagnified bounds by how much centring magnifies the rounding of a point: beyond it k(x,x) is 0.
const mostMagnified = 1 / centredNothing

// magnified returns by how many times the terms of a centred k(x,x) exceed it, on average over the points of the
// sample that count and are not at the mean. It is at least 1.
func (f centrer) magnified(g *Group, set *Set, have []bool) float64 {
	e, inner := NewEvaluator[float64](f.Bank), g.Factors[0].Group
	var cols Columns[float64]
	var buffer PanelBuffer
	var self [simd.Width]float64
	sum, counted := 0.0, 0
	for from := 0; from < len(set.IDs); from += simd.Width {
		panel := set.Panel(from, &buffer)
		e.PackColumns(&cols, inner, &panel, f.Points.Len())
		e.selfLess(self[:], &cols, &inner.Members[0])
		for lane, k := range self[:panel.Len] {
			m := g.centre.rows[set.IDs[from+lane]]
			own := []float64{k}
			centreSelves(g.centre, own, []float64{m})
			if have[from+lane] && own[0] > 0 {
				sum += min((math.Abs(k)+2*math.Abs(m)+math.Abs(g.centre.mean))/own[0], mostMagnified)
				counted++
			}
		}
	}
	return max(1, sum/float64(max(1, counted)))
}

// addValues adds the values of the only kernel of a group between packed rows, of which have
// states which count, and the columns to sum.
func (e *Evaluator[T]) addValues(sum *[simd.Width]float64, g *Group, rows *Rows[T], have []bool,
	cols *Columns[T]) {
	for at := 0; at < rows.Len; at += productRows {
		n := min(productRows, rows.Len-at)
		e.factor = grow(e.factor, g.TileSize(n))
		e.Base(e.factor, g, rows, at, n, cols, nil)
		used := e.factor[:g.Used(n)]
		e.centred = grow(e.centred, len(used))
		e.evaluateLess(e.centred, used, &g.Members[0])
		for i := range n {
			if !have[at+i] {
				continue
			}
			for lane, v := range e.centred[i*simd.Width : (i+1)*simd.Width] {
				sum[lane] += float64(v)
			}
		}
	}
}

// finish makes means of the sums in rows, and their mean over the points of the sample that count.
func (c *centring) finish(sample []int32, have []bool, count int) {
	n := float64(max(1, count))
	for i := range c.rows {
		c.rows[i] /= n
	}
	for i, id := range sample {
		if have[i] {
			c.mean += c.rows[id] / n
		}
	}
}

// of returns the centring for some of the points of a training, which are numbered again.
func (c *centring) of(index []int32) *centring {
	table := pick(c.rows, index)
	return &centring{mean: c.mean, rows: table, columns: table}
}

// Centring bounds what a training takes in bytes for kernels that are centred: the means of all
// points, a part of the sample while these are found, and the sample itself for the model.
func (m Memory) Centring() int64 {
	b, points := m.Bank, m.Points
	n, sum, part := int64(points.Len()), int64(0), int64(0)
	for i := range b.Groups {
		if g := &b.Groups[i]; g.centre != nil {
			sum += 8 * n
			part = max(part, GroupMemory{g.Factors[0].Group, 8}.Rows(centreRows))
		}
	}
	if sum == 0 {
		return 0
	}
	sample := min(points.Len(), centreSample)
	if IsSparse(points) {
		return sum + part + 8*Widest(points, sample) + 8*int64(sample)
	}
	return sum + part + 4*int64(points.Dim())*int64(sample)
}
