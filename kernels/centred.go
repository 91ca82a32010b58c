package kernels

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
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

// NormCentred reports whether a kernel of the bank is centred at a mean.
func (b *Bank) NormCentred() bool {
	for i := range b.Groups {
		if b.Groups[i].centre != nil {
			return true
		}
	}
	return false
}

// FindCentres finds the means of each centred kernel over the points with the numbers in sample,
// for all points of a training. It returns M of each kernel by number, 0 for others, or nil if no
// kernel is centred. What is needed of the sample is packed some points at a time; dense features
// lie in a file in the folder scratch. The result does not depend on the number of threads.
//
// An error comes from the context or from the file.
func (b *Bank) FindCentres(ctx context.Context, points Points, sample []int32, threads int,
	scratch string) ([]float64, error) {
	if !b.NormCentred() {
		return nil, nil
	}
	set, free, err := gatherSample(points, sample, scratch)
	if err != nil {
		return nil, err
	}
	defer free()
	means := make([]float64, b.Len())
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.centre == nil {
			continue
		}
		table := make([]float64, points.Len())
		have, count := g.having(set)
		for at := 0; at < len(sample); at += centreRows {
			part := set.Part(at, min(at+centreRows, len(sample)))
			if err := b.addMeans(ctx, g, table, points, part, have[at:], threads); err != nil {
				return nil, err
			}
		}
		c := &centring{rows: table, columns: table}
		c.finish(sample, have, count)
		g.centre, means[g.Members[0].ID] = c, c.mean
	}
	return means, nil
}

// addMeans adds the values of the kernel of a group between the points and a part of the sample to
// the table.
func (b *Bank) addMeans(ctx context.Context, g *Group, table []float64, points Points, part *Set,
	have []bool, threads int) error {
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

// losesConstant reports whether centring takes a constant from the kernel that evaluateLess leaves out.
func (m *Member) losesConstant() bool {
	switch m.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		return true
	}
	return m.Kind == kernelspec.Poly && m.Coef > 0 && m.Degree <= mostWideDegree
}

// evaluateLess is Transform for the factor of a centred kernel, whose constant is left out.
func (e *Evaluator[T]) evaluateLess(dst, base []T, m *Member) {
	if !m.losesConstant() {
		e.Transform(dst, base, m)
		return
	}
	from, to := m.layerOf(len(dst))
	base = base[from:to]
	if m.Kind == kernelspec.Poly {
		powerLess(dst, base, m)
		return
	}
	simd.Exp(dst, base, -m.Gamma)
	e.near = grow(e.near, len(dst))
	simd.Expm1(e.near, base, -m.Gamma)
	gamma := T(m.Gamma)
	for i, s := range base {
		// The polynomial of Expm1 is for arguments up to 1, and beyond it no digit is lost.
		if gamma*s <= wideSpan {
			dst[i] = e.near[i]
		} else {
			dst[i]--
		}
	}
}

// selfLess is SelfValues for the factor of a centred kernel, whose constant is left out.
func (e *Evaluator[T]) selfLess(dst []T, c *Columns[T], m *Member) {
	switch {
	case !m.losesConstant():
		e.SelfValues(dst, c, m)
	case unitDiagonal(m.Kind):
		clear(dst)
	default:
		e.findSelf(c)
		e.evaluateLess(dst, c.self, m)
	}
}

// having states which points of a set have the view of the group, and how many.
func (g *Group) having(set *Set) (have []bool, count int) {
	have = make([]bool, len(set.IDs))
	for i := range have {
		have[i] = g.missing == kernelspec.MissingUnsaid || set.feature(i, g.flag) == 0
		if have[i] {
			count++
		}
	}
	return have, count
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

// SetCentres gives centred kernels what a training has found: the sample as a set, and M of each
// kernel by number. Row points are from here on the set points, in their places, and column points
// any that are not known. It is called before anything is packed; nil has no effect.
//
// The points of the sample must have numbers of their own among those that the bank was made for.
func (b *Bank) SetCentres(sample *Set, means []float64, points *Set) {
	if sample == nil {
		return
	}
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.centre == nil {
			continue
		}
		c := &centring{mean: means[g.Members[0].ID], sample: sample}
		g.centre, c.rows = c, make([]float64, len(points.IDs))
		e := NewEvaluator[float64](b)
		inner := g.Factors[0].Group
		var cols Columns[float64]
		var buffer PanelBuffer
		for from := 0; from < len(points.IDs); from += simd.Width {
			panel := points.Panel(from, &buffer)
			e.PackColumns(&cols, inner, &panel, len(points.IDs))
			m := sampleMeans(e, g, &cols)
			copy(c.rows[from:], m[:panel.Len])
		}
	}
}

// sampleMeans returns m of the points of a panel that is packed for the factor of a group.
func sampleMeans[T simd.Real](e *Evaluator[T], g *Group, cols *Columns[T]) (m [simd.Width]float64) {
	inner, c := g.Factors[0].Group, g.centre
	have, count := g.having(c.sample)
	for i, rows := range packedSample(e, g) {
		e.addValues(&m, inner, &rows, have[i*centreRows:], cols)
	}
	for lane := range m {
		m[lane] /= float64(max(1, count))
	}
	return m
}

// packedSample returns the sample of a group, packed for its factor.
func packedSample[T simd.Real](e *Evaluator[T], g *Group) []Rows[T] {
	c := g.centre
	var all any = &c.rows64
	if precision[T]() == 0 {
		all = &c.rows32
	}
	list := all.(*[]Rows[T])
	c.once[precision[T]()].Do(func() {
		n := len(c.sample.IDs)
		*list = make([]Rows[T], (n+centreRows-1)/centreRows)
		for i := range *list {
			part := c.sample.Part(i*centreRows, min((i+1)*centreRows, n))
			e.PackRows(&(*list)[i], g.Factors[0].Group, part)
		}
	})
	return *list
}

// CentringBytes bounds what a training takes in bytes for kernels that are centred: the means of all
// points, a part of the sample while these are found, and the sample itself for the model.
func CentringBytes(b *Bank, points Points) int64 {
	n, sum, part := int64(points.Len()), int64(0), int64(0)
	for i := range b.Groups {
		if g := &b.Groups[i]; g.centre != nil {
			sum += 8 * n
			part = max(part, RowsBytes(g.Factors[0].Group, centreRows, 8))
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

// CentreBytes bounds what a prediction takes in bytes for the sample of a centred group, packed in
// float64, of q points.
func CentreBytes(g *Group, q int) int64 {
	if g.centre == nil {
		return 0
	}
	return RowsBytes(g.Factors[0].Group, q, 8)
}

// of returns the centring for some of the points of a training, which are numbered again.
func (c *centring) of(index []int32) *centring {
	table := pick(c.rows, index)
	return &centring{mean: c.mean, rows: table, columns: table}
}

// packRowMeans takes m of the points of a set.
func (r *Rows[T]) packRowMeans(g *Group, set *Set) {
	r.means = grow(r.means, len(set.IDs))
	for i, id := range set.IDs {
		r.means[i] = g.centre.rows[id]
	}
}

// packColumnMeans finds m of the points of a panel.
func (e *Evaluator[T]) packColumnMeans(c *Columns[T], g *Group, p *Panel) {
	if g.centre.columns == nil {
		c.means = sampleMeans(e, g, &c.factors[0])
		return
	}
	clear(c.means[:])
	for lane := range p.Len {
		c.means[lane] = g.centre.columns[p.id(lane)]
	}
}

// centredNothing is the share of what it is summed of below which k(x,x) is rounding alone once it
// is centred: x then lies at the mean.
const centredNothing = 1e-9

// centreSelves centres k(x,x) of some points.
func centreSelves[T simd.Real](g *Group, self []T, means []float64) {
	for i, m := range means {
		k, whole := float64(self[i]), g.centre.mean
		v := k - 2*m + whole
		if !(v > centredNothing*(math.Abs(k)+2*math.Abs(m)+math.Abs(whole))) {
			v = 0
		}
		self[i] = T(v)
	}
}

// centreValues centres the values of rows against 32 columns.
func centreValues[T simd.Real](g *Group, dst []T, rows []float64, columns *[simd.Width]float64) {
	for i, m := range rows {
		less := m - g.centre.mean
		part := dst[i*simd.Width : (i+1)*simd.Width]
		for j := range part {
			part[j] = T(float64(part[j]) - less - columns[j])
		}
	}
}
