package bits

import (
	"context"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// objectProblems are problems of rows that name objects: sums by products of vectors (few points, many pairs of objects), sums by matrix
// products (many points, few pairs), values of both orders of a pair, and folds.
func objectProblems(t *testing.T) []problem {
	t.Helper()
	many, few := bigmkltest.DrawPairs(t, 120, 240, 70, 50), bigmkltest.DrawPairs(t, 121, 500, 20, 9)
	same := bigmkltest.DrawPairs(t, 122, 300, 24, 5)
	rng := datasettest.Random(t, 123)
	for i := range same.Rows {
		same.Rows[i].Value[1] = float64(rng.IntN(24))
	}
	_, file, _ := strings.Cut(same.Files[0], "=")
	files := []string{"a,b=" + file}
	set, err := objects.Read(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	const bank = "gauss:auto@drug,linear@target,prod(gauss:auto@drug,linear@target),prod(gauss:0.1@drug,gauss:auto@target),prod(poly:2@drug,gauss:auto@target)"
	return []problem{
		{name: "objects, many pairs", rows: many.Rows, named: many.Files, o: bigmkl.Options{Kernels: bank, Objects: many.Set}},
		{name: "objects, few pairs, p=1", rows: few.Rows, named: few.Files, o: bigmkl.Options{Kernels: bank, Objects: few.Set, Norm: 1}},
		{name: "objects, svr", rows: few.Rows, named: few.Files, o: bigmkl.Options{Kernels: bank, Objects: few.Set, Task: bigmkl.TaskSVR, Gap: 1e-5}},
		{name: "objects, orders", rows: same.Rows, named: files,
			o: bigmkl.Options{Kernels: "pair(gauss:0.1,a,b),antipair(gauss:0.1,a,b),antipair(linear,a,b) norm=spherical", Objects: set}},
	}
}
