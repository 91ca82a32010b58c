package verify_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/verify"
)

// normed are honest models of the norms beyond the block norm.
func normed(t testing.TB) []honest {
	heart := real(t, "heart", 240)
	grouped := "gauss:auto/3 group=a,linear@1-5 group=b prior=2,poly:2@3-8 group=b,gauss:1@6-13 cost=3"
	plain := strings.NewReplacer(" group=a", "", " group=b", "").Replace(grouped)
	const m = 6
	g := make([]float64, m*m)
	for i := range m - 1 {
		g[i*m+i+1], g[(i+1)*m+i] = 1, 1
	}
	e, err := bigmkl.Laplacian(g, 1)
	if err != nil {
		t.Fatal(err)
	}
	var list []honest
	row := 0
	add := func(name string, o bigmkl.Options) {
		o.C, o.Scale = 0.3, "standard"
		row++
		for k, gap := range []float64{1e-3, 1e-6} {
			if o.Gap = gap; !testlevel.Diagonal(t, row, k, 2, 1) {
				continue
			}
			h := trained(t, "heart", heart, o)
			h.name = name + " " + h.name
			list = append(list, h)
		}
	}
	for _, pq := range [][2]float64{{1, 2}, {2, 1}, {4.0 / 3, 1}, {math.Inf(1), 1}, {1, math.Inf(1)}, {3, 1.5}} {
		add("groups", bigmkl.Options{Kernels: grouped, Norm: pq[0], Regularizer: bigmkl.Regularizer{GroupNorm: pq[1]}})
	}
	add("importances", bigmkl.Options{Kernels: plain, Norm: 4.0 / 3})
	add("importances", bigmkl.Options{Kernels: plain, Norm: 2})
	add("costs", bigmkl.Options{Kernels: plain, Norm: 1, CostPower: 2})
	add("costs charged alone", bigmkl.Options{Kernels: plain, Norm: 1, CostPower: bigmkl.Zero})
	add("net", bigmkl.Options{Kernels: plain, Regularizer: bigmkl.Regularizer{ElasticNet: 0.3}})
	add("squared", bigmkl.Options{Kernels: plain, Norm: 4.0 / 3, Regularizer: bigmkl.Regularizer{SquaredNorm: 0.5}})
	add("squared", bigmkl.Options{Kernels: plain, Norm: 1, Regularizer: bigmkl.Regularizer{SquaredNorm: 0.5}})
	add("interactions", bigmkl.Options{Kernels: plain, Regularizer: bigmkl.Regularizer{Interaction: e}})
	add("fixed", bigmkl.Options{Kernels: "gauss:auto/3,linear@1-5,poly:2@3-8,gauss:1@6-13", Regularizer: bigmkl.Regularizer{Weights: []float64{1, 2, 0, 1, 0.5, 1}}})
	return list
}

// TestWrongNorms: claims of models of every norm are true, and false once the recorded norm is changed.
func TestWrongNorms(t *testing.T) {
	t.Parallel()
	const norm = "norm of|fixed weight|shares of|below the entry|not below|sum theta|for p = 2"
	relabelled := func(from, to string) func(m *model.Model) bool {
		return func(m *model.Model) bool {
			changed := false
			for i, s := range m.Kernels {
				m.Kernels[i] = strings.Replace(s, from, to, 1)
				changed = changed || m.Kernels[i] != s
			}
			return changed
		}
	}
	table := []wrong{
		{name: "a weight up by 5 %", want: norm + "|" + norms, alter: func(m *model.Model) bool { m.Theta[heaviest(m)] *= 1.05; return true }},
		{name: "all weights doubled", want: norm + "|" + norms, alter: func(m *model.Model) bool { scaled(m.Theta, 2); return true }},
		{name: "norms exchanged", want: norms, alter: func(m *model.Model) bool { return exchanged(m, m.WNorms) }},
		{name: "another q", want: values + "|" + norm, alter: func(m *model.Model) bool {
			had := m.GroupNorm
			if m.GroupNorm = 1.25; had == 0 {
				m.GroupNorm = 0
			}
			return had != 0
		}},
		{name: "another p over groups", want: values + "|" + norm, alter: func(m *model.Model) bool {
			m.Norm = 1.5
			return m.GroupNorm != 0
		}},
		{name: "a kernel of another group", want: values + "|" + norm, alter: func(m *model.Model) bool {
			return m.Norm != float64(m.GroupNorm) && relabelled("linear@1-5 group=b", "linear@1-5 group=a")(m)
		}},
		{name: "another prior", want: values + "|" + norm, alter: relabelled("prior=2", "prior=200")},
		{name: "another cost", want: values + "|" + norm + "|claims a total cost", alter: relabelled("cost=3", "cost=0.01")},
		{name: "another cost that is charged alone", want: "claims a total cost", alter: func(m *model.Model) bool {
			return m.Costs != nil && m.Costs.Power == 0 && relabelled("cost=3", "cost=2.9")(m)
		}},
		{name: "another power of the costs", want: values + "|" + norm, alter: func(m *model.Model) bool {
			if m.Costs == nil || m.Costs.Power == 0 || m.WNorms[5] < 0.01*m.WNorms[heaviest(m)] {
				return false
			}
			m.Costs.Power *= 2
			return true
		}},
		{name: "the power of former costs", want: values + "|" + norm, alter: func(m *model.Model) bool {
			had := m.Costs
			m.Costs = nil
			return had != nil && had.Power > 0.5 && m.WNorms[5] > 0.01*m.WNorms[heaviest(m)]
		}},
		{name: "another total cost", want: "claims a total cost", alter: func(m *model.Model) bool {
			if m.Costs == nil {
				return false
			}
			m.Costs.Total *= 1.001
			return true
		}},
		{name: "another mix", want: values + "|" + norm, alter: func(m *model.Model) bool {
			had := m.ElasticNet
			m.ElasticNet *= 0.9
			return had > 0
		}},
		{name: "another factor of the squared norm", want: values + "|" + norm, alter: func(m *model.Model) bool {
			had := m.SquaredNorm
			m.SquaredNorm *= 1.2
			return had > 0
		}},
		{name: "another interaction", want: values + "|" + norm, alter: func(m *model.Model) bool {
			if m.Interaction == nil {
				return false
			}
			at := heaviest(m)
			m.Interaction[at*(len(m.Theta)+1)] *= 1.3
			return true
		}},
		{name: "interactions that are no norm", want: "not positive definite", alter: func(m *model.Model) bool {
			if m.Interaction == nil {
				return false
			}
			n := len(m.Theta)
			m.Interaction[1], m.Interaction[n] = 100, 100
			return true
		}},
		{name: "another fixed weight", want: "fixed weight", alter: func(m *model.Model) bool {
			if m.Weights == nil {
				return false
			}
			m.Weights[heaviest(m)] *= 1.01
			return true
		}},
		{name: "primal value", want: "claims a primal value", alter: func(m *model.Model) bool { return claim(m, m.Certificate.Primal*1.05, m.Certificate.Dual) }},
		{name: "dual value", want: "claims a dual value", alter: func(m *model.Model) bool { return claim(m, m.Certificate.Primal, m.Certificate.Dual*0.95) }},
	}
	models := normed(t)
	list := trials(t, models, table, table, func(_ honest, m *model.Model, w wrong) bool { return w.alter(m) })
	for i, h := range models {
		for _, o := range []verify.Options{{}, {Sample: 60, Seed: 3}} {
			if list := h.complaints(t, copied(t, h.model), o); len(list) > 0 {
				t.Errorf("%s: the model as it is, sample of %d: %q", h.name, o.Sample, list)
			}
		}
		for _, w := range list[i] {
			if list := h.complaints(t, copied(t, w.model), verify.Options{}); !slices.ContainsFunc(list, regexp.MustCompile(w.want).MatchString) {
				t.Errorf("%s, %s: no complaint of %q in %q", h.name, w.name, w.want, list)
			}
		}
	}
}
