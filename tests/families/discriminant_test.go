package families

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestDiscriminantAnswers: criterion and weights on real sets, ten Gaussians, that programs of others
// than this solver have found.
func TestDiscriminantAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set       string
		rows      int
		criterion float64
		theta     map[int]float64 // by the number of the kernel, from 1; all others are 0
	}{
		{"sonar", math.MaxInt, 0.0505587, map[int]float64{2: .132, 3: .038, 5: .269, 6: .562}},
		{"heart", math.MaxInt, 0.0578544, map[int]float64{1: .071, 2: .075, 9: .652, 10: .202}},
		{"segment", 1500, 0.0660412, map[int]float64{1: .039, 5: .080, 6: .143, 7: .152, 9: .164, 10: .422}},
		{"wine", math.MaxInt, 0.0148940, nil},
	} {
		t.Run(c.set, func(t *testing.T) {
			rows := bigmkltest.FourFifths(t, c.set, c.rows)
			o := bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:0.04..40/10", Scale: "minmax", Gap: 1e-6}
			m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			bigmkltest.Figures(t, m, r)
			if d := m.Discriminant; !(math.Abs(d.Criterion-c.criterion) <= 1e-5*c.criterion) {
				t.Errorf("criterion %.9g, want %.9g", d.Criterion, c.criterion)
			}
			for k, x := range m.Shared() {
				if c.theta != nil && !(math.Abs(x-c.theta[k+1]) <= 0.01) {
					t.Errorf("theta of kernel %d is %.4f, want %.3f", k+1, x, c.theta[k+1])
				}
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		})
	}
}

// TestDiscriminantJoint: criterion and lambda on the same sets where lambda is found along with the
// weights. If a narrow Gaussian takes the place of the identity, there is a warning.
func TestDiscriminantJoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set               string
		rows              int
		criterion, lambda float64
	}{
		{"sonar", math.MaxInt, 0.652201, 0}, {"heart", math.MaxInt, 0.593257, 0}, {"segment", 1500, 0.174307, 0.2734},
	} {
		t.Run(c.set, func(t *testing.T) {
			rows := bigmkltest.FourFifths(t, c.set, c.rows)
			o := bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:0.04..40/10", Scale: "minmax", JointCost: true, Gap: 1e-6}
			m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			bigmkltest.Figures(t, m, r)
			d := m.Discriminant
			if !(math.Abs(d.Criterion-c.criterion) <= 1e-5*c.criterion) || !(math.Abs(d.Lambda-c.lambda) <= 1e-3) || d.Lambda != *m.CostWeight {
				t.Errorf("criterion %.9g at lambda = %.6g, want %.9g at %.4f", d.Criterion, d.Lambda, c.criterion, c.lambda)
			}
			warned := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "H is interpolated") })
			if warned != (c.lambda == 0) {
				t.Errorf("warnings %q", r.Warnings)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		})
	}
}

// TestDiscriminantOfTwo: of two classes the squared loss on labels of 1 and -1 has the same weights, and
// its dual value times lambda n^2 / (2 n+ n-) is the criterion.
func TestDiscriminantOfTwo(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 263010), 240, 5, 2, false)
	names, count := map[string]float64{}, map[string]float64{}
	targets := make([]dataset.Row, len(rows))
	for i, r := range rows {
		if _, seen := names[r.Label]; !seen {
			names[r.Label] = 1 - 2*float64(len(names))
		}
		count[r.Label]++
		targets[i] = r
		targets[i].Target = names[r.Label]
	}
	n, product := float64(len(rows)), 1.0
	for _, c := range count {
		product *= c
	}
	const lambda = 2e-3
	o := bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:auto/6,linear", Lambda: lambda, Gap: 1e-6}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	o = bigmkl.Options{Task: bigmkl.TaskSquare, Kernels: o.Kernels, Norm: 1, C: 1 / (n * lambda), Gap: 1e-6, Solver: bigmkl.SolverChunking}
	s, _ := bigmkltest.Converge(t, datasettest.Stream(targets), o)
	if want := lambda * n * n * s.Certificate.Dual / (2 * product); math.Abs(m.Discriminant.Criterion-want) > 2e-6*want {
		t.Errorf("criterion %.9g, by the squared loss %.9g", m.Discriminant.Criterion, want)
	}
	for k, x := range m.Shared() {
		if math.Abs(x-s.Theta[k]) > 5e-3 {
			t.Errorf("theta %d is %.4f, by the squared loss %.4f", k+1, x, s.Theta[k])
		}
	}
}

// TestDiscriminantNorms: every norm ends in its gap, verifies, and has the same bytes whatever the
// threads, the memory and the cache; the names of the classes change nothing but names.
func TestDiscriminantNorms(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 263011), 300, 6, 4, false)
	for n, o := range []bigmkl.Options{
		{Norm: 1}, {Norm: 1.2, DiscriminantRule: bigmkl.RuleIndicator}, {Norm: 2, Precision: "32"}, {Norm: 1, Gap: 1e-5},
		{Norm: 1, Store: dataset.LayoutSparse}, {Norm: 4.0 / 3, Normalize: "spherical", Lambda: 1e-2},
		{Norm: 1, JointCost: true}, {Norm: 1, JointCost: true, Gap: 1e-5, Store: dataset.LayoutSparse},
	} {
		t.Run(fmt.Sprintf("p=%.4g,%s,%s,%t", o.Norm, o.Normalize, o.Store, o.JointCost), func(t *testing.T) {
			bigmkltest.InTurn(t, n, 3)
			o.Task, o.Kernels = bigmkl.TaskRKDA, "gauss:auto/4,poly:2,linear@1-3,linear"
			o.Tuning = chunking.Tuning{WorkingSet: 48}
			m, _ := bigmkltest.InRegimes(t, rows, o, bigmkltest.Tight)
			named := slices.Clone(rows)
			for i := range named {
				named[i].Label = "c" + named[i].Label
			}
			other, _ := bigmkltest.Converge(t, datasettest.Stream(named), o)
			if other.Certificate != m.Certificate || !slices.Equal(other.Shared(), m.Shared()) {
				t.Error("other names of the classes give another solution")
			}
		})
	}
}

// TestDiscriminantIndefinite: V_m is a sum over the columns. For an indefinite kernel the V_m of one column may
// be below 0, and the sum above 0.
func TestDiscriminantIndefinite(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 280), 86, 6, 7, false)
	for _, o := range []bigmkl.Options{
		{Norm: 4.0 / 3, Lambda: 0.134, Normalize: "spherical"}, {Norm: 1, Lambda: 0.01}, {Norm: 1, JointCost: true}, {Norm: 1, JointCost: true, Normalize: "spherical"},
	} {
		o.Task, o.Kernels, o.MaxIterations = bigmkl.TaskRKDA, "sigmoid:0.433:-1,sigmoid:2:-1@1-2,sigmoid:2:-1@3-4,gauss:0.1", 300
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// TestDiscriminantWrong: verify finds what is not as it was trained.
func TestDiscriminantWrong(t *testing.T) {
	t.Parallel()
	for _, joint := range []bool{false, true} {
		t.Run(fmt.Sprint("joint ", joint), func(t *testing.T) { discriminantWrong(t, joint) })
	}
}

func discriminantWrong(t *testing.T, joint bool) {
	rows := datasettest.Clusters(datasettest.Random(t, 263012), 150, 5, 3, false)
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:auto/4", JointCost: joint, Gap: 1e-6})
	if joint && *m.CostWeight < 0.01 {
		t.Fatalf("lambda is %g", *m.CostWeight)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	heaviest := slices.Index(m.Shared(), slices.Max(m.Shared()))
	ridge, given := "claims a dual value", "lambda is"
	if joint {
		ridge, given = "the weights of all classifiers have norm", "claims a primal value"
	}
	for _, c := range []struct {
		want  string
		alter func(m *bigmkl.Model)
	}{
		{"the weights of all classifiers have norm", func(m *bigmkl.Model) {
			for k := range m.Classifiers {
				m.Classifiers[k].Theta = slices.Clone(m.Classifiers[k].Theta)
				m.Classifiers[k].Theta[heaviest] += 1e-3
			}
		}},
		{"claims a primal value", func(m *bigmkl.Model) { // the sum stays 1
			for k := range m.Classifiers {
				theta := slices.Clone(m.Classifiers[k].Theta)
				theta[heaviest] -= 1e-3
				theta[(heaviest+1)%len(theta)] += 1e-3
				m.Classifiers[k].Theta = theta
			}
		}},
		{"lambda is", func(m *bigmkl.Model) { m.Discriminant.Lambda *= 1.01 }},
		{ridge, func(m *bigmkl.Model) {
			m.Discriminant.Lambda *= 1.01
			if m.C /= 1.01; joint {
				m.C, m.CostWeight = 1, &m.Discriminant.Lambda
			}
		}},
		{given, func(m *bigmkl.Model) { // weight given from a kernel to the ridge
			for k := range m.Classifiers {
				m.Classifiers[k].Theta = slices.Clone(m.Classifiers[k].Theta)
				m.Classifiers[k].Theta[heaviest] -= 1e-3
			}
			if m.Discriminant.Lambda += 1e-3; joint {
				m.CostWeight = &m.Discriminant.Lambda
			}
		}},
		{"the model claims a criterion", func(m *bigmkl.Model) { m.Discriminant.Criterion *= 1.0001 }},
		{"claims a dual value", func(m *bigmkl.Model) { // two columns, with all that is theirs
			a, b := &m.Classifiers[0], &m.Classifiers[1]
			*a, *b = *b, *a
			a.Positive, b.Positive = b.Positive, a.Positive
		}},
		{"claims a dual value", func(m *bigmkl.Model) { // their dual variables alone
			a, b := &m.Classifiers[0], &m.Classifiers[1]
			a.Alpha, b.Alpha, a.Support, b.Support = b.Alpha, a.Alpha, b.Support, a.Support
		}},
		{"the mean score of class", func(m *bigmkl.Model) {
			m.Discriminant.Means = slices.Clone(m.Discriminant.Means)
			m.Discriminant.Means[4] += 1e-3
		}},
		{"rows in the model and", func(m *bigmkl.Model) {
			m.Discriminant.Rows = slices.Clone(m.Discriminant.Rows)
			m.Discriminant.Rows[0]++
			m.Discriminant.Rows[1]--
		}},
	} {
		bigmkltest.MustComplain(t, m, rows, c.want, func(m *bigmkl.Model) {
			d := *m.Discriminant
			m.Discriminant = &d
			c.alter(m)
		})
	}
}

// TestDiscriminantResumes: a run that was interrupted anywhere and resumed has the bytes of the one
// that was not.
func TestDiscriminantResumes(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	for _, joint := range []bool{false, true} {
		t.Run(fmt.Sprint("joint ", joint), func(t *testing.T) { discriminantResumes(t, joint) })
	}
}

func discriminantResumes(t *testing.T, joint bool) {
	rng := datasettest.Random(t, 263013)
	rows := datasettest.Clusters(rng, 1500, 6, 3, false)
	o := bigmkl.Options{
		JointCost: joint,
		Task:      bigmkl.TaskRKDA, Kernels: "gauss:auto/4,linear", Tuning: chunking.Tuning{WorkingSet: 128}, Gap: 5e-5,
		Cache: cache.Never,
	}
	m, whole := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	want, total := bigmkltest.Encoded(t, m), whole.Iterations
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	for at := 1; at < total; at += max(1, total/max(3, testlevel.Repeats(3, 25))) {
		r := bigmkltest.Resumable(t, o)
		if first := bigmkltest.InterruptedAfter(t, rows, r, at); first.Status != chunking.Interrupted {
			t.Fatalf("%s after %d of %d iterations", first.Status, at, total)
		}
		r.Resume = true
		other := r
		if other.Lambda = 1e-3; joint {
			other.Lambda, other.JointCost = 0, false
		}
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), other); !errors.Is(err, fail.Version) {
			t.Errorf("a run of another lambda: %v", err)
		}
		r.Threads, r.Cache = 1+rng.IntN(3), bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never)
		m, result := bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
		if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Iterations != total {
			t.Errorf("another model after an interrupt at iteration %d of %d: %s, %d iterations", at, total, result.Status, result.Iterations)
		}
		m, result = bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
		if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Gradient.Passes != 0 {
			t.Errorf("another model of a run that is over, or %d passes to make it", result.Gradient.Passes)
		}
	}
}

// TestDiscriminantPredicts: classes are chosen from the scores by the definition of each rule.
func TestDiscriminantPredicts(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 263014), 300, 5, 4, false)
	for _, rule := range []string{bigmkl.RuleMeans, bigmkl.RuleIndicator} {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:auto/3", Lambda: 0.1, DiscriminantRule: rule})
		d, k := m.Discriminant, len(m.Classes)
		sums := make([]float64, k*k)
		for at, p := range outcomes(t, m, rows, bigmkl.PredictOptions{}) {
			best, least := "", math.Inf(1)
			for c, name := range m.Classes {
				far := 0.0
				share := float64(d.Rows[c]) / float64(m.Points)
				if rule == bigmkl.RuleMeans {
					for j, f := range p.Decisions {
						far += (f - d.Means[c*k+j]) * (f - d.Means[c*k+j])
					}
				} else {
					far = -(p.Decisions[c]*math.Sqrt(share) + share)
				}
				if far < least {
					best, least = name, far
				}
				if name == rows[at].Label {
					for j, f := range p.Decisions {
						sums[c*k+j] += f / float64(d.Rows[c])
					}
				}
			}
			if p.Label != best {
				t.Fatalf("%s: row %d is predicted as %s, by the definition %s", rule, at+1, p.Label, best)
			}
		}
		for at, x := range sums {
			if math.Abs(x-d.Means[at]) > 1e-4 {
				t.Errorf("%s: mean %d is %.6g, of the predictions %.6g", rule, at, d.Means[at], x)
			}
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// TestDiscriminantRefused: what does not go with the task is rejected.
func TestDiscriminantRefused(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 263015), 60, 3, 3, false)
	one, weighted := slices.Clone(rows), slices.Clone(rows)
	for i := range rows {
		one[i].Label = "1"
		weighted[i].Weight = 2
	}
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
		want error
	}{
		"one class":      {one, bigmkl.Options{}, fail.Input},
		"row weights":    {weighted, bigmkl.Options{}, fail.Usage},
		"class weights":  {rows, bigmkl.Options{ClassWeight: map[string]float64{"1": 2}}, fail.Usage},
		"C":              {rows, bigmkl.Options{C: 1}, fail.Usage},
		"found, p":       {rows, bigmkl.Options{JointCost: true, Norm: 1.5}, fail.Usage},
		"found, lambda":  {rows, bigmkl.Options{JointCost: true, Lambda: 1e-3}, fail.Usage},
		"found, C":       {rows, bigmkl.Options{JointCost: true, C: 2}, fail.Usage},
		"lambda of 0":    {rows, bigmkl.Options{Lambda: -1}, fail.Usage},
		"p above 2":      {rows, bigmkl.Options{Norm: 3}, fail.Usage},
		"another rule":   {rows, bigmkl.Options{DiscriminantRule: "knn"}, fail.Usage},
		"another solver": {rows, bigmkl.Options{Solver: bigmkl.SolverWrapper}, fail.Usage},
		"probabilities":  {rows, bigmkl.Options{Folds: 3}, fail.Usage},
		"positive":       {rows, bigmkl.Options{Positive: []string{"1"}}, fail.Usage},
		"gates":          {rows, bigmkl.Options{Gating: "regions:2"}, fail.Usage},
		"importance":     {rows, bigmkl.Options{Kernels: "gauss:1 prior=2,linear"}, fail.Usage},
		"several":        {rows, bigmkl.Options{Multiclass: bigmkl.OneVsRest}, fail.Usage},
	} {
		c.o.Task = bigmkl.TaskRKDA
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for _, o := range []bigmkl.Options{{Lambda: 1e-3}, {DiscriminantRule: bigmkl.RuleMeans}} {
		if err := o.Validate(); !errors.Is(err, fail.Usage) {
			t.Errorf("task class with %+v: %v", o.Lambda, err)
		}
	}
}
