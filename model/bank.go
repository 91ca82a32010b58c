package model

import (
	"errors"

	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/kernelspec"
)

// Bank expands the kernel specifications, with the recorded medians in place of the data. It fails with fail.Corrupt if
// they do not fit the rest of the model, and with fail.Budget if a short text stands for more than this machine can hold.
func (m *Model) Bank() (*kernelspec.Bank, error) { return m.BankWithin(host.Budget()) }

// BankWithin is Bank with so many bytes that it may take instead.
func (m *Model) BankWithin(memory int64) (*kernelspec.Bank, error) {
	next := 0
	c := expansion(m)
	if c.Memory == 0 || memory < c.Memory {
		c.Memory = memory
	}
	c.Median = func([]int32, kernelspec.Kind) (float64, error) {
		if next == len(m.Medians) {
			return 0, fail.New(fail.Corrupt, "the model has %d median distances and its kernels need more", next)
		}
		next++
		return m.Medians[next-1], nil
	}
	c.Mean = c.Median
	b, err := kernelspec.Expand(m.Kernels, c)
	if errors.Is(err, fail.Budget) {
		return nil, err
	}
	if err != nil {
		return nil, corrupt(err)
	}
	if len(b.Kernels) != m.Len() {
		return nil, fail.New(fail.Corrupt, "the model has %d weights for %d kernels", m.Len(), len(b.Kernels))
	}
	if next != len(m.Medians) {
		return nil, fail.New(fail.Corrupt, "the model has %d median distances and its kernels need %d", len(m.Medians), next)
	}
	return b, nil
}

// Outline expands the specifications to count with, at no cost to speak of: see kernelspec.Context.
func (m *Model) Outline() (*kernelspec.Bank, error) {
	c := expansion(m)
	c.Memory, c.Outline = 0, true
	c.Median = func([]int32, kernelspec.Kind) (float64, error) { return 1, nil }
	c.Mean = c.Median
	b, err := kernelspec.Expand(m.Kernels, c)
	if err != nil {
		return nil, corrupt(err)
	}
	return b, nil
}

// withoutVectors is the bytes that the kernels of a model may take, besides some for each weight, if it has no support vectors:
// nothing in such a file shows that its features exist.
const withoutVectors = 64 << 20

// expansion is what expansions of this model depend on, medians aside. The number of weights bounds what is built.
func expansion(m *Model) kernelspec.Context {
	c := kernelspec.Context{Features: m.Features, Views: m.Views, Sequences: m.Sequences, Seed: m.Seed, Limit: max(1, m.Len())}
	if len(m.Vectors) == 0 && (m.Sparse == nil || len(m.Support) == 0) {
		c.Memory = withoutVectors + 200*int64(m.Len())
	}
	return c
}
