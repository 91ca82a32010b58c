package bigmkl_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/verify"
)

// rings yields n points of two classes in turn: an inner ring of radius 1 and an outer one of
// radius 3. The first two features are the position. The other two are independent of the class.
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
				Index: []int32{0, 1, 2, 3}, // features are counted from 0 here, and from 1 in texts
				Value: []float64{
					radius * math.Cos(angle), radius * math.Sin(angle),
					math.Sin(7 * angle), math.Cos(5 * angle),
				},
			}
			if !yield(row) {
				return
			}
		}
	}
}

// Two sources of data describe the same objects, and training finds out which of them counts. The
// rows come from a Go iterator here; dataset.Open reads them from files.
func ExampleTrain() {
	source := dataset.FromSeq(rings(200, 0))
	defer source.Close()

	model, result, err := bigmkl.Train(context.Background(), source, bigmkl.Options{
		Views: []dataset.View{
			{Name: "position", First: 1, Last: 2},
			{Name: "noise", First: 3, Last: 4},
		},
		Kernels: "gauss:0.5@each-view", // exp(-0.5 ||x-z||^2) on each of the views
		Norm:    1,                     // the sparsest of the norms: a kernel of no use gets no weight
		Gap:     1e-4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	// The certificate bounds how far the objective is from its minimum, and belongs to this model.
	fmt.Println(result.Status, model.Certificate.RelativeGap <= 1e-4)
	// Theta has a weight for each kernel: weights of a specification are in the order of the views.
	for m, view := range model.Views {
		fmt.Printf("%s weighs %.2f\n", view.Name, model.Theta[m])
	}
	// Output:
	// converged true
	// position weighs 1.00
	// noise weighs 0.00
}

// A model is saved, loaded by another program, and predicts the classes of new rows.
func ExampleModel_predict() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "rings.model")

	// One program trains and saves.
	source := dataset.FromSeq(rings(200, 0))
	defer source.Close()
	trained, _, err := bigmkl.Train(ctx, source, bigmkl.Options{Kernels: "gauss:0.5@1-2"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := trained.Save(ctx, path); err != nil {
		fmt.Println(err)
		return
	}

	// Another program loads and predicts. Its rows may have labels: these are handed on as Known and
	// play no part in the decision.
	model, err := bigmkl.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	unseen := dataset.FromSeq(rings(4, 1))
	defer unseen.Close()
	fmt.Println("f(x) is above 0 for", model.Positive)
	err = model.Predict(ctx, unseen, bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		fmt.Printf("%s, known as %s: f(x) > 0 is %t\n", p.Label, p.Known, p.Decision > 0)
		return nil // an error would end the prediction
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// f(x) is above 0 for outer
	// inner, known as inner: f(x) > 0 is false
	// outer, known as outer: f(x) > 0 is true
	// inner, known as inner: f(x) > 0 is false
	// outer, known as outer: f(x) > 0 is true
}

// A path trains for several norms and costs on data that are read once. Each problem starts from
// the solution of one before. The norm p decides how sparse the weights are: at p = 1 a kernel of
// no use has none, and at p = 2 all kernels weigh the same.
func ExamplePath() {
	ctx := context.Background()
	source := dataset.FromSeq(rings(100, 0))
	defer source.Close()
	options := bigmkl.Options{Kernels: "gauss:0.5@1-2,gauss:0.5@3-4", Gap: 1e-6}

	// Grid orders the problems so that neighbours follow each other: norm by norm, and up the costs.
	points := bigmkl.Grid([]float64{1, 1.5, 2}, []float64{0.1, 10})

	err := bigmkl.Path(ctx, source, options, points,
		func(point bigmkl.PathPoint, model *bigmkl.Model, result *bigmkl.Result) error {
			// The model can be saved, or evaluated on other rows, while the next is not yet begun.
			noise := model.Theta[1] / (model.Theta[0] + model.Theta[1])
			fmt.Printf("p = %-3v  C = %-3v  %s, %.1f %% of the weight is on noise\n",
				point.Norm, point.C, result.Status, 100*noise)
			return nil // an error would end the path
		})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// p = 1    C = 0.1  converged, 0.0 % of the weight is on noise
	// p = 1    C = 10   converged, 0.0 % of the weight is on noise
	// p = 1.5  C = 0.1  converged, 4.4 % of the weight is on noise
	// p = 1.5  C = 10   converged, 0.4 % of the weight is on noise
	// p = 2    C = 0.1  converged, 50.0 % of the weight is on noise
	// p = 2    C = 10   converged, 50.0 % of the weight is on noise
}

// ring is a kernel in code of one's own. Two points are as alike as their distances from the origin
// are.
type ring struct{}

// Values puts the kernel of x with each point of z into dst. It may be called by several goroutines
// at once.
func (ring) Values(dst []float64, x []float32, z [][]float32) {
	radius := func(x []float32) float64 { return math.Hypot(float64(x[0]), float64(x[1])) }
	for i := range z {
		d := radius(x) - radius(z[i])
		dst[i] = math.Exp(-d * d)
	}
}

// Definite states that every matrix of values is positive semi-definite, as matrices of a Gaussian of
// one number are. Without that the duality gap would prove nothing.
func (ring) Definite() bool { return true }

// A kernel in code of one's own takes the first two features, beside a kernel of the library's.
func ExampleUserKernel() {
	ctx := context.Background()
	own := map[string]bigmkl.UserKernel{"ring": ring{}} // specifications name it user:ring

	source := dataset.FromSeq(rings(200, 0))
	defer source.Close()
	model, _, err := bigmkl.Train(ctx, source, bigmkl.Options{
		Kernels:     "user:ring@1-2,gauss:0.5@3-4",
		Norm:        1,
		UserKernels: own,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("weights: ring %.2f, noise %.2f\n", model.Theta[0], model.Theta[1])

	// A model records the name of the kernel and not its code. A program that predicts with the model
	// or verifies it has to give the code again.
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
