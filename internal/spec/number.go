package spec

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// most bounds the values of one range or auto list.
const most = 1 << 20

// number reads one finite number: decimal, B^k with an integer k, or a fraction of these. "features" stands for the
// number of features.
func number(s string, features int) (float64, error) {
	if a, b, ok := strings.Cut(s, "/"); ok {
		num, err := number(a, features)
		if err != nil {
			return 0, err
		}
		den, err := number(b, features)
		if err != nil {
			return 0, err
		}
		if v := num / den; den != 0 && !math.IsInf(v, 0) {
			return v, nil
		}
		return 0, fmt.Errorf("%q is not a finite number", s)
	}
	if base, exponent, ok := strings.Cut(s, "^"); ok {
		return power(s, base, exponent)
	}
	if s == "features" {
		return float64(features), nil
	}
	return decimal(s)
}

// decimal reads what strconv reads, less its inf, nan, hexadecimal and underscores.
func decimal(s string) (float64, error) {
	if s == "" {
		return 0, errors.New("a number is missing")
	}
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	v, err := strconv.ParseFloat(s, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is out of the range of float64", s)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

// power reads B^k. It works with 256 bits so that the rounded result depends on no math library.
func power(s, base, exponent string) (float64, error) {
	b, err := decimal(base)
	if err != nil {
		return 0, err
	}
	k, err := strconv.Atoi(exponent)
	if err != nil || k < -5000 || k > 5000 || strings.HasPrefix(exponent, "+") {
		return 0, fmt.Errorf("the exponent of %q is not an integer of at most four digits", s)
	}
	// The decimal itself is taken exactly, not as its float64: 1.2^49 is the power of 6/5.
	x, _, err := big.ParseFloat(base, 10, 256, big.ToNearestEven)
	if err != nil || b == 0 && k <= 0 {
		return 0, fmt.Errorf("%q is not a number", s)
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
		return 0, fmt.Errorf("%q is out of the range of float64", s)
	}
	return v, nil
}

// width reads a number that must be positive.
func width(s string, features int) (float64, error) {
	v, err := number(s, features)
	if err == nil && !(v > 0) {
		err = fmt.Errorf("%q is not positive", s)
	}
	return v, err
}

// widths reads a positive number, A..B or A..B/N.
func widths(s string, features int) ([]float64, error) {
	first, rest, isRange := strings.Cut(s, "..")
	lo, err := width(first, features)
	if err != nil || !isRange {
		return []float64{lo}, err
	}
	count := 0
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		if count, err = countOf(rest[i+1:]); err != nil {
			return nil, err
		}
		rest = rest[:i]
	}
	hi, err := width(rest, features)
	if err != nil {
		return nil, err
	}
	if lo > hi {
		return nil, fmt.Errorf("the range %q falls: write the smaller number first", s)
	}
	if count > 0 {
		return geometric(s, lo, hi, count)
	}
	var out []float64
	for v := lo; v <= hi; v *= 2 {
		out = append(out, v)
	}
	return out, nil
}

func geometric(s string, lo, hi float64, n int) ([]float64, error) {
	if n == 1 {
		if lo != hi {
			return nil, fmt.Errorf("the range %q of one value has two ends", s)
		}
		return []float64{lo}, nil
	}
	// A ratio of logarithms, since hi/lo itself may overflow.
	step := (math.Log(hi) - math.Log(lo)) / float64(n-1)
	out := make([]float64, n)
	for k := range out {
		// From the nearer end, so that the error of the step does not build up.
		if k < n/2 {
			out[k] = lo * math.Exp(step*float64(k))
		} else {
			out[k] = hi * math.Exp(-step*float64(n-1-k))
		}
	}
	return out, nil
}

// around gives n values in steps of 2 around 1/med. Only exact operations and one rounding of sqrt 2 are involved.
func around(med float64, n int) []float64 {
	out := make([]float64, n)
	for k := range out {
		half := 2*k - (n - 1) // twice the exponent
		v := math.Ldexp(1/med, half>>1)
		if half&1 != 0 {
			v *= math.Sqrt2
		}
		out[k] = v
	}
	return out
}

// countOf reads a number of values.
func countOf(s string) (int, error) {
	n, err := natural(s)
	if err != nil {
		return 0, err
	}
	if n < 1 || n > most {
		return 0, fmt.Errorf("%q is not a number of values between 1 and %d", s, most)
	}
	return n, nil
}

// natural reads plain decimal digits.
func natural(s string) (int, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is too large", s)
	}
	return int(n), nil
}
