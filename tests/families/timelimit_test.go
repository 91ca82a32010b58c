package families

import (
	"context"
	"errors"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/train"
	"bigmkl/internal/verifytest"
)

// timedSource is a source whose own time is over after some rows.
type timedSource struct {
	dataset.Source
	rows int
}

func (s *timedSource) Next() (dataset.Row, error) {
	if s.rows--; s.rows < 0 {
		return dataset.Row{}, context.DeadlineExceeded
	}
	return s.Source.Next()
}

// TestTimeLimits: whenever the time of a run is over, there is a model with this status, or an error that names what was interrupted.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 6), 60, 3)
	rkda := bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:0.1..10/3"}
	for name, o := range map[string]bigmkl.Options{
		"plain": {Kernels: "gauss:auto/3"}, "projection": {Kernels: "laplace:0.1,proj(gauss:0.1,1)"}, "linear projection": {Kernels: "proj(linear,1)"},
		"gates": {Kernels: "linear copies=2", Gating: "softmax"}, "gated projection": {Kernels: "proj(gauss:0.1,1),linear", Gating: "sigmoid"},
		"mixture": {Task: bigmkl.TaskMED, Kernels: "linear,poly:2"}, "discriminant": rkda,
	} {
		t.Run(name, func(t *testing.T) {
			for limit := time.Nanosecond; limit < time.Second; limit *= 8 {
				o := o
				o.MaxTime, o.Scratch, o.Threads = limit, t.TempDir(), 1
				m, r, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o)
				var cut *train.Unfinished
				switch {
				case errors.As(err, &cut):
					if cut.Status != chunking.TimeLimit || cut.While == "" {
						t.Errorf("%v: %q while %q", limit, cut.Status, cut.While)
					}
				case err != nil:
					t.Errorf("%v: %v", limit, err)
				default:
					if r.Status == chunking.Interrupted {
						t.Errorf("%v: %s", limit, r.Status)
					}
					verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
					m.Close()
				}
			}
			o.Scratch = t.TempDir()
			_, _, err := bigmkl.Train(context.Background(), &timedSource{datasettest.Stream(rows), 5}, o)
			var cut *train.Unfinished
			if !errors.As(err, &cut) || cut.Status != chunking.TimeLimit || cut.While != "the data were read" {
				t.Errorf("a source whose time is over: %v", err)
			}
		})
	}
}
