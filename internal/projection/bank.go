package projection

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// Bank is the kernels of a classifier of which some see projected features, each with a matrix of
// its own (Gönen 2010, Algorithm 4.2 with gates that stay at 1). The others see features as they
// are.
type Bank struct {
	// Forms are the kernels on projected features, in their order. They come before the others.
	Forms []*Form
	// Others are the specifications of the other kernels.
	Others []string
	// Gated means that gates see features as they are.
	Gated bool
}

// Has reports whether a list of kernels has one on projected features. Lists in files have none.
func Has(list string) bool {
	if !strings.Contains(list, Prefix) || strings.HasPrefix(list, "@") {
		return false
	}
	specs, err := kernelspec.Split(list)
	return err == nil && slices.ContainsFunc(specs, isForm)
}

// isForm reports whether a kernel of a list is on projected features.
func isForm(spec string) bool { return strings.HasPrefix(spec, Prefix) }

// ParseBank reads a list of kernels of which Has is true. Faults are of
// class fail.Usage.
func ParseBank(list string) (*Bank, error) {
	specs, err := kernelspec.Split(list)
	if err != nil {
		return nil, err
	}
	b := &Bank{}
	for _, s := range specs {
		if !isForm(s) {
			b.Others = append(b.Others, s)
			continue
		}
		f, err := Parse(s)
		if err != nil {
			return nil, err
		}
		b.Forms = append(b.Forms, f)
	}
	if len(b.Forms) > maxForms {
		return nil, fail.New(fail.Usage, "%d projections, at most %d", len(b.Forms), maxForms)
	}
	for _, f := range b.Forms {
		if f.Kernel.Kind == kernelspec.Linear && len(specs) > 1 {
			return nil, fail.New(fail.Usage, "%s beside other kernels is the linear kernel itself",
				fail.Quote(f.Text)).WithHint("linear, which sees all features")
		}
	}
	return b, nil
}

// maxForms bounds the number of projections.
const maxForms = 1000

// Check rejects what does not go with d features, with class fail.Usage.
func (b *Bank) Check(d int) error {
	for _, f := range b.Forms {
		if err := f.Check(d); err != nil {
			return err
		}
	}
	_, err := b.Specs(d)
	return err
}

// Specs returns the specifications of the kernels on rows that have d features as they are, if there
// are other kernels, and the projected ones of each kernel behind them. Kernels that are not normalised
// stay so: a factor that follows from z would move with W.
func (b *Bank) Specs(d int) ([]string, error) {
	if len(b.Forms) == 1 && len(b.Others) == 0 && !b.Gated {
		return []string{b.Forms[0].Inner}, nil
	}
	first := 1
	if len(b.Others) > 0 || b.Gated {
		first += d
	}
	var list []string
	for _, f := range b.Forms {
		kernel, _ := strings.CutSuffix(f.Inner, notNormalised)
		last := first + f.Width(d) - 1
		list = append(list, fmt.Sprintf("%s@%d-%d%s", kernel, first, last, notNormalised))
		first = last + 1
	}
	for _, s := range b.Others {
		suffix := kernelspec.Suffix(s)
		body := s[:len(s)-len(suffix)]
		kernel, set, chosen := strings.Cut(body, "@")
		switch {
		case strings.HasPrefix(body, "precomputed:"):
			list = append(list, s)
		case strings.ContainsAny(kernel, "()") || strings.Contains(kernel, "features") ||
			strings.Trim(set, "0123456789-+") != "":
			return nil, fail.New(fail.Usage, "kernel %s beside a projection", fail.Quote(s)).
				WithHint("kernels beside one are no products, and take features by numbers, as in gauss:0.1@1-76")
		case chosen:
			for _, number := range strings.FieldsFunc(set, func(c rune) bool { return c == '+' || c == '-' }) {
				if j, err := strconv.Atoi(number); err != nil || j > d {
					return nil, fail.New(fail.Usage, "kernel %s: feature %s, and the rows have %d features",
						fail.Quote(s), number, d)
				}
			}
			list = append(list, s)
		default:
			list = append(list, fmt.Sprintf("%s@1-%d%s", strings.TrimRight(body, " "), d, suffix))
		}
	}
	return list, nil
}

// size is the number of numbers of a matrix for d features.
func (f *Form) size(d int) int { return d * max(1, f.Columns) }

// Size returns the number of numbers of all matrices for d features, which a descent moves.
func (b *Bank) Size(d int) (n int64) {
	for _, f := range b.Forms {
		n += int64(f.size(d))
	}
	return n
}

// Start returns A of the start with the given number, of all kernels one behind the other.
func (b *Bank) Start(d int, seed uint64, number int) []float64 {
	var a []float64
	for k, f := range b.Forms {
		a = append(a, f.Start(d, seed, number+k<<32)...)
	}
	return a
}

// Matrices are the matrices of the kernels of a bank.
type Matrices []*Matrix

// Make returns the matrices of A. It is false if the columns of one are not independent.
func (b *Bank) Make(d int, a []float64) (Matrices, bool) {
	var list Matrices
	for _, f := range b.Forms {
		m, ok := f.Make(a[:f.size(d)])
		if !ok {
			return nil, false
		}
		list, a = append(list, m), a[f.size(d):]
	}
	return list, true
}

// W returns the numbers of all matrices, one behind the other.
func (list Matrices) W() []float64 {
	var w []float64
	for _, m := range list {
		w = append(w, m.W...)
	}
	return w
}

// Tangent is Matrix.Tangent of each part of a slope.
func (list Matrices) Tangent(g []float64) { list.each(g, (*Matrix).Tangent) }

// Back is Matrix.Back of each part of a slope.
func (list Matrices) Back(g []float64) { list.each(g, (*Matrix).Back) }

func (list Matrices) each(g []float64, do func(*Matrix, []float64)) {
	for _, m := range list {
		do(m, g[:len(m.W)])
		g = g[len(m.W):]
	}
}
