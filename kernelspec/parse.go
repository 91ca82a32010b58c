package kernelspec

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"bigmkl/internal/fail"
)

// maxText is the bytes of one specification.
const maxText = 1 << 20

// Names of kernels that are code of the user.
const (
	maxName     = 64
	nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
)

// maxDegree bounds the degree of a polynomial: beyond it powers overflow for anything but |base| near 1.
const maxDegree = 1000

// item is one parsed specification: the kernels that every feature set gets, and how the sets are found. It is small whatever
// it stands for, so that reading text never takes more memory than the text.
type item struct {
	text     string
	proto    Kernel      // Set, Matrix and what differs between the kernels not yet known
	count    int         // kernels of each set; they differ in
	widths   progression // Gamma,
	auto     bool        // or in Gamma around the median distance,
	mean     bool        // the mean if auto,
	degrees  bool        // or in Degree, which rises from that of proto
	file     string      // Precomputed
	user     string      // name of User
	features string      // what follows @, "" for all features
	factors  int         // of a product,
	autos    int         // those of them that take a width from the data
	attributes
}

// kernel gives kernel k of a set, from 0; the Index is for the bank to give. med is its median or mean distance, if auto.
func (it *item) kernel(k int, med float64) Kernel {
	out := it.proto
	switch {
	case it.degrees:
		out.Degree += k
	case it.auto:
		out.Gamma = around(med, k, it.count)
	case it.widths.n > 0:
		out.Gamma = it.widths.at(k)
	}
	return out
}

// usage reports what is wrong with a specification.
func usage(text string, err error) *fail.Error {
	return fail.New(fail.Usage, "kernel %s: %s", fail.Quote(text), err)
}

// clip quotes a part of a specification.
func clip(s string) string { return fail.Quote(s) }

// parse reads a specification up to the meaning of its feature set.
func parse(text string, features int) (item, error) {
	it := item{text: text}
	if len(text) > maxText {
		return it, usage(text, fmt.Errorf("this is %d bytes long, and %d are the limit", len(text), maxText))
	}
	suffix := Suffix(text)
	body := text[:len(text)-len(suffix)]
	if body == "" && suffix != "" {
		return it, usage(text, errors.New("this names no kernel: write it behind one, after a blank"))
	}
	var err error
	if it.attributes, err = parseAttributes(suffix, features); err != nil {
		return it, usage(text, err)
	}
	// A file name may hold any character, @ and : included.
	if file, ok := strings.CutPrefix(body, "precomputed:"); ok && file != "" {
		it.file, it.proto, it.count = file, Kernel{Kind: Precomputed, Normalizer: it.normalizer, Set: AllFeatures}, 1
		return it, nil
	}
	if isProduct(body) {
		it.proto, it.count = Kernel{Kind: Product, Normalizer: it.normalizer, Set: AllFeatures}, 1
		if err := it.product(body, features); err != nil {
			return it, usage(text, err)
		}
		return it, nil
	}
	body, set, hasSet := strings.Cut(body, "@")
	if hasSet && set == "" {
		return it, usage(text, errors.New("features are missing after @"))
	}
	it.features = set
	name, args, hasArgs := strings.Cut(body, ":")
	kind, known := kindOf(name)
	if !known {
		return it, usage(text, fmt.Errorf("there is no kernel %s", clip(name))).
			WithHint("there are gauss, laplace, linear, poly, sigmoid, chi2, intersection and precomputed, for sequences spectrum and wd, and prod(A,B) and pow(A,2) of them")
	}
	if err := it.arguments(kind, args, hasArgs, features); err != nil {
		return it, usage(text, err)
	}
	it.proto.Normalizer = it.normalizer
	return it, nil
}

func (it *item) arguments(kind Kind, args string, given bool, features int) error {
	it.proto, it.count = Kernel{Kind: kind}, 1
	switch kind {
	case Linear, Intersection:
		if given {
			return fmt.Errorf("%s takes no argument", kind)
		}
		return nil
	case Poly:
		return it.poly(args, features)
	case Sigmoid:
		return it.sigmoid(args, features)
	case Precomputed:
		return errors.New("the file is missing")
	case User:
		if args == "" || len(args) > maxName || strings.Trim(args, nameLetters) != "" {
			return fmt.Errorf("%s is no name of a kernel: letters, digits and ._- are", clip(args))
		}
		it.user = args
		return nil
	case Product:
		return errors.New("write prod(A,B,..)")
	case Spectrum:
		return it.spectrum(args)
	case WeightedDegree:
		return it.weightedDegree(args)
	}
	if args == "" {
		return fmt.Errorf("the width is missing, such as %s:0.5 or %s:auto/10", kind, kind)
	}
	if name, n, several := strings.Cut(args, "/"); name == "auto" || name == "mean" {
		it.auto, it.mean = true, name == "mean"
		if several {
			var err error
			if it.count, err = countOf(n); err != nil {
				return err
			}
			if it.count > 1000 {
				return fmt.Errorf("%s/%d spans more than float64 does", name, it.count)
			}
		}
		return nil
	}
	return it.gammas(args, features)
}

// gammas reads the widths.
func (it *item) gammas(text string, features int) (err error) {
	it.widths, err = widths(text, features)
	it.count = it.widths.n
	return err
}

func (it *item) poly(args string, features int) error {
	degrees, rest, more := strings.Cut(args, ":")
	proto := &it.proto
	proto.Gamma, proto.Coef = 1, 1
	if more {
		gamma, coef, ok := strings.Cut(rest, ":")
		if !ok || strings.Contains(coef, ":") {
			return errors.New("write poly:degree or poly:degree:gamma:coef")
		}
		var err error
		if proto.Gamma, err = width(gamma, features); err != nil {
			return err
		}
		if proto.Coef, err = number(coef, features); err != nil {
			return err
		}
	}
	return it.rising(degrees)
}

// rising reads a degree or a range of them.
func (it *item) rising(degrees string) error {
	first, last, isRange := strings.Cut(degrees, "..")
	lo, err := degree(first)
	hi := lo
	if err == nil && isRange {
		hi, err = degree(last)
	}
	if err != nil {
		return err
	}
	if lo > hi {
		return fmt.Errorf("the range %s falls: write the smaller degree first", clip(degrees))
	}
	it.proto.Degree, it.degrees, it.count = lo, true, hi-lo+1
	return nil
}

func degree(s string) (int, error) {
	d, err := natural(s)
	if err != nil || d < 1 || d > maxDegree {
		return 0, fmt.Errorf("%s is not a degree between 1 and %d", clip(s), maxDegree)
	}
	return d, nil
}

func (it *item) sigmoid(args string, features int) error {
	g, coef, hasCoef := strings.Cut(args, ":")
	if hasCoef {
		var err error
		if it.proto.Coef, err = number(coef, features); err != nil {
			return err
		}
	}
	if g == "" {
		return errors.New("the factor is missing, such as sigmoid:0.01")
	}
	return it.gammas(g, features)
}

// distance names what the widths are around.
func (it *item) distance() string {
	if it.mean {
		return "mean"
	}
	return "median"
}

// usable checks that all widths around a median or mean distance are numbers: the first and the last are the extremes.
func (it *item) usable(med float64) error {
	for _, k := range []int{0, it.count - 1} {
		if gamma := around(med, k, it.count); !(gamma > 0) || math.IsInf(gamma, 0) {
			return fail.New(fail.Input, "kernel %s: the %s distance %g gives no usable width", fail.Quote(it.text), it.distance(), med)
		}
	}
	return nil
}
