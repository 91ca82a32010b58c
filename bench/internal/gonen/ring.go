package gonen

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/projection"
)

// Projections, by chapter 4 of the thesis: a ring in two of twenty directions, whose rows are normal
// and whose class is the sign of |Q'x|^2 - 1.386, the median of that length.

// ringRow is one line of the table.
type ringRow struct {
	Kernel   string `json:"kernel" table:"kernel"`
	Accuracy string `json:"accuracy" table:"test accuracy %"`
	// Angles are 0 if the learned plane is the true one.
	Angles  string `json:"angles" table:"principal angles, degrees"`
	Support string `json:"support" table:"support vectors %"`
	Trials  string `json:"trials" table:"trials"`
}

// The squared length of a normal vector of two dimensions has a chi-squared distribution of 2
// degrees of freedom, with the median 2 log 2 = 1.386. Both classes then have half of the rows.
const (
	ringFeatures = 20
	ringRows     = 600
	ringTest     = 10000
	ringMedian   = 1.386
)

// ringTable trains on one draw and tests on another. The true directions are known, so the
// angles between them and the learned ones measure whether a projection was found, apart from
// the accuracy. Ten starts and a tolerance of 1e-5 are needed because J has many stationary points with
// a wrong projection.
func ringTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	// One stream draws the training rows and then the test rows.
	rng := rand.New(rand.NewPCG(seed, 6))
	f := &projection.Form{Columns: 2}
	// A random start of the projection gives two orthonormal directions.
	q, ok := f.Make(f.Start(ringFeatures, seed, 0))
	if !ok {
		return fmt.Errorf("seed %d draws no two directions", seed)
	}
	of := &model.Projection{Features: ringFeatures, Columns: 2, W: q.W}
	train, test := drawRing(of, ringRows, rng), drawRing(of, ringTest, rng)
	t := r.Table("A ring in 2 of 20 directions: 600 rows, tested on 10,000, C = 1")
	// A kernel of all features, a projection, scales of features, and a projection of another kernel.
	for _, kernel := range []string{"gauss:0.3", "proj(gauss:0.3,2)", "proj(gauss:0.3,diag)", "proj(poly:2,2)"} {
		s.Progress.ShowNow("ring, %s", kernel)
		o := bigmkl.Options{Kernels: kernel, Starts: 10, GateTol: 1e-5, GateSteps: 1000, Threads: s.Threads,
			Scratch: s.Scratch, Seed: seed, Norm: 2, Normalize: "none"}
		m, _, err := bigmkl.Train(ctx, harness.SourceOf(train), harness.AsPosed(o))
		if err != nil {
			return err
		}
		right := 0
		err = m.Predict(ctx, harness.SourceOf(test), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			if p.Label == p.Known {
				right++
			}
			return nil
		})
		if err != nil {
			return err
		}
		row := ringRow{Kernel: kernel, Accuracy: fmt.Sprintf("%.2f", 100*float64(right)/ringTest),
			Support: fmt.Sprintf("%.1f", 100*float64(len(m.Support))/ringRows)}
		if p := m.Family.Projection(); p != nil {
			row.Trials = fmt.Sprint(p.Trials)
			// Scales of features have no angles.
			if p.Columns == 2 {
				small, large := principalAngles(p.W, q.W)
				row.Angles = fmt.Sprintf("%.1f and %.1f", small, large)
			}
		}
		t.Add(row)
	}
	return nil
}

// drawRing draws rows of a ring: normal features, and the class by the length of the projection.
func drawRing(of *model.Projection, n int, rng *rand.Rand) []dataset.Row {
	rows, z := make([]dataset.Row, n), make([]float64, of.Width())
	for i := range rows {
		row := dataset.Row{Label: "-1"}
		for j := range of.Features {
			row.Index, row.Value = append(row.Index, int32(j)), append(row.Value, rng.NormFloat64())
		}
		// z is Q'x, of two numbers.
		of.Project(row.Index, row.Value, z)
		if z[0]*z[0]+z[1]*z[1] > ringMedian {
			row.Label = "1"
		}
		rows[i] = row
	}
	return rows
}

// principalAngles returns the angles between the spans of two matrices of two orthonormal columns, in
// degrees, the smaller first. Their cosines are the singular values of A'B. The matrices have two
// columns each, row by row: element k of row r is at 2r + k.
func principalAngles(a, b []float64) (small, large float64) {
	var m [2][2]float64
	// m = A'B.
	for k := 0; k < len(a); k += 2 {
		for i := range 2 {
			for j := range 2 {
				m[i][j] += a[k+i] * b[k+j]
			}
		}
	}
	sum, det := 0.0, m[0][0]*m[1][1]-m[0][1]*m[1][0]
	for i := range 2 {
		for j := range 2 {
			sum += m[i][j] * m[i][j]
		}
	}
	// The squared singular values s1^2 and s2^2 of a 2 x 2 matrix have the sum of its squared
	// elements and the product det^2. So they are the roots of x^2 - sum x + det^2.
	root := math.Sqrt(max(0, sum*sum/4-det*det))
	// Rounding can leave [0, 1], where Acos has no value.
	degrees := func(square float64) float64 {
		return math.Acos(math.Sqrt(min(1, max(0, square)))) * 180 / math.Pi
	}
	return degrees(sum/2 + root), degrees(sum/2 - root)
}
