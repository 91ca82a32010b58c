package optima

import (
	"math"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestJointCostOfSets: dual values with a cost that is found along with the weights, which another
// solver has found, of the squared hinge; and the criterion of discriminant analysis, which is the criterion of
// squared errors. The bank has a narrow Gaussian, so no error pays.
func TestJointCostOfSets(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ hinge, criterion float64 }{
		"sonar": {54.07508, 0.652201}, "heart": {63.46949, 0.593257},
	} {
		rows := withoutEveryFifth(t, name)
		for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskSquare} {
			o := bigmkl.Options{Task: task, Kernels: "gauss:0.04..40/10", Norm: 1, JointCost: true, Scale: "minmax", Gap: 1e-6}
			scale, sought := 1.0, want.hinge
			if task == bigmkl.TaskClass {
				o.Loss = bigmkl.LossSquaredHinge
			} else {
				// Targets of -1 and 1, centred, have the square sum 4 n+ n- / n, and targets of the criterion n.
				n, positive := float64(len(rows)), signs(rows)
				scale, sought = n/(2*positive*(n-positive)), want.criterion
			}
			m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			if d := m.Certificate.Dual * scale; math.Abs(d-sought) > 1e-5*sought {
				t.Errorf("%s, %s: %.9g, want %.9g", name, task, d, sought)
			}
			if *m.CostWeight > 1e-6 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "nearly the identity") {
				t.Errorf("%s, %s: theta_0 = %g, warnings %q", name, task, *m.CostWeight, r.Warnings)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		}
	}
}

// signs gives rows of two classes the targets 1 and -1, and returns the number of the former.
func signs(rows []dataset.Row) (positive float64) {
	for i := range rows {
		if rows[i].Target = -1; rows[i].Label == rows[0].Label {
			rows[i].Target = 1
			positive++
		}
	}
	return positive
}

// TestJointCostIsTheLeast: with wide kernels the weight of the cost is inside of (0, 1). With theta_0 =
// 1/C given and the others summing to 1 - theta_0, alpha = beta / (1 - theta_0) turns the problem into
// that of the cost (1 - theta_0) / theta_0, whose dual value over 1 - theta_0 is least at the theta_0
// that is found, and there the dual value of the joint problem.
func TestJointCostIsTheLeast(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 264)
	weighted := datasettest.Clouds(rng, 150, 4)
	for i := range weighted {
		weighted[i].Weight = 0.2 + 2*rng.Float64()
	}
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"classes":       {datasettest.Clouds(rng, 200, 4), bigmkl.Options{Loss: bigmkl.LossSquaredHinge}},
		"class weights": {datasettest.Clouds(rng, 200, 4), bigmkl.Options{Loss: bigmkl.LossSquaredHinge, ClassWeight: map[string]float64{"1": 3}}},
		"row weights":   {weighted, bigmkl.Options{Loss: bigmkl.LossSquaredHinge}},
		"numbers":       {bigmkltest.Curve(rng, 200, 4), bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: "gauss:0.2,gauss:1"}},
	} {
		o := c.o
		if o.Norm, o.Gap = 1, 1e-7; o.Kernels == "" {
			o.Kernels = "gauss:0.01,gauss:0.05,linear"
		}
		joint := o
		joint.JointCost = true
		m, r := bigmkltest.Converge(t, datasettest.Stream(c.rows), joint)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(c.rows))
		if *m.CostWeight < 0.02 || *m.CostWeight > 0.9 || len(r.Warnings) > 0 {
			t.Fatalf("%s: theta_0 = %g, warnings %q", name, *m.CostWeight, r.Warnings)
		}
		for _, off := range []float64{1, 0.8, 1.1} {
			theta := *m.CostWeight * off
			o.C = (1 - theta) / theta
			given, _ := bigmkltest.Converge(t, datasettest.Stream(c.rows), o)
			d, least := given.Certificate.Dual/(1-theta), m.Certificate.Dual
			if off == 1 && math.Abs(d-least) > 1e-6*least || d < least*(1-1e-6) {
				t.Errorf("%s: dual value %.9g at theta_0 = %g, %.9g at %g", name, d, theta, least, *m.CostWeight)
			}
			if off != 1 && d < least*(1+1e-5) {
				t.Errorf("%s: %.9g at theta_0 = %g is no more than %.9g", name, d, theta, least)
			}
		}
	}
}
