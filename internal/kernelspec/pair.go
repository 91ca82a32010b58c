package kernelspec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A row may describe a pair of objects, one behind the other. Pairs {a, b} and {c, d} are alike if
// their objects are, in one order or the other (Ben-Hur and Noble 2005):
//
//	pair(KERNEL,SET,SET)       k(a,c) k(b,d) + k(a,d) k(b,c)
//	antipair(KERNEL,SET,SET)   k(a,c) k(b,d) - k(a,d) k(b,c)
//
// The second is for relations whose sign changes with the order, such as preferences of a over b (Pahikkala et al. 2010).
// where the first set lists the features of a and c, and the second those of b and d. The sets are
// as long as each other, and their features correspond in ascending order.

// Pair is what a pairwise kernel is made of.
type Pair struct {
	// Kernel compares two objects. Its Set has no meaning.
	Kernel Kernel
	// First and Second are places in the set of the pairwise kernel, whose features they list.
	First, Second []int32
	// Antisymmetric subtracts the second product.
	Antisymmetric bool
}

// Sign is the sign of the second product.
func (p *Pair) Sign() float64 {
	if p.Antisymmetric {
		return -1
	}
	return 1
}

const (
	pairPrefix = "pair("
	antiPrefix = "anti" // before pairPrefix
)

// isPair reports whether text is a kernel of pairs.
func isPair(text string) bool {
	return strings.HasPrefix(strings.TrimPrefix(text, antiPrefix), pairPrefix)
}

// pairKinds are the kernels of which pairs are made.
var pairKinds = []Kind{Gauss, Laplace, Linear, Poly}

// pair parses pair(KERNEL,SET,SET) and antipair(KERNEL,SET,SET).
func (it *item) pair(body string, features int) error {
	form := errors.New("write pair(KERNEL,SET,SET), such as pair(gauss:0.5,1-10,11-20)")
	body, it.antisymmetric = strings.CutPrefix(body, antiPrefix)
	if closing(body) < len(body) || !strings.HasSuffix(body, ")") {
		return form
	}
	parts := strings.SplitN(body[len(pairPrefix):len(body)-1], ",", 4)
	if len(parts) != 3 {
		return form
	}
	for i := range parts {
		parts[i] = strings.Trim(parts[i], " \t")
		if i > 0 && (parts[i] == "" || strings.ContainsAny(parts[i], "()")) {
			return form
		}
	}
	if isProduct(parts[0]) || isPair(parts[0]) || Suffix(parts[0]) != "" {
		return form
	}
	f, err := parse(parts[0], features)
	switch {
	case err != nil:
		return err
	case !slices.Contains(pairKinds, f.proto.Kind) || f.features != "":
		return fmt.Errorf("%s is no kernel of pairs: gauss, laplace, linear and poly without features "+
			"are", clip(parts[0]))
	case f.count != 1 || f.auto:
		return fmt.Errorf("%s is not one kernel with a number for its width", clip(parts[0]))
	}
	it.pairOf, it.first, it.second = f.kernel(0, 0), parts[1], parts[2]
	return nil
}

// settlePair finds the sets of a pairwise kernel.
func (p *plan) settlePair(c *Context, named *names) error {
	p.selection = selection{sets: 1}
	for _, text := range []string{p.first, p.second} {
		it := item{features: text, proto: p.pairOf}
		if err := it.takeSide(c, named); err != nil {
			return err
		}
		s, err := selectSets(text, c, named)
		if err != nil {
			return err
		}
		if s.family != oneSet {
			return fmt.Errorf("%s stands for several sets, and an object of a pair has one", clip(text))
		}
		p.size += s.size
	}
	p.needs += 8*int64(p.size) + factorBytes
	return nil
}

// expandPair appends a pairwise kernel, whose set is the set of both objects.
func (p *plan) expandPair(sh *sharer, c *Context) error {
	b, k := sh.bank, p.proto
	k.Index = int32(len(b.Pairs))
	k.Set = AllFeatures
	pair := Pair{Kernel: p.pairOf, Antisymmetric: p.antisymmetric}
	if !c.Outline || p.size <= mostListed {
		var lists [2][]int32
		for i, text := range []string{p.first, p.second} {
			s, err := selectSets(text, c, sh.named)
			if err != nil {
				return err
			}
			lists[i] = s.list(text, c.Features)
		}
		if len(lists[0]) != len(lists[1]) {
			return usage(p.text, fmt.Errorf("the objects of a pair have %d and %d features, and as "+
				"many are compared", len(lists[0]), len(lists[1])))
		}
		union := slices.Concat(lists[0], lists[1])
		slices.Sort(union)
		union = slices.Compact(union)
		place := func(list []int32) []int32 {
			at := make([]int32, len(list))
			for i, j := range list {
				k, _ := slices.BinarySearch(union, j)
				at[i] = int32(k)
			}
			return at
		}
		pair.First, pair.Second = place(lists[0]), place(lists[1])
		k.Set = sh.add(union, "")
	}
	b.Pairs, b.Kernels = append(b.Pairs, pair), append(b.Kernels, k)
	return nil
}

// describePair returns the text of a pairwise kernel.
func (b *Bank) describePair(k *Kernel, digits int) string {
	pair := &b.Pairs[k.Index]
	one := pair.Kernel
	one.Set = AllFeatures
	set := b.Features(k.Set)
	features := func(places []int32) string {
		list := slices.Clone(places)
		for i, at := range places {
			if set != nil {
				list[i] = set[at]
			}
		}
		return formatSet(list)
	}
	prefix := pairPrefix
	if pair.Antisymmetric {
		prefix = antiPrefix + pairPrefix
	}
	return prefix + b.describe(&one, digits, false) + "," + features(pair.First) + "," +
		features(pair.Second) + ")"
}
