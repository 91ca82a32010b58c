package verify

import (
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/model"
)

// checkSupport compares support vector s with the training row it is said to be, and takes its dual variables.
func (r *reader) checkSupport(s int, data *dataset.Row) {
	place := fmt.Sprintf("row %d", r.read)
	if data.File != "" {
		place = fmt.Sprintf("row %d (%s:%d)", r.read, data.File, data.Line)
	}
	if r.vector != nil {
		r.m.Row(s, r.vector)
	}
	for j, v := range r.vector {
		if math.Float32bits(v) != math.Float32bits(r.dense[j]) {
			r.faults.add("vector", "%s: support vector %d has %v for feature %d, the data %v", place, s+1, v, j+1, r.dense[j])
			break
		}
	}
	taken, q := false, 0
	for k := range r.machines {
		c, n := &r.machines[k], r.cursor[k]
		if n == len(c.at) || int(c.at[n]) != s {
			continue
		}
		taken = true
		r.cursor[k]++
		for q < len(r.roles) && int(r.roles[q].machine) < k {
			q++
		}
		if q == len(r.roles) || int(r.roles[q].machine) != k {
			r.own[k].add("stranger", "%s: alpha is %v for a row of neither class", place, c.Alpha[n])
			continue
		}
		p := &r.roles[q]
		p.norm = r.sample.draws[k].norm[n]
		r.lin[k].add(linOf(c.Model, p.y, c.Alpha[n], p.cost))
		checkDual(c.Model, c.Alpha[n], p, place, &r.own[k])
	}
	if !taken {
		r.faults.add("unused", "%s: support vector %d is that of no machine", place, s+1)
	}
}

// checkDual holds a dual variable to its sign and its box.
func checkDual(m *model.Model, a float64, p *role, place string, f *faults) {
	signed := m.Task == model.TaskClass || m.Task == model.TaskOneClass
	if !finite(a) || signed && a*p.y < 0 {
		f.add("sign", "%s: alpha is %v for label %+g", place, a, p.y)
	}
	if m.Task != model.TaskSquare && math.Abs(a) > p.cost*(1+1e-12) {
		f.add("box", "%s: |alpha| is %.17g, above its bound %.17g", place, math.Abs(a), p.cost)
	}
}
