package spec

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"bigmkl/internal/fail"
)

// maxDegree bounds the degree of a polynomial: beyond it powers overflow for anything but |base| near 1.
const maxDegree = 1000

// item is one parsed specification: the kernels that every feature set gets, and how the sets are found.
type item struct {
	text     string
	kernels  []Kernel // Set and Matrix not yet known
	auto     int      // number of widths around the median; then kernels is one prototype
	file     string   // Precomputed
	features string   // what follows @, "" for all features
}

// perSet is the number of kernels that each set gets.
func (it *item) perSet() int {
	if it.auto > 0 {
		return it.auto
	}
	return len(it.kernels)
}

// usage reports what is wrong with a specification.
func usage(text string, err error) *fail.Error {
	return fail.New(fail.Usage, "kernel %q: %s", text, err)
}

// parse reads a specification up to the meaning of its feature set.
func parse(text string, features int) (*item, error) {
	it := &item{text: text}
	// A file name may hold any character, @ and : included.
	if file, ok := strings.CutPrefix(text, "precomputed:"); ok && file != "" {
		it.file, it.kernels = file, []Kernel{{Kind: Precomputed, Set: AllFeatures}}
		return it, nil
	}
	body, set, hasSet := strings.Cut(text, "@")
	if hasSet && set == "" {
		return nil, usage(text, errors.New("features are missing after @"))
	}
	it.features = set
	name, args, hasArgs := strings.Cut(body, ":")
	kind, known := kindOf(name)
	if !known {
		return nil, usage(text, fmt.Errorf("there is no kernel %q", name)).
			WithHint("there are gauss, laplace, linear, poly, sigmoid, chi2, intersection and precomputed")
	}
	if err := it.arguments(kind, args, hasArgs, features); err != nil {
		return nil, usage(text, err)
	}
	return it, nil
}

func (it *item) arguments(kind Kind, args string, given bool, features int) error {
	switch kind {
	case Linear, Intersection:
		if given {
			return fmt.Errorf("%s takes no argument", kind)
		}
		it.kernels = []Kernel{{Kind: kind}}
		return nil
	case Poly:
		return it.poly(args, features)
	case Sigmoid:
		return it.sigmoid(args, features)
	case Precomputed:
		return errors.New("the file is missing")
	}
	if args == "" {
		return fmt.Errorf("the width is missing, such as %s:0.5 or %s:auto/10", kind, kind)
	}
	if args == "auto" || strings.HasPrefix(args, "auto/") {
		it.auto = 1
		if _, n, ok := strings.Cut(args, "/"); ok {
			var err error
			if it.auto, err = countOf(n); err != nil {
				return err
			}
			if it.auto > 1000 {
				return fmt.Errorf("auto/%d spans more than float64 does", it.auto)
			}
		}
		it.kernels = []Kernel{{Kind: kind}}
		return nil
	}
	return it.gammas(Kernel{Kind: kind}, args, features)
}

// gammas sets one kernel like proto for every width.
func (it *item) gammas(proto Kernel, text string, features int) error {
	values, err := widths(text, features)
	for _, v := range values {
		proto.Gamma = v
		it.kernels = append(it.kernels, proto)
	}
	return err
}

func (it *item) poly(args string, features int) error {
	parts := strings.Split(args, ":")
	proto := Kernel{Kind: Poly, Gamma: 1, Coef: 1}
	if len(parts) != 1 && len(parts) != 3 {
		return errors.New("write poly:degree or poly:degree:gamma:coef")
	}
	if len(parts) == 3 {
		var err error
		if proto.Gamma, err = width(parts[1], features); err != nil {
			return err
		}
		if proto.Coef, err = number(parts[2], features); err != nil {
			return err
		}
	}
	first, last, isRange := strings.Cut(parts[0], "..")
	lo, err := degree(first)
	hi := lo
	if err == nil && isRange {
		hi, err = degree(last)
	}
	if err != nil {
		return err
	}
	if lo > hi {
		return fmt.Errorf("the range %q falls: write the smaller degree first", parts[0])
	}
	for d := lo; d <= hi; d++ {
		proto.Degree = d
		it.kernels = append(it.kernels, proto)
	}
	return nil
}

func degree(s string) (int, error) {
	d, err := natural(s)
	if err != nil || d < 1 || d > maxDegree {
		return 0, fmt.Errorf("%q is not a degree between 1 and %d", s, maxDegree)
	}
	return d, nil
}

func (it *item) sigmoid(args string, features int) error {
	g, coef, hasCoef := strings.Cut(args, ":")
	proto := Kernel{Kind: Sigmoid}
	if hasCoef {
		var err error
		if proto.Coef, err = number(coef, features); err != nil {
			return err
		}
	}
	if g == "" {
		return errors.New("the factor is missing, such as sigmoid:0.01")
	}
	return it.gammas(proto, g, features)
}

// autoKernels gives the kernels of an auto specification for a median distance.
func (it *item) autoKernels(med float64) ([]Kernel, error) {
	out := make([]Kernel, 0, it.auto)
	for _, gamma := range around(med, it.auto) {
		if !(gamma > 0) || math.IsInf(gamma, 0) {
			return nil, fail.New(fail.Input, "kernel %q: the median distance %g gives no usable width", it.text, med)
		}
		k := it.kernels[0]
		k.Gamma = gamma
		out = append(out, k)
	}
	return out, nil
}
