package bigmkl

import (
	"context"
	"errors"
	"slices"

	"bigmkl/dataset"
	"bigmkl/gram"
	"bigmkl/predict"
	"bigmkl/train"
)

// Train reads src to its end and trains a model. When ctx is done it finishes the iteration in hand and returns the model
// as it then is, with status Interrupted; before the first iteration it returns an Unfinished. src is not closed.
//
// With Options.Checkpoint the state is kept as the run goes on, and before it ends early: the same call with Resume goes on there,
// and gives the very model that the undisturbed run would have given.
//
// With Options.Grace the iteration in hand, the points that have to wake for the model, and the model
// itself have so much time once ctx is done. What takes longer is cut: the state goes to a checkpoint, if
// there are to be any, even in the midst of an iteration, and the result is an Unfinished.
func Train(ctx context.Context, src dataset.Source, o Options) (*Model, *Result, error) {
	cut, err := o.cut()
	if err != nil {
		return nil, nil, err
	}
	return train.Run(ctx, src, cut)
}

// Path reads the data and trains one model after the other, each from the dual variables of the one before or, with another norm, of
// the first with the norm before if its cost is nearer: what Options say of norm and C is that of the points instead. Data, kernels and normalisation are made once, and cached rows serve all. Every model has
// the certificate that was asked for and is handed to emit as soon as it is there; an error of emit ends the path. Limits of
// iterations and time are those of each training; when ctx is done, the model in hand is the last, and between two models its
// error is returned. Init is where the first starts.
//
// A model is a function of the data, the options and the points before it: within the gap it is that of Train, but not to the bit.
// Models that emit keeps take memory and disk of their own. A path has no checkpoints, and goes by solver chunking. One class has no
// cost, and a norm that has no p only its own: there the points may not differ in them.
func Path(ctx context.Context, src dataset.Source, o Options, points []PathPoint, emit func(PathPoint, *Model, *Result) error) error {
	if err := validatePath(&o, points); err != nil {
		return err
	}
	o.Norm, o.C = points[0].Norm, points[0].C
	cut, err := o.cut()
	if err != nil {
		return err
	}
	return train.Path(ctx, src, cut, points, emit)
}

// Grid lists the problems of a path over all norms and costs in the order that serves it best: norm by norm, since what has been
// learned with another cost is worth far more than what has been with another norm, and up the costs.
func Grid(norms, costs []float64) []PathPoint {
	var points []PathPoint
	up := slices.Sorted(slices.Values(costs))
	for _, p := range norms {
		for _, c := range up {
			points = append(points, PathPoint{Norm: p, C: c})
		}
	}
	return points
}

// NewPlan reads src to its end and says what training with these options takes, without training. Budgets that are too
// small are no error here, see Plan.Check, unless the data cannot even be read. src is not closed.
func NewPlan(ctx context.Context, src dataset.Source, o Options) (*Plan, error) {
	cut, err := o.cut()
	if err != nil {
		return nil, err
	}
	return train.Plan(ctx, src, cut)
}

// Load reads a model file whole.
func Load(path string) (*Model, error) { return predict.Load(path) }

// Open reads a model file but for its support vectors, which are read as they are needed, until
// Close. Predictions then take memory for other things.
func Open(path string) (*Model, error) { return predict.Open(path) }

// Gram writes the kernel matrices of the data, n x n, as .npy files of float32 or float64 numbers: the
// very values that training in that precision uses, but for linear kernels, which training centres.
// name gives the path for each kernel, numbered from 0. Nothing half-written stays.
func Gram(ctx context.Context, src dataset.Source, o Options, double bool, name func(kernel, kernels int) (string, error)) error {
	cut, err := o.cut()
	if err != nil {
		return err
	}
	return gram.Write(ctx, src, cut, double, name)
}

// Align reads the data and gives the alignments of the kernels of o with each other and with the
// labels. A multiplicative normalisation changes none of them and is not made. Memory grows with M^2
// and not with n; a training's other options are left unread.
func Align(ctx context.Context, src dataset.Source, o Options, a AlignOptions) (*Alignments, error) {
	cut, err := o.cut()
	if err := errors.Join(err, a.Validate()); err != nil {
		return nil, err
	}
	return gram.Align(ctx, src, cut, a)
}
