package verify_test

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/verify"
)

// claim sets the certificate, with a gap that fits.
func claim(m *model.Model, primal, dual float64) bool {
	c := &m.Certificate
	c.Primal, c.Dual = primal, dual
	c.RelativeGap = math.Abs(primal-dual) / max(math.Abs(primal), math.Abs(dual))
	return true
}

// relabelled records another p.
func relabelled(m *model.Model) bool {
	switch m.Norm {
	case 4.0 / 3:
		m.Norm = 1.5
	case 1:
		m.Norm = 4.0 / 3
	default:
		m.Norm = 4
	}
	return true
}

// heaviest is the kernel of the largest norm.
func heaviest(m *model.Model) int { return slices.Index(m.WNorms, slices.Max(m.WNorms)) }

func scaled(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// exchanged swaps the value of the heaviest kernel with one that differs.
func exchanged(m *model.Model, v []float64) bool {
	i := heaviest(m)
	for j := range v {
		if math.Abs(v[i]-v[j]) > 0.05*v[i] {
			v[i], v[j] = v[j], v[i]
			return true
		}
	}
	return false
}

// scaledFactor multiplies the largest factor of a kernel that has a variance.
func scaledFactor(m *model.Model, by float64) bool {
	bank, err := m.Bank()
	normal, unknown := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil || unknown != nil || m.Normalization.Scale == nil {
		return false
	}
	best := -1
	for k, f := range m.Normalization.Scale {
		if bank.Kernels[k].Normalizer.Or(normal) == kernelspec.Multiplicative && f > 0 && (best < 0 || f > m.Normalization.Scale[best]) {
			best = k
		}
	}
	if best >= 0 {
		m.Normalization.Scale[best] *= by
	}
	return best >= 0
}

// largest is the support vector of the largest |alpha|.
func largest(m *model.Model) int {
	best := 0
	for s, a := range m.Alpha {
		if math.Abs(a) > math.Abs(m.Alpha[best]) {
			best = s
		}
	}
	return best
}

// alike gives two support vectors of one class inside their box, as far from its ends as there are. Bounds are told by their
// occurring more than once.
func alike(m *model.Model) (i, j int, ok bool) {
	times := map[float64]int{}
	for _, a := range m.Alpha {
		times[a]++
	}
	var list []int
	for s, a := range m.Alpha {
		if a > 0 && times[a] == 1 {
			list = append(list, s)
		}
	}
	if len(list) < 2 {
		return 0, 0, false
	}
	middle := slices.Max(m.Alpha) / 2
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(math.Abs(m.Alpha[a]-middle), math.Abs(m.Alpha[b]-middle))
	})
	return list[0], list[1], true
}

func drop(m *model.Model, s int) {
	if m.Vectors != nil {
		m.Vectors = slices.Delete(m.Vectors, s*m.Features, (s+1)*m.Features)
	}
	if v := m.Sparse; v != nil {
		from, to := v.Start[s], v.Start[s+1]
		v.Index, v.Value = slices.Delete(v.Index, int(from), int(to)), slices.Delete(v.Value, int(from), int(to))
		v.Start = slices.Delete(v.Start, s, s+1)
		for k := s; k < len(v.Start); k++ {
			v.Start[k] -= to - from
		}
	}
	m.Support, m.Alpha = slices.Delete(m.Support, s, s+1), slices.Delete(m.Alpha, s, s+1)
}

// TestWrongModels alters one thing of a model at a time and writes it again, with a checksum that is right. verify has to report
// the fault, and no fault of the unchanged model. The same holds on a sample of a quarter of the rows, where a
// sample can see the fault.
func TestWrongModels(t *testing.T) {
	t.Parallel()
	models := honestModels(t)
	alter := func(_ honest, m *model.Model, w wrong) bool { return !(w.double && !m.Double) && w.alter(m) }
	bad, good := trials(t, models, wrongs, wrongs, alter), trials(t, models, harmless, harmless, alter)
	for i, h := range models {
		t.Run(h.name, func(t *testing.T) {
			quarter := verify.Options{Sample: h.model.Points / 4, Seed: 3}
			for _, o := range []verify.Options{{}, quarter} {
				if list := h.complaints(t, copied(t, h.model), o); len(list) > 0 {
					t.Errorf("the model as it is, sample of %d: %q", o.Sample, list)
				}
			}
			for _, w := range bad[i] {
				expected := regexp.MustCompile(w.want)
				if list := h.complaints(t, copied(t, w.model), verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
					t.Errorf("%s: no complaint of %q in %q", w.name, w.want, list)
				}
				if w.sampled {
					if list := h.complaints(t, copied(t, w.model), quarter); !slices.ContainsFunc(list, expected.MatchString) {
						t.Errorf("%s, on a sample: no complaint of %q in %q", w.name, w.want, list)
					}
				}
			}
			for _, w := range good[i] {
				if list := h.complaints(t, copied(t, w.model), verify.Options{}); len(list) > 0 {
					t.Errorf("%s: %q", w.name, list)
				}
			}
		})
	}
	t.Logf("%d ways to be wrong, %d models", len(wrongs), len(models))
}

// What a sample of a few hundred rows can see of the values: they are compared within six standard errors.
func TestWrongModelsOnASample(t *testing.T) {
	t.Parallel()
	rows := real(t, "banana", 900)
	h := trained(t, "banana", rows, bigmkl.Options{Kernels: "gauss:auto/2", Norm: 4.0 / 3, C: 1, Gap: 1e-3})
	for seed := range uint64(testlevel.Repeats(2, 8)) {
		o := verify.Options{Sample: 450, Seed: seed}
		if list := h.complaints(t, h.model, o); len(list) > 0 {
			t.Errorf("seed %d: the model as it is: %q", seed, list)
		}
		for _, w := range []wrong{
			{name: "a norm set to 0", want: norms, alter: func(m *model.Model) bool { m.WNorms[heaviest(m)] = 0; return true }},
			{name: "bias shifted", want: "claims a primal value", alter: func(m *model.Model) bool { m.Bias += 1.5; return true }},
			{name: "a larger C", want: "claims a primal value", alter: func(m *model.Model) bool { m.C *= 10; return true }},
			{name: "all alpha halved", want: "claims a dual value", alter: func(m *model.Model) bool { scaled(m.Alpha, 0.5); return true }},
			{name: "primal value", want: "claims a primal value", alter: func(m *model.Model) bool { return claim(m, m.Certificate.Primal*2, m.Certificate.Dual) }},
			{name: "dual value", want: "claims a dual value", alter: func(m *model.Model) bool { return claim(m, m.Certificate.Primal, m.Certificate.Dual/2) }},
		} {
			m := copied(t, h.model)
			w.alter(m)
			if list := h.complaints(t, m, o); !slices.ContainsFunc(list, regexp.MustCompile(w.want).MatchString) {
				t.Errorf("seed %d, %s: no complaint of %q in %q", seed, w.name, w.want, list)
			}
		}
	}
}

// The smallest faults that are found, on heart disease: a figure for each part that a model is made of, in double and in single
// precision.
func TestSmallestFault(t *testing.T) {
	t.Parallel()
	models := onHeart(t)
	for k, c := range []struct {
		name           string
		double, single float64 // found from here on
		alter          func(m *model.Model, by float64)
	}{
		{"theta", 1e-7, 1e-7, func(m *model.Model, by float64) { m.Theta[heaviest(m)] *= 1 + by }},
		{"||w_m||", 1e-7, 1e-2, func(m *model.Model, by float64) { m.WNorms[heaviest(m)] *= 1 + by }},
		{"alpha, its sum kept", 1e-5, 0.1, func(m *model.Model, by float64) {
			i, j, _ := alike(m)
			m.Alpha[j] += by * m.Alpha[i]
			m.Alpha[i] *= 1 - by
		}},
		{"alpha, its sum not kept", 1e-6, 1e-6, func(m *model.Model, by float64) { m.Alpha[largest(m)] *= 1 - by }},
		{"all alpha", 1e-6, 1e-2, func(m *model.Model, by float64) { scaled(m.Alpha, 1-by) }},
		{"bias", 1e-6, 1e-2, func(m *model.Model, by float64) { m.Bias += by }},
		{"factor of a kernel", 1e-10, 1e-4, func(m *model.Model, by float64) { scaledFactor(m, 1+by) }},
		{"primal value", 1e-7, 1e-3, func(m *model.Model, by float64) { claim(m, m.Certificate.Primal*(1+by), m.Certificate.Dual) }},
		{"dual value", 1e-7, 1e-3, func(m *model.Model, by float64) { claim(m, m.Certificate.Primal, m.Certificate.Dual*(1-by)) }},
	} {
		for i, h := range models {
			if !testlevel.Diagonal(t, i, k, 4, 1) {
				continue
			}
			by := c.single
			if h.model.Double {
				by = c.double
			}
			m := copied(t, h.model)
			c.alter(m, by)
			if len(h.complaints(t, m, verify.Options{})) == 0 {
				t.Errorf("%s: %s off by %g is not found", h.name, c.name, by)
			}
		}
	}
}
