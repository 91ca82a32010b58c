package verify

// This file holds a model to the evidence.

// judge compares what the model claims with the evidence e, to which it adds the faults. Several
// machines are judged one by one, and together if they share one set of weights.
func (p *problem) judge(e *evidence) {
	m, f := p.m, &e.faults
	checkInteractions(m, f)
	if e.weighted && !m.RowWeights {
		f.add("weights", "the data have row weights, the model says that it was trained without")
	}
	if e.fingerprint != m.Fingerprint {
		f.add("fingerprint",
			"the model was trained on data of fingerprint %016x, these have %016x: other rows, labels, class names, weights or scaling",
			m.Fingerprint, e.fingerprint)
	}
	double := false
	for k := range p.machines {
		c := &p.machines[k]
		double = double || c.Double
		c.judge(&e.machines[k], p.sampled)
	}
	if m.OneTheta {
		e.whole = judgeJointly(p, e.machines)
	}
	if m.Double != double {
		f.add("precision", "the model claims double precision: %v; of its machines: %v",
			m.Double, double)
	}
}
