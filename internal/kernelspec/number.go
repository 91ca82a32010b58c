package kernelspec

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

const (
	// most is the largest number of values of one range.
	most = 1 << 20
	// mostDigits is the largest number of digits of the base of a power, which is multiplied
	// exactly.
	mostDigits = 1000
)

// number parses one finite number: a decimal, a power B^k with an integer k, or a fraction of two
// of these. The word "features" means the number of features.
func number(s string, features int) (float64, error) {
	a, b, quotient := strings.Cut(s, "/")
	if !quotient {
		return term(s, features)
	}
	num, err := term(a, features)
	if err != nil {
		return 0, err
	}
	den, err := term(b, features)
	if err != nil {
		return 0, err
	}
	if v := num / den; den != 0 && !math.IsInf(v, 0) {
		return v, nil
	}
	return 0, fmt.Errorf("%s is not a finite number", clip(s))
}

// term parses one side of a fraction.
func term(s string, features int) (float64, error) {
	if base, exponent, ok := strings.Cut(s, "^"); ok {
		return power(s, base, exponent)
	}
	if s == "features" {
		return float64(features), nil
	}
	return decimal(s)
}

// widths of other programs, which take them from the data in other ways.
var otherWidths = []string{"scale", "median", "automatic"}

// decimal parses what strconv accepts, except inf, nan, hexadecimal numbers and underscores.
func decimal(s string) (float64, error) {
	if s == "" {
		return 0, errors.New("a number is missing")
	}
	if slices.Contains(otherWidths, s) {
		return 0, fmt.Errorf("%s is not a number: auto takes the median distance of the data", clip(s))
	}
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, fmt.Errorf("%s is not a number", clip(s))
	}
	v, err := strconv.ParseFloat(s, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is out of the range of float64", clip(s))
	}
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", clip(s))
	}
	return v, nil
}

// power parses B^k. It computes with 256 bits, so the rounded result depends on no mathematical
// library.
func power(s, base, exponent string) (float64, error) {
	b, err := decimal(base)
	if err == nil && len(base) > mostDigits {
		err = fmt.Errorf("%s has too many digits", clip(base))
	}
	if err != nil {
		return 0, err
	}
	k, err := strconv.Atoi(exponent)
	if err != nil || k < -5000 || k > 5000 || strings.HasPrefix(exponent, "+") {
		return 0, fmt.Errorf("the exponent of %s is not an integer of at most four digits", clip(s))
	}
	// The base is taken as a decimal and not as its float64, so 1.2^49 is the power of 6/5.
	x, _, err := big.ParseFloat(base, 10, 256, big.ToNearestEven)
	if err != nil || b == 0 && k <= 0 {
		return 0, fmt.Errorf("%s is not a number", clip(s))
	}
	r := big.NewFloat(1).SetPrec(256)
	for range max(k, -k) {
		r.Mul(r, x)
	}
	if k < 0 {
		r.Quo(big.NewFloat(1).SetPrec(256), r)
	}
	v, _ := r.Float64()
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is out of the range of float64", clip(s))
	}
	return v, nil
}

// width parses a number that must be positive.
func width(s string, features int) (float64, error) {
	v, err := number(s, features)
	if err == nil && !(v > 0) {
		err = fmt.Errorf("%s is not positive", clip(s))
	}
	return v, err
}

// progression is the values of a range. They are computed one by one, because a short text may
// represent a million.
type progression struct {
	lo, hi float64
	// doubles is true if the values double from lo on. Otherwise they go in geometric steps from lo
	// to hi.
	doubles bool
	// step is the difference of the logarithms of two values.
	step float64
	n    int
}

// at returns value k, counted from 0.
func (p *progression) at(k int) float64 {
	switch {
	case p.doubles:
		return math.Ldexp(p.lo, k)
	case k < p.n/2: // The nearer end keeps the error of the step small.
		return p.lo * math.Exp(p.step*float64(k))
	}
	return p.hi * math.Exp(-p.step*float64(p.n-1-k))
}

// widths parses a positive number, a range A..B or a range A..B/N.
func widths(s string, features int) (progression, error) {
	first, rest, isRange := strings.Cut(s, "..")
	lo, err := width(first, features)
	if err != nil || !isRange {
		return progression{lo: lo, hi: lo, n: 1}, err
	}
	count := 0
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		if count, err = countOf(rest[i+1:]); err != nil {
			return progression{}, err
		}
		rest = rest[:i]
	}
	hi, err := width(rest, features)
	if err != nil {
		return progression{}, err
	}
	if lo > hi {
		return progression{}, fmt.Errorf("the range %s falls: write the smaller number first",
			clip(s))
	}
	p := progression{lo: lo, hi: hi, n: count}
	switch {
	case count == 1 && lo != hi:
		return p, fmt.Errorf("the range %s of one value has two ends", clip(s))
	case count > 1:
		// The quotient hi/lo may overflow.
		p.step = (math.Log(hi) - math.Log(lo)) / float64(count-1)
	case count == 0:
		p.doubles = true
		for v := lo; v <= hi; v *= 2 {
			p.n++
		}
	}
	return p, nil
}

// Values parses a list of positive numbers and ranges, such as 0.5,1..8,0.1..100/7. More than limit
// values are an error.
func Values(text string, limit int) ([]float64, error) {
	var values []float64
	for part := range strings.SplitSeq(text, ",") {
		p, err := widths(strings.TrimSpace(part), 0)
		if err != nil {
			return nil, err
		}
		if len(values)+p.n > limit {
			return nil, fmt.Errorf("%s stands for more than %d values", clip(text), limit)
		}
		for k := range p.n {
			values = append(values, p.at(k))
		}
	}
	return values, nil
}

// steps returns value k of n values in steps of a factor of 2 around 1/med. All operations are
// exact except one product with the rounded square root of 2.
func steps(med float64, k, n int) float64 {
	half := 2*k - (n - 1) // This is twice the exponent.
	v := math.Ldexp(1/med, half>>1)
	if half&1 != 0 {
		v *= math.Sqrt2
	}
	return v
}

// countOf parses a number of values.
func countOf(s string) (int, error) {
	n, err := natural(s)
	if err != nil {
		return 0, err
	}
	if n < 1 || n > most {
		return 0, fmt.Errorf("%s is not a number of values between 1 and %d", clip(s), most)
	}
	return n, nil
}

// natural parses plain decimal digits.
func natural(s string) (int, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("%s is not a whole number", clip(s))
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%s is too large", clip(s))
	}
	return int(n), nil
}

// maxDegree is the largest degree of a polynomial. Beyond it powers overflow unless the base is
// close to 1 or -1.
const maxDegree = 1000

func degree(s string) (int, error) {
	d, err := natural(s)
	if err != nil || d < 1 || d > maxDegree {
		return 0, fmt.Errorf("%s is not a degree between 1 and %d", clip(s), maxDegree)
	}
	return d, nil
}
