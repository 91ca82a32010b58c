package command

import (
	"fmt"
	"math"

	"bigmkl/internal/fail"
)

// parseWeight parses a number from 0. 0 switches the term with this weight off.
// The upper bound rejects infinity, which would make the objective infinite. The negated test rejects NaN.
func parseWeight(text string) (float64, error) {
	x, err := parseNumber(text)
	if err == nil && !(x >= 0 && x <= math.MaxFloat64) {
		err = fmt.Errorf("%s is not a number from 0", fail.Cut(text))
	}
	return x, err
}

// parseFloor parses a number from 0 to 1, 1 excluded. A floor closes every gate below it. At 1 it would
// close all gates.
func parseFloor(text string) (float64, error) {
	x, err := parseNumber(text)
	if err == nil && !(x >= 0 && x < 1) {
		err = fmt.Errorf("%s is not in [0, 1)", fail.Cut(text))
	}
	return x, err
}
