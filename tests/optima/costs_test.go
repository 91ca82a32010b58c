package optima

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// costsBank has costs from 1 to 4, and views of two features each.
const costsBank = "linear cost=1,poly:2@1-2 cost=1.5,gauss:0.2@3-4 cost=2,gauss:0.5 cost=4"

// TestCostsInTheNorm: at p = 1 the weights satisfy sum d_m^2 theta_m = 1, for any power in the place of d_m.
func TestCostsInTheNorm(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 141), 200, 4)
	d := []float64{1, 1.5, 2, 4}
	for _, power := range []float64{0, bigmkl.Zero, 0.5, 1, 2} {
		o := bigmkl.Options{Kernels: costsBank, Norm: 1, Gap: 1e-6, CostPower: power}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		g := power
		switch power {
		case 0:
			g = 1
		case bigmkl.Zero:
			g = 0
		}
		sum, active, all := 0.0, 0.0, 0.0
		for k, theta := range m.Theta {
			sum += math.Pow(d[k], 2*g) * theta
			all += d[k]
			if theta >= 1e-3*(m.Theta[0]+m.Theta[1]+m.Theta[2]+m.Theta[3]) {
				active += d[k]
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("power %g: sum d^2G theta = %.12g", g, sum)
		}
		if want := float64(len(m.Support)) * active / all; m.Costs.Power != g || math.Abs(m.Costs.Total-want) > 1e-9*want {
			t.Errorf("power %g: %+v, want a total of %g", g, *m.Costs, want)
		}
	}
}

// TestCostIsAPrior: to the bit, cost=2 is prior=1/4, and costs that are charged alone are none, with every norm.
func TestCostIsAPrior(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 142), 80, 4)
	for name, o := range map[string]bigmkl.Options{
		"p = 1": {Norm: 1}, "p = 4/3": {}, "p = 3": {Norm: 3}, "net": {Regularizer: bigmkl.Regularizer{ElasticNet: 0.3}},
		"squared": {Regularizer: bigmkl.Regularizer{SquaredNorm: 0.5}}, "cutting planes": {Norm: 1, Solver: bigmkl.SolverCPM},
		"one classifier for all classes": {Norm: 1, Multiclass: bigmkl.SingleClassifier}, "one classifier for all, p = inf": {Norm: math.Inf(1), Multiclass: bigmkl.SingleClassifier},
	} {
		bits := func(kernels string, power float64) string {
			o.Kernels, o.CostPower = kernels, power
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			all := fmt.Sprintf("%x %x %x %x %v", m.Theta, m.WNorms, m.Alpha, m.Bias, m.Support)
			for k := range m.Classifiers {
				a := &m.Classifiers[k]
				all += fmt.Sprintf(" %x %x %x %x %v", a.Theta, a.WNorms, a.Alpha, a.Bias, a.Support)
			}
			return all
		}
		same := func(what, a, b string) {
			if a != b {
				t.Errorf("%s: %s differ", name, what)
			}
		}
		same("a cost of 2 and a prior of 1/4", bits("linear cost=2,gauss:0.2", 0), bits("linear prior=0.25,gauss:0.2", 0))
		same("a cost of 4 to the power 1/2 and a prior of 1/4", bits("linear cost=4,gauss:0.2", 0.5), bits("linear prior=0.25,gauss:0.2", 0))
		same("costs charged alone and none", bits("linear cost=3,gauss:0.2 cost=7", bigmkl.Zero), bits("linear,gauss:0.2", 0))
	}
}

// TestFormerCosts: a model of a release in which cost= divided the importance once is what it was, and keeps its bytes.
func TestFormerCosts(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/former-costs.model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := bigmkl.Load("testdata/former-costs.model")
	if err != nil {
		t.Fatal(err)
	}
	open := func() dataset.Source {
		src, err := dataset.Open([]string{"testdata/former-costs.libsvm"}, dataset.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { src.Close() })
		return src
	}
	verifytest.MustVerify(t, &m.Model, open())
	if m.Costs != nil || m.Costs.Exponent() != 0.5 {
		t.Errorf("costs %v to the power %g", m.Costs, m.Costs.Exponent())
	}
	if !bytes.Equal(bigmkltest.Encoded(t, m), file) {
		t.Error("written again, the model has other bytes")
	}
	// The same training of today names the power, and comes to the same numbers.
	o := bigmkl.Options{Kernels: strings.Join(m.Kernels, ","), CostPower: 0.5}
	now, _ := bigmkltest.Converge(t, open(), o)
	if !slices.Equal(now.Support, m.Support) || math.Abs(now.Certificate.Dual-m.Certificate.Dual) > 1e-9 {
		t.Errorf("a dual value of %v with %d support vectors, once %v with %d", now.Certificate.Dual, len(now.Support), m.Certificate.Dual, len(m.Support))
	}
	if b := bigmkltest.Encoded(t, now); !bytes.Contains(b[:80], []byte(`"version":"5"`)) {
		t.Errorf("a model of today begins with %q", b[:80])
	}
	// With the meaning of today its weights do not fit its norm.
	other := *m
	other.Costs = now.Costs
	c := *now.Costs
	c.Power, other.Costs = 1, &c
	r, err := verify.Run(t.Context(), &other.Model, open(), verify.Options{})
	if err != nil || len(r.Faults) == 0 {
		t.Errorf("a former model of today's meaning: %v, %v", r, err)
	}
}

// TestPathOfCosts: a path over the powers of the costs gives models of each, and falls in cost.
func TestPathOfCosts(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 143), 200, 4)
	o := bigmkl.Options{Kernels: costsBank, Gap: 1e-5, Scratch: t.TempDir()}
	var totals []float64
	points := bigmkl.Grid([]float64{1, 4.0 / 3}, []float64{0.5, 2}, 0, 0.5, 1)
	if len(points) != 12 || *points[2].CostPower != 0.5 || points[2].C != 0.5 || points[6].Norm != 4.0/3 {
		t.Fatalf("the grid %v", points)
	}
	err := bigmkl.Path(context.Background(), datasettest.Stream(rows), o, points, func(p bigmkl.PathPoint, m *bigmkl.Model, _ *bigmkl.Result) error {
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		if !m.Convergence().Reached() || m.Costs.Power != *p.CostPower || m.Norm != p.Norm || m.C != p.C {
			t.Errorf("p = %g, C = %g, power %g: %+v at p = %g, C = %g", p.Norm, p.C, *p.CostPower, *m.Costs, m.Norm, m.C)
		}
		alone := o
		alone.Norm, alone.C, alone.CostPower = p.Norm, p.C, max(*p.CostPower, 0)
		if *p.CostPower == 0 {
			alone.CostPower = bigmkl.Zero
		}
		own, _ := bigmkltest.Converge(t, datasettest.Stream(rows), alone)
		if d := m.Certificate.Dual - own.Certificate.Dual; math.Abs(d) > 2e-5*own.Certificate.Dual {
			t.Errorf("p = %g, C = %g, power %g: dual value %g, trained alone %g", p.Norm, p.C, *p.CostPower, m.Certificate.Dual, own.Certificate.Dual)
		}
		totals = append(totals, m.Costs.Total)
		return nil
	})
	if err != nil || len(totals) != 12 {
		t.Fatalf("%d models, %v", len(totals), err)
	}
	if totals[4] > totals[0] || totals[5] > totals[1] {
		t.Errorf("the total costs %v rise with the power", totals)
	}
}

// TestWrongCosts: what options about costs may not be.
func TestWrongCosts(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 144), 40, 4)
	for want, o := range map[string]bigmkl.Options{
		"no kernel has a cost":   {Kernels: "linear", CostPower: 0.5},
		"is not a number >= 0":   {Kernels: "linear cost=2", CostPower: -1},
		"beside fixed weights":   {Kernels: "linear cost=2,hist", CostPower: bigmkl.Zero, Regularizer: bigmkl.Regularizer{Weights: []float64{1, 1}}},
		"is not positive":        {Kernels: "linear cost=0"},
		"an importance of +Inf":  {Kernels: "linear cost=1e-200,gauss:1"},
		"an importance of 0":     {Kernels: "linear cost=1000", CostPower: 100},
		"set of weights for all": {Kernels: "linear cost=2,gauss:1", Multiclass: bigmkl.OneVsRest, OneTheta: true},
	} {
		in := rows
		if o.OneTheta {
			in = datasettest.Clusters(datasettest.Random(t, 145), 40, 4, 3, false)
		}
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(in), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	far := 200.0
	err := bigmkl.Path(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear cost=100"}, []bigmkl.PathPoint{{Norm: 1, C: 1}, {Norm: 1, C: 1, CostPower: &far}}, func(bigmkl.PathPoint, *bigmkl.Model, *bigmkl.Result) error {
		t.Error("a model before the fault is found")
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "an importance of 0") {
		t.Errorf("%v on a path", err)
	}
}
