package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

const (
	// fewDecide is the share of the features of a set that count alike below which a kernel that adds
	// features up is warned of. ScaleAuto standardises from 0.42 down; somebody who asked for another
	// scaling is told where it is far from that.
	fewDecide = 0.25
	// oneDecides is the number of features alike below which few features are warned of: of two, one
	// has a deviation three times the other's.
	oneDecides = 1.2
	// sparseValues is the share of values other than zero below which features count by how often they occur.
	sparseValues = 0.1
	// mostSets is the number of sets of features whose variances are compared, in the order of the
	// kernels. A bank may have a million sets, and the first of them show what the rest are like.
	mostSets = 100
)

// unscaled warns of features of very unequal variance if a kernel adds them up, as distances and
// products of rows do: the few largest then decide its value, and the others count for nothing. It reads the
// variances that the preparation of the kernels has found. What was standardised, or looked at by ScaleAuto,
// is not warned of, and neither are sets of which all features are 0 or 1.
func (w *dataDoubts) unscaled() {
	scaling, size := w.store.Scaling(), w.store.Size()
	if scaling.Kind == dataset.ScaleStandard || scaling.Choice != "" || w.options.Data.Sequences != dataset.Numbers ||
		w.options.Data.Objects != nil ||
		float64(size.Nonzeros) < sparseValues*float64(w.store.Len())*float64(w.store.Dim()) {
		return
	}
	var seen []int32
	for _, k := range w.kernels.Expanded.Kernels {
		if !addsFeatures(k.Kind) || slices.Contains(seen, k.Set) {
			continue
		}
		if seen = append(seen, k.Set); len(seen) > mostSets {
			return
		}
		set := w.kernels.Expanded.Features(k.Set)
		varying, alike := countAlike(w.kernels.Shape.Variance, set)
		if areFlags(w.kernels.Shape.Variance, w.store.Mean(), set) {
			continue
		}
		if varying > 1 && alike < max(fewDecide*float64(varying), oneDecides) {
			w.warn("few features decide the distances of rows: the effective number of %d features is %.2g (--scale auto or "+
				"standard makes all of them count)", varying, alike)
			return
		}
	}
}

// addsFeatures reports whether a kernel of numbers is a function of a sum over features, such as a
// distance, that is not linear in the sum. Products do not count, and only plain kernels are
// reported.
func addsFeatures(kind kernelspec.Kind) bool {
	return kind.HasWidth() || kind == kernelspec.Poly || kind == kernelspec.Sigmoid
}

// countAlike is dataset.CountAlike of the features of a set, or of all features if the set is nil.
func countAlike(variance []float64, set []int32) (varying int, alike float64) {
	if set == nil {
		return dataset.CountAlike(variance)
	}
	list := make([]float64, len(set))
	for k, j := range set {
		list[k] = variance[j]
	}
	return dataset.CountAlike(list)
}

// areFlags reports whether all features of a set, or all if it is nil, look like 0 and 1: the variance v
// and the mean m have v = m (1-m). The frequency of a flag is information, and does not depend on a unit of
// measurement.
func areFlags(variance []float64, mean []float32, set []int32) bool {
	isFlag := func(j int) bool {
		m := float64(mean[j])
		return math.Abs(variance[j]-m*(1-m)) <= 1e-4*variance[j] // The mean is rounded to float32.
	}
	if set == nil {
		for j := range variance {
			if variance[j] > 0 && !isFlag(j) {
				return false
			}
		}
		return true
	}
	return !slices.ContainsFunc(set, func(j int32) bool { return variance[j] > 0 && !isFlag(int(j)) })
}

// views warns of views that leave features out, overlap in part, or end behind the last feature
// that a row has. All of this is legal, and may be a slip in the file of views. A view within another
// one is none.
func (w *dataDoubts) views() {
	views := w.options.Data.Views
	if len(views) == 0 {
		return
	}
	var odd []string
	ordered := slices.Clone(views)
	slices.SortStableFunc(ordered, func(a, b dataset.View) int { return a.First - b.First })
	covered, left, overlap := 0, 0, false // features up to covered are in a view or in left
	first := 0                            // of the view that ends at covered
	for _, v := range ordered {
		left += max(v.First-1-covered, 0)
		if v.Last > covered {
			overlap = overlap || first < v.First && v.First <= covered
			covered, first = v.Last, v.First
		}
	}
	given, d := w.store.Given(), w.store.Dim()
	if w.kernels.Fills != nil {
		d -= len(views) // What is behind the views is their flags.
		given = min(given, d)
	}
	if left += max(given-covered, 0); left > 0 {
		odd = append(odd, fmt.Sprintf("%d of %d features are in no view", left, d))
	}
	if overlap {
		odd = append(odd, "some overlap in part")
	}
	if covered > given {
		last := slices.IndexFunc(views, func(v dataset.View) bool { return v.Last == covered })
		odd = append(odd, fmt.Sprintf("view %s ends at feature %d, and no row goes beyond %d",
			fail.Label(views[last].Name), covered, given))
	}
	if odd != nil {
		w.warn("views: %s", strings.Join(odd, "; "))
	}
}
