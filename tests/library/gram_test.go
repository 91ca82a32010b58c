package library

import (
	"testing"

	"bigmkl"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// TestGramFactors: matrices that are divided by their variance have the factor, bit for bit, that training has in their precision.
func TestGramFactors(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 72), 60, 4)
	for _, double := range []bool{false, true} {
		o := bigmkl.Options{Kernels: "gauss:0.5,laplace:0.1,poly:2", Normalize: "multiplicative"}
		divided, _ := bigmkltest.Grams(t, rows, o, double)
		o.Normalize = "none"
		whole, _ := bigmkltest.Grams(t, rows, o, double)
		o.Normalize, o.Precision = "multiplicative", "32"
		if double {
			o.Precision = "64"
		}
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		for k, scale := range m.Normalization.Scale {
			var matrices [2]*npy.Matrix
			for i, file := range []string{divided[k], whole[k]} {
				var err error
				if matrices[i], err = npy.Open(file); err != nil {
					t.Fatal(err)
				}
				defer matrices[i].Close()
			}
			got, value := make([]float64, len(rows)), make([]float64, len(rows))
			for r := range rows {
				matrices[0].Row64(r, 0, got)
				matrices[1].Row64(r, 0, value)
				for c, v := range value {
					want := v * scale
					if !double {
						want = float64(float32(v) * float32(scale))
					}
					if got[c] != want {
						t.Fatalf("double %v, kernel %d: entry %d, %d is %v, want %v", double, k+1, r, c, got[c], want)
					}
				}
			}
		}
	}
}
