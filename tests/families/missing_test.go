package families

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// lacking is rows of two views, features 1-2 and 3-5, some of which lack one or both.
type lacking struct {
	x     [][]float64
	rows  []dataset.Row
	lacks [2][]bool
	file  string
	views []dataset.View
}

func drawLacking(t testing.TB, seed uint64, n int) *lacking {
	rng := datasettest.Random(t, seed)
	l := &lacking{views: []dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "b", First: 3, Last: 5}}}
	var b strings.Builder
	for i := range n {
		x := make([]float64, 5)
		for j := range x {
			x[j] = math.Round(64*rng.NormFloat64())/64 + float64(j)/2
		}
		y := x[0]*x[2] + x[3] + 0.5*rng.NormFloat64()
		label := "1"
		if y < 1 {
			label = "-1"
		}
		l.x = append(l.x, x)
		l.rows = append(l.rows, dataset.Row{Label: label, Target: y, Index: []int32{0, 1, 2, 3, 4}, Value: x})
		for v := range l.lacks {
			lacks := rng.IntN(3) == 0
			l.lacks[v] = append(l.lacks[v], lacks)
			if lacks {
				fmt.Fprintf(&b, "%d %s\n", i+1, l.views[v].Name)
			}
		}
	}
	l.file = filepath.Join(t.TempDir(), "missing")
	if err := os.WriteFile(l.file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return l
}

// gram is the matrix of a kernel of a view by its definition, normalised over the rows that have the view.
func (l *lacking) gram(view int, k func(x, z []float64) float64, fill, normalize string) [][]float64 {
	v := l.views[view]
	part := func(i int) []float64 { return l.x[i][v.First-1 : v.Last] }
	var have []int
	for i, lacks := range l.lacks[view] {
		if !lacks {
			have = append(have, i)
		}
	}
	n, diagonal, all := float64(len(have)), 0.0, 0.0
	means := make([]float64, len(l.x)) // of the values with the rows that have the view
	for i := range means {
		for _, j := range have {
			means[i] += k(part(i), part(j)) / n
		}
	}
	for _, i := range have {
		diagonal += k(part(i), part(i)) / n
		all += means[i] / n
	}
	value := func(i, j int) float64 {
		x := k(part(i), part(j))
		switch normalize {
		case "multiplicative":
			x /= diagonal - all
		case "spherical":
			x /= math.Sqrt(k(part(i), part(i)) * k(part(j), part(j)))
		case "centred":
			own := func(i int) float64 { return k(part(i), part(i)) - 2*means[i] + all }
			x = (x - means[i] - means[j] + all) / math.Sqrt(own(i)*own(j))
		}
		return x
	}
	mean := 0.0
	for _, i := range have {
		mean += value(i, i) / n
	}
	m := make([][]float64, len(l.x))
	for i := range m {
		m[i] = make([]float64, len(m))
		for j := range m[i] {
			switch a, b := l.lacks[view][i], l.lacks[view][j]; {
			case !a && !b:
				m[i][j] = value(i, j)
			case a && b && (fill == "all" || fill == "self" && i == j):
				m[i][j] = mean
			}
		}
	}
	return m
}

// TestMissingKnownAnswers: kernels of views that rows lack agree with matrices that follow from their definition.
func TestMissingKnownAnswers(t *testing.T) {
	t.Parallel()
	l, number := drawLacking(t, 11, 60), 0
	quadratic := func(x, z []float64) float64 { s := bigmkltest.LinearValue(x, z) + 1; return s * s }
	for _, fill := range []string{"none", "self", "all"} {
		for _, normalize := range []string{"none", "multiplicative", "spherical", "centred"} {
			for _, store := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
				number++
				t.Run(fill+"/"+normalize+"/"+string(store), func(t *testing.T) {
					bigmkltest.InTurn(t, number, 3)
					o := bigmkl.Options{Kernels: fmt.Sprintf("linear@a missing=%[1]s,gauss:0.3@b missing=%[1]s,poly:2@b missing=%[1]s", fill), Views: l.views,
						Missing: l.file, Normalize: normalize, Norm: 4.0 / 3, C: 2, Gap: 1e-7, Precision: "64", Store: store, Threads: 2}
					m, _ := bigmkltest.Converge(t, datasettest.Stream(l.rows), o)
					r, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(l.rows), verify.Options{Missing: l.file})
					if err != nil || len(r.Faults) > 0 {
						t.Fatalf("%v %q", err, r.Faults)
					}
					if _, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(l.rows), verify.Options{}); err == nil {
						t.Error("verify does without the views that rows lack")
					}
					other := bigmkl.Options{Normalize: "none", Norm: o.Norm, C: o.C, Gap: o.Gap, Precision: o.Precision, Threads: 2}
					var grams [][][]float64
					for i, k := range []func(x, z []float64) float64{bigmkltest.LinearValue, bigmkltest.Gaussian(0.3), quadratic} {
						grams = append(grams, l.gram(min(i, 1), k, fill, normalize))
						other.Kernels += ",precomputed:" + bigmkltest.WriteArray(t, grams[i])
					}
					other.Kernels = other.Kernels[1:]
					want, _ := bigmkltest.Converge(t, datasettest.Stream(l.rows), other)
					bigmkltest.SameObjective(t, m, want)
					// No row of a prediction is a row of the training, so no two of them are the same row.
					at := 0
					err = m.Predict(context.Background(), datasettest.Stream(l.rows), bigmkl.PredictOptions{Missing: l.file}, func(p bigmkl.Prediction) error {
						f := m.Bias
						for k, g := range grams {
							for s, i := range m.Support {
								x := g[i][at]
								if fill == "self" && l.lacks[min(k, 1)][i] && l.lacks[min(k, 1)][at] {
									x = 0
								}
								f += m.Theta[k] * m.Alpha[s] * x
							}
						}
						if !(math.Abs(f-p.Decision) <= 1e-4*(1+math.Abs(f))) {
							t.Errorf("row %d: %v, by definition %v", at+1, p.Decision, f)
						}
						at++
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

// TestMissingMatrices: matrices that gram writes of views that rows lack agree with the definition, and rules give their kernels
// the weights that they give to these matrices.
func TestMissingMatrices(t *testing.T) {
	t.Parallel()
	l := drawLacking(t, 13, 50)
	manhattan := func(x, z []float64) float64 {
		sum := 0.0
		for j, v := range x {
			sum += math.Abs(v - z[j])
		}
		return math.Exp(-0.2 * sum)
	}
	for _, fill := range []string{"none", "self", "all"} {
		for _, normalize := range []string{"none", "multiplicative", "spherical", "centred"} {
			o := bigmkl.Options{Kernels: fmt.Sprintf("gauss:0.3@a missing=%[1]s,laplace:0.2@b missing=%[1]s,linear@b missing=%[1]s", fill), Views: l.views,
				Missing: l.file, Normalize: normalize, Gap: 1e-5, Precision: "64"}
			files, written := bigmkltest.Grams(t, l.rows, o, true)
			for i, k := range []func(x, z []float64) float64{bigmkltest.Gaussian(0.3), manhattan, bigmkltest.LinearValue} {
				want, got := l.gram(min(i, 1), k, fill, normalize), make([]float64, len(l.rows))
				m, err := npy.Open(files[i])
				if err != nil {
					t.Fatal(err)
				}
				for r := range want {
					m.Row64(r, 0, got)
					for c, v := range want[r] {
						if !(math.Abs(got[c]-v) <= 1e-9*(1+math.Abs(v))) {
							t.Fatalf("%s, %s: entry %d, %d of matrix %d is %v, by definition %v", fill, normalize, r, c, i+1, got[c], v)
						}
					}
				}
				m.Close()
			}
			for _, rule := range []string{"align", "alignf", "fsm"} {
				o, matrices := o, bigmkl.Options{Kernels: written, Normalize: "none", Gap: o.Gap, Precision: o.Precision}
				o.Regularizer.Rule, matrices.Regularizer.Rule = rule, rule
				a, _ := bigmkltest.Converge(t, datasettest.Stream(l.rows), o)
				b, _ := bigmkltest.Converge(t, datasettest.Stream(l.rows), matrices)
				for k := range a.Theta {
					if !(math.Abs(a.Theta[k]-b.Theta[k]) <= 1e-8) {
						t.Errorf("%s, %s: %s gives %v, and the matrices %v", fill, normalize, rule, a.Theta, b.Theta)
						break
					}
				}
				r, err := verify.Run(context.Background(), &a.Model, datasettest.Stream(l.rows), verify.Options{Missing: l.file})
				if err != nil || len(r.Faults) > 0 {
					t.Fatalf("%s, %s, %s: %v %q", fill, normalize, rule, err, r.Faults)
				}
			}
		}
	}
}

// TestMissingEmpty: rows without a non-zero feature of a view lack it. A file of missing views gives the same.
func TestMissingEmpty(t *testing.T) {
	t.Parallel()
	l := drawLacking(t, 12, 90)
	for i := range l.rows {
		r := &l.rows[i]
		r.Index, r.Value = nil, nil
		for j, x := range l.x[i] {
			if v := min(j/2, 1); !l.lacks[v][i] {
				r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, x)
			}
		}
	}
	for _, scale := range []string{"none", "minmax", "standard", "global"} {
		o := bigmkl.Options{Kernels: "gauss:auto/3@each-view missing=self,linear@b missing=all", Views: l.views, Missing: l.file, Scale: scale, Gap: 1e-5}
		a, _ := bigmkltest.Converge(t, datasettest.Stream(l.rows), o)
		o.Missing = "empty"
		b, _ := bigmkltest.Converge(t, datasettest.Stream(l.rows), o)
		for k := range a.Theta {
			if a.Theta[k] != b.Theta[k] {
				t.Errorf("%s: kernel %d has the weights %v and %v", scale, k+1, a.Theta[k], b.Theta[k])
			}
		}
		for _, missing := range []string{l.file, "empty"} {
			r, err := verify.Run(context.Background(), &b.Model, datasettest.Stream(l.rows), verify.Options{Missing: missing})
			if err != nil || len(r.Faults) > 0 {
				t.Fatalf("%s: %v %q", scale, err, r.Faults)
			}
		}
	}
}
