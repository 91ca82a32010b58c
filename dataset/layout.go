package dataset

import (
	"math"
	"slices"

	"bigmkl/internal/fail"
)

// Layout is the form in which a store keeps its points.
type Layout string

// These are the layouts. They hold the same numbers: fingerprint, mean and rows are equal bit for
// bit.
const (
	// Points are stored densely or sparsely as the data suggest.
	LayoutAuto Layout = "auto"
	// Points are stored in panels of 32, with 4 bytes for each feature.
	LayoutDense Layout = "dense"
	// Each point is stored as its non-zeros, with 8 bytes for each.
	LayoutSparse Layout = "sparse"
)

// These constants are the rule of LayoutAuto. Points are stored sparsely if there are more than
// narrow features and if less than a share sparseBelow of all n d values is not zero after scaling
// and rounding. The rule depends on the data and the scaling alone, because the arithmetic differs
// between the layouts and a model must not depend on the machine. A non-zero of a sparse product
// costs 1.8 times as much time as a feature of a dense one, and twice the memory.
const (
	sparseBelow = 0.3
	narrow      = 32
)

// Layouts lists the names that ParseLayout knows.
var Layouts = []string{string(LayoutAuto), string(LayoutDense), string(LayoutSparse)}

// ParseLayout returns the layout of a name; "" means LayoutAuto. An unknown name gives an error
// of class fail.Usage.
func ParseLayout(s string) (Layout, error) {
	switch {
	case s == "":
		return LayoutAuto, nil
	case slices.Contains(Layouts, s):
		return Layout(s), nil
	}
	return "", fail.New(fail.Usage, "unknown store %s", fail.Quote(s)).
		WithHint("auto, dense or sparse")
}

// panelBytes returns the size in bytes of a dense store. It is an error of class fail.Budget if an
// int64 cannot hold it.
func panelBytes(n, d int) (int64, error) {
	panels := (int64(n) + PanelWidth - 1) / PanelWidth
	per := int64(d) * PanelWidth * 4
	if per > 0 && panels > math.MaxInt64/per {
		return 0, fail.New(fail.Budget, "%d points of %d features are too many to store densely", n,
			d)
	}
	return panels * per, nil
}

// csrBytes returns the size in bytes of a sparse store. It is an error of class fail.Budget if an
// int64 cannot hold it.
func csrBytes(n int, nonzeros int64) (int64, error) {
	offsets := (int64(n) + 1) * 8
	if nonzeros > (math.MaxInt64-offsets)/8 {
		return 0, fail.New(fail.Budget, "%d points with %d values are too many to store", n,
			nonzeros)
	}
	return offsets + nonzeros*8, nil
}

// PanelWidth is the number of points in a panel.
const PanelWidth = 32
