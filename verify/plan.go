package verify

import (
	"errors"

	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// base is what kernels of a group are functions of.
type base uint8

const (
	product base = iota
	squared
	manhattan
	chiSquare
	overlap
	matrixRow
	letters  // kernels of strings: each is its own base
	combined // products: likewise
	foreign  // code of the user
)

func baseOf(k kernelspec.Kind) base {
	switch k {
	case kernelspec.Gauss:
		return squared
	case kernelspec.Laplace:
		return manhattan
	case kernelspec.ChiSquare:
		return chiSquare
	case kernelspec.Intersection:
		return overlap
	case kernelspec.Precomputed:
		return matrixRow
	case kernelspec.Spectrum, kernelspec.WeightedDegree:
		return letters
	case kernelspec.Product:
		return combined
	case kernelspec.User:
		return foreign
	}
	return product
}

// group is kernels with one base over one feature set.
type group struct {
	base     base
	features []int32 // nil = all
	dim      int
	matrix   *npy.Matrix
	one      *kernelspec.Kernel // the kernel that it was made for, the only one of letters, products and factors
	factors  []factor           // of combined
	user     UserKernel         // of foreign
	kernels  []int32
	// spherical tells that k(x,x) is asked for.
	spherical bool
	active    bool // some theta is not 0, so that some f needs it
}

// mostKernels of a group, whose sums over a batch are in memory together: so many times machines of a row.
const mostKernels = 4096

// plan is all that does not change from row to row.
type plan struct {
	m         *model.Model
	bank      *kernelspec.Bank
	machines  []machine // one or more
	groups    []group
	users     map[string]UserKernel
	normal    kernelspec.Normalizer // of kernels that do not have their own
	used      []bool                // kernels that some machine gives a weight
	mean      []float64             // of the support vectors, by feature
	norms     []float64             // of each feature, the mean of its share of the squared norms of support vectors
	multiples []float64             // of each kernel, see multiplied
	matrices  []*npy.Matrix
	linear    []int32 // kernels that need no support vectors, see linearPart
	sampled   bool    // sums are estimates
	threads   int
	minimum   []float32 // least value of each feature in the data, or 0 if that is less
	centre    []float64 // mean of each feature of the data
}

func newPlan(m *model.Model, o *Options) (*plan, error) {
	if err := structure(m); err != nil {
		return nil, err
	}
	gram, users := o.Gram, o.UserKernels
	o.settle()
	bank, err := m.BankWithin(o.Memory)
	if errors.Is(err, fail.Budget) {
		return nil, refuse(m, o, err)
	}
	if err != nil {
		return nil, err
	}
	normal, err := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil {
		return nil, fail.New(fail.Corrupt, "the model's normalisation: %w", err)
	}
	p := &plan{m: m, bank: bank, normal: normal, machines: machinesOf(m, bank), used: make([]bool, len(bank.Kernels))}
	for k := range p.machines {
		for id, theta := range p.machines[k].Theta {
			p.used[id] = p.used[id] || theta != 0
		}
	}
	for id := range bank.Kernels {
		if p.normalizer(int32(id)) == kernelspec.Multiplicative && m.Normalization.Scale == nil {
			return nil, fail.New(fail.Corrupt, "the model has no factor for kernel %d", id+1)
		}
	}
	if err := p.open(gram); err != nil {
		p.close()
		return nil, err
	}
	for _, name := range bank.Users {
		if users[name] == nil {
			return nil, fail.New(fail.Usage, "the kernel user:%s is Go code of the program that trained the model: only that can verify it", fail.Cut(name)).
				WithHint("verify.Run takes the code in Options.UserKernels")
		}
	}
	p.users = users
	type key struct {
		base base
		set  int32
	}
	at := map[key]int{}
	most := max(16, mostKernels/machinesOfRow(m))
	for id, k := range bank.Kernels {
		b := baseOf(k.Kind)
		set := k.Set
		if b == matrixRow {
			set = k.Index
		} else if !m.HasVectors() && len(m.Support) > 0 {
			p.close()
			return nil, fail.New(fail.Corrupt, "%w", errNoVectors)
		}
		if p.bypasses(int32(id)) {
			p.linear = append(p.linear, int32(id))
			continue
		}
		i, ok := at[key{b, set}]
		if !ok || b == letters || b == combined || b == foreign || len(p.groups[i].kernels) == most {
			i = len(p.groups)
			at[key{b, set}] = i
			p.groups = append(p.groups, p.newGroup(&bank.Kernels[id], p.normalizer(int32(id)) == kernelspec.Spherical))
		}
		g := &p.groups[i]
		g.kernels = append(g.kernels, int32(id))
		g.active = g.active || p.used[id]
	}
	if err := p.share(o); err != nil {
		p.close()
		return nil, err
	}
	if laidOut(m) {
		p.mean = make([]float64, m.Features)
	}
	p.survey()
	if err := p.gatherLinear(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// survey finds the mean of the support vectors, and what their norms and with them distances are summed of.
func (p *plan) survey() {
	m, n := p.m, float64(len(p.m.Support))
	p.norms = make([]float64, len(p.mean))
	for s := range m.Support {
		m.Each(s, func(j int, v float32) {
			p.mean[j] += float64(v) / n
			p.norms[j] += float64(v) * float64(v) / n
		})
	}
	if m.Store != dataset.LayoutSparse { // whose points are not centred
		for j, x := range p.mean {
			p.norms[j] = max(0, p.norms[j]-x*x)
		}
	}
	p.multiples = make([]float64, len(p.bank.Kernels))
	if len(m.Support) == 0 {
		return // and nothing to round
	}
	for id := range p.multiples {
		p.multiples[id] = p.multiplied(&p.bank.Kernels[id])
	}
}

// newGroup makes a group for a kernel.
func (p *plan) newGroup(k *kernelspec.Kernel, spherical bool) group {
	g := group{base: baseOf(k.Kind), dim: p.m.Features, one: k, spherical: spherical}
	switch {
	case g.base == matrixRow:
		g.matrix = p.matrices[k.Index]
	case g.base == combined:
		g.factors = p.factors(k, spherical)
	case k.Set != kernelspec.AllFeatures:
		g.features = p.bank.Features(k.Set)
		g.dim = len(g.features)
	}
	if g.base == foreign {
		g.user = p.users[p.bank.Users[k.Index]]
	}
	return g
}

// normalizer is what kernel k is divided by.
func (p *plan) normalizer(k int32) kernelspec.Normalizer {
	return p.bank.Kernels[k].Normalizer.Or(p.normal)
}

// open maps the matrices of precomputed kernels.
func (p *plan) open(gram []string) error {
	files := p.bank.Files
	if gram == nil {
		gram = files
	}
	if len(gram) != len(files) {
		return fail.New(fail.Usage, "the model has %d precomputed matrices, %d files are given", len(files), len(gram))
	}
	for _, path := range gram {
		x, err := npy.Load(path, max(1, p.m.Points))
		if err != nil {
			return err
		}
		p.matrices = append(p.matrices, x)
		if x.Rows != p.m.Points {
			return fail.New(fail.Input, "a matrix of %d x %d for %d training rows", x.Rows, x.Cols, p.m.Points).At(path, 0, 0)
		}
	}
	return nil
}

// changed is an error if a matrix was written to since it was opened.
func (p *plan) changed() error {
	for _, x := range p.matrices {
		if err := x.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) close() {
	for _, x := range p.matrices {
		x.Close()
	}
}
