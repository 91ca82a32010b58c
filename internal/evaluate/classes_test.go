package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12 || math.IsNaN(a) && math.IsNaN(b) }

// TestMCC: of two classes it is Matthews' formula, of more the correlation of indicators (Gorodkin, eq. 6).
func TestMCC(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 300 {
		n, classes := 1+r.IntN(40), 2+r.IntN(4)
		predicted, known := make([]int, n), make([]int, n)
		for i := range n {
			known[i] = r.IntN(classes)
			if predicted[i] = r.IntN(classes); r.IntN(2) == 0 {
				predicted[i] = known[i]
			}
		}
		got := MCC(predicted, known)
		covariance := func(a, b []int) float64 {
			s := 0.0
			for k := range classes {
				mean := func(x []int) (m float64) {
					for _, v := range x {
						if v == k {
							m += 1 / float64(n)
						}
					}
					return m
				}
				x, y := mean(a), mean(b)
				for i := range n {
					u, v := -x, -y
					if a[i] == k {
						u++
					}
					if b[i] == k {
						v++
					}
					s += u * v
				}
			}
			return s
		}
		vp, vk := covariance(predicted, predicted), covariance(known, known)
		want := covariance(predicted, known) / math.Sqrt(vp*vk)
		if vp < 1e-9 || vk < 1e-9 {
			want = math.NaN()
		}
		if !near(got, want) {
			t.Fatalf("seed %d, trial %d: %v, by correlation %v", seed, trial, got, want)
		}
		if classes == 2 {
			var c [2][2]float64
			for i := range n {
				c[known[i]][predicted[i]]++
			}
			tp, tn, fp, fn := c[1][1], c[0][0], c[0][1], c[1][0]
			if want := (tp*tn - fp*fn) / math.Sqrt((tp+fp)*(tp+fn)*(tn+fp)*(tn+fn)); !near(got, want) {
				t.Fatalf("seed %d, trial %d: %v, by Matthews' formula %v", seed, trial, got, want)
			}
		}
	}
	if !math.IsNaN(MCC[int](nil, nil)) {
		t.Error("of nothing it is defined")
	}
}

func TestTally(t *testing.T) {
	c := Tally([]int32{0, 0, 1, 1, 2, 0}, []int32{0, 1, 1, -1, 0, 3}, 4)
	want := []Counts{{2, 3, 1}, {2, 2, 1}, {0, 1, 0}, {1, 0, 0}}
	for k := range want {
		if c[k] != want[k] {
			t.Errorf("class %d: %+v, want %+v", k, c[k], want[k])
		}
	}
	if c[0].Precision() != 1.0/3 || c[0].Recall() != 0.5 || c[0].F1() != 0.4 || !math.IsNaN(c[2].Recall()) || !math.IsNaN(c[3].Precision()) || c[3].F1() != 0 {
		t.Errorf("precision %g, recall %g, F1 %g of class 0", c[0].Precision(), c[0].Recall(), c[0].F1())
	}
	if got := MacroF1(append(c, Counts{})); !near(got, (0.4+0.5)/4) {
		t.Errorf("macro F1 %v", got)
	}
	if got := MicroF1(c); !near(got, 2*2.0/(5+6)) {
		t.Errorf("micro F1 %v", got)
	}
	if !math.IsNaN(MacroF1(nil)) || !math.IsNaN(MicroF1(nil)) {
		t.Error("of nothing they are defined")
	}
}
