package model

import (
	"encoding/json"
	"math"
)

// Regularizer is what the norm was if not the block norm p alone: at most one of these is set.
type Regularizer struct {
	GroupNorm   Norm      `json:"group_norm,omitzero"`   // q within the groups of kernels that the specifications name, p over the groups
	ElasticNet  float64   `json:"elastic_net,omitzero"`  // lambda of 1/2 (1 - lambda) (sum ||w_m||)^2 + lambda/2 sum ||w_m||^2; p is 1
	SquaredNorm float64   `json:"squared_norm,omitzero"` // lambda of the squared norm of theta in the objective, which p goes with
	Interaction []float64 `json:"-"`                     // E, M x M, row-major; p is 2
	Weights     []float64 `json:"-"`                     // of each kernel, fixed; p is 2
}

// Norm is an exponent, in JSON a number or the word "inf".
type Norm = jsonNorm

// Coupled tells whether a matrix has entries beside its diagonal.
func Coupled(e []float64) bool {
	n := int(math.Round(math.Sqrt(float64(len(e)))))
	for i, x := range e {
		if x != 0 && i/n != i%n {
			return true
		}
	}
	return false
}

// scalars is what is recorded as text.
func (r Regularizer) scalars() Regularizer {
	r.Interaction, r.Weights = nil, nil
	return r
}

// jsonNorm is p, a number or the word "inf".
type jsonNorm float64

// MarshalJSON writes p.
func (p jsonNorm) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(p), 1) {
		return []byte(`"inf"`), nil
	}
	return json.Marshal(float64(p))
}

// UnmarshalJSON reads p.
func (p *jsonNorm) UnmarshalJSON(b []byte) error {
	if string(b) == `"inf"` {
		*p = jsonNorm(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(p))
}
