package libsvm

// These are the kinds of models.
const (
	CSVC       = "c_svc"
	NuSVC      = "nu_svc"
	OneClass   = "one_class"
	EpsilonSVR = "epsilon_svr"
	NuSVR      = "nu_svr"
)

// Types lists them in the order of the numbers behind -s of svm-train.
var Types = []string{CSVC, NuSVC, OneClass, EpsilonSVR, NuSVR}

// These are the kernels.
const (
	Linear      = "linear"
	Polynomial  = "polynomial"
	RBF         = "rbf"
	Sigmoid     = "sigmoid"
	Precomputed = "precomputed"
)

// Kernels lists them in the order of the numbers behind -t of svm-train.
var Kernels = []string{Linear, Polynomial, RBF, Sigmoid, Precomputed}

// Kernel is a kernel and its parameters, of which each kind has some.
type Kernel struct {
	Kind   string
	Degree int
	Gamma  float64
	Coef0  float64
}

// Head is what comes before the vectors.
type Head struct {
	Type    string
	Kernel  Kernel
	Classes int
	// Vectors is the number of support vectors.
	Vectors int
	// Rho has a number for each pair of classes.
	Rho []float64
	// Labels and Counts are the label and the number of vectors of each class. Both are nil without
	// classes.
	Labels []int32
	Counts []int
	// ProbA and ProbB are the parameters of the sigmoid 1 / (1 + exp(A f + B)) of each pair. A regression
	// has ProbA alone, the scale of a Laplace distribution. They are nil without probabilities.
	ProbA, ProbB []float64
	// Marks are the ten decision values at which the probability of one class changes.
	Marks []float64
}

// Model is a model in memory.
type Model struct {
	Head
	// Coefs has the coefficients of the vectors by place, each as long as there are vectors.
	Coefs [][]float64
	// Vector s has the features from Start[s] to Start[s+1]. Indices are the indices of the file,
	// ascending. Precomputed kernels have one with the index 0, whose value is the number of a
	// training row.
	Start []int64
	Index []int32
	Value []float32
}

// HasClasses reports whether the model has classes.
func (h *Head) HasClasses() bool { return h.Type == CSVC || h.Type == NuSVC }

// IsRegression reports whether the model predicts numbers.
func (h *Head) IsRegression() bool { return h.Type == EpsilonSVR || h.Type == NuSVR }

// Pairs returns the number of decision functions.
func (h *Head) Pairs() int { return h.Classes * (h.Classes - 1) / 2 }

// Row returns the indices and the values of a vector.
func (m *Model) Row(s int) ([]int32, []float32) {
	from, to := m.Start[s], m.Start[s+1]
	return m.Index[from:to:to], m.Value[from:to:to]
}

// Add adds a vector behind the others. The number of coefficients is the same for all.
func (m *Model) Add(coefs []float64, index []int32, value []float32) {
	if m.Start == nil {
		m.Start, m.Coefs = []int64{0}, make([][]float64, len(coefs))
	}
	for place, c := range coefs {
		m.Coefs[place] = append(m.Coefs[place], c)
	}
	m.Index, m.Value = append(m.Index, index...), append(m.Value, value...)
	m.Start = append(m.Start, int64(len(m.Index)))
}
