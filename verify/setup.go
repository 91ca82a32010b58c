package verify

import (
	"errors"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// newProblem prepares the model m to be evaluated, and fills in the defaults of o. It returns an
// error of class corrupt if the parts of the model do not fit each other, budget if the model
// does not fit the budget, and the errors of prepare. The caller has to close the problem.
func newProblem(m *model.Model, o *Options) (*problem, error) {
	if err := structure(m); err != nil {
		return nil, err
	}
	o.setDefaults()
	bank, err := m.Expansion().Bank(o.Memory)
	// Millions of kernels may take more than the budget before anything is evaluated.
	if errors.Is(err, fail.Budget) {
		return nil, explainRejection(m, o, err)
	}
	if err != nil {
		return nil, err
	}
	users, gram := o.UserKernels, o.Gram
	if m.Objects != nil {
		if bank, users, err = ofObjects(m, bank, o); err != nil {
			return nil, err
		}
		gram = nil
	}
	normal, err := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil {
		return nil, fail.New(fail.Corrupt, "the model's normalisation: %w", err)
	}
	w := wingOf(m)
	p := &problem{definitions: definitions{m: m, bank: bank, normal: normal, users: users},
		classifiers: w.classifiers(m, bank), wing: w, traits: w.traits(m)}
	p.settleNormalizers()
	// A kernel without weight in every classifier is evaluated for the dual value only.
	p.used = make([]bool, len(bank.Kernels))
	for k := range p.classifiers {
		for id, theta := range p.classifiers[k].Theta {
			p.used[id] = p.used[id] || theta != 0
		}
	}
	for id := range bank.Kernels {
		if p.normalizer(int32(id)) == kernelspec.Multiplicative && m.Normalization.Scale == nil {
			return nil, fail.New(fail.Corrupt, "the model has no factor for kernel %d", id+1)
		}
	}
	if err := p.extend(); err != nil {
		return nil, err
	}
	if err := p.prepare(o, gram); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// prepare opens what kernels are computed from, groups the kernels, and computes what depends on
// the support vectors alone. The memory is counted before the latter allocates it. A kernel whose
// code is missing is an error of class usage.
func (p *problem) prepare(o *Options, gram []string) error {
	if err := p.openMatrices(gram); err != nil {
		return err
	}
	for _, name := range p.bank.Users {
		if p.users[name] == nil {
			return fail.New(fail.Usage, "the kernel user:%s is Go code of the program that trained the model: only that can verify it",
				fail.Cut(name)).
				WithHint("verify.Run takes the code in Options.UserKernels")
		}
	}
	for _, x := range p.extensions {
		if err := x.open(p, o); err != nil {
			return err
		}
	}
	if err := p.groupKernels(); err != nil {
		return err
	}
	if err := (&account{p}).shareMemory(o); err != nil {
		return err
	}
	p.measureSupport()
	if err := p.findCentres(); err != nil {
		return err
	}
	return p.sumLinear()
}

// openMatrices maps the matrices of the precomputed kernels from the files gram, or from those
// that the model names if gram is nil. A matrix that is not points x points is an error of class
// input.
func (p *definitions) openMatrices(gram []string) error {
	files := p.bank.Files
	if gram == nil {
		gram = files
	}
	if len(gram) != len(files) {
		return fail.New(fail.Usage, "the model has %d precomputed matrices, %d files are given",
			len(files), len(gram))
	}
	for _, path := range gram {
		x, err := npy.Load(path, max(1, p.m.Points))
		if err != nil {
			return err
		}
		p.matrices = append(p.matrices, x)
		if x.Rows != p.m.Points {
			return fail.New(fail.Input, "a matrix of %d x %d for %d training rows",
				x.Rows, x.Cols, p.m.Points).At(path, 0, 0)
		}
	}
	return nil
}

// measureSupport computes the mean of the support vectors and, feature by feature, the mean
// square around it, of which norms and with them distances are summed. It does so in one pass,
// because vectors that are mapped are read from the disk each time.
func (p *problem) measureSupport() {
	m, n := p.m, float64(len(p.m.Support))
	if laidOut(m) {
		p.mean = make([]float64, m.Features)
	}
	p.squaredNorms = make([]float64, len(p.mean))
	for s := range m.Support {
		m.Each(s, func(j int, v float32) {
			p.mean[j] += float64(v) / n
			p.squaredNorms[j] += float64(v) * float64(v) / n
		})
	}
	// Training centres its points, and norms with them, unless they are stored sparsely. The mean
	// square around the mean may come out negative by rounding.
	if m.Store != dataset.LayoutSparse {
		for j, x := range p.mean {
			p.squaredNorms[j] = max(0, p.squaredNorms[j]-x*x)
		}
	}
	p.roundingsOfBase = make([]float64, len(p.bank.Kernels))
	p.wide = make([]bool, len(p.bank.Kernels))
	if len(m.Support) == 0 {
		return // nothing is evaluated, and nothing rounded
	}
	balanced := balanced(p.classifiers)
	for id := range p.roundingsOfBase {
		p.roundingsOfBase[id] = p.basesRoundings(&p.bank.Kernels[id])
		p.wide[id] = balanced && p.isWide(int32(id))
	}
}
