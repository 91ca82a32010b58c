package kernels

import (
	"context"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// NewBank arranges the kernels of b in groups: kernels of the same base, on the same features.
// Kernels without a normaliser of their own take the normaliser given. matrices has one entry for
// each precomputed file of b, and users the code of the kernels that b names. An error is of class
// input, if the data do not suit a kernel, or usage, if there is no code for one. Values of kernels of objects
// are computed here. Once ctx is done, none is computed any more, and the error is ctx.Err.
//
// The order of groups and members follows from that of the kernels alone. Sums over kernels are
// made in it: whatever changes the order changes the last bits of a model.
func NewBank(ctx context.Context, b *kernelspec.Bank, s Shape, normalizer kernelspec.Normalizer,
	matrices []*npy.Matrix, users map[string]UserKernel) (*Bank, error) {
	type key struct {
		base      Base
		spherical bool
		// Exponentials are computed together, and have no other functions of their distance beside them.
		exponential bool
		set         int32
		user        int32
		shift       uint16
	}
	at := make(map[key]int)
	bank := &Bank{
		Shift: s.Shift, objects: s.Lookups, square32: s.Square32, square64: s.Square64,
		numbering: numbering{definite: make([]bool, len(b.Kernels)), places: make([]int32, len(b.Kernels))},
	}
	for id, k := range b.Kernels {
		// Kernels that are 1 on the diagonal are normalised spherically already.
		own := k.Normalizer.Or(normalizer)
		centred := own == kernelspec.Centred
		if centred {
			own = kernelspec.Spherical // once it is centred, when its diagonal is another
		}
		spherical := own == kernelspec.Spherical && (centred || !unitDiagonal(k.Kind))
		if own == kernelspec.Spherical && !spherical {
			// A member asks for factors of points only where its group packs what they are made of,
			// also where the group is a wrapped one, whose kind does not determine its diagonal.
			own = kernelspec.Unnormalized
		}
		if s.Lookups != nil {
			if err := addLooked(ctx, id, bank, &k, own, spherical); err != nil {
				return nil, err
			}
			continue
		}
		base := baseOf(k.Kind, spherical || s.Uncentred)
		set, user := k.Set, int32(0)
		if k.Missing != kernelspec.MissingUnsaid || centred {
			g, definite, err := newWrapped(b, &k, &s, centred, users)
			if err != nil {
				return nil, err
			}
			g.Spherical = spherical
			g.Factors[0].Group.Spherical = spherical
			bank.definite[id] = definite
			g.add(int32(id), &kernelspec.Kernel{Kind: kernelspec.Product}, own)
			bank.Groups = append(bank.Groups, *g)
			continue
		}
		switch base {
		case MatrixRow, Factored:
			set = k.Index
		case userValue:
			if user = k.Index; k.Kind == kernelspec.Pairwise {
				user = -1 - k.Index
			}
		}
		// Kernels share a group if they share the base, the features and the way they are
		// normalised. Shifts are part of the base of a weighted degree kernel.
		of := key{base, spherical, isExponential(k.Kind), set, user, k.Shift}
		i, ok := at[of]
		if !ok {
			g, err := newGroup(b, &k, base, &s, matrices, users)
			if err != nil {
				return nil, err
			}
			if g.Spherical = spherical; base == Factored {
				if err := addFactors(&g, b, &k, &s, users); err != nil {
					return nil, err
				}
			}
			i = len(bank.Groups)
			at[of] = i
			bank.Groups = append(bank.Groups, g)
		}
		g := &bank.Groups[i]
		bank.definite[id] = baseChoice{g, &s}.definite(&k)
		g.add(int32(id), &k, own)
	}
	// Members are known by now, and with them where each group begins in storage order.
	first, bases := 0, 0
	for i := range bank.Groups {
		g := &bank.Groups[i]
		g.First, g.Key = first, bases
		first += len(g.Members)
		bases += g.Layers
		baseChoice{g, &s}.settle()
		for j, m := range g.Members {
			bank.places[m.ID] = int32(g.First + j)
		}
	}
	return bank, nil
}

// addLooked adds the group of a kernel of objects.
func addLooked(ctx context.Context, id int, b *Bank, k *kernelspec.Kernel, own kernelspec.Normalizer,
	spherical bool) error {
	if k.Normalizer == kernelspec.Centred {
		return fail.New(fail.Usage, "kernel %s: norm=centred of objects: not yet", b.objects.describe(k))
	}
	g, definite, self, err := newLookedGroup(ctx, b.objects, k, spherical)
	if err != nil {
		return err
	}
	if g.Spherical = self; spherical && !self {
		own = kernelspec.Unnormalized
	}
	b.definite[id] = definite
	g.add(int32(id), &kernelspec.Kernel{Kind: kernelspec.Product}, own)
	b.Groups = append(b.Groups, *g)
	return nil
}

// newGroup returns a group for a kernel, without members.
func newGroup(b *kernelspec.Bank, k *kernelspec.Kernel, base Base, s *Shape,
	matrices []*npy.Matrix, users map[string]UserKernel) (Group, error) {
	g := Group{Base: base, features: features{Dim: s.Features}, layers: layers{Layers: 1}}
	switch {
	case base == MatrixRow:
		g.Matrix, g.Dim = matrices[k.Index], 0
	case k.Set >= 0:
		g.Features = b.Sets[k.Set]
		g.Dim = len(g.Features)
	}
	if base == chiSquareDistance {
		if j, found := g.negative(s.Minimum); found {
			return g, fail.New(fail.Input,
				"chi2 needs features that are not negative; feature %d goes down to %g",
				j+1, s.Minimum[j]).
				WithHint("--scale minmax moves features to [0,1]")
		}
	}
	if k.Kind.OfStrings() {
		g.text = newText(b, k)
	}
	if base == userValue {
		var err error
		if k.Kind == kernelspec.Pairwise {
			g.name, g.User = "pair", pairKernel{b.Pairs[k.Index]}
			return g, nil
		}
		g.name = b.Users[k.Index]
		if g.User, err = userOf(b, k, users); err != nil {
			return g, err
		}
	}
	return g, nil
}

// add makes a kernel a member of the group, and its layer one of the group's bases.
func (g *Group) add(id int32, k *kernelspec.Kernel, n kernelspec.Normalizer) {
	m := Member{ID: id, Kind: k.Kind, Gamma: k.Gamma, Coef: k.Coef, Degree: k.Degree, Normalizer: n}
	if g.text != nil {
		// Layers are added as kernels come, so the group has as many bases as its kernels need.
		m.Layer = g.text.layer(k)
		g.Layers = len(g.text.layers)
	}
	g.Members = append(g.Members, m)
}

// addFactors gives a product the groups of its factors. Linear factors take plain products: what
// centring adds to the values of one factor would be multiplied by the others and not cancel out.
func addFactors(g *Group, b *kernelspec.Bank, k *kernelspec.Kernel, s *Shape,
	users map[string]UserKernel) error {
	g.Dim = 0
	for _, f := range b.Products[k.Index] {
		one, err := newGroup(b, &f.Kernel, baseOf(f.Kernel.Kind, true), s, nil, users)
		if err != nil {
			return err
		}
		one.Spherical = g.Spherical // the norm of a product is made from the norms of its factors
		one.add(0, &f.Kernel, kernelspec.Unnormalized)
		choice := baseChoice{&one, s}
		choice.settle()
		g.Factors = append(g.Factors, Factor{&one, f.Power, choice.definite(&f.Kernel)})
		g.Dim += one.Dim
	}
	return nil
}
