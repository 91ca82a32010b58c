package model

import (
	"bigmkl/dataset"
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

// Machine is one of several two-class machines that share data, kernels and support vectors.
type Machine struct {
	Positive, Negative int32 // classes, by their places in Model.Classes; Negative may be Rest
	Double             bool  // as Model.Double
	Theta, WNorms      []float64
	Bias               float64
	Support            []int32 // support vectors, by their places in Model.Support, ascending
	Alpha              []float64
	Certificate        Certificate
}

// Several tells whether the model has several machines. Its own weights, bias and dual variables are those of a model of
// one; nothing is in them then.
func (m *Model) Several() bool { return m.Multiclass != "" }

// Len is the number of kernels.
func (m *Model) Len() int {
	if len(m.Machines) > 0 {
		return len(m.Machines[0].Theta)
	}
	return len(m.Theta)
}

// Labeling is what labels are in data for the model.
func (m *Model) Labeling() dataset.Labeling {
	if m.Multiclass == MultiLabel {
		return dataset.Sets
	}
	return Labeling(m.Task)
}

// HasClasses tells whether the model predicts classes.
func (m *Model) HasClasses() bool { return m.Task == TaskClass }

// Close unmaps the file of a model that Open has read. Its support vectors are gone then.
func (m *Model) Close() error {
	if m.file == nil {
		return nil
	}
	m.Vectors, m.Sparse, m.Rows = nil, nil, nil
	return m.file.data.Close()
}

// Mapped tells whether the support vectors are in a file and take no memory.
func (m *Model) Mapped() bool { return m.file != nil }

// Guard runs a function that reads the support vectors, in its goroutine. If these are in a file that was cut short or written to
// since it was opened, what it does is of no use: it is fail.Input then, whatever came of it. A file that was replaced by another of
// its name is still there for us, unchanged.
func (m *Model) Guard(read func() error) error {
	if m.file == nil {
		return read()
	}
	return m.file.guard(read)
}
