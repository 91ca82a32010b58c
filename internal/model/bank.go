package model

import (
	"errors"

	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/kernelspec"
)

// Bank expands the kernel specifications, with the recorded medians in place of the medians of the
// data. It returns an error of class fail.Corrupt if they do not fit the rest of the model, and of
// class fail.Budget if a short text represents more kernels than this host can hold.
func (m *Model) Bank() (*kernelspec.Bank, error) { return m.Expansion().Bank(host.Budget()) }

// Expansion is what the kernels of a model are expanded from.
type Expansion struct {
	specs   []string
	medians []float64
	kernels int // is the number of weights, which bounds the number of kernels that are built
	context kernelspec.Context
	family  *Family
	// features is the number of features of a row, with flags of views.
	features int
}

// withoutVectors is the number of bytes that the kernels of a model without support vectors may
// take, in addition to some for each weight. Nothing in such a file proves that its features exist.
const withoutVectors = 64 << 20

// Expansion returns what the kernels of the model are expanded from.
func (m *Model) Expansion() *Expansion {
	c := kernelspec.Context{Features: m.Input().Plain(), Flags: m.Fill != nil, Views: m.Views,
		Sequences: m.Sequences, Seed: m.Seed,
		Limit: max(1, m.Len()), CostPower: m.Costs.Exponent()}
	if m.Objects != nil {
		c.Features, c.Views, c.Objects = m.Objects.Features(), m.Objects.Views(), true
	}
	m.Family.wing().expand(m.Family, &c)
	if len(m.Vectors) == 0 && (m.Sparse == nil || len(m.Support) == 0) {
		c.Memory = withoutVectors + 200*int64(m.Len())
	}
	return &Expansion{m.Kernels, m.Medians, m.Len(), c, m.Family, m.Features}
}

// Bank does the same as Model.Bank within the given number of bytes of memory.
func (e *Expansion) Bank(memory int64) (*kernelspec.Bank, error) {
	next := 0
	c := e.context
	if c.Memory == 0 || memory < c.Memory {
		c.Memory = memory
	}
	c.Median = func([]int32, kernelspec.Kind) (float64, error) {
		if next == len(e.medians) {
			return 0, fail.New(fail.Corrupt, "the model has %d median distances and its kernels "+
				"need more", next)
		}
		next++
		return e.medians[next-1], nil
	}
	c.Mean = c.Median
	c.Nearest = func([]int32) (float64, error) { return c.Median(nil, kernelspec.Gauss) }
	b, err := kernelspec.Expand(e.specs, c)
	if errors.Is(err, fail.Budget) {
		return nil, err
	}
	if err != nil {
		return nil, corrupt(err)
	}
	if len(b.Kernels) != e.kernels {
		return nil, fail.New(fail.Corrupt, "the model has %d weights for %d kernels", e.kernels,
			len(b.Kernels))
	}
	if g := e.family.Gates(); g != nil && g.Learned() && len(b.Copies) != g.Number {
		return nil, fail.New(fail.Corrupt, "the model has %d gates and its kernels have %d", g.Number,
			len(b.Copies))
	}
	if next != len(e.medians) {
		return nil, fail.New(fail.Corrupt, "the model has %d median distances and its kernels "+
			"need %d", len(e.medians), next)
	}
	return b, nil
}

// Outline expands the specifications into a bank that serves to count kernels and sets. It costs
// little time and memory. See kernelspec.Context.
func (e *Expansion) Outline() (*kernelspec.Bank, error) {
	c := e.context
	c.Memory, c.Outline = 0, !c.Objects // Sets of objects are few, and have to be theirs.
	c.Median = func([]int32, kernelspec.Kind) (float64, error) { return 1, nil }
	c.Mean, c.Nearest = c.Median, func([]int32) (float64, error) { return 1, nil }
	b, err := kernelspec.Expand(e.specs, c)
	if err != nil {
		return nil, corrupt(err)
	}
	return b, nil
}
