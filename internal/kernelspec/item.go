package kernelspec

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"bigmkl/internal/fail"
)

// item is one parsed specification: the kernels that every feature set gets, and how the sets are
// found. It is small whatever it represents, so parsing never takes more memory than the text.
type item struct {
	text string
	// proto holds what all kernels have in common. Its Set and Index are not known yet.
	proto Kernel
	// count is the number of kernels of each set.
	count int
	// The kernels differ in Gamma if widths is set.
	widths progression
	// auto is true if the kernels have widths around a distance of the data.
	auto bool
	// around is the distance around which auto takes the widths.
	around distance
	// degrees is true if the kernels differ in Degree, which rises from that of proto.
	degrees bool
	// file is the name of a precomputed matrix.
	file string
	// user is the name of a kernel whose code the user provides.
	user string
	// features is the text after @, or "" for all features.
	features string
	// pairOf is the kernel of the objects of a pair, and first and second are the texts of their
	// features.
	pairOf        Kernel
	antisymmetric bool
	first, second string
	// factors is the number of factors of a product.
	factors int
	// autos is the number of factors that take a width from the data.
	autos int
	attributes
}

// kernel returns kernel k of a set, counted from 0, without its Index. The argument med is the
// distance around which the widths lie, if auto is true.
func (it *item) kernel(k int, med float64) Kernel {
	out := it.proto
	switch {
	case it.degrees:
		out.Degree += k
	case it.auto:
		out.Gamma = steps(med, k, it.count)
	case it.widths.n > 0:
		out.Gamma = it.widths.at(k)
	}
	return out
}

// gammas parses the widths.
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

// rising parses a degree or a range of degrees.
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

// distance is one that the data give, around which widths lie.
type distance uint8

const (
	median distance = iota
	mean
	nearest
)

// String names the distance in messages.
func (d distance) String() string {
	return [...]string{"median", "mean", "nearest-neighbour"}[d]
}

// distances finds a distance by the word that specifications have for it.
var distances = map[string]distance{"auto": median, "mean": mean, "nn": nearest}

// usable checks that all widths around a distance are finite and positive. It is enough to check
// the first and the last, which are the extremes.
func (it *item) usable(med float64) error {
	for _, k := range []int{0, it.count - 1} {
		if gamma := steps(med, k, it.count); !(gamma > 0) || math.IsInf(gamma, 0) {
			return fail.New(fail.Input, "kernel %s: the %s distance %g gives no usable width",
				fail.Quote(it.text), it.around, med)
		}
	}
	return nil
}

// spectrum parses K or K:M, where K may be a range.
func (it *item) spectrum(args string) error {
	if args == "" {
		return errors.New("the length of the words is missing, such as spectrum:6")
	}
	length, mismatches, more := strings.Cut(args, ":")
	if err := it.rising(length); err != nil {
		return err
	}
	if more {
		m, err := natural(mismatches)
		if err != nil || m >= it.proto.Degree {
			return fmt.Errorf("%s is not a number of mismatches below %d letters", clip(mismatches),
				it.proto.Degree)
		}
		// More mismatches are rejected later, as too many neighbours.
		it.proto.Mismatches = uint8(min(m, 255))
	}
	return nil
}

// weightedDegree parses D or D:shift=S, where D may be a range.
func (it *item) weightedDegree(args string) error {
	if args == "" {
		return errors.New("the degree is missing, such as wd:20")
	}
	degrees, rest, more := strings.Cut(args, ":")
	if err := it.rising(degrees); err != nil {
		return err
	}
	if more {
		text, ok := strings.CutPrefix(rest, "shift=")
		shift, err := natural(text)
		if !ok || err != nil || shift > maxShift {
			return fmt.Errorf("%s is no shift from shift=0 to shift=%d", clip(rest), maxShift)
		}
		it.proto.Shift = uint16(shift)
	}
	return nil
}
