package optima

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// TestSonar trains with one linear kernel for each feature, all of rank one, and with the default
// bank. Both have been hard for p > 2.
func TestSonar(t *testing.T) {
	for _, c := range []struct {
		kernels string
		p, gap  float64
	}{
		{"linear@each-feature", 1, 1e-3}, {"linear@each-feature", 8, 1e-3}, {"linear@each-feature", math.Inf(1), 1e-3},
		{"linear@each-feature", math.Inf(1), 1e-6},
		{"", 8, 1e-3}, {"", math.Inf(1), 1e-3}, {"", 1, 1e-6}, {"", 1.01, 1e-3},
	} {
		t.Run(fmt.Sprintf("%s/p=%.4g/gap=%g", c.kernels, c.p, c.gap), func(t *testing.T) {
			if c.kernels != "" && math.IsInf(c.p, 1) {
				testlevel.SkipBelow(t, testlevel.EveryKind)
			}
			o := bigmkl.Options{Kernels: c.kernels, Norm: c.p, C: 1, Gap: c.gap, MaxIterations: 3000}
			m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, "sonar")), o)
			bigmkltest.Figures(t, m, r)
			verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, "sonar")))
		})
	}
}

// TestSquaredHinge: the dual values of support vector machines with the squared hinge on four fifths of two sets, with ten Gaussians and p = 1, that
// another solver has found.
func TestSquaredHinge(t *testing.T) {
	for name, want := range map[string]float64{"sonar": 28.67895, "heart": 31.89029} {
		rows := withoutEveryFifth(t, name)
		o := bigmkl.Options{Kernels: "gauss:0.04..40/10", Norm: 1, Loss: bigmkl.LossSquaredHinge, Scale: "minmax", Gap: 1e-6}
		m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		bigmkltest.Figures(t, m, r)
		if d := m.Certificate.Dual; math.Abs(d-want) > 1e-5*want {
			t.Errorf("%s: dual value %.9g, want %.9g", name, d, want)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// withoutEveryFifth are all rows of a set but every fifth.
func withoutEveryFifth(t *testing.T, name string) (rows []dataset.Row) {
	t.Helper()
	src := bigmkltest.Open(t, bigmkltest.DataSet(t, name))
	for i := 1; ; i++ {
		r, err := src.Next()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%5 != 0 {
			r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
			rows = append(rows, r)
		}
	}
}

// precisions counts the iterations of a run, and those in double precision.
type precisions struct{ all, double int }

func (p *precisions) Record(e bigmkl.Event) error {
	p.all++
	if e.DoublePrecise {
		p.double++
	}
	return nil
}

// TestSinglePrecisionLasts: in the first hundred iterations on a9a the primal value moves up and down by more than the dual value rises. That is not a sign of
// rounding, and nothing is computed in double precision.
func TestSinglePrecisionLasts(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	var p precisions
	m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, "a9a")), bigmkl.Options{Kernels: "gauss:auto", Recorder: &p})
	bigmkltest.Figures(t, m, r)
	if p.all < 100 || p.double > 0 {
		t.Errorf("%d of %d iterations are in double precision", p.double, p.all)
	}
	verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, "a9a")))
}

// TestMultifeat separates even handwritten digits from odd ones by six views of them.
func TestMultifeat(t *testing.T) {
	views, err := dataset.ReadViews(bigmkltest.DataFile(t, "multifeat", "multifeat.views.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{1, 4.0 / 3} {
		o := bigmkl.Options{Views: views, Positive: []string{"0", "2", "4", "6", "8"}, Norm: p}
		m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, "multifeat")), o)
		bigmkltest.Figures(t, m, r)
		if len(m.Theta) != 60 {
			t.Errorf("%d kernels, not ten for each of six views", len(m.Theta))
		}
		verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, "multifeat")))
		right := 0
		err := m.Predict(context.Background(), bigmkltest.Open(t, bigmkltest.DataSet(t, "multifeat")), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			if p.Label == p.Known {
				right++
			}
			return nil
		})
		if err != nil || right < 1960 {
			t.Errorf("p=%.4g: %d of 2000 training rows right, %v", p, right, err)
		}
	}
}

// TestSmallSets trains on small sets near p = 1, where most weights nearly vanish.
func TestSmallSets(t *testing.T) {
	for _, name := range []string{"banana", "heart", "pima", "german-numeric"} {
		t.Run(name, func(t *testing.T) {
			o := bigmkl.Options{Kernels: "gauss:auto/6,linear@each-feature", Norm: 1.01, Scale: "standard", Limit: 1500}
			m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, name)), o)
			bigmkltest.Figures(t, m, r)
			verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, name)))
		})
	}
}

// fifty are the widths of the thesis's runtime experiment on even and odd digits.
func fifty() bigmkl.Options {
	return bigmkl.Options{Kernels: "gauss:1/1.2^49..1/50", Scale: "global", Normalize: "none", Positive: []string{"0", "2", "4", "6", "8"}}
}

// TestDigitsFromDisk: base rows that are spilled to disk and read back give the model of a run that
// keeps no rows.
func TestDigitsFromDisk(t *testing.T) {
	o := fifty()
	o.Limit, o.Memory, o.Cache = 4000, 64<<20, cache.Always
	m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, "mnist")), o)
	bigmkltest.Figures(t, m, r)
	if s := r.Gradient.Cache; s.SpilledBytes == 0 || s.DiskHits == 0 {
		t.Errorf("%d bytes spilled, %d hits on disk", s.SpilledBytes, s.DiskHits)
	}
	o.Memory, o.Cache = 0, cache.Never
	never, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, "mnist")), o)
	bigmkltest.Figures(t, never, r)
	if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, never)) {
		t.Error("the models differ")
	}
	verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, "mnist")))
}

// roughly verifies a model on a sample of its rows. The gap of a sample is an estimate, so the
// values are compared.
func roughly(t testing.TB, m *bigmkl.Model, src dataset.Source) {
	t.Helper()
	r, err := verify.Run(context.Background(), &m.Model, src, verify.Options{Sample: 8000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Errorf("verify: %s", f)
	}
	for _, v := range [][2]float64{{r.Primal, m.Certificate.Primal}, {r.Dual, m.Certificate.Dual}} {
		if !(math.Abs(v[0]/v[1]-1) <= 0.1) {
			t.Errorf("%g estimated from a sample, the model claims %g", v[0], v[1])
		}
	}
}

// TestWholeSets trains with ten Gaussians on all rows of one of a9a, w8a and ijcnn1, which is
// drawn. The long run trains on each of them.
func TestWholeSets(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes)
	for _, name := range []string{"a9a", "w8a", "ijcnn1"} {
		t.Run(name, func(t *testing.T) {
			m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, name)), bigmkl.Options{Kernels: "gauss:auto/10"})
			bigmkltest.Figures(t, m, r)
			if name == "ijcnn1" {
				verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, name)))
			} else {
				roughly(t, m, bigmkltest.Open(t, bigmkltest.DataSet(t, name)))
			}
		})
	}
}

func TestTenThousandDigits(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes)
	o := fifty()
	o.Limit = 10000
	m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, "mnist")), o)
	bigmkltest.Figures(t, m, r)
	verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, "mnist")))
}

// TestLIBSVM compares the objective for one kernel with that of LIBSVM, on the first rows of the
// sets. The long run takes all rows.
func TestLIBSVM(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	program, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("svm-train of libsvm-tools is not installed")
	}
	limit := 5000
	if testlevel.Reached(testlevel.ManyTimes) {
		limit = 0
	}
	for _, c := range []struct {
		name  string
		gamma string
		cost  float64
	}{{"a9a", "1/123", 1}, {"w8a", "0.05", 1}, {"ijcnn1", "2", 8}} {
		t.Run(c.name, func(t *testing.T) {
			o := bigmkl.Options{Kernels: "gauss:" + c.gamma, Norm: 2, C: c.cost, Scale: "none", Normalize: "none", Limit: limit}
			m, r := bigmkltest.Converge(t, bigmkltest.Open(t, bigmkltest.DataSet(t, c.name)), o)
			bigmkltest.Figures(t, m, r)
			if limit > 0 {
				verifytest.MustVerify(t, &m.Model, bigmkltest.Open(t, bigmkltest.DataSet(t, c.name)))
			}
			want := objective(t, program, bigmkltest.DataSet(t, c.name), c.gamma, c.cost, limit)
			if e := math.Abs(m.Certificate.Dual/want - 1); !(e <= 1e-3) {
				t.Errorf("dual %.8g, LIBSVM's %.8g: off by %.2g", m.Certificate.Dual, want, e)
			}
		})
	}
}

// objective returns the dual value that LIBSVM reaches, with its sign turned.
func objective(t testing.TB, program, path, gamma string, cost float64, limit int) float64 {
	t.Helper()
	if a, b, ok := strings.Cut(gamma, "/"); ok {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		gamma = strconv.FormatFloat(x/y, 'g', -1, 64)
	}
	file := plainFile(t, path, limit)
	return bigmkltest.LibsvmObjective(t, program, []string{"-t", "2", "-g", gamma, "-c", strconv.FormatFloat(cost, 'g', -1, 64), "-e", "1e-4", "-m", "2000",
		file, file + ".model"})
}

// plainFile writes the rows of a data set, or the first of them, as text for LIBSVM.
func plainFile(t testing.TB, path string, limit int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := bufio.NewWriter(out)
	src := bigmkltest.Open(t, path)
	for n := 0; limit == 0 || n < limit; n++ {
		row, err := src.Next()
		if err != nil {
			break
		}
		fmt.Fprint(w, row.Label)
		for k, j := range row.Index {
			fmt.Fprintf(w, " %d:%.9g", j+1, row.Value[k])
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLIBSVMClasses compares the 45 classifiers of the ten digits of pendigits with those of
// LIBSVM: their objectives, and the labels that they give.
func TestLIBSVMClasses(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	program, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("svm-train of libsvm-tools is not installed")
	}
	path := bigmkltest.DataSet(t, "pendigits")
	o := bigmkl.Options{Kernels: "gauss:0.0001", Norm: 2, C: 1, Scale: "none", Normalize: "none", Multiclass: bigmkl.OneVsOne, Gap: 1e-4}
	m, r := bigmkltest.Converge(t, bigmkltest.Open(t, path), o)
	t.Logf("%d iterations, %d support vectors", r.Iterations, len(m.Support))
	file := plainFile(t, path, 0)
	want := bigmkltest.LibsvmObjectives(t, program, []string{"-t", "2", "-g", "0.0001", "-c", "1", "-e", "1e-5", "-m", "2000", file, file + ".model"})
	var got []float64
	for k := range m.Classifiers {
		got = append(got, m.Classifiers[k].Certificate.Dual)
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(got) != len(want) {
		t.Fatalf("%d classifiers, LIBSVM has %d", len(got), len(want))
	}
	worst := 0.0
	for k, w := range want {
		worst = max(worst, math.Abs(got[k]/w-1))
	}
	if !(worst <= 1e-3) {
		t.Errorf("objectives off by %.2g", worst)
	}
	if text, err := exec.Command("svm-predict", file, file+".model", file+".out").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := os.ReadFile(file + ".out")
	if err != nil {
		t.Fatal(err)
	}
	labels, same := strings.Fields(string(text)), 0
	n := 0
	err = m.Predict(t.Context(), bigmkltest.Open(t, path), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if p.Label == labels[n] {
			same++
		}
		n++
		return nil
	})
	t.Logf("objectives off by %.2g, %d of %d labels are the same", worst, same, n)
	if err != nil || n != len(labels) || float64(same) < 0.999*float64(n) {
		t.Errorf("%d of %d labels are the same, %v", same, n, err)
	}
}
