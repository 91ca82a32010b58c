package budget

import (
	"bigmkl/gradient"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// These are counts of bytes that the account of a prediction is made of.
const (
	// bytesSeen counts the mean of a feature, what the survey of the support vectors finds out
	// about it, and its place in a row.
	bytesSeen = 112
	// bytesPerVector counts the number, the row and the dual variable of a support vector.
	bytesPerVector = 24
	// BytesPerNonzeros counts what a support vector adds that is stored by its non-zeros: where
	// they are, and their square.
	BytesPerNonzeros = 64
)

// Prediction describes a model as far as the memory of its predictions depends on it. A plan fills it in
// with what the model of a training takes at most.
type Prediction struct {
	// Vectors are the figures of the support vectors and of the decision functions.
	Vectors gradient.Vectors
	// ByNonzeros is true if the support vectors are stored by their non-zeros.
	ByNonzeros bool
	// Kernels is the number of kernels M.
	Kernels int
	// Classifiers is the number of several classifiers, and 0 if there is only one. Dual is the number of
	// their dual variables.
	Classifiers int
	Dual        int64
	// Gates and Mixture are what gates and components take in bytes. They are 0 for other models.
	Gates, Mixture int64
	// Centre is what the rows at whose mean kernels are centred take in bytes, and CentreRows their number.
	Centre     int64
	CentreRows int
	// Features is what the features of the support vectors take in bytes, unless they are in a file.
	Features int64
	// Kept is what the caller keeps in bytes.
	Kept int64
}

// Tables lists what a prediction takes for the model itself.
func (p *Prediction) Tables() []Part {
	perVector, formula := int64(bytesPerVector), "24 for each"
	if p.ByNonzeros {
		perVector, formula = perVector+BytesPerNonzeros, "88 for each"
	}
	parts := []Part{
		{Name: "features", Formula: "112 d", Bytes: bytesSeen * int64(p.Vectors.Dim)},
		{Name: "kernels", Formula: "300 M", Bytes: BytesPerKernel * int64(p.Kernels)},
		{
			Name: "support vectors but for their features", Formula: formula,
			Bytes: perVector * int64(p.Vectors.Count),
		},
	}
	if p.Classifiers > 0 {
		each := 16*int64(p.Kernels) + BytesPerClassifier
		parts = append(parts, Part{
			Name: "classifiers", Formula: "16 for each dual variable + 16 M each",
			Bytes: 16*p.Dual + int64(p.Classifiers)*each,
		})
	}
	for _, part := range []Part{
		{Name: "gates", Bytes: p.Gates},
		{Name: "mixture", Bytes: p.Mixture},
		{Name: "rows at whose mean kernels are centred", Bytes: p.Centre},
		{Name: "features of the support vectors", Bytes: p.Features},
		{Name: "labels, targets and scores that calibrate", Bytes: p.Kept},
	} {
		if part.Bytes > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// Work lists what a prediction takes with one thread and 32 rows beside the model. It returns the bytes of
// each further thread and of each further 32 rows as well. The kernels may be outlined: their sets of
// features are counted then, and not there.
func (p *Prediction) Work(b *kernels.Bank, double bool) (parts []Part, thread, panel int64) {
	fixed, thread, panel := gradient.FunctionBytes(b, p.Vectors, double)
	for i := range b.Groups {
		// Groups on scattered features keep a list of them, 8 bytes each.
		b.Groups[i].Parts(func(g *kernels.Group) { fixed += 8 * int64(len(g.Features)) })
		if p.CentreRows > 0 {
			fixed += kernels.GroupMemory{Group: &b.Groups[i], Element: 8}.Centre(p.CentreRows)
		}
	}
	fixed += BytesPerGroup*int64(len(b.Groups)) + b.LookupBytes()
	// A row in the batch has a decision value of each classifier, and its label.
	panel += simd.Width * 8 * int64(p.Vectors.Outputs+1)
	return []Part{
		{Name: "groups, coefficients and profiles of kernels", Bytes: fixed},
		{Name: "rows and tiles of a thread", Bytes: thread},
		{Name: "32 rows of the data", Bytes: panel},
	}, thread, panel
}

// predict raises the share of a training to what predictions with its model take at most, if the run predicts.
func (r *Run) predict(s *Share, points kernels.Points, b *kernels.Bank) {
	if r.Prediction == nil {
		return
	}
	p := r.Prediction(r, points, b)
	work, _, _ := p.Work(b, true)
	// The run may end in single precision, in which a profile can be kept that is too large in double.
	if !r.Double {
		if single, _, _ := p.Work(b, false); total(single) > total(work) {
			work = single
		}
	}
	parts := append(p.Tables(), work...)
	if r.omitted > 0 {
		parts = append(parts, Part{Name: "features of kernels", Bytes: 2*r.omitted + gradient.ProfileBytes})
	}
	if predicted := Fixed(r.Memory, parts); predicted.Least > s.Least {
		s.Fixed, s.Least = predicted.Fixed, predicted.Least
	}
}
