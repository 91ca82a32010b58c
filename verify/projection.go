package verify

import (
	"context"
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// A model on projected features z = W'x is verified as one on rows z, which are computed here from
// the rows of the data. Besides, W is to be what it claims, of orthonormal columns or a diagonal of
// mean square 1, and as near to a stationary point of the optimum as the model says. The slope is
// that of Gönen (2010, section 4.1),
//
//	dJ/dW = -1/2 sum_ij alpha_i alpha_j theta dk(z_i, z_j)/dW,
//
// whose terms are symmetric in i and j, so that the half of the end i stands for both:
//
//	Gaussian:    2 gamma theta sum_i alpha_i x_i sum_j alpha_j k(z_i, z_j) (z_i - z_j)'
//	polynomial:  - q gamma theta sum_i alpha_i x_i sum_j alpha_j (gamma <z_i, z_j> + c)^(q-1) z_j'
//
// Of it counts what does not leave the matrices of the form of W.

// orthogonal is by how much a product of columns of W, or the mean square of a diagonal, may be off.
const orthogonal = 1e-9

// projection is what a model says of its projection, and what its data add.
type projection struct {
	*model.Projection
	kernel  kernelspec.Kernel
	support []int32
	x       [][]float64 // features of each support vector that has been read, dense
}

// newProjection returns nil for a model without a projection. Parts that do not fit each other are of
// class fail.Corrupt.
func newProjection(m *model.Model, bank *kernelspec.Bank) (*projection, error) {
	p := m.Projection()
	if p == nil {
		return nil, nil
	}
	numbers := p.Features
	if p.Columns != 0 {
		numbers *= p.Columns
	}
	if p.Features < 1 || p.Columns < 0 || p.Columns > p.Features || len(p.W) != numbers ||
		m.Features != p.Width() || m.Several() || len(bank.Kernels) != 1 ||
		m.Scaling.Kind != dataset.ScaleNone {
		return nil, fail.New(fail.Corrupt, "the projection of the model does not fit it")
	}
	switch bank.Kernels[0].Kind {
	case kernelspec.Gauss, kernelspec.Linear, kernelspec.Poly:
	default:
		return nil, fail.New(fail.Corrupt, "the model has a projection and a kernel that has none")
	}
	return &projection{Projection: p, kernel: bank.Kernels[0], support: m.Support}, nil
}

// countMemory returns the memory of the slope: the support vectors before and after the projection,
// and W with what is summed up for each of its numbers.
func (p *projection) countMemory() []memoryUse {
	each := 8*int64(p.Features+p.Width()) + 2*sliceBytes
	return []memoryUse{
		{"support vectors before the projection", fmt.Sprintf("%d each", each), each * int64(len(p.support))},
		{"projection", "64 for each of its numbers and 48 D", 64*int64(len(p.W)) + 48*int64(p.Features)},
	}
}

// sliceBytes bounds what a slice in a slice takes besides its elements, as the latter grows.
const sliceBytes = 64

// column writes the products of a row with the columns of W to z, one after the other. Terms come in
// the order of the features, as the fingerprint of the rows depends on the bits.
func (p *projection) column(index []int32, value []float64, z []float64) {
	for l := range z {
		sum := 0.0
		for e, j := range index {
			switch {
			case p.Columns > 0:
				sum += float64(value[e] * p.W[int(j)*p.Columns+l])
			case int(j) == l:
				sum = float64(value[e] * p.W[l])
			}
		}
		z[l] = sum
	}
}

// projectedRows are the rows of the data with projected features. It keeps those of the support
// vectors as they are.
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
	if k := len(p.x); k < len(p.support) && p.support[k] == r.at {
		x := make([]float64, p.Features)
		for e, j := range row.Index {
			x[j] = row.Value[e]
		}
		p.x = append(p.x, x)
	}
	r.at++
	z, index := make([]float64, p.Width()), make([]int32, p.Width())
	p.column(row.Index, row.Value, z)
	for l := range index {
		index[l] = int32(l)
	}
	row.Index, row.Value = index, z
	return row, nil
}

// check holds W to its form and its stationarity to the slope. It may be called for nil.
func (p *projection) check(ctx context.Context, m *machine, f *faults) error {
	if p == nil {
		return nil
	}
	if off := p.form(); !(off <= orthogonal) {
		f.add("projection", "W is off by %.3g from orthonormal columns, or its diagonal from mean square 1",
			off)
	}
	if len(p.x) != len(m.Alpha) {
		return nil // Other data, which the fingerprint shows.
	}
	slope, gross, err := p.slope(ctx, m)
	if err != nil {
		return err
	}
	p.along(slope)
	var square neumaier
	for _, s := range slope {
		square.add(s * s)
	}
	own, size := math.Sqrt(square.value()), math.Abs(m.Certificate.Dual)
	if size == 0 {
		own, size, gross = 0, 1, 0
	}
	if !(math.Abs(p.Stationarity-own/size) <= conceded*own/size+1e-12*gross/size) {
		f.add("stationarity", "the projection is claimed to be stationary to %.6g, these data give %.6g",
			p.Stationarity, own/size)
	}
	return nil
}

// form returns by how much W is off its form.
func (p *projection) form() float64 {
	most := 0.0
	if p.Columns == 0 {
		var sum neumaier
		for _, w := range p.W {
			sum.add(w * w)
		}
		return math.Abs(sum.value()/float64(p.Features) - 1)
	}
	for h := range p.Columns {
		for l := range h + 1 {
			var sum neumaier
			for j := range p.Features {
				sum.add(p.W[j*p.Columns+h] * p.W[j*p.Columns+l])
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

// slope returns dJ/dW and the sum of the sizes of its terms.
func (p *projection) slope(ctx context.Context, m *machine) (slope []float64, gross float64, err error) {
	width := p.Width()
	z := make([][]float64, len(p.x))
	index := make([]int32, p.Features)
	for j := range index {
		index[j] = int32(j)
	}
	for i, x := range p.x {
		z[i] = make([]float64, width)
		p.column(index, x, z[i])
	}
	sums := make([]neumaier, len(p.W))
	ends := make([]float64, width)
	k := &p.kernel
	for i, x := range p.x {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		clear(ends)
		for j, other := range z {
			product, square := 0.0, 0.0
			for l, a := range z[i] {
				product += a * other[l]
				square += (a - other[l]) * (a - other[l])
			}
			factor := m.Alpha[i] * m.Alpha[j] * m.Theta[0]
			for l, b := range other {
				switch k.Kind {
				case kernelspec.Gauss:
					ends[l] += 2 * k.Gamma * factor * math.Exp(-k.Gamma*square) * (z[i][l] - b)
				case kernelspec.Poly:
					ends[l] -= float64(k.Degree) * k.Gamma * factor *
						math.Pow(k.Gamma*product+k.Coef, float64(k.Degree-1)) * b
				default:
					ends[l] -= factor * b
				}
			}
		}
		for j, v := range x {
			for l, e := range ends {
				gross += math.Abs(v * e)
				switch {
				case p.Columns > 0:
					sums[j*width+l].add(v * e)
				case j == l:
					sums[j].add(v * e)
				}
			}
		}
	}
	slope = make([]float64, len(sums))
	for k := range sums {
		slope[k] = sums[k].value()
	}
	return slope, gross, nil
}

// along takes from a slope what leaves the matrices of the form of W.
func (p *projection) along(slope []float64) {
	if p.Columns == 0 {
		var sum neumaier
		for j, w := range p.W {
			sum.add(w * slope[j])
		}
		for j, w := range p.W {
			slope[j] -= w * sum.value() / float64(p.Features)
		}
		return
	}
	whole := append([]float64(nil), slope...)
	for h := range p.Columns {
		for l := range p.Columns {
			var sum neumaier
			for j := range p.Features {
				sum.add(p.W[j*p.Columns+h] * whole[j*p.Columns+l])
			}
			for j := range p.Features {
				slope[j*p.Columns+l] -= p.W[j*p.Columns+h] * sum.value()
			}
		}
	}
}
