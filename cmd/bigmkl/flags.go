package main

import (
	"bigmkl"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// flags are the flags of one command. Values are checked as they are parsed; the faults are kept, so that all of them can be
// reported at once.
type flags struct {
	*pflag.FlagSet
	faults []error
}

func flagsOf(c *cobra.Command) *flags { return &flags{FlagSet: c.Flags()} }

// err joins the faults.
func (f *flags) err() error { return errors.Join(f.faults...) }

// value is a flag whose text is read by a function.
type value[T any] struct {
	flags *flags
	name  string
	kind  string
	text  string
	to    *T
	parse func(string) (T, error)
}

// Set reads the text.
func (v *value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err != nil {
		v.flags.faults = append(v.flags.faults, fail.New(fail.Usage, "%s: %w", v.name, err))
		return nil
	}
	v.text, *v.to = text, x
	return nil
}

// String gives the text, before Set that of the default.
func (v *value[T]) String() string { return v.text }

// Type names the kind of value in the help.
func (v *value[T]) Type() string { return v.kind }

// add defines a flag. name is "long" or "long,short"; def is the default's text for the help, whose value the target holds.
func add[T any](f *flags, to *T, name, kind, def string, parse func(string) (T, error), usage string) {
	long, short, _ := strings.Cut(name, ",")
	v := &value[T]{flags: f, name: "--" + long, kind: kind, text: def, to: to, parse: parse}
	if short != "" {
		v.name = "-" + short
	}
	f.VarP(v, long, short, usage)
}

// parseNumber reads a decimal number, a quotient or inf.
func parseNumber(text string) (float64, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if s == "inf" || s == "infinity" {
		return math.Inf(1), nil
	}
	a, b, quotient := strings.Cut(s, "/")
	x, err := strconv.ParseFloat(a, 64)
	if err == nil && quotient {
		var y float64
		y, err = strconv.ParseFloat(b, 64)
		x /= y
	}
	if err != nil || x-x != 0 {
		return 0, fmt.Errorf("%s is not a number", fail.Quote(text))
	}
	return x, nil
}

// parsePositive reads a finite number above 0.
func parsePositive(text string) (float64, error) {
	x, err := parseNumber(text)
	if err == nil && !(x > 0 && x <= math.MaxFloat64) {
		err = fmt.Errorf("%s is not a positive number", fail.Cut(text))
	}
	return x, err
}

func parseGap(text string) (float64, error) {
	x, err := parsePositive(text)
	if err == nil && x >= 1 {
		err = fmt.Errorf("%s is not between 0 and 1", fail.Cut(text))
	}
	return x, err
}

// parseNorm reads the block norm p; sum names the plain sum of the kernels.
func parseNorm(text string) (float64, error) {
	if text == "sum" {
		return 2, nil
	}
	p, err := parseNumber(text)
	if err == nil && p < 1 {
		err = fmt.Errorf("p = %s is not in [1, inf]", fail.Cut(text))
	}
	return p, err
}

// parseThetaNorm reads the norm q on the weights themselves and gives the block norm p with q = p/(2-p).
func parseThetaNorm(text string) (float64, error) {
	q, err := parseNumber(text)
	switch {
	case err != nil:
		return 0, err
	case q < 1:
		return 0, fmt.Errorf("q = %s is not in [1, inf]", fail.Cut(text))
	case math.IsInf(q, 1):
		return 2, nil
	}
	return 2 * (q / (1 + q)), nil
}

// parseCount reads a whole number from 0.
func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is not a whole number from 0", fail.Quote(text))
	}
	return n, nil
}

// parseFolds reads a number of folds.
func parseFolds(text string) (int, error) {
	n, err := parseCount(text)
	if err == nil && (n < 2 || n > math.MaxInt32) {
		err = fmt.Errorf("%s folds, at least 2 are needed", fail.Cut(text))
	}
	return n, err
}

func parseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number from 0 to 2^64-1", fail.Quote(text))
	}
	return n, nil
}

// units of bytes. A single letter means powers of 1024, as everywhere on the command line.
var units = map[string]float64{
	"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
}

// parseBytes reads 123, 512M, 64MiB or 1.5GB.
func parseBytes(text string) (int64, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz ")
	unit, known := units[strings.TrimSpace(s[len(digits):])]
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || !(n >= 0) {
		return 0, fmt.Errorf("%s is not a size such as 64MiB, 1.5GiB or 123", fail.Quote(text))
	}
	if n*unit >= math.MaxInt64 {
		return 0, fmt.Errorf("%s is more than any machine has", fail.Cut(text))
	}
	return int64(n * unit), nil
}

// parseMemory refuses a budget of nothing, which the library takes for none given.
func parseMemory(text string) (int64, error) {
	n, err := parseBytes(text)
	if err == nil && n == 0 {
		err = errors.New("nothing runs without memory")
	}
	return n, err
}

// parseDisk reads a budget of disk. None at all is the least there is: the library takes 0 for no budget given.
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
	case x == 0:
		x = bigmkl.Zero
	}
	return x, err
}

// parseDuration reads 90 or 1.5 (seconds) and Go's 1h30m.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if s, e := strconv.ParseFloat(text, 64); e == nil && s < math.MaxInt64/float64(time.Second) {
		d, err = time.Duration(s*float64(time.Second)), nil
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is not a time such as 90, 90s or 1h30m", fail.Quote(text))
	}
	return d, nil
}

// parsePart reads a number between 0 and 1, neither of them.
func parsePart(text string) (float64, error) {
	x, err := parsePositive(text)
	if err == nil && x >= 1 {
		err = fmt.Errorf("%s is not between 0 and 1", fail.Quote(text))
	}
	return x, err
}

// parseInterval reads a time that is not 0.
func parseInterval(text string) (time.Duration, error) {
	d, err := parseDuration(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("%s is no time between two", fail.Quote(text))
	}
	return d, err
}

// parseClassWeights reads +1=2,-1=0.5.
func parseClassWeights(text string) (map[string]float64, error) {
	weights := map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		i := strings.LastIndexByte(part, '=')
		if i < 0 {
			return nil, fmt.Errorf("%s is not of the form LABEL=WEIGHT", fail.Quote(part))
		}
		label, err := dataset.CanonicalLabel(strings.TrimSpace(part[:i]))
		if err != nil {
			return nil, err
		}
		if _, twice := weights[label]; twice {
			return nil, fmt.Errorf("class %s has two weights", fail.Quote(label))
		}
		if weights[label], err = parsePositive(part[i+1:]); err != nil {
			return nil, err
		}
	}
	return weights, nil
}

// parseLabels reads 0,2,4.
func parseLabels(text string) ([]string, error) {
	var labels []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if _, err := dataset.CanonicalLabel(part); err != nil {
			return nil, err
		}
		labels = append(labels, part)
	}
	return labels, nil
}

// oneOf reads one of a few words.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, w := range words {
			if w == text {
				return w, nil
			}
		}
		return "", fmt.Errorf("unknown %s (%s)", fail.Quote(text), strings.Join(words, ", "))
	}
}

// formatNorm writes p the way people do.
func formatNorm(p float64) string {
	if math.IsInf(p, 1) {
		return "inf"
	}
	for b := 1.0; b < 20; b++ {
		a := math.Round(p * b)
		switch {
		case a/b != p:
		case b == 1:
			return strconv.FormatFloat(p, 'g', -1, 64)
		default:
			return fmt.Sprintf("%g/%g", a, b)
		}
	}
	return strconv.FormatFloat(p, 'g', -1, 64)
}
