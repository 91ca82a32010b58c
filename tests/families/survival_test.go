package families

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
	"bigmkl/tests/bigmkltest"
)

// censoredRows are rows whose times have the curve for a logarithm, and of which some are censored, at a time before.
func censoredRows(t *testing.T, seed uint64, n int, share float64) []dataset.Row {
	rows, rng := lossRows(t, seed, n), datasettest.Random(t, seed+1)
	for i := range rows {
		rows[i].Target = math.Exp(rows[i].Target)
		if rng.Float64() < share {
			rows[i].Target *= -(0.3 + 0.7*rng.Float64())
		}
	}
	return rows
}

// TestSurvivalWithoutCensoring: without censored rows the function equals support vector regression on the logarithms, to the bit.
func TestSurvivalWithoutCensoring(t *testing.T) {
	t.Parallel()
	rows := censoredRows(t, 41, 150, 0)
	logs := slices.Clone(rows)
	for i := range logs {
		logs[i].Target = math.Log(logs[i].Target)
	}
	for _, o := range []bigmkl.Options{{}, {Norm: 1}, {Norm: 2, C: 3, Epsilon: 0.2}, {Norm: math.Inf(1), C: 0.1, Epsilon: bigmkl.Zero}} {
		o.Task = bigmkl.TaskSurvival
		a, dual := lossValue(t, rows, o)
		o.Task = bigmkl.TaskSVR
		b, other := lossValue(t, logs, o)
		if dual != other || a.Bias != b.Bias || !slices.Equal(a.Alpha, b.Alpha) || !slices.Equal(a.Theta, b.Theta) || a.C != b.C || a.Epsilon != b.Epsilon {
			t.Errorf("p = %g: dual values %v and %v, bias %v and %v", o.Norm, dual, other, a.Bias, b.Bias)
		}
		if a.Censoring.Times != nil {
			t.Errorf("times of censoring %v without any", a.Censoring.Times)
		}
		times := bigmkltest.Predictions(t, a, rows)
		for i, p := range bigmkltest.Predictions(t, b, logs) {
			if times[i].Decision != math.Exp(p.Decision) {
				t.Fatalf("row %d: time %v, and the exponential of %v is another", i+1, times[i].Decision, p.Decision)
			}
		}
	}
}

// TestTimesAreNumbers: a row far from the training has the largest or the smallest number above 0 for its time, and the other rows have
// theirs. Before, such a row ended all predictions.
func TestTimesAreNumbers(t *testing.T) {
	t.Parallel()
	rows := censoredRows(t, 43, 80, 0.3)
	m, _ := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "linear", Scale: "none", Normalize: "none"})
	far := make([]dataset.Row, 3)
	for i, by := range []float64{1, 1e9, -1e9} {
		far[i] = rows[0]
		far[i].Value = slices.Clone(rows[0].Value)
		for j := range far[i].Value {
			far[i].Value[j] *= by
		}
	}
	times := bigmkltest.Predictions(t, m, far)
	a, b := times[1].Decision, times[2].Decision
	if max(a, b) != math.MaxFloat64 || min(a, b) != math.SmallestNonzeroFloat64 || times[0].Decision != bigmkltest.Predictions(t, m, rows)[0].Decision {
		t.Errorf("times %v, %v and %v", times[0].Decision, a, b)
	}
}

// pairsDual maximises sum y a - eps |a| - a'Ka/2 with bounds and a sum of 0 by steps of all pairs in turn, each exact: the
// derivative along a pair has kinks where a variable is 0. A step ends there or at a bound, and the next round continues it.
func pairsDual(k [][]float64, y, low, high []float64, eps float64) (alpha []float64, value float64) {
	n := len(y)
	alpha, f := make([]float64, n), make([]float64, n)
	slope := func(i int, up bool) float64 { // of the dual value, where alpha_i grows or falls
		if alpha[i] > 0 || alpha[i] == 0 && up {
			return y[i] - f[i] - eps
		}
		return y[i] - f[i] + eps
	}
	for range 20000 {
		most := 0.0
		for i := range n {
			for j := range n {
				gain := slope(i, true) - slope(j, false)
				if i == j || gain <= 0 || alpha[i] >= high[i] || alpha[j] <= low[j] {
					continue
				}
				step := min(gain/(k[i][i]+k[j][j]-2*k[i][j]), high[i]-alpha[i], alpha[j]-low[j])
				if alpha[i] < 0 {
					step = min(step, -alpha[i])
				}
				if alpha[j] > 0 {
					step = min(step, alpha[j])
				}
				alpha[i], alpha[j] = alpha[i]+step, alpha[j]-step
				for r := range n {
					f[r] += step * (k[r][i] - k[r][j])
				}
				most = max(most, gain*step)
			}
		}
		if most < 1e-15 {
			break
		}
	}
	for i, a := range alpha {
		value += y[i]*a - eps*math.Abs(a) - a*f[i]/2
	}
	return alpha, value
}

// TestSurvivalDual compares with a slow solution of the dual (Shivaswamy, Chu and Jansche 2007, equation 6, with a box of one side
// for censored rows), and holds the function to the conditions of the optimum.
func TestSurvivalDual(t *testing.T) {
	t.Parallel()
	for _, tau := range []float64{0.5, 0.2, 0.8} {
		survivalDual(t, tau)
	}
}

// survivalDual is the test for a quantile tau: a cost of 2 tau C above, and of 2 (1 - tau) C below.
func survivalDual(t *testing.T, tau float64) {
	const cost, eps = 2.0, 0.15
	above, below := 2*cost*tau, 2*cost*(1-tau)
	rows := censoredRows(t, 43, 40, 0.5)
	n := len(rows)
	y, low, high, k := make([]float64, n), make([]float64, n), slices.Repeat([]float64{above}, n), make([][]float64, n)
	x := make([][3]float64, n)
	for i, r := range rows {
		if y[i] = math.Log(math.Abs(r.Target)); r.Target > 0 {
			low[i] = -below
		}
		for v, j := range r.Index {
			x[i][j] = r.Value[v]
		}
	}
	for i := range k {
		k[i] = make([]float64, n)
		for j := range k[i] {
			d := 0.0
			for v := range 3 {
				d += (x[i][v] - x[j][v]) * (x[i][v] - x[j][v])
			}
			k[i][j] = math.Exp(-0.7 * d)
		}
	}
	_, want := pairsDual(k, y, low, high, eps)
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:0.7", Normalize: "none", Scale: "none", Norm: 2, C: cost, Tau: tau, Epsilon: eps, Gap: 1e-8, Threads: 1})
	if got := m.Certificate.Dual; math.Abs(got-want) > 1e-7*want {
		t.Errorf("tau = %g: dual value %.12g, want %.12g", tau, got, want)
	}
	alpha := make([]float64, n)
	for s, i := range m.Support {
		alpha[i] = m.Alpha[s]
	}
	free, kept := 0, 0
	for i, p := range bigmkltest.Predictions(t, m, rows) {
		r := y[i] - math.Log(p.Decision) // above eps: the time is longer than predicted
		switch a := alpha[i]; {
		case a < low[i] || a > above:
			t.Errorf("row %d: alpha %g of [%g, %g]", i+1, a, low[i], above)
		case r > eps+1e-3 && a < above || r < -eps-1e-3 && a > low[i] || math.Abs(r) < eps-1e-3 && a != 0:
			t.Errorf("row %d of target %g: alpha %g with the residual %g", i+1, rows[i].Target, a, r)
		case r < -eps-1e-3 && rows[i].Target < 0:
			free++
		case a != 0:
			kept++
		}
	}
	if free < 3 || kept < 10 {
		t.Errorf("%d censored rows are predicted to live longer, and %d are support vectors", free, kept)
	}
}

// TestSurvivalUsesCensoredRows: who takes censored rows for events predicts times that are too short, and who leaves them out, too.
func TestSurvivalUsesCensoredRows(t *testing.T) {
	t.Parallel()
	truth := censoredRows(t, 45, 600, 0)
	rows, events, taken := slices.Clone(truth), []dataset.Row{}, slices.Clone(truth)
	rng := datasettest.Random(t, 46)
	for i := range rows {
		if until := 1.5 * rng.ExpFloat64(); until < rows[i].Target {
			rows[i].Target, taken[i].Target = -until, until
			continue
		}
		events = append(events, rows[i])
	}
	short := func(rows []dataset.Row) (mean float64) {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:auto/3", Threads: 1})
		for i, p := range bigmkltest.Predictions(t, m, truth) {
			mean += (math.Log(truth[i].Target) - math.Log(p.Decision)) / float64(len(truth))
		}
		return mean
	}
	own, alone, as := short(rows), short(events), short(taken)
	t.Logf("%d of %d rows are censored; logarithms are short by %.3f, by %.3f without them and by %.3f as events", len(rows)-len(events), len(rows), own, alone, as)
	if !(math.Abs(own) < 0.7*alone && math.Abs(own) < as/2) {
		t.Errorf("logarithms are short by %g, by %g without censored rows and by %g where they are taken for events", own, alone, as)
	}
}

// TestSurvivalModels: a model has the distribution of the times of censoring, survives its file, and verify finds another.
func TestSurvivalModels(t *testing.T) {
	t.Parallel()
	rows := censoredRows(t, 47, 120, 0.4)
	m, _ := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskSurvival})
	times := make([]float64, len(rows))
	for i := range rows {
		times[i] = rows[i].Target
	}
	at, share := evaluate.Censoring(times)
	if !slices.Equal(m.Censoring.Times, at) || !slices.Equal(m.Censoring.Shares, share) || len(at) < 20 {
		t.Errorf("times of censoring %v", m.Censoring)
	}
	if b := bigmkltest.Encoded(t, m); !bytes.Contains(b, []byte(`"censoring_shares"`)) {
		t.Error("the file lacks the shares")
	}
	for want, alter := range map[string]func(m *bigmkl.Model){
		"the share of the rows that are not censored": func(m *bigmkl.Model) {
			m.Censoring.Shares = slices.Clone(share)
			m.Censoring.Shares[3] = (share[3] + share[4]) / 2
		},
		"the model has a time of censoring": func(m *bigmkl.Model) {
			m.Censoring.Times, m.Censoring.Shares = append(slices.Clone(at), 1e6), append(slices.Clone(share), share[len(share)-1]/2)
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
	} {
		bigmkltest.MustComplain(t, m, rows, want, alter)
	}
}
