package kernelspec

import (
	"slices"

	"bigmkl/dataset"
)

// Bank holds the kernels that a list of specifications represents.
type Bank struct {
	Kernels []Kernel
	// Sets lists the features of each set, 0-based, ascending and distinct.
	Sets [][]int32
	// SetViews names the view that each set is, or "" if it is none.
	SetViews []string
	// Files lists the files of the precomputed kernels, each once.
	Files    []string
	Products [][]Factor
	Pairs    []Pair
	// Users lists the names of the kernels whose code the user provides, each once.
	Users []string
	// Letters is the alphabet if the data are sequences.
	Letters dataset.Alphabet
	// Medians holds the median or mean distance for each auto or mean specification and set, in the
	// order of the expansion.
	Medians []float64

	// Regions is the number of regions in which all kernels are repeated. It is 0 if there are none.
	Regions int
	// Gates has the 0-based gate of each kernel, and is nil unless gates are learned. Copies has for
	// each gate which of several copies of a kernel it belongs to, 0-based, or -1.
	Gates, Copies []int32
	// Groups names the groups in the order of their first kernels.
	Groups []string
	// Attributes are in the order of their kernels.
	Attributes []Attribute
	// HasCosts is set if a specification gives the costs of its kernels.
	HasCosts bool
	// Omitted is set in an outline.
	Omitted Omitted
}

// Omitted counts the kernels and sets that an outline leaves out, and the features of all sets.
type Omitted struct {
	Kernels, Sets int
	Elements      int64
}

// Features returns the features of a kernel's set, or nil for all features.
func (b *Bank) Features(set int32) []int32 {
	if set == AllFeatures {
		return nil
	}
	return b.Sets[set]
}

// Default returns the list that is used if the user gives none: ten Gaussians around the median
// distance, for each view if there are views, or string kernels if the data are sequences;
// both, if there are numbers beside them.
func Default(views bool, letters dataset.Alphabet) []string {
	if letters.Before() > 0 {
		return []string{"wd:20", "spectrum:4..6", "gauss:auto/10"}
	}
	if letters != dataset.Numbers {
		return []string{"wd:20", "spectrum:4..6"}
	}
	if views {
		return []string{"gauss:auto/10@each-view"}
	}
	return []string{"gauss:auto/10"}
}

// spans calls visit with each attribute and the range of kernels that it holds for. Kernels before
// the first attribute have none.
func (b *Bank) spans(visit func(a Attribute, first, end int)) {
	for i, a := range b.Attributes {
		end := len(b.Kernels)
		if i+1 < len(b.Attributes) {
			end = int(b.Attributes[i+1].First)
		}
		visit(a, int(a.First), end)
	}
}

// Importance returns prior/cost^(2 power) of each kernel, or nil if all are 1. A norm in which
// ||w_m|| is multiplied by cost^power is one of kernels of these importances.
func (b *Bank) Importance(power float64) []float64 {
	of := func(a Attribute) float64 { return importance(a.Prior, a.Cost, power) }
	if !slices.ContainsFunc(b.Attributes, func(a Attribute) bool { return of(a) != 1 }) {
		return nil
	}
	return b.each(of)
}

// Costs returns the cost of each kernel, 1 if its specification names none. It returns nil if no
// specification does.
func (b *Bank) Costs() []float64 {
	if !b.HasCosts {
		return nil
	}
	return b.each(func(a Attribute) float64 { return a.Cost })
}

// each returns the value of every kernel: that of its attributes, or 1 if it has none.
func (b *Bank) each(value func(a Attribute) float64) []float64 {
	x := slices.Repeat([]float64{1}, len(b.Kernels))
	b.spans(func(a Attribute, first, end int) {
		v := value(a)
		for m := first; m < end; m++ {
			x[m] = v
		}
	})
	return x
}

// Grouping returns the 0-based group of each kernel. The groups of Groups come first, and each
// kernel outside of them is a group of its own. Where there are regions these are the groups. It
// returns nil if there are neither.
func (b *Bank) Grouping() []int32 {
	if b.Regions > 0 {
		g := make([]int32, len(b.Kernels))
		for m := range g {
			g[m] = int32(b.Region(m))
		}
		return g
	}
	if len(b.Groups) == 0 {
		return nil
	}
	g := slices.Repeat([]int32{-1}, len(b.Kernels))
	b.spans(func(a Attribute, first, end int) {
		for m := first; m < end; m++ {
			g[m] = a.Group
		}
	})
	next := int32(len(b.Groups))
	for m, j := range g {
		if j < 0 {
			g[m] = next
			next++
		}
	}
	return g
}
