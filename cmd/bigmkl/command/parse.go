package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// Each option has one parser, for the command line and for files of options. A parser returns an
// error without the name of the option, which its caller adds. Comparisons are written so that
// NaN fails them: !(x > 0) and not x <= 0.

// parseNumber parses a decimal number, a quotient such as 4/3, or inf. Quotients exist because p = 4/3
// has no short decimal.
func parseNumber(text string) (float64, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if s == "inf" || s == "infinity" {
		return math.Inf(1), nil
	}
	// A denominator of 0 gives an infinity, which the test below rejects.
	a, b, quotient := strings.Cut(s, "/")
	x, err := strconv.ParseFloat(a, 64)
	if err == nil && quotient {
		var y float64
		y, err = strconv.ParseFloat(b, 64)
		x /= y
	}
	switch {
	// Users of grids write lists, which only select takes.
	case err != nil && strings.Contains(text, ","):
		return 0, fmt.Errorf("%s is not a number (bigmkl select --grid-C and --grid-norm choose among several)", fail.Quote(text))
	case err != nil || !float.Finite(x):
		return 0, fmt.Errorf("%s is not a number", fail.Quote(text))
	}
	return x, nil
}

// parsePositive parses a finite number above 0.
// Infinity is rejected, since costs and similar numbers must be finite.
func parsePositive(text string) (float64, error) {
	x, err := parseNumber(text)
	if err == nil && !(x > 0 && x <= math.MaxFloat64) {
		err = fmt.Errorf("%s is not a positive number", fail.Cut(text))
	}
	return x, err
}

// cost is the cost C of the loss, or the ridge parameter in its place.
type cost struct {
	value float64 // 0 if none is given
	joint bool    // whether C is found along with the weights
}

// parseCost parses a cost or a ridge parameter, or the word joint.
func parseCost(text string) (cost, error) {
	if text == costJoint {
		return cost{joint: true}, nil
	}
	x, err := parsePositive(text)
	return cost{value: x}, err
}

// costJoint is the word for a cost or a ridge parameter that is found along with the weights.
const costJoint = "joint"

// parseGap parses a relative duality gap, which lies between 0 and 1, both excluded. A gap of 1 or more
// is reached by any model, and a gap of 0 by none in floating-point arithmetic.
func parseGap(text string) (float64, error) {
	x, err := parsePositive(text)
	if err == nil && x >= 1 {
		err = fmt.Errorf("%s is not between 0 and 1", fail.Cut(text))
	}
	return x, err
}

// parsePositiveShare parses a number above 0 and at most 1.
// A share of 0 would leave nothing to act on.
func parsePositiveShare(text string) (float64, error) {
	x, err := parsePositive(text)
	if err == nil && x > 1 {
		err = fmt.Errorf("%s is not above 0 and at most 1", fail.Quote(text))
	}
	return x, err
}

// parseShare parses a number from 0 to 1, both included.
func parseShare(text string) (float64, error) {
	x, err := parseNumber(text)
	if err == nil && !(x >= 0 && x <= 1) {
		err = fmt.Errorf("%s is not in [0, 1]", fail.Cut(text))
	}
	return x, err
}

// parseNorm parses the block norm p. The word sum means p = 2, which is the plain sum of the
// kernels. Below 1 the norm is not convex. Users who give such a p want few kernels, so the message
// names p = 1.
func parseNorm(text string) (float64, error) {
	if text == "sum" {
		return 2, nil
	}
	p, err := parseNumber(text)
	if err == nil && p < 1 {
		err = fmt.Errorf("p = %s is not in [1, inf]: 1 keeps few kernels, 4/3 more, and 2 is their plain sum",
			fail.Cut(text))
	}
	return p, err
}

// parseNorms parses block norms that are separated by commas.
// The order is kept, because models of a path follow it.
func parseNorms(text string) ([]float64, error) {
	var norms []float64
	for part := range strings.SplitSeq(text, ",") {
		p, err := parseNorm(part)
		if err != nil {
			return nil, err
		}
		norms = append(norms, p)
	}
	return norms, nil
}

// mostPowers is the largest number of powers of costs. It bounds the trainings that a mistyped range
// can start.
const mostPowers = 1000

// parsePowers parses powers of costs of kernels: numbers from 0 on that are separated by commas, or
// A..B/N for N of them in equal steps.
func parsePowers(text string) ([]float64, error) {
	var powers []float64
	for part := range strings.SplitSeq(text, ",") {
		// A part without dots is a single power.
		first, rest, isRange := strings.Cut(part, "..")
		low, err := parsePower(first)
		if err != nil {
			return nil, err
		}
		if !isRange {
			powers = append(powers, low)
		} else {
			last, number, _ := strings.Cut(rest, "/")
			high, err := parsePower(last)
			n, fault := strconv.Atoi(number)
			if err != nil || fault != nil || n < 2 || n > mostPowers || high <= low {
				return nil, fmt.Errorf("%s is no range A..B/N", fail.Cut(part))
			}
			for k := range n {
				// Both ends are among the values.
				powers = append(powers, low+(high-low)*float64(k)/float64(n-1))
			}
		}
		if len(powers) > mostPowers {
			return nil, fmt.Errorf("more than %d powers", mostPowers)
		}
	}
	return powers, nil
}

// parseTaus parses a quantile or an expectile, or several that ascend. The order makes a line of
// predictions read from low to high.
func parseTaus(text string) (taus []float64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		tau, err := parseCoverage(strings.TrimSpace(word))
		switch {
		case err != nil:
			return nil, err
		case len(taus) > 0 && !(tau > taus[len(taus)-1]):
			return nil, fmt.Errorf("%s does not ascend, as in 0.1,0.5,0.9", fail.Quote(text))
		}
		taus = append(taus, tau)
	}
	return taus, nil
}

// parseCharges parses costs of kernels.
// The grammar is the grammar of widths, so ranges are possible.
func parseCharges(text string) ([]float64, error) {
	const most = 1 << 20
	return kernelspec.Values(text, most)
}

// parsePower parses a number from 0 on.
func parsePower(text string) (float64, error) {
	x, err := parseNumber(strings.TrimSpace(text))
	if err == nil && !(x >= 0 && x <= math.MaxFloat64) {
		err = fmt.Errorf("%s is not a number from 0", fail.Cut(text))
	}
	return x, err
}

// parseThetaNorm parses the norm q on the weights. It returns the equivalent block norm p =
// 2q/(1+q). The product is computed as 2 (q/(1+q)): 2q overflows for very large q.
func parseThetaNorm(text string) (float64, error) {
	q, err := parseNumber(text)
	switch {
	case err != nil:
		return 0, err
	case q < 1:
		return 0, fmt.Errorf("q = %s is not in [1, inf], such as 1 or 2", fail.Cut(text))
	// 2q/(1+q) tends to 2.
	case math.IsInf(q, 1):
		return 2, nil
	}
	return 2 * (q / (1 + q)), nil
}

// parseGroupNorm parses the norm q within groups.
// Below 1 the norm is not convex.
func parseGroupNorm(text string) (float64, error) {
	q, err := parseNumber(text)
	if err == nil && q < 1 {
		err = fmt.Errorf("q = %s is not in [1, inf]", fail.Cut(text))
	}
	return q, err
}

// parseDecay parses the exponent of the decay of eigenvalues, a finite number above 1. The bound on the
// excess risk holds for summable eigenvalues j^-A alone.
func parseDecay(text string) (float64, error) {
	a, err := parseNumber(text)
	if err == nil && !(a > 1 && a <= math.MaxFloat64) {
		err = fmt.Errorf("%s is not above 1", fail.Cut(text))
	}
	return a, err
}

// parseCount parses a whole number that is not negative.
func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is not a whole number of 0 or more", fail.Quote(text))
	}
	return n, nil
}

// parseLimit parses a whole number of at least 1. 32 bits keep products of two such numbers within an
// int.
func parseLimit(text string) (int, error) {
	n, err := parseCount(text)
	if err == nil && (n < 1 || n > math.MaxInt32) {
		err = fmt.Errorf("%s is not a whole number from 1 to 2^31-1", fail.Cut(text))
	}
	return n, err
}

// parseFolds parses a number of folds, which is at least 2.
func parseFolds(text string) (int, error) {
	n, err := parseCount(text)
	if err == nil && (n < 2 || n > math.MaxInt32) {
		err = fmt.Errorf("%s folds are too few: at least 2 are needed", fail.Cut(text))
	}
	return n, err
}

// parseSeed parses a seed of 64 bits.
// Negative seeds have no meaning, so the sign is a fault.
func parseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number from 0 to 2^64-1", fail.Quote(text))
	}
	return n, nil
}

// parseBytes parses a size such as 123, 512M, 64MiB or 1.5GB. The sign of a power of 1000 is the B:
// 64MB has 64,000,000 bytes, and 64M or 64MiB 67,108,864.
func parseBytes(text string) (int64, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	// The unit is everything behind the last digit or point.
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz ")
	unit, known := units[strings.TrimSpace(s[len(digits):])]
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || !(n >= 0) {
		return 0, fmt.Errorf("%s is not a size such as 64MiB, 1.5GiB or 123", fail.Quote(text))
	}
	if n*unit >= math.MaxInt64 {
		return 0, fmt.Errorf("%s is more than any computer has", fail.Cut(text))
	}
	return int64(n * unit), nil
}

// units maps the units of sizes to bytes. A single letter means a power of 1024.
var units = map[string]float64{
	"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "kib": 1 << 10,
	"mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
}

// parseMemory parses a memory budget above 0. The library would take 0 for "no budget given".
func parseMemory(text string) (int64, error) {
	n, err := parseBytes(text)
	if err == nil && n == 0 {
		err = errors.New("a run needs memory")
	}
	return n, err
}

// parseDisk parses a disk budget. It turns 0 into bigmkl.Zero, because the library would take 0 for
// "no budget given".
func parseDisk(text string) (int64, error) {
	n, err := parseBytes(text)
	if n == 0 {
		n = bigmkl.Zero
	}
	return n, err
}

// parseEpsilon reads a finite number from 0.
func parseEpsilon(text string) (float64, error) {
	x, err := parseNumber(text)
	switch {
	case err != nil:
	case !(x >= 0 && x <= math.MaxFloat64):
		err = fmt.Errorf("%s is not a number from 0", fail.Cut(text))
	// The library takes 0 for "not given", so a given 0 has a value of its own.
	case x == 0:
		x = bigmkl.Zero
	}
	return x, err
}

// parseDuration parses seconds such as 90 or 1.5, and durations of Go such as 1h30m.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	// A plain number is seconds. ParseDuration rejects it for want of a unit.
	if s, e := strconv.ParseFloat(text, 64); e == nil && s < math.MaxInt64/float64(time.Second) {
		d, err = time.Duration(s*float64(time.Second)), nil
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is not a time such as 90, 90s or 1h30m", fail.Quote(text))
	}
	return d, nil
}

// parseInterval parses a duration above 0.
func parseInterval(text string) (time.Duration, error) {
	d, err := parseDuration(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("%s is not a time above 0", fail.Quote(text))
	}
	return d, err
}

// parseCoverage parses a share in (0, 1).
func parseCoverage(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x < 1) {
		return 0, fmt.Errorf("%s is not a share in (0, 1), such as 0.9", fail.Quote(text))
	}
	return x, nil
}
