package kernelspec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bigmkl/dataset"
)

// Kind says which function a kernel is.
type Kind uint8

// The kinds of kernels; the package comment gives their formulas.
const (
	Gauss Kind = iota
	Laplace
	Linear
	Poly
	Sigmoid
	ChiSquare
	Intersection
	Precomputed
	Spectrum
	WeightedDegree
	Product
	User
)

var kindNames = [...]string{"gauss", "laplace", "linear", "poly", "sigmoid", "chi2", "intersection", "precomputed", "spectrum", "wd", "prod", "user"}

// String gives the name used in specifications.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// kindOf finds a kind by its name, synonyms included.
func kindOf(name string) (Kind, bool) {
	if name == "hist" {
		return Intersection, true
	}
	i := slices.Index(kindNames[:], name)
	return Kind(max(i, 0)), i >= 0
}

// OfStrings tells kernels of sequences.
func (k Kind) OfStrings() bool { return k == Spectrum || k == WeightedDegree }

// AllFeatures is the Set of a kernel over all features.
const AllFeatures = -1

// Kernel is one kernel of a bank. Fields that its kind does not use are 0.
type Kernel struct {
	Kind        Kind
	Mismatches  uint8 // Spectrum
	Normalizer  Normalizer
	Shift       uint16 // WeightedDegree
	Gamma, Coef float64
	Degree      int   // and the length of the words that string kernels compare
	Set         int32 // index into Bank.Sets, or AllFeatures
	Index       int32 // Precomputed: into Bank.Files; Product: into Bank.Products; User: into Bank.Users
}

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

// Omitted is what an outline leaves out, and the features of all sets.
type Omitted struct {
	Kernels, Sets int
	Elements      int64
}

// Bounds of an expansion, which keep a slip of the pen or a hostile file from asking for all memory.
const (
	MaxKernels     = 1 << 27
	maxSetElements = 1 << 30
)

// Features gives the feature list of a kernel's set, nil for all features.
func (b *Bank) Features(set int32) []int32 {
	if set == AllFeatures {
		return nil
	}
	return b.Sets[set]
}

// Describe writes kernel m as a specification of its own, such as "gauss:0.5@1-76"; a set that is a view goes by its name.
func (b *Bank) Describe(m int) string {
	k := &b.Kernels[m]
	if k.Normalizer != Unsaid {
		return b.describe(k, false) + " norm=" + k.Normalizer.String()
	}
	return b.describe(k, false)
}

// describe writes a kernel, or a factor of one: these stand between parentheses and commas.
func (b *Bank) describe(k *Kernel, factor bool) string {
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	s := k.Kind.String()
	switch k.Kind {
	case Gauss, Laplace, ChiSquare:
		s += ":" + num(k.Gamma)
	case Poly:
		s += ":" + strconv.Itoa(k.Degree)
		if k.Gamma != 1 || k.Coef != 1 {
			s += ":" + num(k.Gamma) + ":" + num(k.Coef)
		}
	case Sigmoid:
		s += ":" + num(k.Gamma)
		if k.Coef != 0 {
			s += ":" + num(k.Coef)
		}
	case Product:
		return b.describeProduct(k)
	case User:
		s += ":" + b.Users[k.Index]
	case Precomputed:
		return s + ":" + b.Files[k.Index]
	case Spectrum:
		s += ":" + strconv.Itoa(k.Degree)
		if k.Mismatches > 0 {
			s += ":" + strconv.Itoa(int(k.Mismatches))
		}
	case WeightedDegree:
		s += ":" + strconv.Itoa(k.Degree)
		if k.Shift > 0 {
			s += ":shift=" + strconv.Itoa(int(k.Shift))
		}
	}
	if k.Set == AllFeatures {
		return s
	}
	if v := b.SetViews[k.Set]; v != "" && !reserved(v) && !(factor && strings.ContainsAny(v, "(), \t")) {
		return s + "@" + v
	}
	return s + "@" + formatSet(b.Sets[k.Set])
}

// reserved tells names of views that mean something else after @.
func reserved(name string) bool {
	return name == "each-view" || name == "each-feature" || strings.HasPrefix(name, "random:") || isRanges(name)
}

// formatSet writes a feature list the way it is read: runs as a-b, joined by +.
func formatSet(set []int32) string {
	var out strings.Builder
	for i := 0; i < len(set); {
		j := i
		for j+1 < len(set) && set[j+1] == set[j]+1 {
			j++
		}
		if i > 0 {
			out.WriteByte('+')
		}
		fmt.Fprintf(&out, "%d", set[i]+1)
		if j > i {
			fmt.Fprintf(&out, "-%d", set[j]+1)
		}
		i = j + 1
	}
	return out.String()
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
