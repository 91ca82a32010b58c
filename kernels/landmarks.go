package kernels

import (
	"context"

	"golang.org/x/sync/errgroup"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// Landmarks are some points and a kernel, whose values with other points are asked for. Values are
// computed in float64 and rounded to float32, so they are the same numbers in a training and in a
// prediction. Several goroutines may use them at once.
type Landmarks struct {
	bank   *Bank
	packed []Rows[float64] // the points, some at a time
	count  int
	// Points are given to Of in the form that the landmarks have.
	sparse, letters bool
}

// landmarkRows is the number of landmarks that are packed together.
const landmarkRows = 64

// NewLandmarks returns the landmarks of a set for the only kernel of a bank, which is neither code of the
// user nor from a matrix. An error comes from NewBank.
func NewLandmarks(b *kernelspec.Bank, set *Set) (*Landmarks, error) {
	l := &Landmarks{count: len(set.IDs), sparse: set.Sparse, letters: b.Letters != dataset.Numbers && b.Letters.Before() == 0}
	mean, shift := make([]float64, set.Dim), make([]float32, set.Dim)
	for i := range set.IDs {
		set.Each(i, func(j int, x float32) { mean[j] += float64(x) / float64(l.count) })
	}
	for j := range shift {
		shift[j] = float32(mean[j])
	}
	shape := SurveySet(set, shift)
	shape.Uncentred = true // There are no dual variables, and values count as they are.
	var err error
	if l.bank, err = NewBank(context.Background(), b, shape, kernelspec.Unnormalized, nil, nil); err != nil {
		return nil, err
	}
	e, group := NewEvaluator[float64](l.bank), &l.bank.Groups[0]
	for from := 0; from < l.count; from += landmarkRows {
		var rows Rows[float64]
		e.PackRows(&rows, group, set.Part(from, min(from+landmarkRows, l.count)))
		l.packed = append(l.packed, rows)
	}
	return l, nil
}

// LandmarkBytes bounds what so many landmarks of d features with so many non-zeros take in bytes, for
// each of so many threads too.
func LandmarkBytes(count, d int, nonzeros int64, threads int) int64 {
	tiles := 2 * 8 * landmarkRows * simd.Width
	return 24*nonzeros + 64*int64(count) + int64(threads)*(int64(tiles)+PanelBytes(d, nonzeros)+16*int64(d)*simd.Width)
}

// Len returns the number of landmarks.
func (l *Landmarks) Len() int { return l.count }

// LandmarkValues evaluates the kernel of landmarks. It belongs to one goroutine.
type LandmarkValues struct {
	*Landmarks
	tiler gramTiler[float64]
	cols  Columns[float64]

	buffer PanelBuffer // of OfRows
	index  [][]int32
	value  [][]float32
}

// Values returns what evaluates the kernel in a goroutine.
func (l *Landmarks) Values() *LandmarkValues {
	group, member := l.bank.find(0)
	return &LandmarkValues{Landmarks: l, tiler: gramTiler[float64]{
		Evaluator: NewEvaluator[float64](l.bank), group: group, member: member,
	}}
}

// Of writes the values of the points of a panel with all landmarks to out, points x landmarks,
// row-major. The points are not the points of the bank, as the points of PanelOfRows are not.
func (v *LandmarkValues) Of(p *Panel, out []float32) {
	v.tiler.PackColumns(&v.cols, v.tiler.group, p, 0)
	for k := range v.packed {
		rows := &v.packed[k]
		v.tiler.fillTile(rows, &v.cols)
		for i := range rows.Len {
			for j := range p.Len {
				out[j*v.count+k*landmarkRows+i] = float32(v.tiler.tile[i*simd.Width+j])
			}
		}
	}
}

// OfRows is Of for up to 32 rows that have all of their features.
func (v *LandmarkValues) OfRows(rows [][]float32, out []float32) {
	v.index, v.value = v.index[:0], v.value[:0]
	for _, row := range rows {
		var index []int32
		var value []float32
		for j, x := range row {
			if x != 0 {
				index, value = append(index, int32(j)), append(value, x)
			}
		}
		v.index, v.value = append(v.index, index), append(v.value, value)
	}
	var p Panel
	switch {
	case v.letters:
		p = PanelOfSequences(0, v.index, v.value)
	case v.sparse:
		p = PanelOfRows(0, len(rows[0]), v.index, v.value, &v.buffer)
	default:
		p = v.buffer.fill(Panel{Len: len(rows), index: v.index, value: v.value}, len(rows[0]), false)
		p.index, p.value = nil, nil // The points are dense.
	}
	v.Of(&p, out)
}

// Table returns the values of all points with all landmarks, points x landmarks, row-major. An error is
// the context's.
func (l *Landmarks) Table(ctx context.Context, points Points, threads int) ([]float32, error) {
	n := points.Len()
	table := make([]float32, n*l.count)
	group, ctx := errgroup.WithContext(ctx)
	for t := range max(1, threads) {
		group.Go(func() error {
			v, buffer := l.Values(), PanelBuffer{}
			for p := t; p < panelsOf(n); p += max(1, threads) {
				if err := ctx.Err(); err != nil {
					return err
				}
				panel := l.panelOf(points, p, &buffer)
				v.Of(&panel, table[p*width*l.count:])
			}
			return nil
		})
	}
	return table, group.Wait()
}

// panelOf returns panel p of points that are none of the bank's.
func (l *Landmarks) panelOf(points Points, p int, b *PanelBuffer) Panel {
	z, sparse := nonzeros(points)
	if !sparse {
		return PanelOf(points, p, b)
	}
	var index [][]int32
	var value [][]float32
	for i := p * width; i < min((p+1)*width, points.Len()); i++ {
		at, x := z.Nonzeros(i)
		index, value = append(index, at), append(value, x)
	}
	if l.letters {
		return PanelOfSequences(p*width, index, value)
	}
	return PanelOfRows(p*width, points.Dim(), index, value, b)
}
