package families

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// byFeatures is a model with the same function on rows that have the features of their objects.
func byFeatures(m *bigmkl.Model) *bigmkl.Model {
	f := &bigmkl.Model{Model: m.Model}
	set := m.Objects
	f.Objects, f.Views, f.Features, f.Vectors, f.Double = nil, set.Views(), set.Features(), nil, true
	for s := range m.Support {
		f.Vectors = append(f.Vectors, expanded(set, m.Vector(s))...)
	}
	return f
}

// expanded is the scaled features of the objects of a row.
func expanded(set *objects.Set, numbers []float32) (x []float32) {
	for c, n := range numbers {
		k := set.Kind(c)
		x = append(x, k.Values[int(n)*k.Dim:(int(n)+1)*k.Dim]...)
	}
	return x
}

func decisionsOf(t testing.TB, m *bigmkl.Model, rows []dataset.Row) (f []float64) {
	err := m.Predict(context.Background(), datasettest.Stream(rows), bigmkl.PredictOptions{Threads: 2}, func(p bigmkl.Prediction) error {
		f = append(f, p.Decision)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestObjects: a model of rows that name objects is the model of the features of these, has the same bytes for any threads, cache and
// budget, and verifies.
func TestObjects(t *testing.T) {
	t.Parallel()
	p := bigmkltest.DrawPairs(t, 41, 700, 30, 12)
	for _, c := range []struct {
		kernels, task, normalize string
		gap, norm                float64
	}{
		{"gauss:auto@drug,linear@target,prod(gauss:auto@drug,linear@target),prod(gauss:0.1@drug,gauss:auto@target)", bigmkl.TaskClass, "", 1e-5, 0},
		{"prod(poly:2@drug,laplace:auto@drug,gauss:0.3@target),matern:1.5:auto@target,linear@2-3", bigmkl.TaskClass, "spherical", 1e-3, 1},
		{"gauss:auto/3@each-view,prod(pow(linear@drug,2),gauss:mean@target)", bigmkl.TaskSVR, "none", 1e-3, 2},
		{"gauss:auto@each-view,prod(linear@drug,linear@target)", bigmkl.TaskSquare, "", 1e-4, 0},
	} {
		if !testlevel.Tried(t, c.kernels, 3, 1) {
			continue
		}
		o := bigmkl.Options{Kernels: c.kernels, Task: c.task, Normalize: c.normalize, Gap: c.gap, Norm: c.norm, Objects: p.Set, C: 2}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(p.Rows), o)
		want := bigmkltest.Encoded(t, m)
		for k, change := range []func(o *bigmkl.Options){
			func(o *bigmkl.Options) { o.Threads = 1 },
			func(o *bigmkl.Options) { o.Threads, o.Cache = 3, cache.Always },
			func(o *bigmkl.Options) { o.Memory, o.Cache = 96<<20, cache.Never },
		} {
			other := o
			change(&other)
			m, _ := bigmkltest.TrainModel(t, datasettest.Stream(p.Rows), other)
			if !bytes.Equal(bigmkltest.Encoded(t, m), want) {
				t.Errorf("%s: change %d makes another model", c.kernels, k)
			}
		}
		rows := make([]dataset.Row, len(p.Rows))
		for i, r := range p.Rows {
			x := expanded(m.Objects, []float32{float32(r.Value[0]), float32(r.Value[1])})
			rows[i] = dataset.Row{}
			for j, v := range x {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, float64(v))
			}
		}
		trained := m.Double
		m.Double = true
		got, exact := decisionsOf(t, m, p.Rows), decisionsOf(t, byFeatures(m), rows)
		m.Double = trained
		for i := range got {
			if math.Abs(got[i]-exact[i]) > 1e-9*(1+math.Abs(exact[i])) {
				t.Fatalf("%s: row %d has the decision %v, and %v by its features", c.kernels, i, got[i], exact[i])
			}
		}
		r, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(p.Rows), verify.Options{Objects: p.Files})
		if err != nil || len(r.Faults) > 0 {
			t.Errorf("%s: %v %v", c.kernels, err, r)
		}
		m.Objects.Kinds[0].Values[3] += 0.25
		if r, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(p.Rows), verify.Options{Objects: p.Files}); err == nil {
			t.Errorf("%s: another feature of an object passes: %v", c.kernels, r)
		}
	}
}

// TestObjectsInLargeSets: the quadratic models of large working sets sum kernels before they multiply them, and the search takes sums at the points
// of the set. Such models verify, and have the same bytes for any threads.
func TestObjectsInLargeSets(t *testing.T) {
	t.Parallel()
	p := bigmkltest.DrawPairs(t, 44, 1500, 60, 25)
	for _, c := range []struct {
		kernels string
		gap     float64
	}{
		{"gauss:auto@drug,linear@target,prod(gauss:auto@drug,linear@target),prod(gauss:0.1@drug,gauss:auto@target),prod(gauss:0.1@drug,linear@target)", 1e-3},
		{"gauss:auto/3@each-view,prod(gauss:auto@drug,linear@target),prod(linear@drug,linear@target)", 1e-6},
	} {
		if !testlevel.Tried(t, c.kernels, 2, 1) {
			continue
		}
		o := bigmkl.Options{Kernels: c.kernels, Gap: c.gap, Objects: p.Set, Threads: 1}
		o.Tuning.WorkingSet = 1100
		m, _ := bigmkltest.Converge(t, datasettest.Stream(p.Rows), o)
		bigmkltest.VerifiedObjects(t, m, p.Rows, p.Files)
		o.Threads = 3
		other, _ := bigmkltest.Converge(t, datasettest.Stream(p.Rows), o)
		if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, other)) {
			t.Errorf("%s: threads make another model", c.kernels)
		}
	}
}

// TestObjectsOfPairs: the symmetric kernel of pairs of objects of one kind takes both orders alike, and the antisymmetric one takes them
// with opposite signs.
func TestObjectsOfPairs(t *testing.T) {
	t.Parallel()
	p := bigmkltest.DrawPairs(t, 42, 300, 20, 5)
	rng := datasettest.Random(t, 43)
	for i := range p.Rows {
		p.Rows[i].Value[1] = float64(rng.IntN(20))
	}
	_, file, _ := strings.Cut(p.Files[0], "=")
	files := []string{"a,b=" + file}
	set, err := objects.Read(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	turned := make([]dataset.Row, len(p.Rows))
	for i, r := range p.Rows {
		turned[i] = r.Clone()
		slices.Reverse(turned[i].Value)
	}
	opposite := make([]dataset.Row, len(p.Rows))
	for i, r := range turned {
		opposite[i] = r.Clone()
		opposite[i].Label, opposite[i].Target = map[string]string{"1": "-1", "-1": "1"}[r.Label], -r.Target
	}
	for kernels, c := range map[string]struct {
		rows []dataset.Row
		sign float64
		gap  float64
	}{
		"pair(gauss:0.1,a,b),pair(linear,a,b)":                              {p.Rows, 1, 1e-3},
		"antipair(gauss:0.1,a,b),antipair(linear,a,b)":                      {slices.Concat(p.Rows, opposite), -1, 1e-5},
		"antipair(gauss:0.001,a,b) norm=spherical,antipair(poly:2:1:1,a,b)": {slices.Concat(p.Rows, opposite), -1, 1e-3},
	} {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(c.rows), bigmkl.Options{Kernels: kernels, Objects: set, Gap: c.gap})
		r, err := verify.Run(context.Background(), &m.Model, datasettest.Stream(c.rows), verify.Options{Objects: files})
		if err != nil || len(r.Faults) > 0 {
			t.Errorf("%s: %v %v", kernels, err, r)
		}
		f, g := decisionsOf(t, m, p.Rows), decisionsOf(t, m, turned)
		bias := m.Bias
		if c.sign > 0 {
			bias = 0
		}
		for i := range f {
			if math.Abs((f[i]-bias)-c.sign*(g[i]-bias)) > 1e-5*(1+math.Abs(f[i])) {
				t.Fatalf("%s: row %d has the decision %v, and %v turned round", kernels, i, f[i], g[i])
			}
		}
	}
}
