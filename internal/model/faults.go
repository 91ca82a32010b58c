package model

import (
	"errors"
	"fmt"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
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

func atLeast0(x float64) bool { return float.Finite(x) && x >= 0 }

func above0(x float64) bool { return float.Finite(x) && x > 0 }

// squared reports whether x is not negative and has a finite square. The primal value is a sum of
// such squares, so sums and means of such norms are finite too.
func squared(x float64) bool { return x >= 0 && float.Finite(x*x) }

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
