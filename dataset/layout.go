package dataset

import (
	"math"

	"bigmkl/internal/fail"
)

// Layout is the form in which a store keeps its points.
type Layout string

// The layouts. They hold the same numbers: fingerprint, mean and rows are equal bit for bit.
const (
	LayoutAuto   Layout = "auto"   // dense or sparse, as the data are
	LayoutDense  Layout = "dense"  // panels of 32 points, 4 bytes a feature
	LayoutSparse Layout = "sparse" // the non-zeros of each point, 8 bytes each
)

// The rule of LayoutAuto: points are stored sparsely if there are more than narrow features and if of all n d values, scaled
// and rounded, a share below sparseBelow is not zero. It looks at the data and the scaling alone, because the arithmetic
// differs between the layouts and a model must not depend on the machine. A non-zero costs a sparse product 1.8 times what a
// feature costs a dense one, and twice the room.
const (
	sparseBelow = 0.3
	narrow      = 32
)

// ParseLayout returns the layout that s names; "" is auto.
func ParseLayout(s string) (Layout, error) {
	switch l := Layout(s); l {
	case "":
		return LayoutAuto, nil
	case LayoutAuto, LayoutDense, LayoutSparse:
		return l, nil
	}
	return "", fail.New(fail.Usage, "unknown store %s", fail.Quote(s)).WithHint("auto, dense or sparse")
}

// panelBytes is the size of a dense store, if that is a number.
func panelBytes(n, d int) (int64, error) {
	panels := (int64(n) + PanelWidth - 1) / PanelWidth
	per := int64(d) * PanelWidth * 4
	if per > 0 && panels > math.MaxInt64/per {
		return 0, fail.New(fail.Budget, "%d points of %d features are too many to store densely", n, d)
	}
	return panels * per, nil
}

// csrBytes is the size of a sparse store, if that is a number.
func csrBytes(n int, nonzeros int64) (int64, error) {
	offsets := (int64(n) + 1) * 8
	if nonzeros > (math.MaxInt64-offsets)/8 {
		return 0, fail.New(fail.Budget, "%d points with %d values are too many to store", n, nonzeros)
	}
	return offsets + nonzeros*8, nil
}

// PanelWidth is the number of points in a panel.
const PanelWidth = 32
