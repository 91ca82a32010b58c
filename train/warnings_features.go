package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
)

const (
	// unequal is the factor by which the largest standard deviation of a feature may exceed the
	// median one before a kernel that adds features up is warned of. Features that are 0 or 1 stay
	// below it unless half of them occur in fewer than one row of 40,000.
	unequal = 100
	// mostSets is the number of sets of features whose deviations are compared, in the order of the
	// kernels. A bank may have a million sets, and the first of them show what the rest are like.
	mostSets = 100
)

// warnUnscaled warns of features of very unequal spread if they are not scaled and a kernel adds
// them up, as distances and products of rows do: the few largest then decide its value, and the
// others count for nothing. It reads the variances that the preparation of the kernels has found.
func warnUnscaled(r *run) {
	if r.Store.Scaling().Kind != dataset.ScaleNone || r.Store.Scaling().Choice != "" || r.Options.Data.Sequences != dataset.Numbers {
		return
	}
	var seen []int32
	for _, k := range r.Kernels.Expanded.Kernels {
		if !addsFeatures(k.Kind) || slices.Contains(seen, k.Set) {
			continue
		}
		if seen = append(seen, k.Set); len(seen) > mostSets {
			return
		}
		largest, median := deviations(r.Kernels.Shape.Variance, r.Kernels.Expanded.Features(k.Set))
		if largest > unequal*median {
			r.warn("standard deviations of features go up to %.2g, and half of them are at most %.2g: "+
				"few features decide the distances of rows (--scale standard or minmax makes all of "+
				"them count)", largest, median)
			return
		}
	}
}

// addsFeatures reports whether a kernel of numbers is a function of a sum over features, such as a
// distance, that is not linear in the sum. Products count as none, so that only plain kernels are
// spoken of.
func addsFeatures(kind kernelspec.Kind) bool {
	switch kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare, kernelspec.Poly,
		kernelspec.Sigmoid:
		return true
	}
	return false
}

// deviations returns the largest and the median standard deviation of the features of a set that
// are not constant, or of all features if the set is nil. Both are 0 if all are constant.
func deviations(variance []float64, set []int32) (largest, median float64) {
	var varied []float64
	add := func(v float64) {
		if v > 0 {
			varied = append(varied, v)
		}
	}
	if set == nil {
		for _, v := range variance {
			add(v)
		}
	}
	for _, j := range set {
		add(variance[j])
	}
	if len(varied) == 0 {
		return 0, 0
	}
	slices.Sort(varied)
	n := len(varied)
	return math.Sqrt(varied[n-1]), math.Sqrt(varied[(n-1)/2])
}

// warnViews warns of views that leave features out, overlap in part, or end behind the last feature
// that a row has. All of this is legal, and may be a slip in the file of views. A view within another
// one is none.
func warnViews(r *run) {
	views := r.Options.Data.Views
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
	given, d := r.Store.Given(), r.Store.Dim()
	if r.Kernels.Fills != nil {
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
		r.warn("views: %s", strings.Join(odd, "; "))
	}
}
