package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/verify"
)

// stream is a source of rows in memory.
type stream struct {
	rows []dataset.Row
	next int
}

func (s *stream) Next() (dataset.Row, error) {
	if s.next == len(s.rows) {
		return dataset.Row{}, io.EOF
	}
	s.next++
	return s.rows[s.next-1], nil
}

// honest is a trained model with its data.
type honest struct {
	name  string
	model *model.Model
	rows  []dataset.Row
	gram  []string
}

// real reads the first rows of a real data set, or draws as many points of three classes where there is none.
func real(t testing.TB, name string, n int) []dataset.Row {
	t.Helper()
	var rows []dataset.Row
	if root := testlevel.RealData(); root != "" {
		src, err := dataset.Open([]string{filepath.Join(root, name, name+".libsvm.gz")}, dataset.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		for range n {
			r, err := src.Next()
			if err != nil {
				t.Fatal(err)
			}
			r.Index, r.Value = append([]int32(nil), r.Index...), append([]float64(nil), r.Value...)
			rows = append(rows, r)
		}
		return rows
	}
	const seed, features = 5, 13
	t.Logf("no real data: generated with seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for i := range n {
		class := i % 3
		if name != "wine" {
			class = i % 2
		}
		r := dataset.Row{Label: []string{"1", "-1", "3"}[class], Weight: 1}
		if name == "wine" {
			r.Label = strconv.Itoa(class + 1)
		}
		if i%5 == 0 {
			class = rng.IntN(3) // some look like others, so no classifier is free of loss
		}
		for j := range features {
			r.Index = append(r.Index, int32(j))
			r.Value = append(r.Value, float64(j+1)*(rng.NormFloat64()+float64(class)/float64(1+j%4)))
		}
		rows = append(rows, r)
	}
	return rows
}

// trained trains on the rows until the gap is reached.
func trained(t testing.TB, name string, rows []dataset.Row, o bigmkl.Options, gram ...string) honest {
	t.Helper()
	name = fmt.Sprintf("%s/p=%.4g/gap=%g", name, o.Norm, o.Gap)
	o.Scratch = t.TempDir()
	m, r, err := bigmkl.Train(context.Background(), &stream{rows: rows}, o)
	if err != nil || r.Status != chunking.Converged {
		t.Fatalf("%s: %v %v", name, r, err)
	}
	return honest{name, &m.Model, rows, gram}
}

// heartRows are rows of two weights.
func heartRows(t testing.TB) []dataset.Row {
	heart := real(t, "heart", 240)
	for i := range heart {
		heart[i].Weight = 1 + float64(i%2)
	}
	return heart
}

// onHeart are models of each norm in both precisions, which several tests alter copies of.
var onHeart = once(func(t testing.TB) (list []honest) {
	heart := heartRows(t)
	for _, p := range []float64{1, 4.0 / 3, 2, math.Inf(1)} {
		c := 0.5
		if p > 2 {
			c = 0.05 // so that C matters
		}
		for _, gap := range []float64{1e-3, 1e-6} {
			list = append(list, trained(t, "heart", heart, bigmkl.Options{
				Kernels: "gauss:auto/3,linear@1-5,poly:2@3-8,gauss:1@6-13", Norm: p, C: c, Gap: gap, Scale: "standard",
				ClassWeight: map[string]float64{"1": 1.5}, Limit: 200,
			}))
		}
	}
	return list
})

// once makes models for the first test that asks for them.
func once(f func(t testing.TB) []honest) func(t testing.TB) []honest {
	var made sync.Once
	var list []honest
	return func(t testing.TB) []honest {
		t.Helper()
		made.Do(func() { list = f(t) })
		if list == nil {
			t.Fatal("the models could not be made")
		}
		return slices.Clone(list)
	}
}

// honestModels are one or more of every sort: the norms, both precisions, classes and class weights, row weights, a limit, the
// three normalisations and products, scaled and unscaled data, points stored densely and sparsely, matrices, an indefinite kernel.
func honestModels(t testing.TB) []honest {
	heart, list := heartRows(t), onHeart(t)
	list = append(list,
		trained(t, "wine", real(t, "wine", 178), bigmkl.Options{Positive: []string{"1", "3"}, Norm: 4.0 / 3, C: 0.1, Gap: 1e-5, Scale: "minmax", Normalize: "spherical", Kernels: "poly:2,linear@1-6,laplace:auto"}),
		trained(t, "a9a", real(t, "a9a", 400), bigmkl.Options{Kernels: "gauss:0.01..0.1/3,intersection,sigmoid:0.01:-0.1", Norm: 4.0 / 3, Gap: 1e-3}))
	for _, gap := range []float64{1e-3, 1e-6} {
		list = append(list, trained(t, "posteriors", heart, bigmkl.Options{Kernels: "gauss:auto/3,linear@1-5", C: 0.02, Gap: gap, Scale: "standard", ClassWeight: map[string]float64{"1": 1.5}, Posteriors: bigmkl.Posteriors{Neighbours: 6}}))
	}
	sonar := real(t, "sonar", 208)
	list = append(list, trained(t, "squared hinge", sonar, bigmkl.Options{Kernels: "gauss:auto/3,linear@1-12", Norm: 4.0 / 3, Loss: model.LossSquaredHinge, Gap: 1e-5, Scale: "standard"}))
	list = append(list, trained(t, "odds", sonar, bigmkl.Options{Task: model.TaskLogistic, Kernels: "gauss:auto/3,linear@1-12", Norm: 4.0 / 3, C: 2, Gap: 1e-5, Scale: "standard", ClassWeight: map[string]float64{"1": 1.5}}))
	list = append(list, trained(t, "joint cost", sonar, bigmkl.Options{Kernels: "gauss:0.04..0.4/3,linear@1-12", Norm: 1, Loss: model.LossSquaredHinge, JointCost: true, Gap: 1e-5, Scale: "minmax"}))
	list = append(list, trained(t, "own", sonar, bigmkl.Options{Kernels: "gauss:auto norm=none,linear norm=spherical,prod(poly:2@1-8,laplace:mean),poly:3@7-12", Norm: 4.0 / 3, C: 0.2, Gap: 1e-5, Scale: "minmax"}))
	file := filepath.Join(t.TempDir(), "linear.npy")
	matrix(t, file, sonar)
	return append(list, trained(t, "matrix", sonar, bigmkl.Options{Kernels: "precomputed:" + file, Norm: 2, Gap: 1e-5}, file))
}

// matrix writes the products of the rows.
func matrix(t testing.TB, path string, rows []dataset.Row) {
	t.Helper()
	w, err := npy.Create(path, len(rows), len(rows), true)
	if err != nil {
		t.Fatal(err)
	}
	d := 0
	for _, r := range rows {
		for _, j := range r.Index {
			d = max(d, int(j)+1)
		}
	}
	dense := make([][]float64, len(rows))
	for i, r := range rows {
		dense[i] = make([]float64, d)
		for k, j := range r.Index {
			dense[i][j] = r.Value[k]
		}
	}
	for _, a := range rows {
		line := make([]float64, len(rows))
		for i, b := range dense {
			for k, j := range a.Index {
				line[i] += a.Value[k] * b[j]
			}
		}
		if err := w.WriteRow64(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// copied is the model after a file: what verify sees.
func copied(t testing.TB, m *model.Model) *model.Model {
	t.Helper()
	var b bytes.Buffer
	if err := model.Encode(context.Background(), &b, m); err != nil {
		t.Fatalf("it cannot be written: %v", err)
	}
	c, err := model.Decode(&b, int64(b.Len()), "model")
	if err != nil {
		t.Fatalf("it cannot be read: %v", err)
	}
	return c
}

// complaints has the result of verify: an error, or faults.
func (h *honest) complaints(t testing.TB, m *model.Model, o verify.Options) []string {
	t.Helper()
	o.Gram = h.gram
	if o.Memory == 0 {
		o.Memory = 1 << 30 // Without this, the memory of the computer is read each time.
	}
	r, err := verify.Run(context.Background(), m, &stream{rows: h.rows}, o)
	if err != nil {
		return []string{err.Error()}
	}
	return r.Faults
}
