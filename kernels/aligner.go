package kernels

import (
	"bigmkl/internal/simd"
)

// AlignOptions states what Align sums over.
type AlignOptions struct {
	Sample  int     // points whose pairs represent all pairs; 0 is all points, else at least 4
	Seed    uint64  // seed of the sample
	Plain   bool    // the matrices are not centred
	Classes []int32 // class of each point, from 0
	Threads int     // no sum depends on it
	Scratch string  // folder of the file with the sample's features
}

// aligner is what the goroutines share. It does not change while they run.
type aligner struct {
	bank    *Bank
	points  Points
	classes []int32
	others  float64 // the labels' kernel of two classes, where that of one class is 1
	plain   bool
	n, k    int     // number of points, and of those in the sample
	sample  []int32 // numbers of the sample's points; nil: all
	set     *Set    // the sample
	free    func() error
	side    int       // number of kernels, with that of the labels
	rows    int       // rows that are taken at a time
	shift   []float64 // what is subtracted from the values of each kernel
	other   float64   // weight of a pair of different points
	same    float64   // weight of a point with itself
	itself  float64   // 1 if a point with itself counts for the centring, or else 0
	row     float64   // the centred kernel is K_ij - rho_i - rho_j
	all     float64   // with rho_i = row z_i - all sum_i z_i
}

// newAligner prepares the sample and the weights of its pairs. For a sample of k of n points the
// weights make the sums over pairs of different points those of n points, in the mean.
func newAligner(m Matrices, o *AlignOptions) (*aligner, error) {
	b, points := m.Bank, m.Points
	a := &aligner{
		bank: b, points: points, classes: o.Classes, plain: o.Plain,
		n: points.Len(), side: b.Len() + 1, other: 1, same: 1,
	}
	a.k, a.rows, a.shift = a.n, alignedRows(a.side), make([]float64, a.side)
	classes := 0
	for _, c := range o.Classes {
		classes = max(classes, int(c)+1)
	}
	// With c classes, two points of one class agree in all c vectors y, and two points of different
	// classes in c - 2 of them and disagree in 2: c - 4. Divided by c the former is 1.
	a.others = float64(classes-4) / float64(max(classes, 1))
	n := float64(a.n)
	a.itself, a.row, a.all = 1, 1/n, 0.5/(n*n)
	if o.Sample > 0 && o.Sample < a.n {
		// The weights for a sample are the weights of unbiased estimates: k points have k(k-1)
		// pairs of different points, and centring takes two further degrees of freedom from each
		// row.
		a.k, a.sample = o.Sample, draw(a.n, o.Sample, o.Seed)
		k := float64(a.k)
		a.same, a.other = n/k, n*(n-1)/(k*(k-1))
		if !a.plain {
			a.other, a.itself = n*(n-1)/(k*(k-3)), 0
			a.row, a.all = 1/(k-2), 0.5/((k-1)*(k-2))
		}
		var err error
		if a.set, a.free, err = gatherSample(points, a.sample, o.Scratch); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// close gives up the file of the sample.
func (a *aligner) close() {
	if a.free != nil {
		a.free()
	}
}

// id is the number of point i of the sample.
func (a *aligner) id(i int) int {
	if a.sample != nil {
		return int(a.sample[i])
	}
	return i
}

const (
	alignRows = 64 // rows that are taken at a time

	// alignPairs bounds the kernel values of these rows with a panel, but 8 rows are always taken.
	alignPairs = 1 << 19
)

// alignedRows is the number of rows that are taken at a time. It is a function of the number of
// kernels alone, because the order of sums depends on it.
func alignedRows(side int) int {
	return max(simd.Rows, min(alignRows, alignPairs/simd.Width/side&^(simd.Rows-1)))
}

// products returns the matrix of products. With weights W of pairs an entry is
//
//	sum_ij W_ij (K - rho_i - rho_j)(K' - rho'_i - rho'_j)
//	  = sum_ij W_ij K K' - 2 sum_i (y_i rho'_i + rho_i y'_i)
//	    + 2 other ((k-2) P + R R') + 4 same P,
//
// where P = sum_i rho_i rho'_i and R = sum_i rho_i.
func (a *aligner) products(t *aligned) []float64 {
	out := make([]float64, a.side*a.side)
	k := float64(a.k)
	place := func(m int) int {
		if m == a.side-1 {
			return m
		}
		return int(a.bank.places[m])
	}
	for x := range a.side {
		for y := range x + 1 {
			i, j := min(place(x), place(y)), max(place(x), place(y))
			v := t.at(a.side, i, j)
			if !a.plain {
				zi, zj := t.centring[i], t.centring[j]
				p := a.row*a.row*t.squares[i*a.side+j] + (k*a.all*a.all-2*a.row*a.all)*zi*zj
				r := (a.row - k*a.all) * (a.row - k*a.all) * zi * zj
				yr := a.row*(t.crossed[i*a.side+j]+t.crossed[j*a.side+i]) -
					a.all*(t.weighted[i]*zj+t.weighted[j]*zi)
				v += 2*a.other*((k-2)*p+r) + 4*a.same*p - 2*yr
				if least := constant * float64(a.n) * a.shift[i]; i == j && v <= least*least {
					v = 0 // what is left is the rounding of a kernel that is constant
				}
			}
			out[x*a.side+y], out[y*a.side+x] = v, v
		}
	}
	return out
}
