package verify_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// honestRankings are rankings of groups and of times: norms on either side of 2, both precisions.
var honestRankings = once(func(t testing.TB) (list []honest) {
	grouped := bigmkltest.Curve(datasettest.Random(t, 71), 120, 4)
	timed := slices.Clone(grouped)
	for i := range grouped {
		y := grouped[i].Target
		grouped[i].Label, grouped[i].Target = strconv.Itoa(i%6), math.Floor(4*math.Abs(y))
		if timed[i].Target = math.Exp(y); i%3 == 0 {
			timed[i].Target *= -1
		}
	}
	for _, o := range []bigmkl.Options{
		{Norm: 1, C: 0.1, Gap: 1e-6}, {Norm: 4.0 / 3, C: 0.5, Gap: 1e-4}, {Norm: 2, C: 0.1, Gap: 1e-3, Precision: "32"}, {Norm: math.Inf(1), C: 0.2, Gap: 1e-5},
	} {
		o.Kernels, o.Task = "gauss:auto/3,linear", bigmkl.TaskRank
		list = append(list, trained(t, "rank", grouped, o))
		o.Task, o.Survival, o.C = bigmkl.TaskSurvival, bigmkl.SurvivalRanking, 20*o.C
		list = append(list, trained(t, "times", timed, o))
	}
	return list
})

// ofRankings are ways to be wrong that only rankings have, and some that they have in another way.
var ofRankings = []wrong{
	{name: "a dual variable of a pair", want: "and its pairs sum to", alter: func(m *model.Model) bool { m.RowPairs.Beta[0] *= 0.5; return true }},
	{name: "a dual variable above C", want: "which is not in", alter: func(m *model.Model) bool { m.RowPairs.Beta[0] = 1.01 * m.C; return true }},
	{name: "a pair the other way", want: "which the data do not compare so", alter: func(m *model.Model) bool {
		p := &m.RowPairs
		p.Above[0], p.Below[0] = p.Below[0], p.Above[0]
		return true
	}},
	{name: "another row of a pair", want: "which the data do not compare so|its pairs sum to", alter: func(m *model.Model) bool {
		m.RowPairs.Below[0] = (m.RowPairs.Below[0] + 1) % int32(m.Points)
		return true
	}},
	{name: "a pair twice", want: "have two dual variables", alter: func(m *model.Model) bool {
		p := &m.RowPairs
		b := p.Beta[0] / 2
		p.Above, p.Below, p.Beta = append(p.Above, p.Above[0]), append(p.Below, p.Below[0]), append(p.Beta, b)
		p.Beta[0] = b
		return true
	}},
	{name: "no pair", want: "and its pairs sum to", alter: func(m *model.Model) bool { m.RowPairs = model.RowPairs{}; return true }},
	{name: "a pair less", want: "and its pairs sum to", alter: func(m *model.Model) bool {
		p, n := &m.RowPairs, len(m.RowPairs.Beta)-1
		p.Above, p.Below, p.Beta = p.Above[:n], p.Below[:n], p.Beta[:n]
		return true
	}},
	{name: "alpha of a row", want: "and its pairs sum to", alter: func(m *model.Model) bool { m.Alpha[0] *= 1.01; return true }},
	{name: "a bias", want: "and a ranking has none", alter: func(m *model.Model) bool { m.Bias = 1e-9; return true }},
	{name: "a larger C", want: "claims a primal value", alter: func(m *model.Model) bool { m.C *= 3; return true }},
	{name: "a smaller C", want: "which is not in|claims a primal value", alter: func(m *model.Model) bool { m.C *= 0.5; return true }},
	{name: "half of everything", want: "claims a primal value|claims a dual value", alter: func(m *model.Model) bool {
		scaled(m.Alpha, 0.5)
		scaled(m.WNorms, 0.5)
		scaled(m.RowPairs.Beta, 0.5)
		return true
	}},
	{name: "a higher dual value", want: "claims a dual value", alter: func(m *model.Model) bool {
		claim(m, 1.5*m.Certificate.Primal, 1.5*m.Certificate.Primal)
		return true
	}},
	{name: "a lower primal value", want: "claims a primal value", alter: func(m *model.Model) bool {
		claim(m, 0.9*m.Certificate.Primal, 0.9*m.Certificate.Primal)
		return true
	}},
}

// TestWrongRanking alters one thing of a ranking at a time.
func TestWrongRanking(t *testing.T) {
	t.Parallel()
	models := honestRankings(t)
	list := trials(t, models, ofRankings, ofRankings, func(_ honest, m *model.Model, w wrong) bool { return w.alter(m) })
	for i, h := range models {
		t.Run(h.name, func(t *testing.T) {
			if list := h.complaints(t, copied(t, h.model), verify.Options{}); len(list) > 0 {
				t.Errorf("the model as it is: %q", list)
			}
			for _, w := range list[i] {
				list := h.complaints(t, copied(t, w.model), verify.Options{})
				if !slices.ContainsFunc(list, regexp.MustCompile(w.want).MatchString) {
					t.Errorf("%s: no complaint of %q in %q", w.name, w.want, list)
				}
			}
		})
	}
}
