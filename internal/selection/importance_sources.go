package selection

import (
	"fmt"
	"slices"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// The sources are a partition of the kernels. A kernel belongs to its group, or to the views and ranges of
// features that it looks at; a kernel of all features is a source of its own.

// Each is a kind of sources.
type Each string

// These are the partitions.
const (
	EachSource Each = "" // groups, views and ranges of features
	// It shows which width or degree matters, where EachSource shows which data do.
	EachKernel Each = "kernel" // every kernel by itself
)

// MostSources is the largest number of sources, and MostPaired that up to which all pairs are left out.
const (
	MostSources = 256
	// All pairs of n sources are n (n-1)/2 trainings for each fold, 45 for ten sources.
	MostPaired = 10
)

// origin is a source with its kernels.
type origin struct {
	// name is unique among the sources: the group, the views or the specification of a kernel.
	name    string
	kernels []int   // numbers, ascending
	own     []int32 // features that no other source looks at, ascending; nil if it shares some
}

// specsOf returns the specifications of the kernels of a source, out of the specifications of all
// kernels.
func (o *origin) specsOf(specs []string) string {
	var list []string
	for _, m := range o.kernels {
		list = append(list, specs[m])
	}
	return strings.Join(list, ",")
}

// originWithout returns one source with the kernels of all sources that are not listed.
func originWithout(list []origin, sources []int) *origin {
	rest := new(origin)
	for k := range list {
		if !slices.Contains(sources, k) {
			rest.kernels = append(rest.kernels, list[k].kernels...)
		}
	}
	// The kernels keep the order of the list, also where sources alternate in it.
	slices.Sort(rest.kernels)
	return rest
}

// importanceWithout returns an importance of 0 for the kernels of some sources, and of 1 for
// others. A kernel of importance 0 has no weight, so a training without a source can use the
// prepared kernels of all.
func importanceWithout(list []origin, sources []int) []float64 {
	var importance []float64
	// The sources are a partition, so the kernels of all of them are all kernels.
	for k := range list {
		for range list[k].kernels {
			importance = append(importance, 1)
		}
	}
	for _, k := range sources {
		for _, m := range list[k].kernels {
			importance[m] = 0
		}
	}
	return importance
}

// originsOf divides the kernels of a bank into sources, in the order of their first kernels. A
// group that the user named comes before views: it is how kernels of several views become one
// source.
func originsOf(b *kernelspec.Bank, each Each) []origin {
	groups := b.Grouping()
	at := map[string]int{}
	var list []origin
	for m := range b.Kernels {
		name := b.Describe(m)
		switch {
		case each == EachKernel:
		// Kernels in no group have numbers beyond the named groups. With regions of gates,
		// groups are of regions, and no sources.
		case groups != nil && b.Regions == 0 && int(groups[m]) < len(b.Groups):
			name = b.Groups[groups[m]]
		default:
			if text := placeOf(b, &b.Kernels[m]); text != "" {
				name = text
			}
		}
		k, known := at[name]
		if !known {
			k = len(list)
			at[name] = k
			list = append(list, origin{name: name})
		}
		list[k].kernels = append(list[k].kernels, m)
	}
	ownFeatures(b, list)
	return list
}

// placeOf names the views and ranges of features that a kernel looks at, and is empty for all features.
func placeOf(b *kernelspec.Bank, k *kernelspec.Kernel) string {
	var names []string
	for _, set := range setsOf(b, k) {
		if set == kernelspec.AllFeatures {
			return ""
		}
		name := b.SetViews[set]
		if name == "" {
			name = rangesOf(b.Sets[set])
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " and ")
}

// setsOf lists the sets of features that a kernel looks at. A precomputed matrix looks at none. A
// product kernel looks at the sets of all its factors, also of factors that are products.
func setsOf(b *kernelspec.Bank, k *kernelspec.Kernel) (sets []int32) {
	switch k.Kind {
	case kernelspec.Precomputed:
		return nil
	case kernelspec.Product:
		for _, f := range b.Products[k.Index] {
			sets = append(sets, setsOf(b, &f.Kernel)...)
		}
		return sets
	}
	return []int32{k.Set}
}

// rangesOf writes features, counted from 1, as feature 3 or features 1-4+9.
func rangesOf(features []int32) string {
	var parts []string
	// Runs of neighbours are written as a range. Lists of features are ascending.
	for i := 0; i < len(features); {
		j := i
		for j+1 < len(features) && features[j+1] == features[j]+1 {
			j++
		}
		text := fmt.Sprint(features[i] + 1)
		if j > i {
			text += fmt.Sprintf("-%d", features[j]+1)
		}
		parts = append(parts, text)
		i = j + 1
	}
	if len(features) == 1 {
		return "feature " + parts[0]
	}
	return fail.Cut("features " + strings.Join(parts, "+"))
}

// ownFeatures finds the features of each source that no other source uses. A source that shares
// one feature gets none: the permutation of its rows would change the other source too, or leave
// a part of this one in place.
func ownFeatures(b *kernelspec.Bank, list []origin) {
	of := map[int32]int{} // the source of each feature, -1 if there are several
	all := false          // a source looks at all features
	for k, o := range list {
		for _, m := range o.kernels {
			for _, set := range setsOf(b, &b.Kernels[m]) {
				if all = all || set == kernelspec.AllFeatures; all {
					return
				}
				// First pass: each feature gets its only source, or -1. A second pass is needed,
				// because one shared feature takes all own features from a source that was seen
				// before.
				for _, j := range b.Sets[set] {
					if first, known := of[j]; known && first != k {
						of[j] = -1
					} else {
						of[j] = k
					}
				}
			}
		}
	}
	shares := make([]bool, len(list))
	for k, o := range list {
		for _, m := range o.kernels {
			for _, set := range setsOf(b, &b.Kernels[m]) {
				for _, j := range b.Sets[set] {
					shares[k] = shares[k] || of[j] < 0
				}
			}
		}
	}
	for j, k := range of {
		if k >= 0 && !shares[k] {
			list[k].own = append(list[k].own, j)
		}
	}
	for k := range list {
		slices.Sort(list[k].own)
	}
}

// checkOrigins rejects lists of sources that have no importance. The limit bounds the number of
// trainings, of which each source takes up to three for each fold, and each pair one.
func checkOrigins(list []origin) error {
	switch n := len(list); {
	case n < 2:
		return fail.New(fail.Usage, "all kernels are one source, %s", fail.Quote(list[0].name)).
			WithHint("--views FILE names views, group=NAME behind kernels makes groups, and --each kernel takes every kernel by itself")
	case n > MostSources:
		return fail.New(fail.Usage, "%d sources, and at most %d are compared", n, MostSources).
			WithHint("write group=NAME behind kernels that belong together")
	}
	return nil
}
