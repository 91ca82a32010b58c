package verify

import (
	"context"
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// A model on projected features z = W'x is verified as one on rows z, which are computed here from
// the rows of the data, scaled as in the model. Besides, W is to be what it claims, of orthonormal columns or a diagonal of
// mean square 1, and as near to a stationary point of the optimum as the model claims. The slope is the slope of Gönen
// (2010, section 4.1),
//
//	dJ/dW = -1/2 sum_ij alpha_i alpha_j theta dk(z_i, z_j)/dW,
//
// whose terms are symmetric in i and j, so the half of the end i represents both:
//
//	Gaussian:    2 gamma theta sum_i alpha_i x_i sum_j alpha_j k(z_i, z_j) (z_i - z_j)'
//	polynomial:  - q gamma theta sum_i alpha_i x_i sum_j alpha_j (gamma <z_i, z_j> + c)^(q-1) z_j'
//
// Of it counts what does not leave the matrices of the form of W.

// orthogonal is by how much a product of columns of W, or the mean square of a diagonal, may be off.
const orthogonal = 1e-9

// projection is the extension by a projection. It holds the projection of a model, and what its data add.
type projection struct {
	*model.Projection
	gates   *gates // nil if there are none
	blocks  []model.Block
	kernels []kernelspec.Kernel // of the blocks
	support []int32
	x       [][]float64 // features of each support vector that has been read, dense
	threads int
}

// newProjection returns nil for a model without a projection. Parts that do not fit each other are of
// class fail.Corrupt.
func newProjection(m *model.Model, bank *kernelspec.Bank) (*projection, error) {
	p := m.Family.Projection()
	if p == nil {
		return nil, nil
	}
	unfit := fail.New(fail.Corrupt, "the projection of the model does not fit it")
	columns, left := []int{p.Columns}, len(p.W)
	for _, k := range p.Others {
		columns = append(columns, k.Columns)
	}
	for _, c := range columns {
		if p.Features < 1 || c < 0 || c > p.Features || p.Features > left/max(1, c) {
			return nil, unfit
		}
		left -= p.Features * max(1, c)
	}
	if left != 0 || m.Features != p.Width() || len(bank.Kernels) < len(columns) || m.Scaling.Kind != dataset.ScaleNone {
		return nil, unfit
	}
	q := &projection{Projection: p, blocks: p.Blocks(), kernels: bank.Kernels[:len(columns)], support: m.Support}
	for k, b := range q.blocks {
		if err := q.checkKernel(bank, b, &q.kernels[k]); err != nil {
			return nil, err
		}
	}
	if err := p.Scaling.Validate(p.Features); err != nil {
		return nil, err
	}
	return q, nil
}

// checkKernel rejects a kernel that does not see the features of its block, or that has no slope.
func (p *projection) checkKernel(bank *kernelspec.Bank, b model.Block, k *kernelspec.Kernel) error {
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Linear, kernelspec.Poly:
	default:
		return fail.New(fail.Corrupt, "the model has a projection and a kernel that has none")
	}
	if len(p.blocks) == 1 && !p.Plain {
		return nil
	}
	set := bank.Features(k.Set)
	if bank.Omitted.Elements == 0 && (len(set) != b.Width || int(set[0]) != b.First || int(set[len(set)-1]) != b.First+b.Width-1) {
		return fail.New(fail.Corrupt, "a kernel of the model does not see the features of its projection")
	}
	return nil
}

// traits implements extension. The memory is the memory of the slope: the support vectors before and after the
// projection, and W with what is summed up for each of its numbers.
func (p *projection) traits(*model.Model) extensionTraits {
	each := 8*int64(p.Features+p.Width()) + 2*sliceBytes
	return extensionTraits{trial: true, unsampled: []string{notStationary}, memory: []memoryUse{
		{"support vectors before the projection", fmt.Sprintf("%d each", each), each * int64(len(p.support))},
		{"projection", "256 for each of its numbers and 48 D", 256*int64(len(p.W)) + 48*int64(p.Features)},
	}}
}

// open implements extension. The slope has the gates as factors.
func (p *projection) open(of *problem, _ *Options) error {
	p.gates = of.gates.shared()
	return nil
}

// source implements extension.
func (p *projection) source(src dataset.Source) dataset.Source {
	return &projectedRows{Source: src, p: p}
}

// sliceBytes bounds what a slice in a slice takes besides its elements, as the latter grows.
const sliceBytes = 64

// column writes the products of a row with the columns of each matrix to z, one after the other, behind
// the features as they are if there are other kernels. Terms come in the order of the features, as the
// fingerprint of the rows depends on the bits.
func (p *projection) column(index []int32, value []float64, z []float64) {
	clear(z)
	for e, j := range index {
		if p.Plain {
			z[j] = value[e]
		}
	}
	for _, b := range p.blocks {
		for l := range b.Width {
			sum := 0.0
			for e, j := range index {
				switch {
				case b.Columns > 0:
					sum += float64(value[e] * b.W[int(j)*b.Columns+l])
				case int(j) == l:
					sum = float64(value[e] * b.W[l])
				}
			}
			z[b.First+l] = sum
		}
	}
}

// scale returns the features of a row that are not 0 after scaling, in their order. Without scaling
// they are the features of the row.
func (p *projection) scale(r dataset.Row) (index []int32, value []float64, err error) {
	if p.Scale == "" {
		return r.Index, r.Value, nil
	}
	dense := make([]float32, p.Features)
	if err := p.Scaling.Dense(r, dense); err != nil {
		return nil, nil, err
	}
	for j, x := range dense {
		if x != 0 {
			index, value = append(index, int32(j)), append(value, float64(x))
		}
	}
	return index, value, nil
}

// projectedRows are the rows of the data with projected features. It keeps the rows of the
// support vectors as they are.
type projectedRows struct {
	dataset.Source
	p  *projection
	at int32
}

// Next implements dataset.Source.
func (r *projectedRows) Next() (dataset.Row, error) {
	row, err := r.Source.Next()
	if err != nil {
		return row, err
	}
	p := r.p
	if n := len(row.Index); n > 0 && int(row.Index[n-1]) >= p.Features {
		return row, fail.New(fail.Input, "feature %d is unknown: the model has %d features",
			row.Index[n-1]+1, p.Features).At(row.File, row.Line, 0)
	}
	features, values, err := p.scale(row)
	if err != nil {
		return row, err
	}
	if k := len(p.x); k < len(p.support) && p.support[k] == r.at {
		x := make([]float64, p.Features)
		for e, j := range features {
			x[j] = values[e]
		}
		p.x = append(p.x, x)
	}
	r.at++
	z, index := make([]float64, p.Width()), make([]int32, p.Width())
	p.column(features, values, z)
	for l := range index {
		index[l] = int32(l)
	}
	row.Index, row.Value = index, z
	return row, nil
}

// check implements extension. It compares the matrices with their form and their stationarity with the slope, which is
// the sum of the slopes of all classifiers, unless a sample is verified.
func (p *projection) check(ctx context.Context, of *judgement, _ *totals, threads int) error {
	classifiers, f := of.classifiers, &of.faults
	for _, b := range p.blocks {
		if off := formOf(b, p.Features); !(off <= orthogonal) {
			f.add("projection", "W is off by %.3g from orthonormal columns, or its diagonal from mean square 1",
				off)
		}
	}
	if len(p.x) != len(p.support) {
		return nil // Other data, which the fingerprint shows.
	}
	if of.sampled {
		return nil // The slope takes all pairs of support vectors.
	}
	p.threads = threads
	size := 0.0
	for k := range classifiers {
		size += classifiers[k].Certificate.Dual
	}
	size = math.Abs(size)
	var square, error neumaier
	for k := range p.blocks {
		t, err := p.slope(ctx, k, classifiers)
		if err != nil {
			return err
		}
		slope, off := t.result()
		whole := length(slope)
		p.along(p.blocks[k], slope)
		left := length(slope)
		square.add(left * left)
		// What is taken away is a sum over the features of products with the whole slope.
		off = append(off, 2*inDouble*float64(p.Features+roundings)*whole)
		error.add(length(off) * length(off))
	}
	own, off := math.Sqrt(square.value()), 2*math.Sqrt(error.value()) // once in training, once here
	if size == 0 {
		own, size, off = 0, 1, 0
	}
	if !(math.Abs(p.Stationarity-own/size) <= (off+2*roundings*inDouble*own)/size) {
		f.add("stationarity", "the projection is claimed to be stationary to %.6g, these data give %.6g",
			p.Stationarity, own/size)
	}
	return nil
}

// formOf returns by how much a matrix of d rows is off its form.
func formOf(b model.Block, d int) float64 {
	most := 0.0
	if b.Columns == 0 {
		var sum neumaier
		for _, w := range b.W {
			sum.add(w * w)
		}
		return math.Abs(sum.value()/float64(d) - 1)
	}
	for h := range b.Columns {
		for l := range h + 1 {
			var sum neumaier
			for j := range d {
				sum.add(b.W[j*b.Columns+h] * b.W[j*b.Columns+l])
			}
			want := 0.0
			if h == l {
				want = 1
			}
			most = max(most, math.Abs(sum.value()-want))
		}
	}
	return most
}

// along takes from a slope what leaves the matrices of the form of a block.
func (p *projection) along(b model.Block, slope []float64) {
	if b.Columns == 0 {
		var sum neumaier
		for j, w := range b.W {
			sum.add(w * slope[j])
		}
		for j, w := range b.W {
			slope[j] -= w * sum.value() / float64(p.Features)
		}
		return
	}
	whole := append([]float64(nil), slope...)
	for h := range b.Columns {
		for l := range b.Columns {
			var sum neumaier
			for j := range p.Features {
				sum.add(b.W[j*b.Columns+h] * whole[j*b.Columns+l])
			}
			for j := range p.Features {
				slope[j*b.Columns+l] -= b.W[j*b.Columns+h] * sum.value()
			}
		}
	}
}
