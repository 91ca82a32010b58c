package model

import (
	"slices"

	"bigmkl/internal/fail"
)

// Of the tensors that describe machines: machine_classes and machine_numbers have a row each.
const (
	machineClasses = 4 // positive, negative, double, number of support vectors
	machineNumbers = 4 // bias, primal, dual, relative gap
)

// packed is the machines as tensors: what a machine has of the same name stands one behind the other.
type packed struct {
	classes, support            []int32
	numbers, theta, norms, dual []float64
	sigmoids                    []float64 // A and B, of one machine, too
	sparse                      Sparse    // likewise
}

// packMachines gives the tensors of the machines.
func packMachines(m *Model) *packed {
	p := &packed{}
	if m.Sparse != nil {
		p.sparse = *m.Sparse.alone()
	}
	for _, s := range m.Sigmoids {
		p.sigmoids = append(p.sigmoids, s.A, s.B)
	}
	if m.Several() { // without any support vectors, too
		p.support, p.dual = []int32{}, []float64{}
	}
	for i := range m.Machines {
		a := &m.Machines[i]
		double := int32(0)
		if a.Double {
			double = 1
		}
		p.classes = append(p.classes, a.Positive, a.Negative, double, int32(len(a.Support)))
		p.numbers = append(p.numbers, a.Bias, a.Certificate.Primal, a.Certificate.Dual, a.Certificate.RelativeGap)
		p.theta, p.norms = append(p.theta, a.Theta...), append(p.norms, a.WNorms...)
		p.dual, p.support = append(p.dual, a.Alpha...), append(p.support, a.Support...)
	}
	return p
}

// unpackMachines makes the machines of the tensors. kinds are the certificates of each.
func unpackMachines(m *Model, p *packed, kinds []string) error {
	count := len(p.classes) / machineClasses
	kernels := 0
	if count > 0 {
		kernels = len(p.theta) / count
	}
	if count == 0 || len(p.classes) != count*machineClasses || len(p.numbers) != count*machineNumbers || len(p.theta) != count*kernels ||
		len(p.norms) != len(p.theta) || len(p.dual) != len(p.support) || len(kinds) != count {
		return fail.New(fail.Corrupt, "the machines do not fit together")
	}
	if len(p.dual) == 0 {
		p.dual, p.support = []float64{}, []int32{}
	}
	at := 0
	m.Machines = make([]Machine, 0, count)
	for i := range count {
		c, x := p.classes[i*machineClasses:], p.numbers[i*machineNumbers:]
		n := int(c[3])
		if n < 0 || n > len(p.support)-at || c[2] < 0 || c[2] > 1 {
			return fail.New(fail.Corrupt, "machine %d has %d support vectors", i, n)
		}
		m.Machines = append(m.Machines, Machine{
			Positive: c[0], Negative: c[1], Double: c[2] == 1,
			Theta: slices.Clip(p.theta[i*kernels : (i+1)*kernels]), WNorms: slices.Clip(p.norms[i*kernels : (i+1)*kernels]),
			Bias: x[0], Support: slices.Clip(p.support[at : at+n]), Alpha: slices.Clip(p.dual[at : at+n]),
			Certificate: Certificate{Kind: kinds[i], Primal: x[1], Dual: x[2], RelativeGap: x[3]},
		})
		at += n
	}
	if at != len(p.support) {
		return fail.New(fail.Corrupt, "dual variables of no machine")
	}
	return nil
}
