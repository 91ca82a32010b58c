package verify

import (
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/model"
)

// supportCheck is.
type supportCheck struct {
	m             *model.Model
	machines      []machine
	sample        *sample
	next          int
	cursor        []int
	vector        []float32
	lin           []neumaier
	faults        *faults
	machineFaults []faults
}

// newSupportCheck is.
func newSupportCheck(m *model.Model, machines []machine, s *sample, f *faults) *supportCheck {
	c := &supportCheck{m: m, machines: machines, sample: s, faults: f, cursor: make([]int, len(machines)),
		lin: make([]neumaier, len(machines)), machineFaults: make([]faults, len(machines))}
	if laidOut(m) {
		c.vector = make([]float32, m.Features)
	}
	return c
}

// isNext is.
func (c *supportCheck) isNext(i int) bool {
	return c.next < len(c.m.Support) && int(c.m.Support[c.next]) == i
}

// checkSupport compares support vector s with the training row it is said to be, and takes its dual variables.
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
			c.faults.add("vector", "%s: support vector %d has %v for feature %d, the data %v", place, s+1, v, j+1, dense[j])
			break
		}
	}
	taken, q := false, 0
	for k := range c.machines {
		one, n := &c.machines[k], c.cursor[k]
		if n == len(one.support) || int(one.support[n]) != s {
			continue
		}
		taken = true
		c.cursor[k]++
		for q < len(roles) && int(roles[q].machine) < k {
			q++
		}
		if q == len(roles) || int(roles[q].machine) != k {
			c.machineFaults[k].add("stranger", "%s: alpha is %v for a row of neither class", place, one.Alpha[n])
			continue
		}
		p := &roles[q]
		p.norm = c.sample.draws[k].factors[n]
		c.lin[k].add(linOf(one.Model, p.y, one.Alpha[n], p.cost))
		checkDual(one.Model, one.Alpha[n], p, place, &c.machineFaults[k])
	}
	if !taken {
		c.faults.add("unused", "%s: support vector %d is that of no machine", place, s+1)
	}
}

// checkDual holds a dual variable to its sign and its box.
func checkDual(m *model.Model, a float64, p *role, place string, f *faults) {
	signed := m.Task == model.TaskClass || m.Task == model.TaskOneClass
	if !finite(a) || signed && a*p.y < 0 {
		f.add("sign", "%s: alpha is %v for label %+g", place, a, p.y)
	}
	if m.Task != model.TaskSquare && math.Abs(a) > p.cost*(1+boxSlack) {
		f.add("box", "%s: |alpha| is %.17g, above its bound %.17g", place, math.Abs(a), p.cost)
	}
}
