package families

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestCoxRecorded: with a linear kernel the decision values are those that scikit-survival 0.25 found, CoxPHSurvivalAnalysis with
// ties="efron" and alpha = 1/C, and without ties the baseline hazard is its, at the mean of the rows.
func TestCoxRecorded(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]struct {
		times, x []float64
		c        float64
		f        []float64
		hazards  []float64 // at the times of events; nil: not compared
	}{
		"ties, C = 0.5": {tiedTimes, tiedFeatures, 0.5, []float64{1.272039372, -0.478892124, -1.334813299, 0.188321781, 0.510471832, -0.840131321, 0.282675416, 0.054879, 0.149232635, 0.549560978, 1.138596591, -1.373902444, 0.054879, -0.172917416}, nil},
		"ties, C = 10":  {tiedTimes, tiedFeatures, 10, []float64{2.588071688, -1.043551523, -2.750393049, 0.486964082, 0.969393123, -1.743920725, 0.575127042, 0.180860961, 0.269023921, 1.187333284, 2.281968567, -2.96833321, 0.180860961, -0.21340512}, nil},
		"C = 0.5": {freeTimes, freeFeatures, 0.5, []float64{0.099087892, -1.563356344, -0.317081256, 0.053590995, -0.455804305, -0.223855104, -0.68552115, -0.223855104, 1.48408603, -0.455804305, 1.34536298, 0.283307839, 0.515257041, 0.14458479},
			[]float64{0.052979741103403984, 0.11948873956577927, 0.19552437419522348, 0.3206662639384004, 0.5999960879511854, 1.0392208455958725, 1.716127883284088, 2.9018472951946683, 7.676667614275524}},
		"C = 10": {freeTimes, freeFeatures, 10, []float64{0.170031235, -2.455813737, -0.544099952, 0.167576585, -0.782143681, -0.308510874, -1.025096712, -0.308510874, 2.319788749, -0.782143681, 2.081745020, 0.410529615, 0.884162423, 0.172485886},
			[]float64{0.0343814799019777, 0.08184913454245085, 0.13366701381732038, 0.21057820655856124, 0.5641245096680015, 1.1404329004410712, 2.139791183990188, 3.9806736225309156, 15.636588162747021}},
	} {
		t.Run(name, func(t *testing.T) {
			var rows []dataset.Row
			for i, time := range p.times {
				rows = append(rows, dataset.Row{Index: []int32{0, 1}, Value: []float64{p.x[2*i], p.x[2*i+1]}, Target: time})
			}
			m := coxModel(t, rows, bigmkl.Options{Kernels: "linear", C: p.c, Gap: 1e-11})
			for i, q := range bigmkltest.Predictions(t, m, rows) {
				if math.Abs(q.Decision-p.f[i]) > 1e-5 {
					t.Errorf("row %d: decision value %.9f, recorded %.9f", i+1, q.Decision, p.f[i])
				}
			}
			for k, want := range p.hazards {
				if got := math.Exp(m.Baseline.LogHazards[k]); math.Abs(got/want-1) > 1e-4 {
					t.Errorf("the baseline hazard up to %g is %.9g, recorded %.9g", m.Baseline.Times[k], got, want)
				}
			}
		})
	}
}

var (
	tiedTimes    = []float64{1, -9, 12, 1, 2, 2, 2, 2, 4, -1, 1, -14, -2, -7}
	tiedFeatures = []float64{1.5, -0.5, 0, 0.5, -1, 0, 0, -2, 1, 0.5, -0.5, 0, 0.5, -0.5, 0, -1.5, 0.5, 0, 0.5, -1.5, 1.5, 0, -0.5, 2, 0, -1.5, -0.5, -2.5}
	freeTimes    = []float64{1.38, 35.71, -0.98, -3.45, 26.29, 5.88, -13.67, 13.7, 5.2, 22.43, 0.04, -4.47, -3.42, 0.55}
	freeFeatures = []float64{0, -0.5, -1.5, 0.5, 0, 1, -0.5, -2, 0, 1.5, -0.5, -1, -1, -1, -0.5, -1, 1.5, -0.5, 0, 1.5, 1.5, 0, 0.5, 0.5, 0, -2, 0.5, 1}
)

// TestCoxWeights: with row weights the decision values and the baseline hazard are those that R's survival 3.5 found: coxph with
// ridge(x1, x2, theta = 1/C, scale = FALSE), weights, ties="efron", and survfit at f = 0. A censored row of weight 2 is two rows, and twice the weights are twice C.
func TestCoxWeights(t *testing.T) {
	t.Parallel()
	weights := []float64{2, 0.5, 1, 0.25, 3, 1, 0.5, 2, 1.5, 4, 1, 0.75, 2, 1}
	var rows []dataset.Row
	for i, time := range tiedTimes {
		rows = append(rows, dataset.Row{Index: []int32{0, 1}, Value: tiedFeatures[2*i : 2*i+2], Target: time, Weight: weights[i]})
	}
	for c, want := range map[float64]struct{ f, hazards []float64 }{
		0.5: {[]float64{1.537449763, -0.383504791, -1.515667470, -0.065346881, 0.812289469, -0.917770340, 0.341655503, -0.128978463, 0.278023921, 0.468918667, 1.473818181, -1.172296668, -0.128978463, -0.599612429},
			[]float64{0.108737077765, 0.732823365181, 1.18429903216, 3.39716461692}},
		10: {[]float64{3.315720773, -1.199083139, -3.454745569, 0.417074386, 1.379810796, -2.165298601, 0.736826838, 0.093842881, 0.413595333, 1.383289849, 2.992489268, -3.458224622, 0.093842881, -0.549141076},
			[]float64{0.0397549444411, 0.521466426676, 1.01298640487, 19.1257945711}},
	} {
		m := coxModel(t, rows, bigmkl.Options{Kernels: "linear", C: c, Gap: 1e-11})
		for i, q := range bigmkltest.Predictions(t, m, rows) {
			if math.Abs(q.Decision-want.f[i]) > 1e-5 {
				t.Errorf("C = %g, row %d: decision value %.9f, recorded %.9f", c, i+1, q.Decision, want.f[i])
			}
		}
		for k, want := range want.hazards {
			if got := math.Exp(m.Baseline.LogHazards[k]); math.Abs(got/want-1) > 1e-4 {
				t.Errorf("C = %g: the baseline hazard up to %g is %.9g, recorded %.9g", c, m.Baseline.Times[k], got, want)
			}
		}
	}
	drawn, rng := censoredRows(t, 66, 60, 0.4), datasettest.Random(t, 67)
	var twice, double []dataset.Row
	for i := range drawn {
		drawn[i].Weight = math.Exp(rng.NormFloat64())
		if drawn[i].Target < 0 && i%2 == 0 {
			half := drawn[i]
			half.Weight /= 2
			twice = append(twice, half)
			drawn[i].Weight = 2 * half.Weight
			half.Weight = drawn[i].Weight / 2
			twice = append(twice, half)
		} else {
			twice = append(twice, drawn[i])
		}
		more := drawn[i]
		more.Weight *= 2
		double = append(double, more)
	}
	o := bigmkl.Options{Kernels: "gauss:0.7,linear", C: 2, Gap: 1e-8}
	m := coxModel(t, drawn, o)
	split := coxModel(t, twice, o)
	if got, want := split.Certificate.Dual, m.Certificate.Dual; math.Abs(got/want-1) > 1e-7 {
		t.Errorf("the dual value is %.12g, and %.12g if a censored row is two of half the weight", want, got)
	}
	o.C /= 2
	half := coxModel(t, double, o)
	for i, q := range bigmkltest.Predictions(t, half, drawn) {
		if want := bigmkltest.Predictions(t, m, drawn)[i].Decision; math.Abs(q.Decision-want) > 1e-3 {
			t.Fatalf("row %d: decision value %.9f, and %.9f for twice C and half the weights", i+1, q.Decision, want)
		}
	}
	bigmkltest.MustComplain(t, m, drawn, "above its bound", func(m *bigmkl.Model) {
		m.Alpha = slices.Clone(m.Alpha)
		for s, i := range m.Support {
			if w := drawn[i].Weight; drawn[i].Target > 0 && w < 1 {
				m.Alpha[s] = 2 * m.C * w
				return
			}
		}
	})
	bigmkltest.MustComplain(t, m, drawn, "response to no function", func(m *bigmkl.Model) {
		m.Alpha = slices.Clone(m.Alpha)
		for s := range m.Alpha {
			m.Alpha[s] /= drawn[m.Support[s]].Weight
		}
	})
}

// coxModel trains a model that verify accepts.
func coxModel(t *testing.T, rows []dataset.Row, o bigmkl.Options) *bigmkl.Model {
	t.Helper()
	o.Task, o.Threads, o.Normalize, o.Scale = bigmkl.TaskCox, 1, "none", "none"
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	return m
}

// denseCox minimises c'Kc/2 + C L(Kc) by Newton's method on the definitions of L and its derivatives, with ties after Efron.
func denseCox(times []float64, k *mat.SymDense, cost float64) (value float64) {
	n := len(times)
	c, f := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	at := func(c *mat.VecDense) (loss float64, gradient *mat.VecDense, hessian *mat.Dense) {
		f.MulVec(k, c)
		gradient, hessian = mat.NewVecDense(n, nil), mat.NewDense(n, n, nil)
		for _, t := range slices.Compact(slices.Sorted(slices.Values(times))) {
			if t <= 0 {
				continue
			}
			deaths := 0
			for i, x := range times {
				if x == t {
					deaths++
					loss -= cost * f.AtVec(i)
					gradient.SetVec(i, gradient.AtVec(i)-cost)
				}
			}
			for l := range deaths {
				p, sum := make([]float64, n), 0.0
				for i, x := range times {
					if math.Abs(x) < t {
						continue
					}
					if p[i] = math.Exp(f.AtVec(i)); x == t {
						p[i] *= 1 - float64(l)/float64(deaths)
					}
					sum += p[i]
				}
				loss += cost * math.Log(sum)
				for i := range p {
					p[i] /= sum
					gradient.SetVec(i, gradient.AtVec(i)+cost*p[i])
				}
				for i := range p {
					hessian.Set(i, i, hessian.At(i, i)+cost*p[i])
					for j := range p {
						hessian.Set(i, j, hessian.At(i, j)-cost*p[i]*p[j])
					}
				}
			}
		}
		return loss + mat.Inner(c, k, c)/2, gradient, hessian
	}
	value, gradient, hessian := at(c)
	for range 60 {
		// (I + HK) d = -(c + g)
		system, right, d := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		system.Mul(hessian, k)
		for i := range n {
			system.Set(i, i, system.At(i, i)+1)
			right.SetVec(i, -c.AtVec(i)-gradient.AtVec(i))
		}
		if d.SolveVec(system, right) != nil {
			return math.NaN()
		}
		for step := 1.0; step > 1e-9; step /= 2 {
			next := mat.NewVecDense(n, nil)
			next.AddScaledVec(c, step, d)
			if v, g, h := at(next); v < value {
				c, value, gradient, hessian = next, v, g, h
				break
			}
		}
	}
	return value
}

// TestCoxDense compares with Newton's method on dense matrices.
func TestCoxDense(t *testing.T) {
	t.Parallel()
	rows := censoredRows(t, 61, 40, 0.4)
	times, k := make([]float64, len(rows)), mat.NewSymDense(len(rows), nil)
	for i := range rows {
		rows[i].Target = math.Copysign(math.Ceil(3*math.Abs(rows[i].Target)), rows[i].Target) // ties
		times[i] = rows[i].Target
		for j := range i + 1 {
			var x [3]float64
			for v, at := range rows[i].Index {
				x[at] += rows[i].Value[v]
			}
			for v, at := range rows[j].Index {
				x[at] -= rows[j].Value[v]
			}
			k.SetSym(i, j, math.Exp(-0.7*(x[0]*x[0]+x[1]*x[1]+x[2]*x[2])))
		}
	}
	for _, cost := range []float64{0.1, 1, 10, 100} {
		m := coxModel(t, rows, bigmkl.Options{Kernels: "gauss:0.7", C: cost, Gap: 1e-8})
		want := denseCox(times, k, cost)
		for what, got := range map[string]float64{"primal": m.Certificate.Primal, "dual": m.Certificate.Dual} {
			if !(math.Abs(got/want-1) <= 1e-7) {
				t.Errorf("C = %g: the %s value is %.12g, by dense matrices %.12g", cost, what, got, want)
			}
		}
	}
}

// TestCoxModels: verify finds other dual variables, another bias and another baseline hazard.
func TestCoxModels(t *testing.T) {
	t.Parallel()
	rows := censoredRows(t, 63, 120, 0.4)
	m := coxModel(t, rows, bigmkl.Options{Kernels: "gauss:auto/3,linear"})
	for want, alter := range map[string]func(m *bigmkl.Model){
		"the mean of the decision values": func(m *bigmkl.Model) { m.Bias += 0.1 },
		"the logarithm of the baseline hazard up to": func(m *bigmkl.Model) {
			m.Baseline.LogHazards = slices.Clone(m.Baseline.LogHazards)
			m.Baseline.LogHazards[3] = (m.Baseline.LogHazards[3] + m.Baseline.LogHazards[4]) / 2
		},
		"times of events": func(m *bigmkl.Model) {
			last := len(m.Baseline.Times) - 1
			m.Baseline.Times, m.Baseline.LogHazards = m.Baseline.Times[:last], m.Baseline.LogHazards[:last]
		},
		"above its bound 0": func(m *bigmkl.Model) {
			m.Alpha = slices.Clone(m.Alpha)
			for s, i := range m.Support {
				if rows[i].Target < 0 {
					m.Alpha[s] *= -1
					return
				}
			}
		},
		// The variable of the first event is raised above what the rows before the next event allow.
		"response to no function": func(m *bigmkl.Model) {
			m.Alpha = slices.Clone(m.Alpha)
			first := slices.Index(timesOf(rows, m.Support), slices.Min(m.Baseline.Times))
			last := slices.Index(timesOf(rows, m.Support), slices.Max(m.Baseline.Times))
			m.Alpha[first], m.Alpha[last] = m.Alpha[first]-10, m.Alpha[last]+10
		},
	} {
		bigmkltest.MustComplain(t, m, rows, want, alter)
	}
}

// timesOf returns the targets of support vectors.
func timesOf(rows []dataset.Row, support []int32) (times []float64) {
	for _, i := range support {
		times = append(times, rows[i].Target)
	}
	return times
}

// TestCoxRejects: what does not go with relative hazards is rejected in one line.
func TestCoxRejects(t *testing.T) {
	t.Parallel()
	rows := censoredRows(t, 65, 30, 0.4)
	all := slices.Clone(rows)
	for i := range all {
		all[i].Target = -math.Abs(all[i].Target)
	}
	for name, p := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
		want string
	}{
		"no event":     {all, bigmkl.Options{}, "no event"},
		"solver":       {rows, bigmkl.Options{Solver: bigmkl.SolverLBFGS}, "lbfgs"},
		"wrapper":      {rows, bigmkl.Options{Solver: bigmkl.SolverWrapper}, "only solver newton, and not wrapper"},
		"gates":        {rows, bigmkl.Options{Gating: "softmax", Kernels: "linear,gauss:1"}, "task cox cannot be combined with gates"},
		"projection":   {rows, bigmkl.Options{Kernels: "proj(gauss:1,2)"}, "task cox"},
		"working sets": {rows, bigmkl.Options{Tuning: chunking.Tuning{WorkingSet: 8}}, "working sets"},
		"folds":        {rows, bigmkl.Options{Folds: 3}, "probabilities are for tasks with classes"},
	} {
		p.o.Task = bigmkl.TaskCox
		if p.o.Kernels == "" {
			p.o.Kernels = "linear"
		}
		_, _, err := bigmkl.Train(t.Context(), datasettest.Stream(p.rows), p.o)
		if err == nil || !strings.Contains(err.Error(), p.want) || !errors.Is(err, fail.Usage) && !errors.Is(err, fail.Input) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
