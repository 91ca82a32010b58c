package families

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// intervalRows are rows of which a quarter each has an event, a lower bound, an upper bound and both bounds of its time.
func intervalRows(t *testing.T, seed uint64, n int) []dataset.Row {
	rows, rng := censoredRows(t, seed, n, 0), datasettest.Random(t, seed+2)
	for i := range rows {
		time := rows[i].Target
		below, above := time*(0.4+0.6*rng.Float64()), time*(1+2*rng.Float64())
		switch rng.IntN(4) {
		case 0:
			rows[i].Target = -below
		case 1:
			rows[i].Target, rows[i].Upper = 0, above
		case 2:
			rows[i].Target, rows[i].Upper = -below, above
		}
	}
	return rows
}

// ends returns the logarithms of the bounds of a row's time.
func ends(r dataset.Row) (from, to float64) {
	from, to = labeltext.TimeBounds(r.Target, r.Upper)
	return math.Log(from), math.Log(to)
}

// intervalsDual maximises the dual of bounds l_i <= u_i of the targets,
//
//	sum_i (l_i - eps) max(0, a_i) + (u_i + eps) min(0, a_i) - a'Ka/2   with   -D_i <= a_i <= U_i,   sum a = 0,
//
// by projected gradient steps on both parts of a, a = p - m with p, m >= 0, and returns its value. The steps are accelerated (Nesterov 1983), with
// a restart wherever the value falls.
func intervalsDual(k [][]float64, from, to, most, least []float64, eps float64) (best float64) {
	n := len(from)
	value := func(a []float64) (v float64, g []float64) {
		g = make([]float64, n)
		for i := range a {
			for j, x := range a {
				g[i] += k[i][j] * x
			}
			v -= a[i] * g[i] / 2
			if a[i] > 0 {
				v += (from[i] - eps) * a[i]
			} else if a[i] < 0 {
				v += (to[i] + eps) * a[i]
			}
		}
		return v, g
	}
	// prox returns the best point of the separable part near z: a step of the length s, and the sum of 0 by a multiplier that is bisected.
	prox := func(z []float64, s float64) []float64 {
		a := make([]float64, n)
		at := func(mu float64) (sum float64) {
			for i, x := range z {
				up, down := x+s*(from[i]-eps-mu), x+s*(to[i]+eps-mu)
				switch a[i] = 0; {
				case most[i] > 0 && up > 0:
					a[i] = min(up, most[i])
				case least[i] < 0 && down < 0:
					a[i] = max(down, least[i])
				}
				sum += a[i]
			}
			return sum
		}
		low, high := -1e3, 1e3
		for range 200 {
			if mid := (low + high) / 2; at(mid) > 0 {
				low = mid
			} else {
				high = mid
			}
		}
		at((low + high) / 2)
		return a
	}
	s := 1 / float64(n) // Kernels have 1 on the diagonal, and no eigenvalue above n.
	a, y, speed := make([]float64, n), make([]float64, n), 1.0
	best, _ = value(a)
	for range 60000 {
		_, g := value(y)
		z := make([]float64, n)
		for i := range z {
			z[i] = y[i] - s*g[i]
		}
		next := prox(z, s)
		v, _ := value(next)
		if v < best {
			if speed == 1 {
				break
			}
			copy(y, a)
			speed = 1
			continue
		}
		faster := (1 + math.Sqrt(1+4*speed*speed)) / 2
		for i := range y {
			y[i] = next[i] + (speed-1)/faster*(next[i]-a[i])
		}
		a, speed, best = next, faster, v
	}
	return best
}

// TestIntervalsDual compares with a slow solution of the dual, and holds the function to the conditions of the optimum.
func TestIntervalsDual(t *testing.T) {
	t.Parallel()
	const cost = 2.0
	for _, c := range []struct{ tau, eps float64 }{{0.5, 0.15}, {0.3, 0.05}, {0.5, 0}} {
		above, below := 2*cost*c.tau, 2*cost*(1-c.tau)
		rows := intervalRows(t, 53, 40)
		n := len(rows)
		from, to, most, least, k := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([][]float64, n)
		x := make([][3]float64, n)
		for i, r := range rows {
			if from[i], to[i] = ends(r); !math.IsInf(from[i], -1) {
				most[i] = above
			}
			if !math.IsInf(to[i], 1) {
				least[i] = -below
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
		epsilon := c.eps
		if epsilon == 0 {
			epsilon = bigmkl.Zero
		}
		want := intervalsDual(k, from, to, most, least, c.eps)
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:0.7", Normalize: "none", Scale: "none", Norm: 2, C: cost, Tau: c.tau, Epsilon: epsilon, Gap: 1e-8, Threads: 1})
		if got := m.Certificate.Dual; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%+v: dual value %.12g, want %.12g", c, got, want)
		}
		alpha := make([]float64, n)
		for s, i := range m.Support {
			alpha[i] = m.Alpha[s]
		}
		inside := 0
		for i, p := range bigmkltest.Predictions(t, m, rows) {
			f, a := math.Log(p.Decision), alpha[i]
			switch low, high := from[i]-c.eps-f, f-to[i]-c.eps; { // above 0: shorter, or longer, than the bounds are
			case a < least[i] || a > most[i]:
				t.Errorf("row %d: alpha %g of [%g, %g]", i+1, a, least[i], most[i])
			case low > 1e-3 && a < most[i] || high > 1e-3 && a > least[i] || max(low, high) < -1e-3 && a != 0:
				t.Errorf("row %d of the time %g, %g: alpha %g where %g is predicted", i+1, rows[i].Target, rows[i].Upper, a, p.Decision)
			case a == 0:
				inside++
			}
		}
		if inside < 5 || inside > n-10 {
			t.Errorf("%d of %d rows are within their bounds", inside, n)
		}
	}
}

// TestIntervalsReflected: 1/t of each time turns upper bounds into lower ones, and the function for the quantile 1 - tau is then -f.
func TestIntervalsReflected(t *testing.T) {
	t.Parallel()
	rows := intervalRows(t, 57, 150)
	reflected := slices.Clone(rows)
	for i, r := range rows {
		from, to := labeltext.TimeBounds(r.Target, r.Upper)
		switch r := &reflected[i]; {
		case from == to:
			r.Target = 1 / from
		case math.IsInf(to, 1):
			r.Target, r.Upper = 0, 1/from
		default: // 1/u is the lower bound, and 1/l the upper one, if there is one
			if r.Target, r.Upper = -1/to, 0; from > 0 {
				r.Upper = 1 / from
			}
		}
	}
	for _, o := range []bigmkl.Options{{}, {Norm: 1, Tau: 0.3}, {Norm: 2, C: 3, Epsilon: 0.2}} {
		o.Task, o.Gap = bigmkl.TaskSurvival, 1e-6
		a, dual := lossValue(t, rows, o)
		if o.Tau > 0 {
			o.Tau = 1 - o.Tau
		}
		o.C, o.Epsilon = a.C, a.Epsilon
		b, other := lossValue(t, reflected, o)
		if math.Abs(dual-other) > 1e-5*math.Abs(dual) {
			t.Errorf("p = %g: dual values %.12g and %.12g", o.Norm, dual, other)
		}
		there := bigmkltest.Predictions(t, b, rows)
		for i, p := range bigmkltest.Predictions(t, a, rows) {
			if math.Abs(math.Log(p.Decision)+math.Log(there[i].Decision)) > 0.02 {
				t.Fatalf("p = %g, row %d: times %g and %g", o.Norm, i+1, p.Decision, there[i].Decision)
			}
		}
	}
}

// TestIntervalsTeach: rows that are seen at visits alone: each event lies between two of them. They give times that
// are right on average, as events do. The ends of the intervals alone give times that are too long.
func TestIntervalsTeach(t *testing.T) {
	t.Parallel()
	truth := censoredRows(t, 59, 600, 0)
	rows, late := slices.Clone(truth), slices.Clone(truth)
	rng := datasettest.Random(t, 60)
	for i := range rows {
		time, visit := rows[i].Target, 0.4*rng.Float64()
		for next := visit; ; visit, next = next, 2.5*next {
			if next > time {
				if rows[i].Target, rows[i].Upper = -visit, next; visit == next {
					rows[i].Target = 0
				}
				late[i].Target = next
				break
			}
		}
	}
	long := func(rows []dataset.Row) (mean float64) {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskSurvival, Kernels: "gauss:auto/3", Threads: 1})
		for i, p := range bigmkltest.Predictions(t, m, truth) {
			mean += (math.Log(p.Decision) - math.Log(truth[i].Target)) / float64(len(truth))
		}
		return mean
	}
	known, between, ends := long(truth), long(rows), long(late)
	t.Logf("logarithms are long by %.3f, by %.3f of intervals, and by %.3f of their ends", known, between, ends)
	if !(math.Abs(known) < 0.05 && math.Abs(between) < 0.1 && ends > 0.3) {
		t.Errorf("logarithms are long by %g of intervals, by %g of events and by %g of ends", between, known, ends)
	}
}

// TestIntervalModels: a model records that times have upper bounds, survives its file, and verify finds another.
func TestIntervalModels(t *testing.T) {
	t.Parallel()
	rows := intervalRows(t, 61, 120)
	m, _ := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskSurvival})
	if !m.Censoring.Intervals || m.Censoring.Times != nil {
		t.Errorf("times of censoring %v", m.Censoring)
	}
	if b := bigmkltest.Encoded(t, m); !bytes.Contains(b, []byte("interval_censored")) {
		t.Error("the file lacks the setting")
	}
	bigmkltest.MustComplain(t, m, rows, "upper bounds of times", func(m *bigmkl.Model) { m.Censoring.Intervals = false })
	bigmkltest.MustComplain(t, m, rows, "above its bound 0", func(m *bigmkl.Model) {
		m.Alpha = slices.Clone(m.Alpha)
		for s, i := range m.Support {
			if rows[i].Target == 0 {
				m.Alpha[s] *= -1
				return
			}
		}
	})
	shifted := slices.Clone(rows)
	for i := range shifted {
		if shifted[i].Upper > 0 {
			shifted[i].Upper *= 1.01
			break
		}
	}
	bigmkltest.MustComplain(t, m, shifted, "fingerprint", func(*bigmkl.Model) {})
}
