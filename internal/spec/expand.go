package spec

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/fail"
)

// plan is one specification with everything but its medians settled.
type plan struct {
	*item
	selection
}

// plans parses and checks all specifications and counts the kernels before anything is built.
func plans(specs []string, c *Context) ([]plan, int, error) {
	if len(specs) == 0 {
		return nil, 0, fail.New(fail.Usage, "no kernels are given")
	}
	limit := c.Limit
	if limit == 0 {
		limit = MaxKernels
	}
	out := make([]plan, 0, len(specs))
	kernels, elements := 0, 0
	for _, text := range specs {
		it, err := parse(text, c.Features)
		if err != nil {
			return nil, 0, err
		}
		s, err := selectSets(it.features, c)
		if err != nil {
			return nil, 0, usage(text, err)
		}
		// All factors are below 2^31, so neither sum overflows.
		kernels += s.count * it.perSet()
		elements += s.size
		if kernels > limit {
			return nil, 0, usage(text, fmt.Errorf("this makes more than %d kernels", limit))
		}
		if elements > maxSetElements {
			return nil, 0, usage(text, fmt.Errorf("the feature sets together list more than %d features", maxSetElements))
		}
		out = append(out, plan{it, s})
	}
	return out, kernels, nil
}

// Count gives the number of kernels that Expand would make, at the cost of reading the text. It calls no Median.
func Count(specs []string, c Context) (int, error) {
	_, n, err := plans(specs, &c)
	return n, err
}

// Expand makes the bank of a list of specifications. Faults are fail.Usage and name the specification; an error of
// Context.Median is passed on.
func Expand(specs []string, c Context) (*Bank, error) {
	list, n, err := plans(specs, &c)
	if err != nil {
		return nil, err
	}
	b := &Bank{Kernels: make([]Kernel, 0, n)}
	sh := &sharer{bank: b, features: c.Features, known: map[string]int32{}}
	for i, p := range list {
		if err := p.expand(i, sh, &c); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (p *plan) expand(position int, sh *sharer, c *Context) error {
	b := sh.bank
	if p.file != "" {
		k := p.kernels[0]
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
	for i := range p.count {
		var set int32
		switch p.family {
		case oneSet:
			set = sh.add(union(p.ranges), p.view)
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
	kernels := p.kernels
	if p.auto > 0 {
		if c.Median == nil {
			return usage(p.text, errors.New("there is no data to take the median distance of"))
		}
		med, err := c.Median(b.Features(set), kernels[0].Kind)
		if err != nil {
			return err
		}
		if med == 0 { // most distances vanish; any width serves
			med = 1
		}
		if !(med > 0) || math.IsInf(med, 0) {
			return fail.New(fail.Input, "kernel %q: the median distance is %g", p.text, med)
		}
		if kernels, err = p.autoKernels(med); err != nil {
			return err
		}
		b.Medians = append(b.Medians, med)
	}
	for _, k := range kernels {
		k.Set = set
		b.Kernels = append(b.Kernels, k)
	}
	return nil
}
