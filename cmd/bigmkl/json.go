package main

import (
	"encoding/json"
	"math"
)

// number is a float64 in JSON, which has neither NaN nor infinities: null.
type number float64

// MarshalJSON writes the shortest digits that give the number back.
func (x number) MarshalJSON() ([]byte, error) {
	if f := float64(x); f-f != 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// blockNorm is p in JSON, a number or "inf".
type blockNorm float64

// MarshalJSON writes p.
func (p blockNorm) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(p), 1) {
		return []byte(`"inf"`), nil
	}
	return number(p).MarshalJSON()
}

// mostNumbers is the length above which arrays with a number for each kernel are left out.
const mostNumbers = 10000

// numbers gives an array for JSON, null if it is too long to be read there.
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

// printJSON writes one object, and a line break, to standard output.
func (a *app) printJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(append(b, '\n'))
	return err
}

// jsonFlag and quietFlag are the same for all commands.
func jsonFlag(f *flags, to *bool) {
	f.BoolVar(to, "json", false, "print one JSON object on standard output and nothing else")
}

func quietFlag(f *flags, to *bool) {
	f.BoolVar(to, "quiet", false, "no progress on standard error")
}
