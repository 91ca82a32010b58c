package kernelspec

import "bigmkl/dataset"

// Context holds everything that an expansion depends on besides the text.
type Context struct {
	// Features is the number of features of the data, without flags.
	Features int
	// Flags means that behind the features each of Views has a flag, which is not 0 in rows that
	// lack the view (see dataset.WithFlags).
	Flags bool
	// Views lists the named ranges of features.
	Views []dataset.View
	// Sequences is the alphabet if the data are sequences. The kernels must then be string kernels
	// or precomputed. If it is empty, the data are numbers.
	Sequences dataset.Alphabet
	// Seed determines the sets of @random.
	Seed uint64
	// Median returns the median of the distance that belongs to the kind, over a set of features
	// (nil means all). A result of 0, which means that more than half of the distances vanish,
	// counts as 1. Mean returns the mean of the same distances.
	Median, Mean func(set []int32, kind Kind) (float64, error)
	// CostPower is the largest power with which costs of kernels enter a norm: see Bank.Importance.
	CostPower float64
	// Nearest returns the square of the mean distance of a point to its nearest neighbour, over a
	// set of features. It belongs to Gaussians, and 0 counts as 1.
	Nearest func(set []int32) (float64, error)
	// Regions repeats all kernels, once in each region. If it is 0, there are no regions.
	Regions int
	// Gated is set if kernels have gates that are learned. Only then copies= and gate= mean anything.
	Gated bool
	// Objects is set if rows name objects in place of features, and Views are the features of these. A matrix then is one
	// of objects: precomputed:FILE@VIEW, which may be a factor.
	Objects bool
	// Limit is the largest number of kernels that is accepted. If it is 0, MaxKernels is used.
	Limit int
	// Memory is the largest size of the bank in bytes. If it is 0, only the constants below bound
	// it.
	Memory int64
	// Outline asks for a bank that serves to compute sizes. Its sets have at least as many features
	// as the true ones, but not the same features, and it leaves out all but a few thousand of many
	// kernels.
	Outline bool
}

// These constants bound an expansion, so neither a typing error nor a hostile file can ask for all
// memory.
const (
	MaxKernels     = 1 << 27
	maxSetElements = 1 << 30
)
