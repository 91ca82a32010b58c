package bigmkl_test

import (
	"context"
	"fmt"
	"iter"
	"math"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/verify"
)

// rings yields points of an inner ring and an outer one; two more features say nothing.
func rings(n int, shift float64) iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		for i := range n {
			radius, label := 1.0, "inner"
			if i%2 == 1 {
				radius, label = 3, "outer"
			}
			angle := 2.4*float64(i) + shift
			row := dataset.Row{
				Label: label,
				Index: []int32{0, 1, 2, 3},
				Value: []float64{radius * math.Cos(angle), radius * math.Sin(angle), math.Sin(7 * angle), math.Cos(5 * angle)},
			}
			if !yield(row) {
				return
			}
		}
	}
}

// Train on rows that a Go iterator makes, see which source of data counts, and predict others.
func Example() {
	ctx := context.Background()
	train := dataset.FromSeq(rings(200, 0))
	defer train.Close()
	model, result, err := bigmkl.Train(ctx, train, bigmkl.Options{
		Views:   []dataset.View{{Name: "position", First: 1, Last: 2}, {Name: "noise", First: 3, Last: 4}},
		Kernels: "gauss:0.5@each-view",
		Norm:    1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, len(model.Theta), "kernels")
	fmt.Printf("weights: position %.2f, noise %.2f\n", model.Theta[0], model.Theta[1])

	test := dataset.FromSeq(rings(50, 1))
	defer test.Close()
	right := 0
	err = model.Predict(ctx, test, bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if p.Label == p.Known {
			right++
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(right, "of 50 right")
	// Output:
	// converged 2 kernels
	// weights: position 1.00, noise 0.00
	// 50 of 50 right
}

// ring is a kernel of our own: how much two points are as far from the origin.
type ring struct{}

func (ring) Values(dst []float64, x []float32, z [][]float32) {
	radius := func(x []float32) float64 { return math.Hypot(float64(x[0]), float64(x[1])) }
	for i := range z {
		d := radius(x) - radius(z[i])
		dst[i] = math.Exp(-d * d)
	}
}

func (ring) Definite() bool { return true } // a Gaussian of one number

// A kernel in code of one's own, on the first two features, beside one of the library's.
func ExampleUserKernel() {
	ctx := context.Background()
	own := map[string]bigmkl.UserKernel{"ring": ring{}}
	train := dataset.FromSeq(rings(200, 0))
	defer train.Close()
	model, _, err := bigmkl.Train(ctx, train, bigmkl.Options{Kernels: "user:ring@1-2,gauss:0.5@3-4", Norm: 1, UserKernels: own})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("weights: ring %.2f, noise %.2f\n", model.Theta[0], model.Theta[1])
	same := dataset.FromSeq(rings(200, 0))
	defer same.Close()
	report, err := verify.Run(ctx, &model.Model, same, verify.Options{UserKernels: own})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(report.Faults), "faults")
	// Output:
	// weights: ring 1.00, noise 0.00
	// 0 faults
}
