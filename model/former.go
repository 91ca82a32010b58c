package model

import (
	"bigmkl/dataset"
	"bigmkl/kernelspec"
)

// BankWithin does the same as Bank within some bytes of memory.
func (m *Model) BankWithin(memory int64) (*kernelspec.Bank, error) { return m.Expansion().Bank(memory) }

// Outline expands the specifications to count kernels and sets.
func (m *Model) Outline() (*kernelspec.Bank, error) { return m.Expansion().Outline() }

// GateOfEach returns the gate of each kernel.
func (m *Model) GateOfEach(memory int64) ([]int32, error) { return m.Expansion().GateOfEach(memory) }

// GatingFeatures returns the features that the gates look at.
func (m *Model) GatingFeatures(g *Gates) ([]int32, error) { return m.Expansion().GatingFeatures(g) }

// LandmarkKernel expands the kernel of landmarks.
func (m *Model) LandmarkKernel(l *Landmarks) (*kernelspec.Bank, error) {
	return m.Expansion().LandmarkKernel(l)
}

// WithFlags returns a source of rows as the model takes them.
func (m *Model) WithFlags(src dataset.Source, missing *dataset.Missing, _ bool) dataset.Source {
	return m.Input().Source(src, missing)
}

// ScalingOfData returns the scaling of the features of the data.
func (m *Model) ScalingOfData() *dataset.Scaling { return m.Input().Scaling() }

// DataFeatures returns the number of features of a row of the data.
func (m *Model) DataFeatures() int { return m.Input().Features() }

// CostPower returns the power with which costs enter the norm.
func (m *Model) CostPower() float64 { return m.Costs.Exponent() }

// TotalCost returns the cost of the kernels that a row needs.
func (m *Model) TotalCost(d []float64) float64 { return m.Active().TotalCost(len(m.Support), d) }

// UnneededViews names the views that no kernel needs.
func (m *Model) UnneededViews(b *kernelspec.Bank) []string {
	return m.Active().UnneededViews(b, m.Views, m.Features)
}
