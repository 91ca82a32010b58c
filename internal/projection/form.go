// Package projection has what kernels on projected features z = W'x need beside the classifier that
// is trained on z (Gönen 2010, chapter 4): what a projection looks like, how it moves, and the slope
// of the optimum of the classifier by it.
//
// W has orthonormal columns, or is a diagonal of scales whose mean square is 1. Without such a bound
// polynomial kernels would shrink ||w|| to nothing as W grows, and Gaussian ones come to be 1 on the
// diagonal and 0 elsewhere, where every row is a support vector.
package projection

import (
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// Prefix begins the specification of a kernel on projected features.
const Prefix = "proj("

// Diagonal is written in place of the number of columns where W is a diagonal.
const Diagonal = "diag"

// Form is a kernel on projected features: proj(KERNEL,R) or proj(gauss:G,diag).
type Form struct {
	// Text is the specification as it was written.
	Text string
	// Inner is the specification of the kernel on z, which is not normalised: a factor that follows
	// from z would move with W.
	Inner string
	// Kernel is that kernel: linear, a polynomial or a Gaussian.
	Kernel kernelspec.Kernel
	// Columns is R, or 0 where W is a diagonal.
	Columns int
}

// notNormalised is appended to every kernel on projected features.
const notNormalised = " norm=none"

// hint states what projections look like.
const hint = "proj(linear,R), proj(poly:2,R), proj(gauss:0.5,R) or proj(gauss:0.5,diag)"

// Parse reads the specification of a kernel on projected features. Faults are of class fail.Usage.
func Parse(text string) (*Form, error) {
	reject := func(format string, args ...any) (*Form, error) {
		return nil, fail.New(fail.Usage, "%s: "+format,
			append([]any{fail.Quote(text)}, args...)...).WithHint(hint)
	}
	body, ok := strings.CutSuffix(strings.TrimPrefix(text, Prefix), ")")
	if !ok {
		return reject("a projection has nothing behind its bracket")
	}
	at := strings.LastIndexByte(body, ',')
	if at < 0 {
		return reject("a projection needs a kernel and a number of columns")
	}
	spec, columns := body[:at], body[at+1:]
	f := &Form{Text: text, Inner: spec + notNormalised}
	if columns != Diagonal {
		n, err := strconv.Atoi(columns)
		if err != nil || n < 1 {
			return reject("%s is no number of columns from 1", fail.Quote(columns))
		}
		f.Columns = n
	}
	if strings.ContainsAny(spec, "@ ") {
		return reject("a projection looks at all features, and nothing stands behind its kernel")
	}
	b, err := kernelspec.Expand([]string{f.Inner}, kernelspec.Context{Features: max(1, f.Columns),
		Memory: 1 << 20})
	if err != nil {
		return nil, err
	}
	if len(b.Kernels) != 1 || len(b.Medians) > 0 {
		return reject("a projection is of one kernel whose parameters are numbers")
	}
	f.Kernel = b.Kernels[0]
	switch f.Kernel.Kind {
	case kernelspec.Gauss:
	case kernelspec.Linear, kernelspec.Poly:
		if f.Columns == 0 {
			return reject("only Gaussian kernels learn scales of features")
		}
	default:
		return reject("there are projections of linear, polynomial and Gaussian kernels alone")
	}
	return f, nil
}

// Width returns the number of projected features of rows of d features.
func (f *Form) Width(d int) int {
	if f.Columns == 0 {
		return d
	}
	return f.Columns
}

// Check rejects more columns than features, with class fail.Usage.
func (f *Form) Check(d int) error {
	if f.Columns > d {
		return fail.New(fail.Usage, "%s: %d columns of %d features", fail.Quote(f.Text), f.Columns, d).
			WithHint("R is the number of features of the projection, at most those of the data")
	}
	return nil
}
