package budgets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// TestLeastMemoryOfModels: a budget that is too small is rejected by predictions and verifications with one that does, which gives the
// decisions and the certificate of any other.
func TestLeastMemoryOfModels(t *testing.T) {
	t.Parallel()
	dense, sparse := datasettest.Clouds(datasettest.Random(t, 190), 300, 30), bigmkltest.Words(t, 191, 160, 15000, 15)
	classes := slices.Clone(dense)
	for i := range classes {
		classes[i].Label = strconv.Itoa(i % 4)
	}
	table := map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"dense":            {dense, bigmkl.Options{Kernels: "gauss:auto/3,linear,poly:2"}},
		"double":           {dense, bigmkl.Options{Kernels: "gauss:auto/3", Precision: "64", Norm: 8}},
		"many groups":      {dense, bigmkl.Options{Kernels: "gauss:auto/1@each-feature,laplace:1@random:5*60", Normalize: "spherical"}},
		"products":         {dense, bigmkl.Options{Kernels: "prod(gauss:auto,poly:2,laplace:1@1-10) norm=spherical,pow(linear,2)"}},
		"sparse":           {sparse, bigmkl.Options{Kernels: "gauss:auto/3,linear", Store: dataset.LayoutSparse}},
		"sparse, laid out": {sparse[:60], bigmkl.Options{Kernels: "laplace:1,gauss:auto", Store: dataset.LayoutSparse}},
		"many widths":      {dense[:120], bigmkl.Options{Kernels: "gauss:0.0001..1/200,laplace:auto/20@each-feature", Precision: "64"}},
		"several, widths":  {classes[:200], bigmkl.Options{Kernels: "gauss:auto/50", Multiclass: bigmkl.OneVsOne}},
		"several":          {classes, bigmkl.Options{Kernels: "gauss:auto/3", Multiclass: bigmkl.OneVsOne}},
	}
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 5)
			c.o.Threads, c.o.MaxIterations = 2, 20
			trained, _ := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), c.o)
			path := filepath.Join(t.TempDir(), "m")
			if err := trained.Save(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			m, err := bigmkl.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			decide := func(m *bigmkl.Model, o bigmkl.PredictOptions) (all []float64) {
				err := m.Predict(t.Context(), datasettest.Stream(c.rows), o, func(p bigmkl.Prediction) error {
					all = append(append(all, p.Decision), p.Decisions...)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return all
			}
			want := decide(trained, bigmkl.PredictOptions{Threads: 3})
			rejected := func(memory int64) int64 {
				err := m.Predict(t.Context(), datasettest.Stream(c.rows), bigmkl.PredictOptions{Memory: memory}, func(bigmkl.Prediction) error {
					t.Fatal("a row was predicted")
					return nil
				})
				return bigmkltest.LeastNamed(t, err)
			}
			least := rejected(1)
			rejected(least - 2<<20)
			check := func(memory int64, threads int) (*verify.Report, error) {
				return verify.Run(t.Context(), &m.Model, datasettest.Stream(c.rows), verify.Options{Memory: memory, Threads: threads})
			}
			_, err = check(1, 2)
			enough := bigmkltest.LeastNamed(t, err)
			_, err = check(enough-2<<20, 2)
			bigmkltest.LeastNamed(t, err)
			report, err := check(enough, 2)
			ample, e := check(1<<30, 3)
			if err != nil || e != nil || !reflect.DeepEqual(report, ample) {
				t.Errorf("%d bytes: %+v, %v; %+v, %v of a gigabyte", enough, report, err, ample, e)
			}
			for _, memory := range []int64{least, least + 8<<20, 1 << 30} {
				if got := decide(m, bigmkl.PredictOptions{Threads: 3, Memory: memory}); !slices.Equal(got, want) {
					t.Errorf("%d bytes: other decisions", memory)
				}
			}
		})
	}
}

// TestModelChangesInUse: a model file that is cut short or written to while its support vectors are in it ends a prediction in an
// error; one that another replaces does not.
func TestModelChangesInUse(t *testing.T) {
	t.Parallel()
	sparse, dense := bigmkltest.Words(t, 192, 1200, 30000, 40), datasettest.Clouds(datasettest.Random(t, 193), 1200, 400)
	for name, c := range map[string]struct {
		rows   []dataset.Row
		layout dataset.Layout
	}{"sparse": {sparse, dataset.LayoutSparse}, "dense": {dense, dataset.LayoutDense}} {
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), bigmkl.Options{Kernels: "gauss:auto", Store: c.layout, MaxIterations: 5})
		for what, change := range map[string]func(path string) error{
			"cut":      func(path string) error { return os.Truncate(path, 20000) },
			"emptied":  func(path string) error { return os.Truncate(path, 0) },
			"grown":    func(path string) error { return os.Truncate(path, 1<<30) },
			"written":  func(path string) error { return overwrite(path) },
			"replaced": func(path string) error { return replace(path) },
			"removed":  os.Remove,
		} {
			path := filepath.Join(t.TempDir(), "m")
			if err := m.Save(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			open, err := bigmkl.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			rows := 0
			err = open.Predict(context.Background(), datasettest.Stream(slices.Concat(c.rows, c.rows)), bigmkl.PredictOptions{Threads: 1}, func(bigmkl.Prediction) error {
				if rows++; rows == 1 {
					return change(path)
				}
				return nil
			})
			if fine := what == "replaced" || what == "removed"; fine && err != nil || !fine && !errors.Is(err, fail.Input) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			if err := open.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// overwrite writes other bytes of the same number to a file.
func overwrite(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i := range b {
		b[i] ^= 0xff
	}
	return os.WriteFile(path, b, 0o600)
}

// replace puts another file in the place of one.
func replace(path string) error {
	if err := os.WriteFile(path+".new", []byte("another"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
