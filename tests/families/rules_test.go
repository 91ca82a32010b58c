package families

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// matrices are kernels by their definitions on rows that were read again, with the kernel of the labels last.
type matrices struct {
	n       int
	k       [][]float64 // n x n each
	classes []string    // of the rows
}

// labelled reads all rows of a source, rounded as points are.
func labelled(t *testing.T, src dataset.Source, d int) (x [][]float64, labels []string) {
	t.Helper()
	for {
		row, err := src.Next()
		if err == io.EOF {
			return x, labels
		}
		if err != nil {
			t.Fatal(err)
		}
		v := make([]float64, d)
		for e, j := range row.Index {
			v[j] = float64(float32(row.Value[e]))
		}
		x, labels = append(x, v), append(labels, row.Label)
	}
}

// gramOf is a kernel of the features from first up to last, counted from 1, scaled to a unit diagonal if it is spherical.
func gramOf(x [][]float64, first, last int, f func(product, square float64) float64, spherical bool) []float64 {
	n := len(x)
	k := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			product, square := 0.0, 0.0
			for c := first - 1; c < last; c++ {
				product += x[i][c] * x[j][c]
				square += (x[i][c] - x[j][c]) * (x[i][c] - x[j][c])
			}
			k[i*n+j] = f(product, square)
		}
	}
	root := make([]float64, n)
	for i := range root {
		if root[i] = 1; spherical {
			root[i] = math.Sqrt(k[i*n+i])
		}
	}
	for i := range n {
		for j := range i + 1 {
			k[i*n+j] /= root[i] * root[j]
			k[j*n+i] = k[i*n+j]
		}
	}
	return k
}

// ideal is yy', summed over the classes and divided by their number where there are more than two.
func ideal(labels []string) []float64 {
	names := slices.Compact(slices.Sorted(slices.Values(labels)))
	n := len(labels)
	k := make([]float64, n*n)
	for _, c := range names {
		for i := range n {
			for j := range n {
				y, z := -1.0, -1.0
				if labels[i] == c {
					y = 1
				}
				if labels[j] == c {
					z = 1
				}
				k[i*n+j] += y * z / float64(len(names))
			}
		}
	}
	return k
}

// frobenius is <HKH, HLH>, or <K, L> if they are not centred.
func frobenius(k, l []float64, n int, centred bool) float64 {
	if centred {
		k, l = centredMatrix(k, n), centredMatrix(l, n)
	}
	s := 0.0
	for i, v := range k {
		s += v * l[i]
	}
	return s
}

func centredMatrix(k []float64, n int) []float64 {
	out, mean, all := slices.Clone(k), make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			mean[i] += k[i*n+j] / float64(n)
		}
		all += mean[i] / float64(n)
	}
	for i := range n {
		for j := range n {
			out[i*n+j] += all - mean[i] - mean[j]
		}
	}
	return out
}

// enumerated is the best w >= 0 of a quadratic program max 2 a'w - w'Aw, with a sum of 1 if whole, found by trying every set of positive weights.
func enumerated(a []float64, A [][]float64, whole bool) []float64 {
	m := len(a)
	best, top := make([]float64, m), math.Inf(-1)
	for set := 1; set < 1<<m; set++ {
		var in []int
		for i := range m {
			if set>>i&1 == 1 {
				in = append(in, i)
			}
		}
		side := len(in)
		if whole {
			side++
		}
		M, b := mat.NewDense(side, side, nil), mat.NewVecDense(side, nil)
		for x, i := range in {
			for y, j := range in {
				M.Set(x, y, A[i][j])
			}
			b.SetVec(x, a[i])
			if whole {
				M.Set(x, side-1, 1)
				M.Set(side-1, x, 1)
			}
		}
		if whole {
			b.SetVec(side-1, 1)
		}
		var v mat.VecDense
		if v.SolveVec(M, b) != nil {
			continue
		}
		w, value, fits := make([]float64, m), 0.0, true
		for x, i := range in {
			w[i] = v.AtVec(x)
			fits = fits && w[i] >= 0
		}
		for i := range m {
			value += 2 * a[i] * w[i]
			for j := range m {
				value -= w[i] * A[i][j] * w[j]
			}
		}
		if fits && value > top {
			best, top = w, value
		}
	}
	return best
}

// byDefinition are the weights of a rule for the matrices, by its formula.
func (s *matrices) byDefinition(rule string) []float64 {
	m := len(s.k)
	y := ideal(s.classes)
	a, A := make([]float64, m), make([][]float64, m)
	name, parameter, _ := strings.Cut(rule, ":")
	ridge := 0.0
	fmt.Sscan(parameter, &ridge)
	for i := range m {
		a[i] = frobenius(s.k[i], y, s.n, name == "alignf")
		A[i] = make([]float64, m)
		for j := range m {
			A[i][j] = frobenius(s.k[i], s.k[j], s.n, name == "alignf")
		}
	}
	w := make([]float64, m)
	switch name {
	case "align":
		for i := range w {
			w[i] = a[i] / math.Sqrt(A[i][i]*frobenius(y, y, s.n, false))
		}
	case "alignf":
		w = enumerated(a, A, false)
	case "kandola":
		for i := range A {
			A[i][i] += ridge
		}
		w = enumerated(a, A, false)
	case "frobenius":
		w = enumerated(a, A, true)
	case "fsm":
		// The measure of the kernels alone and of many mixtures: the measure of a kernel alone is the least of all.
		parts := make([][3]float64, m)
		for i, k := range s.k {
			var diagonal, within, count [2]float64
			between := 0.0
			first := s.classes[0]
			for r := range s.n {
				c := 0
				if s.classes[r] != first {
					c = 1
				}
				count[c]++
				diagonal[c] += k[r*s.n+r]
				for q := range s.n {
					if s.classes[q] == s.classes[r] {
						within[c] += k[r*s.n+q]
					} else {
						between += k[r*s.n+q] / 2
					}
				}
			}
			p := &parts[i]
			for c := range 2 {
				p[c] = diagonal[c]/count[c] - within[c]/(count[c]*count[c])
				p[2] += within[c] / (count[c] * count[c])
			}
			p[2] -= 2 * between / (count[0] * count[1])
		}
		measure := func(w []float64) float64 {
			var s [3]float64
			for i, x := range w {
				for j := range s {
					s[j] += x * parts[i][j]
				}
			}
			return (math.Sqrt(s[0]) + math.Sqrt(s[1])) / math.Sqrt(s[2])
		}
		least := math.Inf(1)
		for i := range m {
			for j := range m {
				for _, share := range []float64{0, 0.01, 0.3, 0.5} {
					try := make([]float64, m)
					try[i] += 1 - share
					try[j] += share
					if f := measure(try); f < least {
						w, least = try, f
					}
				}
			}
		}
	}
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// TestRules: the weights of every rule that reads pairs agree with its formula, on sonar and on multifeat, of two classes and of ten, by train and by align.
func TestRules(t *testing.T) {
	t.Parallel()
	linear := func(product, _ float64) float64 { return product }
	square := func(product, _ float64) float64 { return (product + 1) * (product + 1) }
	gauss := func(gamma float64) func(_, s float64) float64 {
		return func(_, s float64) float64 { return math.Exp(-gamma * s) }
	}
	type bank struct {
		name, specs, normalize string
		d                      int
		positive               []string
		make                   func(x [][]float64) [][]float64
	}
	views := [][2]int{{1, 216}, {217, 292}, {293, 356}, {357, 362}, {363, 602}, {603, 649}}
	var each []string
	for _, v := range views {
		each = append(each, fmt.Sprintf("linear@%d-%d", v[0], v[1]))
	}
	handwritten := func(x [][]float64) (k [][]float64) {
		for _, v := range views {
			k = append(k, gramOf(x, v[0], v[1], linear, true))
		}
		return k
	}
	for _, b := range testlevel.Few(t, "", 1, []bank{
		{"sonar", "linear,poly:2,gauss:0.5,gauss:2@1-30", "none", 60, nil, func(x [][]float64) [][]float64 {
			return [][]float64{gramOf(x, 1, 60, linear, false), gramOf(x, 1, 60, square, false), gramOf(x, 1, 60, gauss(0.5), false), gramOf(x, 1, 30, gauss(2), false)}
		}},
		{"sonar", "linear,poly:2,gauss:0.5,gauss:2@1-30", "multiplicative", 60, nil, func(x [][]float64) [][]float64 {
			k := [][]float64{gramOf(x, 1, 60, linear, false), gramOf(x, 1, 60, square, false), gramOf(x, 1, 60, gauss(0.5), false), gramOf(x, 1, 30, gauss(2), false)}
			for _, k := range k {
				n, diagonal, all := len(x), 0.0, 0.0
				for i := range n {
					diagonal += k[i*n+i] / float64(n)
					for j := range n {
						all += k[i*n+j] / float64(n*n)
					}
				}
				for i := range k {
					k[i] /= diagonal - all
				}
			}
			return k
		}},
		{"multifeat", strings.Join(each, ","), "spherical", 649, []string{"0", "2", "4", "6", "8"}, handwritten},
		{"multifeat", strings.Join(each, ","), "spherical", 649, nil, handwritten},
	}) {
		x, labels := labelled(t, bigmkltest.Open(t, bigmkltest.DataSet(t, b.name)), b.d)
		for i := range labels {
			if b.positive != nil && slices.Contains(b.positive, labels[i]) {
				labels[i] = "positive"
			} else if b.positive != nil {
				labels[i] = "negative"
			}
		}
		s := &matrices{n: len(x), k: b.make(x), classes: labels}
		for _, rule := range []string{"align", "alignf", "kandola:100", "frobenius", "fsm"} {
			o := bigmkl.Options{Scale: "none", Kernels: b.specs, Normalize: b.normalize, Positive: b.positive, Gap: 0.1, C: 0.01, MaxIterations: 1, Regularizer: bigmkl.Regularizer{Rule: rule}}
			if b.name == "multifeat" && b.positive == nil {
				if o.Multiclass = bigmkl.OneVsRest; rule == "fsm" {
					continue
				}
			}
			parsed, err := bigmkl.ParseWeightRule(rule)
			if err != nil {
				t.Fatal(err)
			}
			want := s.byDefinition(rule)
			r, err := bigmkl.Align(context.Background(), bigmkltest.Open(t, bigmkltest.DataSet(t, b.name)), o, bigmkl.AlignOptions{Rule: parsed})
			if err != nil {
				t.Fatal(err)
			}
			weights := [][]float64{r.Weights}
			if b.positive == nil || rule == "alignf" {
				m, _ := bigmkltest.TrainModel(t, bigmkltest.Open(t, bigmkltest.DataSet(t, b.name)), o)
				weights = append(weights, m.Weights)
				if rule == "alignf" {
					verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, b.name)))
				}
			}
			for _, got := range weights {
				for k := range want {
					if math.Abs(got[k]-want[k]) > 1e-6 {
						t.Errorf("%s %s, %s: weights %v, want %v", b.name, b.normalize, rule, got, want)
						break
					}
				}
			}
			t.Logf("%s %s, %s: %.6f", b.name, b.normalize, rule, want)
		}
	}
}

// TestHeldOutRules: weights by figures of the kernels alone agree with their formulas, and are nearly the weights of models that are trained fold by fold.
func TestHeldOutRules(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 151)
	rows := datasettest.Clouds(rng, 150, 4)
	for i := range rows {
		for _, x := range rows[i].Value {
			rows[i].Target += x + 0.3*rng.NormFloat64()
		}
	}
	kernels := []string{"linear", "gauss:0.5", "gauss:3@3-4"}
	for _, c := range [][2]string{{"accuracy:0.5", bigmkl.TaskClass}, {"correlation", bigmkl.TaskSVR}, {"mse", bigmkl.TaskSquare}, {"mse", bigmkl.TaskQuantile}, {"correlation", bigmkl.TaskHuber}, {"mse", bigmkl.TaskExpectile}} {
		rule, task := c[0], c[1]
		o := bigmkl.Options{Task: task, Kernels: strings.Join(kernels, ","), Regularizer: bigmkl.Regularizer{Rule: rule, RuleFolds: 3}}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		s, sum, all := m.WeightRule.Sums, 0.0, 0.0
		want := make([]float64, len(s))
		for _, x := range s {
			all += x
		}
		for k, x := range s {
			switch rule {
			case "accuracy:0.5":
				want[k] = x - 0.5
			case "correlation":
				want[k] = x
			case "mse":
				want[k] = (all - x) / (float64(len(s)-1) * all)
			}
			sum += want[k]
		}
		for k := range want {
			if math.Abs(want[k]/sum-m.Weights[k]) > 1e-12 {
				t.Errorf("%s: weights %v, want %v", rule, m.Weights, want)
			}
		}
		if m.WeightRule.Folds != 3 || m.WeightRule.Sample != 0 {
			t.Errorf("%s: %+v", rule, m.WeightRule)
		}
		// Each kernel alone, by OpenHeldOut: the figures agree with other folds, within their noise.
		for k, spec := range kernels {
			h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), bigmkl.Options{Task: task, Kernels: spec})
			if err != nil {
				t.Fatal(err)
			}
			right, squares := 0.0, 0.0
			for fold := range 3 {
				var out []int32
				for i := range rows {
					if i%3 == fold {
						out = append(out, int32(i))
					}
				}
				held, err := h.Train(t.Context(), out, bigmkl.PathPoint{Norm: 2, C: 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				for at, i := range out {
					f := held.Decisions[0][at]
					if task == bigmkl.TaskClass {
						if positive := h.Store().Classes()[h.Store().Labels()[i]] == h.Shape().Positive; positive == (f > 0) {
							right++
						}
						continue
					}
					squares += (f - h.Store().Targets()[i]) * (f - h.Store().Targets()[i])
				}
			}
			h.Close()
			n := float64(len(rows))
			if task == bigmkl.TaskClass && math.Abs(right/n-s[k]) > 0.12 || task == bigmkl.TaskSquare && math.Abs(squares/n-s[k]) > 0.35*s[k] {
				t.Errorf("%s, %s: accuracy %g or error %g, the rule has %g", rule, spec, right/n, squares/n, s[k])
			}
		}
	}
}

// TestWrongRuleWeights: verify finds weights that their rule does not give, and sums that do not give the weights.
func TestWrongRuleWeights(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 152), 120, 4)
	for _, rule := range []string{"align", "alignf", "kandola:3", "frobenius", "fsm", "accuracy:0.4"} {
		o := bigmkl.Options{Kernels: "linear,gauss:0.5,poly:2@1-2,gauss:2", Regularizer: bigmkl.Regularizer{Rule: rule}}
		trained, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		for name, alter := range map[string]func(m *bigmkl.Model){
			"none": func(*bigmkl.Model) {},
			"weights moved": func(m *bigmkl.Model) {
				at := slices.Index(m.Weights, slices.Max(m.Weights))
				m.Weights[at] -= 0.01
				m.Weights[(at+1)%4] += 0.01
			},
			"weights doubled": func(m *bigmkl.Model) {
				for k := range m.Weights {
					m.Weights[k] *= 2
				}
			},
			"a sum": func(m *bigmkl.Model) {
				at := slices.Index(m.Weights, slices.Max(m.Weights))
				switch rule {
				case "align", "accuracy:0.4":
					m.WeightRule.Sums[at] *= 1.05
				case "fsm":
					m.WeightRule.Sums[at] *= 100
				default:
					m.WeightRule.Sums[at*5+4] *= 1.5
					m.WeightRule.Sums[at] *= 0.9
				}
			},
			"fewer sums":   func(m *bigmkl.Model) { m.WeightRule.Sums = m.WeightRule.Sums[1:] },
			"another rule": func(m *bigmkl.Model) { m.WeightRule.Text = "mean" },
		} {
			m, own := &bigmkl.Model{Model: trained.Model}, *trained.WeightRule
			own.Sums = slices.Clone(own.Sums)
			m.Weights, m.WeightRule = slices.Clone(m.Weights), &own
			alter(m)
			r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			complains := slices.ContainsFunc(r.Faults, func(s string) bool { return strings.Contains(s, "rule") })
			if complains != (name != "none") {
				t.Errorf("%s, %s: %q", rule, name, r.Faults)
			}
		}
	}
}

// TestRuleBits: weights of a rule have the same bits for any number of threads and any memory, and a sample gives nearly the weights of all rows.
func TestRuleBits(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 153), 400, 4)
	for _, rule := range []string{"align", "alignf", "kandola:0", "frobenius", "fsm", "accuracy:0"} {
		o := bigmkl.Options{Kernels: "linear,gauss:0.5,gauss:2@1-2", Regularizer: bigmkl.Regularizer{Rule: rule}, Threads: 1}
		first, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		o.Threads, o.Memory = 3, 256<<20
		second, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		if string(bigmkltest.Encoded(t, first)) != string(bigmkltest.Encoded(t, second)) {
			t.Errorf("%s: other bytes with other threads", rule)
		}
		verifytest.MustVerify(t, &first.Model, datasettest.Stream(rows))
		parsed, _ := bigmkl.ParseWeightRule(rule)
		if parsed.HoldsOut() {
			continue
		}
		o.Regularizer.RuleSample = 260
		part, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		for k, w := range part.Weights {
			if math.Abs(w-first.Weights[k]) > 0.15 {
				t.Errorf("%s: weights %v of a sample, %v of all rows", rule, part.Weights, first.Weights)
			}
		}
	}
}

// TestWrongRules: what a rule may not be, and where none may be.
func TestWrongRules(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 154), 60, 4)
	of := func(rule string) bigmkl.Regularizer { return bigmkl.Regularizer{Rule: rule} }
	for _, c := range []struct {
		want string
		o    bigmkl.Options
	}{
		{"there is no rule", bigmkl.Options{Regularizer: of("mean")}},
		{"wrong number of parameters", bigmkl.Options{Regularizer: of("kandola")}},
		{"wrong number of parameters", bigmkl.Options{Regularizer: of("align:1")}},
		{"no number from 0 on", bigmkl.Options{Regularizer: of("kandola:-1")}},
		{"no number from 0 on", bigmkl.Options{Regularizer: of("accuracy:1.5")}},
		{"no number from 0 on", bigmkl.Options{Regularizer: of("kandola:nan")}},
		{"has none", bigmkl.Options{Task: bigmkl.TaskOneClass, Regularizer: of("align")}},
		{"is for classes", bigmkl.Options{Task: bigmkl.TaskSVR, Regularizer: of("alignf")}},
		{"is for numbers", bigmkl.Options{Regularizer: of("mse")}},
		{"no kernel a weight above 0", bigmkl.Options{Kernels: "linear,hist", Regularizer: of("accuracy:1")}},
		{"beside the weights of a rule", bigmkl.Options{Kernels: "linear cost=1,hist", Regularizer: of("align")}},
		{"beside the weights of a rule", bigmkl.Options{Kernels: "linear prior=2,hist", Regularizer: of("align")}},
		{"p = 1 with weights of a rule", bigmkl.Options{Norm: 1, Regularizer: of("align")}},
		{"a rule for weights exclude each other", bigmkl.Options{Kernels: "linear", Regularizer: bigmkl.Regularizer{Rule: "align", Weights: []float64{1}}}},
		{"2 norms, and only one can be given: squared norm, weights of a rule", bigmkl.Options{Regularizer: bigmkl.Regularizer{Rule: "align", SquaredNorm: 1}}},
		{"but no rule", bigmkl.Options{Regularizer: bigmkl.Regularizer{RuleSample: 10}}},
		{"a sample of 2 rows", bigmkl.Options{Regularizer: bigmkl.Regularizer{Rule: "align", RuleSample: 2}}},
		{"1 folds of a rule", bigmkl.Options{Regularizer: bigmkl.Regularizer{Rule: "accuracy:0", RuleFolds: 1}}},
	} {
		if c.o.Kernels == "" {
			c.o.Kernels = "linear,gauss:1"
		}
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o.Regularizer, err, c.want)
		}
	}
	if _, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear,hist", Regularizer: of("align")}); err == nil || !strings.Contains(err.Error(), "labels of all rows") {
		t.Errorf("a rule beside rows held out: %v", err)
	}
	err := bigmkl.Path(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear,gauss:1", Regularizer: of("accuracy:0")}, bigmkl.Grid([]float64{2}, []float64{1, 2}), func(bigmkl.PathPoint, *bigmkl.Model, *bigmkl.Result) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "trains at one C") {
		t.Errorf("a path: %v", err)
	}
	count := 0
	err = bigmkl.Path(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear,gauss:1", Regularizer: of("align")}, bigmkl.Grid([]float64{2}, []float64{1, 2}), func(_ bigmkl.PathPoint, m *bigmkl.Model, _ *bigmkl.Result) error {
		count++
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		return nil
	})
	if err != nil || count != 2 {
		t.Errorf("%d models on a path, %v", count, err)
	}
	sets := datasettest.Clusters(datasettest.Random(t, 155), 60, 4, 3, true)
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(sets), bigmkl.Options{Kernels: "linear,gauss:1", Multiclass: bigmkl.MultiLabel, Regularizer: of("align")}); err == nil || !strings.Contains(err.Error(), "sets of labels") {
		t.Errorf("sets of labels: %v", err)
	}
}
