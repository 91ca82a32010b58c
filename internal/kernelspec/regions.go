package kernelspec

import (
	"errors"

	"bigmkl/internal/fail"
)

// With regions each kernel is there once in each region: kernel m of M kernels in region r has the
// number r M + m. The kernels of a region are a group for norms within groups.

// countInRegions returns the number of all kernels, of which there are so many in each region.
func (c *Context) countInRegions(kernels int) (int, error) {
	most := c.Limit
	if most == 0 {
		most = MaxKernels
	}
	regions := max(1, c.Regions)
	if kernels > most/regions {
		return 0, fail.New(fail.Usage, "%d kernels in each of %d regions are more than %d",
			kernels, regions, most)
	}
	all := kernels * regions
	if need := int64(all) * kernelBytes; c.Regions > 1 && c.Memory > 0 && need > c.Memory {
		return 0, fail.New(fail.Budget,
			"%d kernels in %d regions take %d MiB, and %d are allowed", kernels, regions, need>>20,
			c.Memory>>20)
	}
	return all, nil
}

// repeat repeats the kernels in each region. Groups of kernels beside regions, which are groups
// themselves, are an error of class fail.Usage.
func (b *Bank) repeat(regions int) error {
	if regions == 0 {
		return nil
	}
	if len(b.Groups) > 0 {
		return fail.New(fail.Usage, "group=%s beside regions, which are the groups of the kernels",
			clip(b.Groups[0]))
	}
	b.Regions = regions
	n, kernels, attributes := len(b.Kernels), b.Kernels, b.Attributes
	for r := 1; r < regions; r++ {
		b.Kernels = append(b.Kernels, kernels...)
		if len(attributes) == 0 {
			continue
		}
		// Kernels before the first attribute have none, whatever the last of the region before has.
		if attributes[0].First > 0 {
			b.Attributes = append(b.Attributes, Attribute{Prior: 1, Cost: 1, First: int32(r * n), Group: -1})
		}
		for _, a := range attributes {
			a.First += int32(r * n)
			b.Attributes = append(b.Attributes, a)
		}
	}
	b.Omitted.Kernels *= regions
	return nil
}

// Region returns the 0-based region of a kernel. There must be regions.
func (b *Bank) Region(id int) int { return id / (len(b.Kernels) / b.Regions) }

// FeaturesOf returns the features, 0-based and ascending, that a text behind the @ of a kernel
// means: a view, or numbers and ranges. It returns nil for all, which an empty text represents. A
// fault is of class fail.Usage, and a list beyond Context.Memory of class fail.Budget.
func FeaturesOf(text string, c Context) ([]int32, error) {
	s, err := selectSets(text, &c, &names{views: c.Views})
	if err == nil && s.family != oneSet {
		err = errors.New("it stands for several sets of features")
	}
	if err != nil {
		return nil, fail.New(fail.Usage, "features %s: %w", fail.Quote(text), err)
	}
	if need := featureBytes * int64(s.size); c.Memory > 0 && need > c.Memory {
		return nil, fail.New(fail.Budget, "features %s: their list takes %d MiB, and %d are allowed",
			fail.Quote(text), need>>20, c.Memory>>20)
	}
	return s.list(text, c.Features), nil
}
