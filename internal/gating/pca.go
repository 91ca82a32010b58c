package gating

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"bigmkl/internal/fail"
)

// Gates on principal components look at w_k'x for the R orthonormal directions w_k in which the
// points vary most. They are found on a sample of the points by subspace iteration (Halko,
// Martinsson and Tropp 2011): some more directions than asked for are multiplied by the covariance
// and made orthonormal again, and the eigenvectors within their span are the result.

const (
	// spareDirections is the number of directions beyond those asked for, and powerRounds that of
	// multiplications by the covariance.
	spareDirections = 8
	powerRounds     = 12
)

// Components returns R for a text pca:R, and 0 for any other. A number below 1 or above the number
// of features d is of class fail.Usage.
func Components(on string, d int) (int, error) {
	text, found := strings.CutPrefix(on, "pca:")
	if !found {
		return 0, nil
	}
	r, err := strconv.Atoi(text)
	if err != nil || r < 1 || r > d {
		return 0, fail.New(fail.Usage, "%s is no number of principal components from 1 to %d features",
			fail.Quote(text), d)
	}
	return r, nil
}

// PrincipalComponents returns features that are the first components of the points, not
// standardised yet. The seed chooses the sample and the start. An error is the context's.
func PrincipalComponents(ctx context.Context, rows Rows, count int, seed uint64) (*Features,
	error) {
	d, k := rows.Dim(), min(count+spareDirections, rows.Dim())
	random := rand.New(rand.NewPCG(seed, 0x706361)) // a stream of its own
	points := centredSample(rows, random)
	q := mat.NewDense(d, k, nil)
	for j := range d {
		for c := range k {
			q.Set(j, c, random.NormFloat64())
		}
	}
	orthonormalise(q)
	y, z := mat.NewDense(points.RawMatrix().Rows, k, nil), mat.NewDense(d, k, nil)
	for range powerRounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		y.Mul(points, q)
		z.Mul(points.T(), y)
		q.Copy(z)
		orthonormalise(q)
	}
	// The covariance within the span has the eigenvectors that are sought.
	y.Mul(points, q)
	var within mat.Dense
	within.Mul(y.T(), y)
	small := mat.NewSymDense(k, nil)
	for a := range k {
		for b := a; b < k; b++ {
			small.SetSym(a, b, (within.At(a, b)+within.At(b, a))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(small, true) {
		return nil, fail.New(fail.Input, "the features have no principal components: "+
			"they take values whose squares are not finite").
			WithHint("scale the data")
	}
	var vectors, all mat.Dense
	eigen.VectorsTo(&vectors)
	all.Mul(q, &vectors)
	f := &Features{Loadings: make([]float64, count*d), Components: count}
	for c := range count { // the largest eigenvalues come last
		w := f.Loadings[c*d : (c+1)*d]
		mat.Col(w, k-1-c, &all)
		// The sign of a direction means nothing, and is chosen so that its largest part is above 0.
		largest := slices.MaxFunc(w, func(a, b float64) int {
			return int(math.Copysign(1, math.Abs(a)-math.Abs(b)))
		})
		for j := range w {
			w[j] = math.Copysign(1, largest) * w[j]
		}
	}
	return f, nil
}

// centredSample returns some points less their mean, one in each row.
func centredSample(rows Rows, random *rand.Rand) *mat.Dense {
	d, n := rows.Dim(), sampled(rows.Len(), rows.Dim(), 1)
	chosen := random.Perm(rows.Len())[:n]
	slices.Sort(chosen) // so that the data are read from end to end
	x, mean, points := make([]float32, d), make([]float64, d), mat.NewDense(n, d, nil)
	for i, at := range chosen {
		rows.Row(at, x)
		for j, v := range x {
			points.Set(i, j, float64(v))
			mean[j] += float64(v) / float64(n)
		}
	}
	for i := range n {
		row := points.RawRowView(i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
	return points
}

// orthonormalise makes the columns of q orthonormal, by the Gram-Schmidt process twice. A column
// that depends on those before it becomes 0.
func orthonormalise(q *mat.Dense) {
	d, k := q.Dims()
	column := func(c int) []float64 { return mat.Col(nil, c, q) }
	for c := range k {
		v := column(c)
		size := length(v)
		for range 2 {
			for b := range c {
				w := column(b)
				s := 0.0
				for j := range d {
					s += v[j] * w[j]
				}
				for j := range d {
					v[j] -= s * w[j]
				}
			}
		}
		norm := length(v)
		if norm <= 1e-12*size {
			clear(v)
			norm = 1
		}
		for j := range v {
			v[j] /= norm
		}
		q.SetCol(c, v)
	}
}

// length returns |v|.
func length(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}
