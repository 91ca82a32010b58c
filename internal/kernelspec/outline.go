package kernelspec

// mostOutlined is the largest number of kernels of a specification in an outline, and mostSets that
// of its sets.
const (
	mostOutlined = 4096
	mostSets     = 256
	// mostListed is the largest number of features of a set in an outline. A larger set counts as
	// all features.
	mostListed = 1 << 20
)

// outline appends kernels over sets of which only the size is right, and counts the kernels beyond
// a few thousand.
func (p *plan) outline(sh *sharer, c *Context) error {
	sets, count, all := p.sets, p.count, p.sets*p.count
	if all > mostOutlined {
		p.sets = min(p.sets, mostSets)
		p.count = min(p.count, mostOutlined/p.sets)
	}
	size := 0 // The size of a set is 0 for all features.
	if p.size > 0 {
		size = (p.size + sets - 1) / sets
		if p.family == eachView { // The sizes of views differ.
			for _, v := range c.Views {
				size = max(size, v.Last-v.First+1)
			}
		}
	}
	if size > mostListed {
		size = 0
	}
	if size > len(sh.alike) && size < c.Features {
		sh.alike = span(1, size)
	}
	for range p.sets {
		set := int32(AllFeatures)
		if size > 0 && size < c.Features {
			set = sh.append(sh.alike[:size:size], "")
		}
		if err := p.over(set, sh, c); err != nil {
			return err
		}
	}
	o := &sh.bank.Omitted
	o.Kernels += all - p.sets*p.count
	o.Sets += sets - p.sets
	o.Elements += int64(p.size)
	p.sets, p.count = sets, count
	return nil
}
