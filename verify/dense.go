package verify

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// This file computes bases from blocks of features.

// gather writes the features from, from+1, ... of a set (all if it is nil) of the point x to dst,
// minus the mean of the support vectors if centred.
func (w *bases) gather(dst []float64, x []float32, set []int32, from int, centred bool) {
	mean := w.mean
	// Without a set the features are consecutive and the loops need no index.
	if set == nil {
		x, mean = x[from:from+len(dst)], mean[from:from+len(dst)]
		for j := range dst {
			dst[j] = float64(x[j])
		}
		if centred {
			for j := range dst {
				dst[j] -= mean[j]
			}
		}
		return
	}
	for j, f := range set[from : from+len(dst)] {
		dst[j] = float64(x[f])
		if centred {
			dst[j] -= mean[f]
		}
	}
}

// addProducts adds the inner products of n rows and t support vectors over a block of d features
// to the base. It asks for them in pieces of blockRows, none of which starts a goroutine.
func (w *bases) addProducts(n, t, d int) {
	// base += x z', row-major, with a stride of the whole tile.
	for r := 0; r < n; r += blockRows {
		for s := 0; s < t; s += blockRows {
			nr, nt := min(blockRows, n-r), min(blockRows, t-s)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1,
				blas64.General{Rows: nr, Cols: d, Stride: d, Data: w.x[r*d:]},
				blas64.General{Rows: nt, Cols: d, Stride: d, Data: w.z[s*d:]},
				1, blas64.General{Rows: nr, Cols: nt, Stride: t, Data: w.base[r*t+s:]})
		}
	}
}

// addSelves adds f of each row and of each support vector to its base with itself.
func (w *bases) addSelves(n, t, d int, f func([]float64) float64) {
	for r := range n {
		w.selfX[r] += f(w.x[r*d : (r+1)*d])
	}
	for s := range t {
		w.selfZ[s] += f(w.z[s*d : (s+1)*d])
	}
}

// addPairs adds f of each pair of a row and a support vector to the base.
func (w *bases) addPairs(n, t, d int, f func(x, z []float64) float64) {
	for r := range n {
		x, out := w.x[r*d:(r+1)*d], w.base[r*t:(r+1)*t]
		for s := range out {
			out[s] += f(x, w.z[s*d:(s+1)*d])
		}
	}
}

// setDistances replaces inner products of centred points by squared distances |x|^2 + |z|^2 -
// 2<x,z>. Where less than 1e-6 of the norms is left, at least six of sixteen digits have
// cancelled: the distance is then summed over the differences of the points themselves.
func (w *bases) setDistances(g *group, rows []row, lo, hi int) {
	t := hi - lo
	for r := range rows {
		out := w.base[r*t : (r+1)*t]
		for s, p := range out {
			norms := w.selfX[r] + w.selfZ[s]
			d := norms - 2*p
			if d < 1e-6*norms {
				d = exactDistance(rows[r].x, w.m.Vector(lo+s), g.features)
			}
			out[s] = d
		}
	}
	// What they held were norms; the distance of a point from itself is 0.
	clear(w.selfX)
	clear(w.selfZ)
}

// exactDistance returns |x-z|^2 over the features of a set, or over all if it is nil.
func exactDistance(x, z []float32, set []int32) float64 {
	sum := 0.0
	if set == nil {
		for j, v := range x {
			d := float64(v) - float64(z[j])
			sum += d * d
		}
		return sum
	}
	for _, j := range set {
		d := float64(x[j]) - float64(z[j])
		sum += d * d
	}
	return sum
}

// sumSquares returns |x|^2.
func sumSquares(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum
}

// sumValues returns sum_j x_j, which is sum_j min(x_j, x_j).
func sumValues(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// squaredDifference returns |x-z|^2.
func squaredDifference(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		d := x[j] - v
		sum += d * d
	}
	return sum
}

// absoluteDifference returns sum_j |x_j - z_j|.
func absoluteDifference(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		sum += math.Abs(x[j] - v)
	}
	return sum
}

// chiSquareDifference returns sum_j (x_j - z_j)^2 / (x_j + z_j), where 0/0 counts as 0.
func chiSquareDifference(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		if d := x[j] - v; d != 0 {
			sum += d * d / (x[j] + v)
		}
	}
	return sum
}

// sumMinima returns sum_j min(x_j, z_j).
func sumMinima(x, z []float64) float64 {
	sum := 0.0
	for j, v := range z[:len(x)] {
		sum += min(x[j], v)
	}
	return sum
}
