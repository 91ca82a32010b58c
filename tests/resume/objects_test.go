package resume

import (
	"bytes"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// TestObjects: a training on rows that name objects is interrupted and goes on to the same bytes, with other threads and cache.
func TestObjects(t *testing.T) {
	t.Parallel()
	p := bigmkltest.DrawPairs(t, 51, 600, 25, 10)
	o := bigmkl.Options{Kernels: "gauss:auto@drug,prod(gauss:auto@drug,linear@target)", Objects: p.Set, Gap: 1e-5}
	want, whole := bigmkltest.Converge(t, datasettest.Stream(p.Rows), o)
	r := bigmkltest.Resumable(t, o)
	bigmkltest.Interrupted(t, p.Rows, r, max(1, whole.Iterations/2))
	r.Threads, r.Cache, r.Resume = 3, cache.Always, true
	m, _ := bigmkltest.Converge(t, datasettest.Stream(p.Rows), r)
	if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, want)) {
		t.Error("the resumed run makes another model")
	}
}
