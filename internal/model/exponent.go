package model

import (
	"encoding/json"
	"math"
)

// Norm is an exponent. In JSON it is a number or the word "inf".
type Norm = jsonNorm

// jsonNorm is an exponent that JSON shows as a number or as the word "inf".
type jsonNorm float64

var (
	_ json.Marshaler   = jsonNorm(0)
	_ json.Unmarshaler = (*jsonNorm)(nil)
)

// MarshalJSON writes the exponent.
func (p jsonNorm) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(p), 1) {
		return []byte(`"inf"`), nil
	}
	return json.Marshal(float64(p))
}

// UnmarshalJSON reads the exponent.
func (p *jsonNorm) UnmarshalJSON(b []byte) error {
	if string(b) == `"inf"` {
		*p = jsonNorm(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(p))
}
