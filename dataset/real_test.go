package dataset

import (
	"bigmkl/internal/testlevel"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestRealData reads published data sets if the folder is given; sizes and classes agree with their pages.
func TestRealData(t *testing.T) {
	dir := testlevel.NeedRealData(t)
	for _, c := range []struct {
		path          string
		n, d, classes int
		first         int // points of the first class
	}{
		{"a9a/a9a.libsvm.gz", 32561, 123, 2, 24720},
		{"sonar/sonar.libsvm.gz", 208, 60, 2, 0},
		{"mnist/mnist.libsvm.gz", 60000, 780, 10, 5923},
	} {
		t.Run(filepath.Dir(c.path), func(t *testing.T) {
			path := filepath.Join(dir, filepath.FromSlash(c.path))
			if _, err := os.Stat(path); err != nil {
				t.Skipf("the folder has no %s", c.path)
			}
			if testing.Short() && c.n > 50000 {
				t.Skip("large")
			}
			r, err := Open([]string{path}, ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			s, err := Build(context.Background(), r, StoreOptions{Dir: t.TempDir(), Scale: ScaleMinMax})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if s.Len() != c.n || s.Dim() != c.d || len(s.Classes()) != c.classes {
				t.Errorf("%d points, %d features, classes %v; want %d, %d, %d", s.Len(), s.Dim(), s.Classes(), c.n, c.d, c.classes)
			}
			count := 0
			for _, label := range s.Labels() {
				if label == 0 {
					count++
				}
			}
			if c.first != 0 && count != c.first {
				t.Errorf("%d points of class %s, want %d", count, s.Classes()[0], c.first)
			}
			row := make([]float32, s.Dim())
			for i := range s.Len() {
				s.Row(i, row)
				for j, v := range row {
					if v < 0 || v > 1 {
						t.Fatalf("feature %d of point %d is %v", j+1, i, v)
					}
				}
			}
		})
	}
}
