package export

import (
	"fmt"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
)

// libsvm is a kernel in the form of LIBSVM, and what becomes of the vectors and coefficients.
type libsvm struct {
	// kind is the word of the kernel, and lines are its parameters.
	kind, lines string
	// weight is what multiplies a feature of the vectors; nil is 1 for all. It is a function, because the
	// number of features may be a mere claim.
	weight func(feature int) float64
	// coef multiplies the dual variables of each classifier.
	coef []float64
	// linear is set if offsets of the scaling go into rho.
	linear bool
}

// libsvmKernel returns the one kernel of a model.
func (e *expanded) libsvmKernel() (*libsvm, error) {
	const format = "of LIBSVM"
	if n := e.Convergence().Untrained(); n > 0 {
		return nil, reject(format, "cannot leave out classifiers that were never trained, of which there are %d", n)
	}
	used, linear := e.used(), true
	for _, id := range used {
		k := &e.kernels[id]
		linear = linear && k.Kind == kernelspec.Linear
		if !k.plain() {
			return nil, reject(format, "has no spherical normalisation, as %s has", k.spec)
		}
	}
	switch {
	case len(used) == 0:
		return nil, reject(format, "needs a kernel, and none has a weight")
	case linear && len(e.classifiers) == 1:
		return e.linearLIBSVM(used), nil
	case len(used) > 1:
		return nil, reject(format, "has one kernel, and here %d have weights (%s and %s are two of them)",
			len(used), e.kernels[used[0]].spec, e.kernels[used[1]].spec)
	}
	return e.oneLIBSVM(used[0])
}

// oneLIBSVM puts a single kernel in the form of LIBSVM.
func (e *expanded) oneLIBSVM(id int) (*libsvm, error) {
	const format = "of LIBSVM"
	k := &e.kernels[id]
	form := &libsvm{linear: k.Kind == kernelspec.Linear}
	for _, a := range e.classifiers {
		form.coef = append(form.coef, a.theta[id]*k.factor)
	}
	gamma := k.Gamma
	switch e.Scaling.Kind {
	case dataset.ScaleNone:
	case dataset.ScaleGlobal:
		if f := e.Scaling.Factor[0]; k.Kind != kernelspec.Precomputed && f != 0 {
			gamma *= f * f
			form.weight = func(int) float64 { return 1 / f }
		}
	default:
		if k.Kind != kernelspec.Precomputed {
			return nil, reject(format, "does not scale features, as --scale %s does", e.Scaling.Kind)
		}
	}
	if k.features != nil && len(k.features) < e.Features && k.Kind == kernelspec.Gauss {
		return nil, reject(format, "looks at all features, and %s does not", k.spec)
	}
	switch k.Kind {
	case kernelspec.Linear:
		form.kind = "linear"
		if form.weight != nil { // x'z of scaled points is f^2 of that of raw ones.
			for i := range form.coef {
				form.coef[i] *= e.Scaling.Factor[0] * e.Scaling.Factor[0]
			}
		}
	case kernelspec.Gauss:
		form.kind, form.lines = "rbf", "gamma "+number(gamma)+"\n"
	case kernelspec.Poly:
		form.kind = "polynomial"
		form.lines = fmt.Sprintf("degree %d\ngamma %s\ncoef0 %s\n", k.Degree, number(gamma), number(k.Coef))
	case kernelspec.Sigmoid:
		form.kind, form.lines = "sigmoid", fmt.Sprintf("gamma %s\ncoef0 %s\n", number(gamma), number(k.Coef))
	case kernelspec.Precomputed:
		form.kind = "precomputed"
	default:
		return nil, reject(format, "has linear, polynomial, Gaussian, sigmoid and precomputed kernels, and no %s",
			k.spec)
	}
	if k.features != nil && form.kind != "precomputed" {
		form.zeroOutside(k.features)
	}
	return form, nil
}

// zeroOutside makes zeros of the features of the vectors that a kernel does not look at.
func (form *libsvm) zeroOutside(features []int32) {
	inside, all := map[int]bool{}, form.weight
	for _, j := range features {
		inside[int(j)] = true
	}
	form.weight = func(j int) float64 {
		switch {
		case !inside[j]:
			return 0
		case all != nil:
			return all(j)
		}
		return 1
	}
}

// linearLIBSVM makes one kernel of linear ones, scaling included.
func (e *expanded) linearLIBSVM(used []int) *libsvm {
	everywhere, some := 0.0, map[int]float64{}
	for _, id := range used {
		k, c := &e.kernels[id], e.classifiers[0].theta[id]*e.kernels[id].factor
		if k.features == nil {
			everywhere += c
		}
		for _, j := range k.features {
			some[int(j)] += c
		}
	}
	f := e.Scaling.Factor
	return &libsvm{kind: "linear", coef: []float64{1}, linear: true, weight: func(j int) float64 {
		w := everywhere + some[j]
		if f != nil {
			w *= f[min(j, len(f)-1)]
		}
		return w
	}}
}
