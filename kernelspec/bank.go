package kernelspec

import (
	"slices"

	"bigmkl/dataset"
)

// Bank is the expansion of a list of specifications.
type Bank struct {
	Kernels  []Kernel
	Sets     [][]int32 // features of each set, 0-based, ascending, distinct
	SetViews []string  // the view that each set is, "" if none
	Files    []string  // matrices of the precomputed kernels, distinct
	Products [][]Factor
	Users    []string         // names of kernels that are code of the user, distinct
	Letters  dataset.Alphabet // of sequences
	Medians  []float64        // a median or mean distance for each auto or mean specification and set, in order of expansion

	Groups     []string    // names of the groups, in the order of their first kernels
	Attributes []Attribute // in the order of their kernels
	Omitted    Omitted     // of an outline
}

// Omitted is what an outline leaves out, and the features of all sets.
type Omitted struct {
	Kernels, Sets int
	Elements      int64
}

// Features gives the feature list of a kernel's set, nil for all features.
func (b *Bank) Features(set int32) []int32 {
	if set == AllFeatures {
		return nil
	}
	return b.Sets[set]
}

// Default is the list used when none is given: ten Gaussians around the median distance, per view if there are views, or
// string kernels.
func Default(views bool, letters dataset.Alphabet) []string {
	if letters != dataset.Numbers {
		return []string{"wd:20", "spectrum:4..6"}
	}
	if views {
		return []string{"gauss:auto/10@each-view"}
	}
	return []string{"gauss:auto/10"}
}

// spans calls visit with each attribute and the kernels that it holds for; those before the first have none.
func (b *Bank) spans(visit func(a Attribute, first, end int)) {
	for i, a := range b.Attributes {
		end := len(b.Kernels)
		if i+1 < len(b.Attributes) {
			end = int(b.Attributes[i+1].First)
		}
		visit(a, int(a.First), end)
	}
}

// Importance gives prior/cost of each kernel, nil if all are 1.
func (b *Bank) Importance() []float64 {
	if !slices.ContainsFunc(b.Attributes, func(a Attribute) bool { return a.Importance != 1 }) {
		return nil
	}
	e := slices.Repeat([]float64{1}, len(b.Kernels))
	b.spans(func(a Attribute, first, end int) {
		for m := first; m < end; m++ {
			e[m] = a.Importance
		}
	})
	return e
}

// Grouping gives the group of each kernel, numbered from 0: first those of Groups, then those of one kernel each that is in none. It
// is nil if there are no Groups.
func (b *Bank) Grouping() []int32 {
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
