package model

import (
	"errors"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/kernelspec"
	"bigmkl/probability"
)

// Certificate says how good the model is: the primal and dual value of this very model.
type Certificate struct {
	Kind        string  `json:"kind"` // gap | stationary: an indefinite kernel is in use and the gap proves nothing
	Primal      float64 `json:"primal"`
	Dual        float64 `json:"dual"`
	RelativeGap float64 `json:"relative_gap"`
}

// Normalization is how kernels were scaled before their weights.
type Normalization struct {
	Kind          string    `json:"kind"`                  // none | multiplicative | spherical, of kernels that do not say norm= themselves
	Scale         []float64 `json:"-"`                     // the factor of each kernel, 1 of others, where some are multiplicative; else nil
	SampleSize    int       `json:"sample_size,omitempty"` // rows that Scale was estimated from; 0 = exact
	StandardError []float64 `json:"-"`                     // relative, of each factor, only when sampled
}

// Tuning is how the solver was set; zeros stand for its defaults. The fields are those of chunking.Tuning.
type Tuning struct {
	WorkingSet int     `json:"working_set,omitzero"`
	Fresh      float64 `json:"fresh,omitzero"`
	Inner      float64 `json:"inner,omitzero"`
	Coarse     float64 `json:"coarse,omitzero"`
	Shrink     float64 `json:"shrink,omitzero"`
	NoShrink   bool    `json:"no_shrink,omitzero"`
}

// Model is a trained machine, or several that share support vectors: f(x) = sum_m Theta[m] sum_s Alpha[s] k_m(x_s, x) + Bias, with k_m normalised.
type Model struct {
	Task string  // one of Tasks
	Norm float64 // block norm p in [1, +Inf]
	Regularizer
	C         float64
	Epsilon   float64 // half-width of the tube of TaskSVR, else 0
	Nu        float64 // share of the points that TaskOneClass may leave out, else 0
	Gap       float64 // the relative gap that was asked for
	Precision string  // auto | 32 | 64
	Double    bool    // kernels were computed in double precision at the end, and have to be for prediction

	Positive, Negative             string   // class names: f > 0 predicts Positive; "" for tasks without classes
	PositiveLabels                 []string // labels that count as positive, the rest being negative; nil if classes are as in the data
	PositiveWeight, NegativeWeight float64  // C_i = C * class weight * row weight
	RowWeights                     bool     // the rows had weights of their own

	Multiclass   string    // one of Multiclasses, or "": there is one machine, and what follows here is empty
	Classes      []string  // of several machines, in order
	ClassWeights []float64 // C_i = C * weight of the row's class * row weight; nil: all 1
	Machines     []Machine
	OneTheta     bool // all have the same weights, where they have any, and Certificate is that of all together

	Sigmoids []probability.Sigmoid // of each machine, which make probabilities of decision values; nil: the model gives none
	Folds    int                   // of held-out rows that they were fitted to; 0 without. Seed dealt the rows out

	Points, Features int            // n and d of the training data
	Limit            int            // only the first Limit rows were used; 0 = all
	Tuning           Tuning         // of the solver; its zero value is the default
	Fingerprint      uint64         // of the training data as scaled
	Store            dataset.Layout // dense | sparse: how they were stored, which decides in what order they are summed

	Kernels   []string         // specifications, unexpanded
	Views     []dataset.View   // what they need to expand
	Sequences dataset.Alphabet // of points that are sequences
	Seed      uint64
	Medians   []float64 // median and mean distances that kernels take their widths from

	Scaling       dataset.Scaling
	Normalization Normalization

	Theta, WNorms []float64 // weight and ||w_m|| of each kernel
	Bias          float64
	Support       []int32                    // training row of each support vector, ascending
	Alpha         []float64                  // its signed dual variable
	Vectors       []float32                  // len(Support) x Features, row-major, scaled; nil when every kernel is precomputed
	Sparse        *Sparse                    // instead of Vectors where the points were stored sparsely
	Rows          func(s int, dst []float32) `json:"-"` // instead of both in a machine of several: writes support vector s
	Certificate   Certificate

	file *mapped // nil where the support vectors are in memory
}

// Bank expands the kernel specifications, with the recorded medians in place of the data. It fails with fail.Corrupt if
// they do not fit the rest of the model, and with fail.Budget if a short text stands for more than this machine can hold.
func (m *Model) Bank() (*kernelspec.Bank, error) { return m.BankWithin(host.Budget()) }

// BankWithin is Bank with so many bytes that it may take instead.
func (m *Model) BankWithin(memory int64) (*kernelspec.Bank, error) {
	next := 0
	c := m.context()
	if c.Memory == 0 || memory < c.Memory {
		c.Memory = memory
	}
	c.Median = func([]int32, kernelspec.Kind) (float64, error) {
		if next == len(m.Medians) {
			return 0, fail.New(fail.Corrupt, "the model has %d median distances and its kernels need more", next)
		}
		next++
		return m.Medians[next-1], nil
	}
	c.Mean = c.Median
	b, err := kernelspec.Expand(m.Kernels, c)
	if errors.Is(err, fail.Budget) {
		return nil, err
	}
	if err != nil {
		return nil, corrupt(err)
	}
	if len(b.Kernels) != m.Len() {
		return nil, fail.New(fail.Corrupt, "the model has %d weights for %d kernels", m.Len(), len(b.Kernels))
	}
	if next != len(m.Medians) {
		return nil, fail.New(fail.Corrupt, "the model has %d median distances and its kernels need %d", len(m.Medians), next)
	}
	return b, nil
}

// Outline expands the specifications to count with, at no cost to speak of: see kernelspec.Context.
func (m *Model) Outline() (*kernelspec.Bank, error) {
	c := m.context()
	c.Memory, c.Outline = 0, true
	c.Median = func([]int32, kernelspec.Kind) (float64, error) { return 1, nil }
	c.Mean = c.Median
	b, err := kernelspec.Expand(m.Kernels, c)
	if err != nil {
		return nil, corrupt(err)
	}
	return b, nil
}

// withoutVectors is the bytes that the kernels of a model may take, besides some for each weight, if it has no support vectors:
// nothing in such a file shows that its features exist.
const withoutVectors = 64 << 20

// context is what expansions of this model depend on, medians aside. The number of weights bounds what is built.
func (m *Model) context() kernelspec.Context {
	c := kernelspec.Context{Features: m.Features, Views: m.Views, Sequences: m.Sequences, Seed: m.Seed, Limit: max(1, m.Len())}
	if len(m.Vectors) == 0 && (m.Sparse == nil || len(m.Support) == 0) {
		c.Memory = withoutVectors + 200*int64(m.Len())
	}
	return c
}

// HasVectors tells whether the model keeps support vectors.
func (m *Model) HasVectors() bool { return m.Vectors != nil || m.Sparse != nil || m.Rows != nil }

// Seen tells whether there are features of support vectors: without, the number of features is but a claim.
func (m *Model) Seen() bool { return m.HasVectors() && len(m.Support) > 0 && m.Features > 0 }

// Vector is support vector s as a scaled row, nil when the model keeps none. It is memory of the model's where this has it laid out.
func (m *Model) Vector(s int) []float32 {
	if m.Vectors != nil {
		return m.Vectors[s*m.Features : (s+1)*m.Features : (s+1)*m.Features]
	}
	if !m.HasVectors() {
		return nil
	}
	row := make([]float32, m.Features)
	m.Row(s, row)
	return row
}

// Row writes support vector s, of a model that keeps them, to a scaled row.
func (m *Model) Row(s int, dst []float32) {
	switch {
	case m.Vectors != nil:
		copy(dst, m.Vector(s))
	case m.Sparse != nil:
		clear(dst)
		index, value := m.Sparse.Row(s)
		for e, j := range index {
			dst[j] = value[e]
		}
	default:
		m.Rows(s, dst)
	}
}

// Each visits the features of support vector s that may be other than zero; none when the model keeps no vectors.
func (m *Model) Each(s int, visit func(feature int, x float32)) {
	if m.Sparse == nil {
		for j, x := range m.Vector(s) {
			visit(j, x)
		}
		return
	}
	index, value := m.Sparse.Row(s)
	for e, j := range index {
		visit(int(j), value[e])
	}
}
