package spec

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"bigmkl/internal/fail"
)

// plan is one specification with everything but its medians settled.
type plan struct {
	item
	selection
}

// Bytes of a bank: of a kernel, of a set and of each feature in it.
const (
	kernelBytes  = 40
	setBytes     = 64
	featureBytes = 4
)

// plans parses and checks the specifications and gives the number of kernels and of medians. visit, if there is one, is called
// with each, in order; it is valid during the call.
func plans(specs []string, c *Context, visit func(position int, p *plan) error) (kernels, medians int, err error) {
	if len(specs) == 0 {
		return 0, 0, fail.New(fail.Usage, "no kernels are given")
	}
	limit := c.Limit
	if limit == 0 {
		limit = MaxKernels
	}
	sets, elements := 0, 0
	named := &names{views: c.Views}
	var p plan
	for i, text := range specs {
		if p.item, err = parse(text, c.Features); err != nil {
			return 0, 0, err
		}
		if err := p.fits(c.Sequences); err != nil {
			return 0, 0, usage(text, err)
		}
		if p.selection, err = selectSets(p.features, c, named); err != nil {
			return 0, 0, usage(text, err)
		}
		// All factors are below 2^31, so none of the sums overflows.
		kernels += p.sets * p.count
		elements += p.size
		if p.auto {
			medians += p.sets
		}
		if p.size > 0 { // not all features
			sets += p.sets
		}
		if kernels > limit {
			return 0, 0, usage(text, fmt.Errorf("this makes more than %d kernels", limit))
		}
		if elements > maxSetElements {
			return 0, 0, usage(text, fmt.Errorf("the feature sets together list more than %d features", maxSetElements))
		}
		need := int64(kernels)*kernelBytes + int64(sets)*setBytes + int64(elements)*featureBytes
		if c.Memory > 0 && need > c.Memory {
			return 0, 0, fail.New(fail.Budget, "kernel %s: this makes %d kernels over sets of %d features in all, which take %d MiB, and %d are allowed",
				fail.Quote(text, 100), kernels, elements, need>>20, c.Memory>>20)
		}
		if visit != nil {
			if err := visit(i, &p); err != nil {
				return 0, 0, err
			}
		}
	}
	return kernels, medians, nil
}

// Count gives the number of kernels that Expand would make, and of the medians that it would ask for, at the cost of reading
// the text.
func Count(specs []string, c Context) (kernels, medians int, err error) { return plans(specs, &c, nil) }

// Expand makes the bank of a list of specifications. Faults are fail.Usage and name the specification, a bank beyond
// Context.Memory is fail.Budget; an error of Context.Median is passed on.
func Expand(specs []string, c Context) (*Bank, error) {
	n, _, err := Count(specs, c) // before anything is built
	if err != nil {
		return nil, err
	}
	b := &Bank{Kernels: make([]Kernel, 0, n), Letters: c.Sequences}
	sh := &sharer{bank: b, features: c.Features, seed: maphash.MakeSeed(), known: map[uint64][]int32{}}
	if _, _, err := plans(specs, &c, func(position int, p *plan) error { return p.expand(position, sh, &c) }); err != nil {
		return nil, err
	}
	return b, nil
}

func (p *plan) expand(position int, sh *sharer, c *Context) error {
	b := sh.bank
	sh.attribute(p.attributes)
	if p.file != "" {
		k := p.proto
		i := slices.Index(b.Files, p.file)
		if i < 0 {
			i = len(b.Files)
			b.Files = append(b.Files, p.file)
		}
		k.Matrix = int32(i)
		b.Kernels = append(b.Kernels, k)
		return nil
	}
	var block []int32 // sets of eachFeature and randomSets lie in one array
	var draw *sampler
	switch p.family {
	case eachFeature:
		block = span(1, c.Features)
	case randomSets:
		block = make([]int32, p.size)
		draw = newSampler(c.Seed, position, c.Features)
	}
	for i := range p.sets {
		var set int32
		switch p.family {
		case oneSet:
			set = sh.add(p.list(p.features, c.Features), p.view)
		case eachView:
			v := c.Views[i]
			set = sh.add(span(v.First, v.Last), v.Name)
		case eachFeature:
			set = sh.add(block[i:i+1:i+1], "")
		case randomSets:
			one := block[i*p.k : (i+1)*p.k : (i+1)*p.k]
			draw.fill(one)
			if set = AllFeatures; p.k < c.Features {
				set = sh.append(one, "")
			}
		}
		if err := p.over(set, b, c); err != nil {
			return err
		}
	}
	return nil
}

// over appends the kernels of a specification over one set.
func (p *plan) over(set int32, b *Bank, c *Context) error {
	med := 0.0
	if p.auto {
		find := c.Median
		if p.mean {
			find = c.Mean
		}
		if find == nil {
			return usage(p.text, fmt.Errorf("there is no data to take the %s distance of", p.distance()))
		}
		var err error
		if med, err = find(b.Features(set), p.proto.Kind); err != nil {
			return err
		}
		if med == 0 { // most distances vanish; any width serves
			med = 1
		}
		if !(med > 0) || math.IsInf(med, 0) {
			return fail.New(fail.Input, "kernel %s: the %s distance is %g", fail.Quote(p.text, 100), p.distance(), med)
		}
		if err := p.usable(med); err != nil {
			return err
		}
		b.Medians = append(b.Medians, med)
	}
	for i := range p.count {
		k := p.kernel(i, med)
		k.Set = set
		b.Kernels = append(b.Kernels, k)
	}
	return nil
}
