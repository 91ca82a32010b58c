package kernels

import (
	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/kernelspec"
)

// PrepareOptions set how the kernels of a run are prepared.
type PrepareOptions struct {
	Views      []dataset.View        // named ranges of features
	Sequences  dataset.Alphabet      // alphabet of rows that are sequences; "" if rows are numbers
	Seed       uint64                // seed of random features and of samples
	Normalizer kernelspec.Normalizer // normalisation of kernels that do not name their own
	// Flags means that the last features of the points are flags of the views; see
	// dataset.WithFlags.
	Flags bool
	// Objects are the objects that points name in place of features; nil if points have features. Their features, scaled, are
	// the features of Views.
	Objects *objects.Set
	// Uncentred leaves linear kernels as they are, because the dual variables do not sum to 0.
	Uncentred bool
	CostPower float64 // largest power with which costs of kernels enter a norm
	Regions   int     // how often all kernels are repeated, see kernelspec.Context; 0: not at all
	Gated     bool    // gates are learned, see kernelspec.Context
	Memory    int64   // bytes that the expansion of the specifications may take
	Threads   int
	Scratch   string                // folder of scratch files
	Users     map[string]UserKernel // code of the kernels user:NAME
	// Given is what is known from other points and holds for these as well. If it is nil, the
	// points decide.
	Given *Given
	// Scales are factors that other kernels of these points had. If it is nil, all are found.
	Scales *Scales
}

// PlainFeatures returns how many of d features are not flags of views.
func (o *PrepareOptions) PlainFeatures(d int) int {
	if o.Objects != nil {
		return o.Objects.Features()
	}
	if o.Flags {
		return max(0, d-len(o.Views))
	}
	return d
}

// Given is what kernels take from the points they were prepared on first, for kernels on other
// points of the same features that are to be the same functions.
type Given struct {
	// Medians are the distances that widths refer to, in the order of the expansion.
	Medians []float64
	// Normalization is what FindScales has found. If it is nil, it is found on these points.
	Normalization *Normalization
	// Reach is the largest base of each group. If it is nil, that of these points is taken.
	Reach []float64
}

// Specs splits a text of specifications, which are separated by commas or are in a file @FILE. An
// empty text represents the kernels that suit the data: the kernels of each view if there are
// views.
func Specs(text string, views []dataset.View, sequences dataset.Alphabet) ([]string, error) {
	if text == "" {
		return kernelspec.Default(len(views) > 0, sequences), nil
	}
	return kernelspec.Split(text)
}
