package bigmkl

import (
	"context"
	"errors"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/gram"
	"bigmkl/internal/train"
	"bigmkl/predict"
)

// Train reads src to its end and trains a model. It does not close src.
//
// When ctx is done, Train finishes the operation in progress and returns the model as it then is,
// with status Interrupted. Before the first iteration it returns an Unfinished instead.
//
// If Options.Checkpoint names a folder, the state is saved there during the run and before an early
// end. The same call with Options.Resume continues from that state, and returns the very model that
// the undisturbed run would have returned.
//
// If Options.Grace is set, the current iteration, the update of points that were left out, and the
// writing of the model have that much time after ctx is done. What takes longer is cut: the state
// goes to a checkpoint, if there is a folder, and Train returns an Unfinished. A checkpoint can
// hold a half-finished iteration.
//
// An error is of one of the classes in errors.go, an Unfinished, or an error of the system.
func Train(ctx context.Context, src dataset.Source, o Options) (*Model, *Result, error) {
	cut, err := o.Parts()
	if err != nil {
		return nil, nil, err
	}
	return train.Run(ctx, src, cut)
}

// Path reads src and trains one model for each point, in order. What a point names replaces that
// of o. The data, the kernels and their normalisation are prepared once, and cached
// kernel rows serve all trainings.
//
// Each training starts from the model before it. After a change of the norm it starts from the
// first model with the previous norm if the cost of that one is nearer. o.Init is the start of the
// first training. Path hands each model to emit as soon as it is trained, and an error of emit ends
// the path. Each model has a certificate of its own, to the gap that was asked for.
//
// The limits of iterations and time hold for each training. When ctx is done, the model that is
// being trained is the last one; between two trainings Path returns the error of ctx.
//
// Each rank of a Team calls Path with the same data, options and points. Rank 0 alone emits models.
//
// A model of a path depends on the points before it: it equals the model of Train within the gap,
// but not bit for bit. Models that emit keeps take memory and disk beyond the budgets of o. A path
// writes no checkpoints and uses solver chunking. Task oneclass has no cost and some norms have no
// p; all points must then agree in the missing parameter.
func Path(ctx context.Context, src dataset.Source, o Options, points []PathPoint,
	emit func(PathPoint, *Model, *Result) error) error {
	if err := validatePath(&o, points); err != nil {
		return err
	}
	o.Norm, o.C = points[0].Norm, points[0].C
	cut, err := o.Parts()
	if err != nil {
		return err
	}
	return train.Path(ctx, src, cut, points, emit)
}

// OpenHeldOut reads src and prepares the kernels of o for trainings without some of the rows, as
// cross-validation has them: the decision values of the rows that were left out come without a
// prediction. It does not close src. The norm and the cost of each training replace those of o. It
// writes no checkpoints and uses solver chunking. Task oneclass and one set of weights for several
// classifiers are of class ErrUsage.
func OpenHeldOut(ctx context.Context, src dataset.Source, o Options) (*HeldOut, error) {
	cut, err := o.cutAlone()
	if err != nil {
		return nil, err
	}
	return train.OpenHeldOut(ctx, src, cut)
}

// OpenTuning is OpenHeldOut for kernels whose importance is tuned. Groups of kernels are its factors
// and need no norm within groups; see KernelList.Factors and HeldOut.Tune.
func OpenTuning(ctx context.Context, src dataset.Source, o Options) (*HeldOut, error) {
	cut, err := o.Parts()
	if err != nil {
		return nil, err
	}
	cut.Norm.GroupsAreFactors = true
	return train.OpenHeldOut(ctx, src, cut)
}

// Grid lists the points of a path over all norms, powers of the costs of kernels and costs of the
// loss in the order that costs least. It keeps norm and power while the cost of the loss rises,
// since the gradients of one cost serve the next, whereas another norm changes all kernel weights
// at once. Without powers
// the points have that of the options.
func Grid(norms, costs []float64, powers ...float64) []PathPoint {
	var points []PathPoint
	up := slices.Sorted(slices.Values(costs))
	for _, p := range norms {
		for i := range max(1, len(powers)) {
			var power *float64
			if powers != nil {
				power = &powers[i]
			}
			for _, c := range up {
				points = append(points, PathPoint{Norm: p, C: c, CostPower: power})
			}
		}
	}
	return points
}

// NewPlan reads src to its end and returns what a training with these options takes of memory, disk
// and time, without training. Budgets that are too small are not an error here, see Plan.Check,
// unless the data do not even fit while they are read. NewPlan does not close src.
func NewPlan(ctx context.Context, src dataset.Source, o Options) (*Plan, error) {
	cut, err := o.Parts()
	if err != nil {
		return nil, err
	}
	return train.Plan(ctx, src, cut)
}

// NewPlanOfRanks is NewPlan for a training by so many processes, each with the budgets of o. Its times
// are the times of one process.
func NewPlanOfRanks(ctx context.Context, src dataset.Source, o Options, ranks int) (*Plan, error) {
	cut, err := o.Parts()
	if err != nil {
		return nil, err
	}
	cut.Budget.Ranks = ranks
	return train.Plan(ctx, src, cut)
}

// Load reads a whole model file into memory. A damaged file is of class ErrCorrupt.
func Load(path string) (*Model, error) { return predict.Load(path) }

// Open reads a model file except its support vectors, which are read as predictions need them. It
// is for models that are larger than the memory. The file stays open until Model.Close, and must
// not change meanwhile.
func Open(path string) (*Model, error) { return predict.Open(path) }

// Gram writes the kernel matrices of the data, each n x n, as .npy files of float64 numbers if
// double is set and of float32 numbers otherwise. The values are those that training in this
// precision uses, except for linear kernels, which training centres. name returns the path for each
// kernel, counted from 0. A file that could not be written to its end is removed.
func Gram(ctx context.Context, src dataset.Source, o Options, double bool,
	name func(kernel, kernels int) (string, error)) error {
	cut, err := o.Parts()
	if err != nil {
		return err
	}
	return gram.Write(ctx, src, cut, double, name)
}

// Align reads src and returns the alignments (Kloft 2011, eq. 5.1) of the kernels of o with each
// other and with the labels. Alignments do not depend on a factor of a kernel, so no
// multiplicative normalisation is computed. Memory grows with M^2 and not with n. The options of o
// that concern the training alone have no effect.
func Align(ctx context.Context, src dataset.Source, o Options,
	a AlignOptions) (*Alignments, error) {
	cut, err := o.Parts()
	if err := errors.Join(err, a.Validate()); err != nil {
		return nil, err
	}
	return gram.Align(ctx, src, cut, a)
}
