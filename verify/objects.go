package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// Rows may name objects. A kernel of objects is then verified as code of a user on the numbers of the objects: the values
// between objects are computed here, from their features or matrices, once for all rows.

// objectKernel is a kernel of rows that name objects: the sum of products of values between objects.
type objectKernel struct {
	terms    [][]objectFactor
	negative bool // the terms after the first are subtracted
	definite bool
}

// objectFactor is a kernel of the object of x in a column and the object of z in another.
type objectFactor struct {
	x, z, count int
	values      []float64
	power       int
}

var _ UserKernel = (*objectKernel)(nil)

// Values writes the kernel of x and every z to dst.
func (k *objectKernel) Values(dst []float64, x []float32, z [][]float32) {
	for i, y := range z {
		dst[i] = 0
		for t, term := range k.terms {
			product := 1.0
			if t > 0 && k.negative {
				product = -1
			}
			for _, f := range term {
				product *= power(f.values[int(x[f.x])*f.count+int(y[f.z])], f.power)
			}
			dst[i] += product
		}
	}
}

// Definite reports whether the kernel is positive semi-definite.
func (k *objectKernel) Definite() bool { return k.definite }

// objectValues computes values between the objects of a model.
type objectValues struct {
	set    *objects.Set
	bank   *kernelspec.Bank
	known  map[string][]float64 // values and bases by what they are of
	memory int64                // bytes that are left for them
}

// ofObjects replaces the kernels of objects of a model by code for the numbers of the objects. The files o.Objects must have
// the objects of the model, and o.Gram its matrices between them: otherwise the error is of class input or usage.
func ofObjects(m *model.Model, bank *kernelspec.Bank, o *Options) (*kernelspec.Bank, map[string]UserKernel, error) {
	ctx := context.Background()
	if err := m.Objects.Compare(ctx, o.Objects); err != nil {
		return nil, nil, err
	}
	if err := compareMatrices(m.Objects, o.Gram); err != nil {
		return nil, nil, err
	}
	v := &objectValues{set: m.Objects, bank: bank, known: map[string][]float64{}, memory: o.Memory / 2}
	replaced, code := *bank, map[string]UserKernel{}
	replaced.Kernels, replaced.Users = slices.Clone(bank.Kernels), nil
	replaced.Sets, replaced.SetViews, replaced.Products, replaced.Pairs, replaced.Files = nil, nil, nil, nil, nil
	for id := range bank.Kernels {
		k := &bank.Kernels[id]
		own, err := v.kernel(k)
		if err != nil {
			return nil, nil, err
		}
		name := fmt.Sprintf("%d", id+1)
		replaced.Kernels[id] = kernelspec.Kernel{Kind: kernelspec.User, Normalizer: k.Normalizer, Set: kernelspec.AllFeatures, Index: int32(id)}
		replaced.Users = append(replaced.Users, name)
		code[name] = own
	}
	return &replaced, code, nil
}

// compareMatrices compares the matrices between objects of a model with files. The upper triangle of a file counts.
func compareMatrices(set *objects.Set, files []string) error {
	if len(files) != len(set.Matrices) {
		return fail.New(fail.Usage, "the model has %d matrices between objects, %d files are given", len(set.Matrices), len(files)).
			WithHint("--gram FILE for each, in order")
	}
	for i, path := range files {
		x := set.Matrices[i]
		n := set.Kinds[x.Kind].Count
		file, err := npy.Load(path, n)
		if err != nil {
			return err
		}
		defer file.Close()
		if file.Rows != n {
			return fail.New(fail.Input, "a matrix of %d x %d for %d objects", file.Rows, file.Cols, n).At(path, 0, 0)
		}
		row := make([]float64, n)
		for a := range n {
			file.Row64(a, 0, row)
			for b := a; b < n; b++ {
				if v := x.Values[a*n+b]; v != row[b] || v != x.Values[b*n+a] {
					return fail.New(fail.Corrupt, "the value between objects %d and %d is %g in the model and %g in the matrix", a+1, b+1,
						x.Values[b*n+a], row[b]).At(path, 0, 0)
				}
			}
		}
	}
	return nil
}

// kernel returns the code of a kernel.
func (v *objectValues) kernel(k *kernelspec.Kernel) (*objectKernel, error) {
	out := &objectKernel{definite: true}
	if k.Kind == kernelspec.Pairwise {
		pair, all := &v.bank.Pairs[k.Index], v.bank.Features(k.Set)
		var columns [2]int
		for i, places := range [][]int32{pair.First, pair.Second} {
			set := slices.Clone(places)
			for j, at := range places {
				if all != nil {
					set[j] = all[at]
				}
			}
			columns[i], _ = v.set.Find(set)
		}
		a, b := columns[0], columns[1]
		if a < 0 || b < 0 || v.set.Columns[a].Kind != v.set.Columns[b].Kind {
			return nil, fail.New(fail.Corrupt, "a pair of objects of two kinds")
		}
		values, definite, err := v.values(a, &pair.Kernel, nil)
		out.definite, out.negative = definite, pair.Antisymmetric
		n := v.set.Kind(a).Count
		factor := func(x, z int) objectFactor { return objectFactor{x, z, n, values, 1} }
		out.terms = [][]objectFactor{{factor(a, a), factor(b, b)}, {factor(a, b), factor(b, a)}}
		return out, err
	}
	factors := []kernelspec.Factor{{Kernel: *k, Power: 1}}
	if k.Kind == kernelspec.Product {
		factors = v.bank.Products[k.Index]
	}
	var term []objectFactor
	for i := range factors {
		f := &factors[i]
		column, own := v.set.Find(v.bank.Features(f.Kernel.Set))
		if column < 0 {
			return nil, fail.New(fail.Corrupt, "a kernel of the features of several objects")
		}
		values, definite, err := v.values(column, &f.Kernel, own)
		if err != nil {
			return nil, err
		}
		out.definite = out.definite && definite
		term = append(term, objectFactor{column, column, v.set.Kind(column).Count, values, f.Power})
	}
	out.terms = [][]objectFactor{term}
	return out, nil
}

// values returns the values of a kernel between all objects of a column, over some of their features, and whether it is
// positive semi-definite on them.
func (v *objectValues) values(column int, k *kernelspec.Kernel, own []int32) ([]float64, bool, error) {
	kind := v.set.Kind(column)
	if k.Kind == kernelspec.Precomputed {
		return v.set.Matrices[k.Index].Values, false, nil
	}
	one := *k
	one.Set, one.Normalizer = 0, 0
	key := fmt.Sprint(v.set.Columns[column].Kind, one, own)
	least := 0.0
	v.eachFeature(kind, own, func(x float64) { least = min(least, x) })
	definite := k.Kind != kernelspec.Sigmoid && (k.Kind != kernelspec.Poly || k.Gamma >= 0 && k.Coef >= 0) &&
		(k.Kind != kernelspec.Intersection || least >= 0)
	if values := v.known[key]; values != nil {
		return values, definite, nil
	}
	bases, err := v.bases(v.set.Columns[column].Kind, k.Kind.Base(), own)
	if err != nil {
		return nil, false, err
	}
	values, err := v.allocate(kind.Count)
	if err != nil {
		return nil, false, err
	}
	for i, b := range bases {
		if values[i] = value(k, b); !float.Finite(values[i]) {
			return nil, false, fail.New(fail.Corrupt, "a value between objects is %v", values[i])
		}
	}
	v.known[key] = values
	return values, definite, nil
}

// eachFeature visits the features of all objects of a kind, in a set or all.
func (v *objectValues) eachFeature(kind *objects.Kind, own []int32, visit func(x float64)) {
	for i := range kind.Count {
		row := kind.Values[i*kind.Dim : (i+1)*kind.Dim]
		if own == nil {
			for _, x := range row {
				visit(float64(x))
			}
		}
		for _, j := range own {
			visit(float64(row[j]))
		}
	}
}

// bases returns the numbers that kernels are functions of, between all objects of a kind.
func (v *objectValues) bases(number int, of kernelspec.Base, own []int32) ([]float64, error) {
	key := fmt.Sprint("base", number, of, own)
	if b := v.known[key]; b != nil {
		return b, nil
	}
	kind := v.set.Kinds[number]
	b, err := v.allocate(kind.Count)
	if err != nil {
		return nil, err
	}
	var flat []float64
	v.eachFeature(kind, own, func(x float64) { flat = append(flat, x) })
	d := len(flat) / kind.Count
	for i := range kind.Count {
		x := flat[i*d : (i+1)*d]
		for j := range i + 1 {
			s := sumOf(of, x, flat[j*d:(j+1)*d])
			b[i*kind.Count+j], b[j*kind.Count+i] = s, s
		}
	}
	v.known[key] = b
	return b, nil
}

// sumOf returns the base of two objects.
func sumOf(of kernelspec.Base, x, z []float64) (s float64) {
	for j, a := range x {
		switch b := z[j]; of {
		case kernelspec.SquaredDistance:
			s += (a - b) * (a - b)
		case kernelspec.AbsoluteDistance:
			s += math.Abs(a - b)
		case kernelspec.ChiSquareDistance:
			if a+b != 0 {
				s += (a - b) * (a - b) / (a + b)
			}
		case kernelspec.MinimumSum:
			s += min(a, b)
		default:
			s += a * b
		}
	}
	return s
}

// allocate returns room for the values between so many objects.
func (v *objectValues) allocate(count int) ([]float64, error) {
	bytes := 8 * int64(count) * int64(count)
	if v.memory -= bytes; v.memory < 0 {
		return nil, fail.New(fail.Budget, "values between %d objects take %d MiB, and more than half of the memory", count, bytes>>20).
			WithHint("a larger --memory")
	}
	return make([]float64, count*count), nil
}
