package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/fail"
)

// faults collects descriptions of what is wrong with a model.
type faults []string

func (f *faults) check(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// each adds the first element that fails the test ok.
func (f *faults) each(name string, v []float64, ok func(float64) bool, want string) {
	if i := slices.IndexFunc(v, func(x float64) bool { return !ok(x) }); i >= 0 {
		*f = append(*f, fmt.Sprintf("%s[%d] is %v, not %s", name, i, v[i], want))
	}
}

// clip quotes a part of a file for a message, and cuts it short.
func clip(s string) string { return fail.Quote(s) }

// finite reports whether x is neither infinite nor NaN. It compares: x-x of a product x would not be
// 0 where the compiler fuses products and differences, as on arm64.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

func atLeast0(x float64) bool { return finite(x) && x >= 0 }

func above0(x float64) bool { return finite(x) && x > 0 }

// squared reports whether x is not negative and has a finite square. The primal value is a sum of
// such squares, so sums and means of such norms are finite too.
func squared(x float64) bool { return x >= 0 && finite(x*x) }

// corrupt returns err as an error of class fail.Corrupt. Whatever is wrong within a model file is
// damage and not wrong usage.
func corrupt(err error) error {
	if errors.Is(err, fail.Corrupt) {
		return err
	}
	return fail.New(fail.Corrupt, "%w", err)
}

// Ascending reports whether the numbers of a list ascend strictly and lie in [0, n), as indices of
// rows, support vectors and features do.
func Ascending(list []int32, n int) bool {
	last := int32(-1)
	for _, i := range list {
		if i <= last || int(i) >= n {
			return false
		}
		last = i
	}
	return true
}
