package kernelspec

import (
	"fmt"
	"hash/maphash"
	"math"

	"bigmkl/internal/fail"
)

// plan is one specification for which everything is known except its medians.
type plan struct {
	item
	selection
	needs int64 // needs is the memory in bytes that it takes in addition to its kernels and sets.
}

// These are the bytes of a bank for each kernel, each set, each feature of a set, each factor and
// each kernel of the user.
const (
	kernelBytes  = 40
	setBytes     = 64
	featureBytes = 4
	factorBytes  = kernelBytes + 8
	userBytes    = 100 // This includes the table of names.
)

// plans parses and checks the specifications, and returns the number of kernels and of medians. If
// visit is not nil, it is called with each plan in order. The plan is valid during the call.
func plans(specs []string, c *Context, visit func(position int, p *plan) error) (kernels,
	medians int, err error) {
	if len(specs) == 0 {
		return 0, 0, fail.New(fail.Usage, "no kernels are given")
	}
	limit := c.Limit
	if limit == 0 {
		limit = MaxKernels
	}
	sets, elements, needs := 0, 0, int64(0)
	named := &names{views: c.Views}
	var p plan
	for i, text := range specs {
		if p.item, err = parse(text, c.Features); err != nil {
			return 0, 0, err
		}
		if p.file != "" {
			if p.file, p.features, err = cutMatrix(p.file, c); err != nil {
				return 0, 0, usage(text, err)
			}
		}
		for _, power := range []float64{0, c.CostPower} {
			if err := p.checkImportance(power); err != nil {
				return 0, 0, usage(text, err)
			}
		}
		if err := p.settle(c, named); err != nil {
			return 0, 0, usage(text, err)
		}
		// All factors are below 2^31, so none of the sums overflows.
		if err := p.checkGates(c); err != nil {
			return 0, 0, usage(text, err)
		}
		one := p.sets * p.count
		if one > limit {
			return 0, 0, usage(text, fmt.Errorf("this makes more than %d kernels", limit))
		}
		kernels += one * p.copies
		elements += p.size
		if p.auto {
			medians += p.sets
		}
		medians += p.autos
		needs += p.needs
		if p.factors > 0 {
			sets += p.factors
		} else if p.size > 0 { // The set does not hold all features.
			sets += p.sets
		}
		if kernels > limit {
			return 0, 0, usage(text, fmt.Errorf("this makes more than %d kernels", limit))
		}
		if elements > maxSetElements {
			return 0, 0, usage(text, fmt.Errorf("the feature sets together list more than %d "+
				"features", maxSetElements))
		}
		need := int64(kernels)*kernelBytes + int64(sets)*setBytes + int64(elements)*featureBytes +
			needs
		if c.Memory > 0 && need > c.Memory {
			return 0, 0, fail.New(fail.Budget,
				"kernel %s: this makes %d kernels over sets of %d features in all, which take "+
					"%d MiB, and %d are allowed",
				fail.Quote(text), kernels, elements, need>>20, c.Memory>>20)
		}
		if visit != nil {
			if err := visit(i, &p); err != nil {
				return 0, 0, err
			}
		}
	}
	return kernels, medians, nil
}

// settle checks a specification against the context and finds its sets, or the sets of each factor
// of a product.
func (p *plan) settle(c *Context, named *names) (err error) {
	p.needs = 0
	if p.user != "" {
		p.needs = userBytes
	}
	if p.proto.Kind == Pairwise {
		if err := p.fits(c.Sequences); err != nil {
			return err
		}
		if err := p.checkMissing(c); err != nil {
			return err
		}
		return p.settlePair(c, named)
	}
	if p.factors == 0 {
		if err := p.fits(c.Sequences); err != nil {
			return err
		}
		if err := p.takeSide(c, named); err != nil {
			return err
		}
		if p.selection, err = selectSets(p.features, c, named); err != nil {
			return err
		}
		return p.checkMissing(c)
	}
	p.selection = selection{sets: 1}
	if err := p.checkMissing(c); err != nil {
		return err
	}
	return p.eachFactor(c, named, func(f plan, _ int) error {
		p.size += f.size
		p.needs += factorBytes + setBytes/2 // This includes a part of the list of factors.
		return nil
	})
}

// eachFactor visits the factors of a product with their sets and powers.
func (p *plan) eachFactor(c *Context, named *names, visit func(f plan, power int) error) error {
	return eachFactor(bare(p.text), c.Features, func(f item, power int) error {
		if f.file != "" {
			var err error
			if f.file, f.features, err = cutMatrix(f.file, c); err != nil {
				return err
			}
			if !c.Objects {
				return errMatrixFactor
			}
		}
		if err := f.fits(c.Sequences); err != nil {
			return err
		}
		if err := f.takeSide(c, named); err != nil {
			return err
		}
		s, err := selectSets(f.features, c, named)
		if err != nil {
			return err
		}
		if s.family != oneSet {
			return fmt.Errorf("%s stands for kernels over several sets, and a factor is one: "+
				"list the products", clip(f.text))
		}
		return visit(plan{item: f, selection: s}, power)
	})
}

// Count returns the number of kernels that Expand would make, and the number of medians that it
// would ask for. It only reads the text. The errors are the errors of Expand.
func Count(specs []string, c Context) (kernels, medians int,
	err error) {
	if kernels, medians, err = plans(specs, &c, nil); err == nil {
		kernels, err = c.countInRegions(kernels)
	}
	return kernels, medians, err
}

// Expand makes the bank of a list of specifications. Faults are of class fail.Usage and name the
// specification. A bank beyond Context.Memory is an error of class fail.Budget. An error of
// Context.Median, Context.Mean or Context.Nearest is returned as it is.
func Expand(specs []string, c Context) (*Bank, error) {
	n, _, err := Count(specs, c) // This comes before anything is built.
	if err != nil {
		return nil, err
	}
	if c.Outline {
		n = min(n, mostOutlined)
	}
	b := &Bank{Kernels: make([]Kernel, 0, n), Letters: c.Sequences}
	sh := &sharer{bank: b, named: &names{views: c.Views}, features: c.Features, flags: c.Flags,
		seed: maphash.MakeSeed(), known: map[uint64][]int32{}}
	if _, _, err := plans(specs, &c, func(position int, p *plan) error {
		first, omitted := len(b.Kernels), b.Omitted.Kernels
		if err := p.expand(position, sh, &c); err != nil {
			return err
		}
		sh.gate(&p.attributes, first, omitted, &c)
		return nil
	}); err != nil {
		return nil, err
	}
	return b, b.repeat(c.Regions)
}

func (p *plan) expand(position int, sh *sharer, c *Context) error {
	b := sh.bank
	sh.attribute(p.attributes)
	if p.file != "" {
		k := p.proto
		k.Index = addFile(&b.Files, p.file)
		if p.features != "" {
			k.Set = sh.add(p.list(p.features, c.Features), p.view)
		}
		b.Kernels = append(b.Kernels, k)
		return nil
	}
	if p.factors > 0 {
		return p.multiply(sh, c)
	}
	if p.proto.Kind == Pairwise {
		return p.expandPair(sh, c)
	}
	var block []int32 // The sets of eachFeature and randomSets lie in one array.
	var draw *sampler
	if c.Outline {
		return p.outline(sh, c)
	}
	switch p.family {
	case eachFeature:
		block = span(1, c.Features)
	case randomSets:
		block = make([]int32, p.size)
		draw = newSampler(c.Seed, position, c.Features)
	}
	for i := range p.sets {
		var set int32
		view := p.view
		switch p.family {
		case oneSet:
			set = sh.add(p.list(p.features, c.Features), p.view)
		case eachView:
			v := c.Views[i]
			view, set = v.Name, sh.add(span(v.First, v.Last), v.Name)
		case eachFeature:
			set = sh.add(block[i:i+1:i+1], "")
		case randomSets:
			one := block[i*p.k : (i+1)*p.k : (i+1)*p.k]
			draw.fill(one)
			if set = AllFeatures; p.k < c.Features || c.Flags {
				set = sh.append(one, "")
			}
		}
		if p.missing != MissingUnsaid {
			p.proto.Index = flagOf(view, c)
		}
		if err := p.over(set, sh, c); err != nil {
			return err
		}
	}
	return nil
}

// multiply appends the kernel that is a product.
func (p *plan) multiply(sh *sharer, c *Context) error {
	b, k := sh.bank, p.proto
	factors := make([]Factor, 0, p.factors)
	err := p.eachFactor(c, sh.named, func(f plan, power int) error {
		set := int32(AllFeatures)
		if !c.Outline || f.size <= mostListed {
			set = sh.add(f.list(f.features, c.Features), f.view)
		}
		med, err := f.center(set, b, c)
		if err != nil {
			return err
		}
		one := f.kernel(0, med)
		one.Set, one.Index = set, f.userIn(sh)
		if f.file != "" {
			one.Index = addFile(&b.Files, f.file)
		}
		factors = append(factors, Factor{one, power})
		return nil
	})
	if err != nil {
		return err
	}
	k.Index = int32(len(b.Products))
	b.Products, b.Kernels = append(b.Products, factors), append(b.Kernels, k)
	return nil
}

// userIn returns the index of a user's kernel in the bank and adds it if it is new.
func (p *plan) userIn(sh *sharer) int32 {
	if p.user == "" {
		return 0
	}
	i, ok := sh.users[p.user]
	if !ok {
		if sh.users == nil {
			sh.users = map[string]int32{}
		}
		i = int32(len(sh.bank.Users))
		sh.users[p.user] = i
		sh.bank.Users = append(sh.bank.Users, p.user)
	}
	return i
}

// center returns the distance around which the widths lie and adds it to the medians. It returns 0
// if the widths do not depend on the data.
func (p *plan) center(set int32, b *Bank, c *Context) (med float64, err error) {
	if !p.auto {
		return 0, nil
	}
	find := c.Median
	switch p.around {
	case mean:
		find = c.Mean
	case nearest:
		find = func(set []int32, _ Kind) (float64, error) { return c.Nearest(set) }
		if c.Nearest == nil {
			find = nil
		}
	}
	if find == nil {
		return 0, usage(p.text, fmt.Errorf("there is no data to take the %s distance of",
			p.around))
	}
	if med, err = find(b.Features(set), p.proto.Kind); err != nil {
		return 0, err
	}
	if med == 0 { // Most distances vanish, so any width serves.
		med = 1
	}
	if !(med > 0) || math.IsInf(med, 0) {
		return 0, fail.New(fail.Input, "kernel %s: the %s distance is %g", fail.Quote(p.text),
			p.around, med)
	}
	if err := p.usable(med); err != nil {
		return 0, err
	}
	b.Medians = append(b.Medians, med)
	return med, nil
}

// over appends the kernels of a specification over one set.
func (p *plan) over(set int32, sh *sharer, c *Context) error {
	b := sh.bank
	med, err := p.center(set, b, c)
	if err != nil {
		return err
	}
	for i := range p.count {
		k := p.kernel(i, med)
		k.Set, k.Index = set, p.userIn(sh)
		if k.Missing != MissingUnsaid {
			k.Index = p.proto.Index
		}
		b.Kernels = append(b.Kernels, k)
	}
	return nil
}
