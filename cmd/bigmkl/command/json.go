package command

import (
	"bigmkl/internal/float"
	"encoding/json"
	"math"
)

// number is a float64 that JSON shows as null if it is infinite or not a number. JSON has no infinity,
// and encoding/json returns an error for it. A report must not fail because one figure is not defined.
type number float64

// MarshalJSON writes the shortest decimal that reads back as the same float64.
func (x number) MarshalJSON() ([]byte, error) {
	if !float.Finite(x) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// blockNorm is p, which JSON shows as a number or as "inf". p = inf is a valid norm, so null would be
// ambiguous.
type blockNorm float64

// MarshalJSON writes p.
func (p blockNorm) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(p), 1) {
		return []byte(`"inf"`), nil
	}
	return number(p).MarshalJSON()
}

// mostNumbers is the length above which JSON omits an array of numbers. Such an array has about 200 KB.
// train --theta-out writes the weights of any number of kernels to a file.
const mostNumbers = 10000

// numbers converts numbers for JSON. It returns nil, which is null, if they are more than
// mostNumbers.
func numbers(x []float64) []number {
	if len(x) > mostNumbers {
		return nil
	}
	out := make([]number, len(x))
	for i, v := range x {
		out[i] = number(v)
	}
	return out
}
