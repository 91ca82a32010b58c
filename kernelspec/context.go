package kernelspec

import "bigmkl/dataset"

// Context is what an expansion depends on besides the text.
type Context struct {
	Features int            // number of features of the data
	Views    []dataset.View // named ranges of features
	// Sequences is the alphabet of data that are sequences: then there are kernels of strings, else of numbers.
	Sequences dataset.Alphabet
	Seed      uint64 // for @random
	// Median gives the median distance that goes with the kind over a feature set (nil = all features). A result of 0
	// (more than half of the distances vanish) counts as 1. Mean gives the mean of the same distances.
	Median, Mean func(set []int32, kind Kind) (float64, error)
	// Limit is the largest number of kernels that is accepted; 0 means MaxKernels.
	Limit int
	// Memory bounds the bytes of the bank; 0 means that only the bounds below hold.
	Memory int64
	// Outline asks for a bank to count with: no set holds fewer features than it would, but none holds those that it would, and of many
	// kernels all but a few thousand are left out.
	Outline bool
}

// Bounds of an expansion, which keep a slip of the pen or a hostile file from asking for all memory.
const (
	MaxKernels     = 1 << 27
	maxSetElements = 1 << 30
)
