package model

import (
	"encoding/json"
	"math"
)

// Regularizer states which norm was used if not the block norm p alone. At most one field is set.
type Regularizer struct {
	// GroupNorm is the norm q within the groups of kernels that the specifications name; p is the
	// norm over the groups.
	GroupNorm Norm `json:"group_norm,omitzero"`
	// ElasticNet is lambda in 1/2 (1 - lambda) (sum ||w_m||)^2 + lambda/2 sum ||w_m||^2. Then p is
	// 1.
	ElasticNet float64 `json:"elastic_net,omitzero"`
	// SquaredNorm is the factor lambda of the squared norm of theta in the objective. The exponent
	// of that norm follows from p.
	SquaredNorm float64 `json:"squared_norm,omitzero"`
	// Interaction is the M x M matrix E, row-major. Then p is 2.
	Interaction []float64 `json:"-"`
	// Weights holds a fixed weight for each kernel. Then p is 2.
	Weights []float64 `json:"-"`
}

// Norm is an exponent. In JSON it is a number or the word "inf".
type Norm = jsonNorm

// Coupled reports whether a square matrix has a non-zero entry off its diagonal.
func Coupled(e []float64) bool {
	n := int(math.Round(math.Sqrt(float64(len(e)))))
	for i, x := range e {
		if x != 0 && i/n != i%n {
			return true
		}
	}
	return false
}

// scalars returns the fields that are recorded as text.
func (r Regularizer) scalars() Regularizer {
	r.Interaction, r.Weights = nil, nil
	return r
}

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
