package verify

import (
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

// supportCheck compares support vectors with the training rows that they are said to be, and takes
// their dual variables up into the roles of the rows.
type supportCheck struct {
	m                *model.Model
	wing             wing
	classifiers      []classifier
	sample           *sample
	next             int        // the support vector that comes next
	cursor           []int      // of each classifier, the place of its next dual variable
	vector           []float32  // a support vector, laid out; nil if the model has none
	lin              []neumaier // of each classifier, the linear part of its dual value
	squares          []neumaier // of each classifier, sum_i alpha_i^2 / c_i
	faults           *faults    // those that the classifiers share
	classifierFaults []faults
}

// newSupportCheck returns the check of the model's support vectors; f takes the faults that the
// classifiers share.
func newSupportCheck(m *model.Model, w wing, classifiers []classifier, s *sample, f *faults) *supportCheck {
	c := &supportCheck{m: m, wing: w, classifiers: classifiers, sample: s, faults: f, cursor: make([]int, len(classifiers)),
		lin: make([]neumaier, len(classifiers)), squares: make([]neumaier, len(classifiers)), classifierFaults: make([]faults, len(classifiers))}
	if laidOut(m) {
		c.vector = make([]float32, m.Features)
	}
	return c
}

// isNext reports whether training row i is the next support vector. Rows have to be asked about
// in order.
func (c *supportCheck) isNext(i int) bool {
	return c.next < len(c.m.Support) && int(c.m.Support[c.next]) == i
}

// check compares the next support vector with the row of that number, counted from 1, whose
// scaled features are dense. In roles it sets the factor that V_m has for this row. Features are
// compared bit for bit: a support vector is a copy.
func (c *supportCheck) check(number int, data *dataset.Row, dense []float32, roles []role) {
	s := c.next
	c.next++
	place := fmt.Sprintf("row %d", number)
	if data.File != "" {
		place = fmt.Sprintf("row %d (%s:%d)", number, data.File, data.Line)
	}
	if c.vector != nil {
		c.m.Row(s, c.vector)
	}
	for j, v := range c.vector {
		if math.Float32bits(v) != math.Float32bits(dense[j]) {
			c.faults.add("vector", "%s: support vector %d has %v for feature %d, the data %v",
				place, s+1, v, j+1, dense[j])
			break
		}
	}
	taken, q, sum := false, 0, rowSum{}
	for k := range c.classifiers {
		one, n := &c.classifiers[k], c.cursor[k]
		if n == len(one.support) || int(one.support[n]) != s {
			continue
		}
		taken = true
		c.cursor[k]++
		for q < len(roles) && int(roles[q].classifier) < k {
			q++
		}
		if q == len(roles) || int(roles[q].classifier) != k {
			c.classifierFaults[k].add("stranger", "%s: alpha is %v for a row of neither class",
				place, one.Alpha[n])
			continue
		}
		p := &roles[q]
		p.norm = c.sample.draws[k].factors[n]
		a := one.Alpha[n]
		c.lin[k].add(c.wing.checkDual(one, a, p, place, &c.classifierFaults[k]))
		if one.column {
			sum.add(a)
			continue
		}
		c.squares[k].add(a * a / p.cost)
	}
	sum.check(place, c.faults)
	if !taken {
		c.faults.add("unused", "%s: support vector %d is that of no classifier", place, s+1)
	}
}

// checkDual checks the sign of the dual variable a and its bound.
func checkDual(m *model.Model, a float64, p *role, place string, f *faults) {
	if !float.Finite(a) || signed(m) && a*p.y < 0 {
		f.add("sign", "%s: alpha is %v for label %+g", place, a, p.y)
	}
	if bound := boundOf(m, p, a); math.Abs(a) > bound*(1+boxSlack) {
		f.add("box", "%s: |alpha| is %.17g, above its bound %.17g", place, math.Abs(a), bound)
	}
}
