package model

import (
	"errors"
	"fmt"
	"slices"

	"bigmkl/internal/fail"
)

// faults collects what is wrong.
type faults []string

func (f *faults) check(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// each checks all elements and reports the first that fails.
func (f *faults) each(name string, v []float64, ok func(float64) bool, want string) {
	if i := slices.IndexFunc(v, func(x float64) bool { return !ok(x) }); i >= 0 {
		*f = append(*f, fmt.Sprintf("%s[%d] is %v, not %s", name, i, v[i], want))
	}
}

// clip quotes what a message shows of a file.
func clip(s string) string { return fail.Quote(s) }

func finite(x float64) bool { return x-x == 0 }

func atLeast0(x float64) bool { return finite(x) && x >= 0 }

func above0(x float64) bool { return finite(x) && x > 0 }

// squared tells norms whose squares, of which the primal value is a sum, are numbers: so are the sums and means of such norms, then.
func squared(x float64) bool { return x >= 0 && finite(x*x) }

// corrupt makes an error one of class fail.Corrupt: whatever is wrong within a model file is damage, not usage.
func corrupt(err error) error {
	if errors.Is(err, fail.Corrupt) {
		return err
	}
	return fail.New(fail.Corrupt, "%w", err)
}

// ascending tells whether a list holds different numbers below n in order.
func ascending(list []int32, n int) bool {
	last := int32(-1)
	for _, i := range list {
		if i <= last || int(i) >= n {
			return false
		}
		last = i
	}
	return true
}
