package budgets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// TestBudgetsNamedByRefusals: whatever budget is too small, and whether that shows while the data are read, with the kernels or with the
// plan, the first rejection names one, and a run that gets just that is not rejected again.
func TestBudgetsNamedByRefusals(t *testing.T) {
	t.Parallel()
	dense, sparse := datasettest.Clouds(datasettest.Random(t, 290), 1500, 20), bigmkltest.Words(t, 291, 400, 3000, 15)
	wide := bigmkltest.Words(t, 292, 100, 700_000, 15)
	lists := bigmkltest.Words(t, 299, 60, 20_000, 15)
	for i := range lists {
		lists[i].Label = strconv.Itoa(i % 6)
	}
	projected := bigmkltest.Words(t, 297, 40, 100_000, 15)
	classes := slices.Clone(dense)
	for i := range classes {
		classes[i].Label = strconv.Itoa(i % 7)
	}
	letters := datasettest.Clouds(datasettest.Random(t, 293), 400, 1)
	for i := range letters {
		letters[i].Index, letters[i].Value = nil, nil
		for j := range int32(60) {
			letters[i].Index, letters[i].Value = append(letters[i].Index, j), append(letters[i].Value, float64(1+(i*7+int(j)*i)%4))
		}
	}
	long := make([]dataset.Row, 0, 120_000)
	for i := range cap(long) {
		long = append(long, dataset.Row{Label: []string{"1", "-1"}[i%2], Index: []int32{0}, Value: []float64{float64(i%17) - float64(i%2)}})
	}
	table := map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"dense":            {dense, bigmkl.Options{Kernels: "gauss:auto/3,linear,poly:2"}},
		"double":           {dense, bigmkl.Options{Kernels: "gauss:auto/3", Precision: "64", Norm: 8}},
		"many groups":      {dense, bigmkl.Options{Kernels: "gauss:auto/1@each-feature,laplace:1@random:5*60", Normalize: "spherical"}},
		"products":         {dense, bigmkl.Options{Kernels: "prod(gauss:auto,poly:2,laplace:1@1-10) norm=spherical,pow(linear,2)"}},
		"sparse":           {sparse, bigmkl.Options{Kernels: "gauss:auto/3"}},
		"sparse, forced":   {dense, bigmkl.Options{Kernels: "gauss:auto/3,laplace:1", Store: dataset.LayoutSparse, Scale: "standard"}},
		"sparse products":  {sparse, bigmkl.Options{Kernels: "prod(gauss:auto,poly:2,laplace:1@1-10) norm=spherical,pow(linear,2)"}},
		"wide":             {wide, bigmkl.Options{Kernels: "gauss:auto/2,linear", Normalize: "none"}},
		"long":             {long, bigmkl.Options{Kernels: "gauss:auto,linear"}},
		"many kernels":     {dense[:60], bigmkl.Options{Kernels: "gauss:1..2/40000", Normalize: "none"}},
		"many sets":        {dense[:60], bigmkl.Options{Kernels: "linear@random:15*20000", Normalize: "none"}},
		"pairs":            {classes, bigmkl.Options{Kernels: "gauss:auto/3", Multiclass: bigmkl.OneVsOne}},
		"classes":          {classes, bigmkl.Options{Kernels: "gauss:auto/3", Multiclass: bigmkl.OneVsRest, OneTheta: true}},
		"quantiles":        {dense, bigmkl.Options{Kernels: "gauss:auto/3", Task: bigmkl.TaskQuantile, Taus: []float64{0.05, 0.25, 0.5, 0.75, 0.95}}},
		"one of quantiles": {dense, bigmkl.Options{Kernels: "gauss:auto/3", Task: bigmkl.TaskQuantile, Taus: []float64{0.1, 0.5, 0.9}, OneTheta: true}},
		"strings":          {letters, bigmkl.Options{Kernels: "wd:5,spectrum:3", Sequences: dataset.DNA}},
		"least squares":    {dense, bigmkl.Options{Kernels: "linear", Task: bigmkl.TaskSquare}},
		"projected":        {projected, bigmkl.Options{Kernels: "proj(gauss:0.5,2)", GateSteps: 1}},
		"linear direction": {projected, bigmkl.Options{Kernels: "proj(linear,1)"}},
		"gates of pairs":   {lists, bigmkl.Options{Kernels: "proj(gauss:0.5,2),poly:2", Multiclass: bigmkl.OneVsOne, Gating: "softmax", OneGate: true, GateSteps: 1}},
		"projected beside": {projected, bigmkl.Options{Kernels: "proj(gauss:0.5,diag),proj(poly:2,1),linear",
			GateSteps: 1}},
	}
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 9)
			o := c.o
			o.Threads, o.MaxIterations, o.Scratch = 2, 1, t.TempDir()
			o.Heap = func(int64) {}
			if o.Task != "" {
				for i := range c.rows {
					c.rows[i].Target = float64(i % 5)
				}
			}
			named := map[int64]bool{}
			for _, memory := range []int64{1, 1 << 20, 12 << 20, 14 << 20, 20 << 20, 40 << 20, 60 << 20, 100 << 20} {
				o.Memory = memory
				_, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), o)
				if err == nil {
					break
				}
				least := bigmkltest.LeastNamed(t, err)
				if named[least] {
					continue
				}
				named[least], o.Memory = true, least
				if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), o); err != nil {
					t.Errorf("of %d bytes: %d bytes were named, and of these: %v", memory, least, err)
				}
			}
			if len(named) == 0 {
				t.Error("nothing was rejected")
			}
			t.Log(named)
		})
	}
}

// endless is a source of rows without features, of both classes in turn. It allocates nothing,
// since a hundred million rows are counted before they are given up.
type endless struct{ n int }

func (e *endless) Next() (dataset.Row, error) {
	e.n++
	return dataset.Row{Label: [2]string{"1", "-1"}[e.n%2]}, nil
}

// TestBudgetNamedByRowsWithoutEnd: rows that are counted on for ever are given up, with a word on what to do.
func TestBudgetNamedByRowsWithoutEnd(t *testing.T) {
	t.Parallel()
	testlevel.SkipBelow(t, testlevel.EveryKind)
	testlevel.Sample(t, 1, 3)
	_, _, err := bigmkl.Train(t.Context(), new(endless), bigmkl.Options{Memory: 1 << 20, Scratch: t.TempDir()})
	var e *fail.Error
	if !errors.As(err, &e) || !errors.Is(err, fail.Budget) || e.Hint == "" {
		t.Errorf("%v", err)
	}
}

// TestLeastMemoryOfMatrices: gram and align reject budgets that are too small with one that does, and give what any other gives.
func TestLeastMemoryOfMatrices(t *testing.T) {
	t.Parallel()
	dense, sparse := datasettest.Clouds(datasettest.Random(t, 294), 300, 30), bigmkltest.Words(t, 295, 120, 15000, 15)
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"dense":    {dense, bigmkl.Options{Kernels: "gauss:auto/3,linear"}},
		"products": {dense, bigmkl.Options{Kernels: "prod(gauss:auto,poly:2,laplace:1@1-10) norm=spherical,pow(linear,2)"}},
		"sparse":   {sparse, bigmkl.Options{Kernels: "gauss:auto,laplace:1", Normalize: "none", Store: dataset.LayoutSparse}},
		"wide":     {bigmkltest.Words(t, 296, 30, 700_000, 15), bigmkl.Options{Kernels: "gauss:auto", Normalize: "none"}},
	} {
		t.Run(name, func(t *testing.T) {
			gram := func(memory int64, threads int) (string, error) {
				o, all := c.o, ""
				o.Memory, o.Threads, o.Scratch = memory, threads, t.TempDir()
				folder := t.TempDir()
				err := bigmkl.Gram(t.Context(), datasettest.Stream(c.rows), o, true, func(kernel, _ int) (string, error) {
					return filepath.Join(folder, strconv.Itoa(kernel)), nil
				})
				names, _ := os.ReadDir(folder)
				for _, n := range names {
					b, e := os.ReadFile(filepath.Join(folder, n.Name()))
					if e != nil {
						t.Fatal(e)
					}
					all += string(b)
				}
				return all, err
			}
			align := func(memory int64, threads int) (string, error) {
				o := c.o
				o.Memory, o.Threads, o.Scratch = memory, threads, t.TempDir()
				a, err := bigmkl.Align(t.Context(), datasettest.Stream(c.rows), o, bigmkl.AlignOptions{Sample: 50})
				return fmt.Sprint(a), err
			}
			for what, run := range map[string]func(memory int64, threads int) (string, error){"gram": gram, "align": align} {
				_, err := run(1, 2)
				least := bigmkltest.LeastNamed(t, err)
				if less, err := run(least-2<<20, 2); err != nil {
					bigmkltest.LeastNamed(t, err)
				} else if name != "wide" || less == "" { // which is counted by an outline
					t.Errorf("%s: less than the %d bytes that were named does", what, least)
				}
				got, err := run(least, 2)
				want, e := run(2<<30, 3)
				if err != nil || e != nil || got != want {
					t.Errorf("%s: %v of the %d bytes that were named, %v; the same: %v", what, err, least, e, got == want)
				}
			}
		})
	}
}
