package model

import "math"

// Regularizer is the norm if it is not the block norm p alone. At most one field is set. A new norm is a field, and a row of
// normKinds.
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

// NormKind is a kind of norms other than the block norm.
type NormKind struct {
	// Name is the name in messages.
	Name string
	// Exponent is the p that models of the norm have. If it is 0, p can be chosen.
	Exponent float64
	// OfKernels is true if the norm has numbers for each kernel, which options take from a file. So it belongs to one list
	// of kernels, and a model does not state how to give it again.
	OfKernels bool

	isSet func(r *Regularizer) bool
	check func(m *Model, f *faults)
}

// normKinds has a row for each field of Regularizer.
var normKinds = []NormKind{
	{Name: "group norm",
		isSet: func(r *Regularizer) bool { return r.GroupNorm != 0 },
		check: func(m *Model, f *faults) {
			f.check(m.GroupNorm >= 1, "norm %v within groups is below 1", float64(m.GroupNorm))
		}},
	{Name: "elastic net", Exponent: 1,
		isSet: func(r *Regularizer) bool { return r.ElasticNet != 0 },
		check: func(m *Model, f *faults) {
			f.check(m.ElasticNet > 0 && m.ElasticNet < 1, "elastic net of %v", m.ElasticNet)
		}},
	{Name: "squared norm",
		isSet: func(r *Regularizer) bool { return r.SquaredNorm != 0 },
		check: func(m *Model, f *faults) { f.check(atLeast0(m.SquaredNorm), "squared norm %v", m.SquaredNorm) }},
	{Name: "interactions", Exponent: 2, OfKernels: true,
		isSet: func(r *Regularizer) bool { return r.Interaction != nil },
		check: func(m *Model, f *faults) { checkInteraction(m.Interaction, m.Len(), f) }},
	{Name: "fixed weights", Exponent: 2, OfKernels: true,
		isSet: func(r *Regularizer) bool { return r.Weights != nil },
		check: func(m *Model, f *faults) {
			f.check(len(m.Weights) == m.Len(), "%d fixed weights of %d kernels", len(m.Weights), m.Len())
			f.each("weights", m.Weights, atLeast0, "finite and >= 0")
		}},
}

// Kinds returns the kinds of the fields that are set.
func (r *Regularizer) Kinds() []*NormKind {
	var set []*NormKind
	for i := range normKinds {
		if k := &normKinds[i]; k.isSet(r) {
			set = append(set, k)
		}
	}
	return set
}

// Kind returns the kind of the field that is set. It is the zero value for the block norm.
func (r *Regularizer) Kind() NormKind {
	if set := r.Kinds(); len(set) > 0 {
		return *set[0]
	}
	return NormKind{}
}

// IsBlockNorm reports whether no field is set.
func (r *Regularizer) IsBlockNorm() bool { return len(r.Kinds()) == 0 }

// checkInteraction checks the matrix of the interactions of kernels.
func checkInteraction(e []float64, kernels int, f *faults) {
	f.each("interaction", e, atLeast0, "finite and >= 0")
	if len(e) != kernels*kernels {
		f.check(false, "%d interactions of %d kernels", len(e), kernels)
		return
	}
	for i := range kernels {
		for j := range i {
			if e[i*kernels+j] != e[j*kernels+i] {
				f.check(false, "interactions %d and %d are not symmetric", i, j)
				return
			}
		}
	}
}

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

// withArrays returns the fields that are recorded as text, with the arrays of another value.
func (r Regularizer) withArrays(from Regularizer) Regularizer {
	r.Interaction, r.Weights = from.Interaction, from.Weights
	return r
}
