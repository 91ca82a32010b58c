package harness

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl"
)

func TestSyntheticRowsDoNotDependOnTheirNumber(t *testing.T) {
	for _, kind := range []string{"images", "dense"} {
		type point struct {
			label string
			index []int32
			value []float64
		}
		draw := func(n int) (list []point) {
			for row := range (&Synthetic{Kind: kind, Points: n, Features: 50, Seed: 4}).rows() {
				list = append(list, point{row.Label, slices.Clone(row.Index), slices.Clone(row.Value)})
			}
			return list
		}
		few, many := draw(10), draw(40)
		count := map[string]int{}
		for i, p := range many {
			count[p.label]++
			if i < len(few) && (p.label != few[i].label || !slices.Equal(p.index, few[i].index) || !slices.Equal(p.value, few[i].value)) {
				t.Errorf("%s: row %d depends on how many follow", kind, i)
			}
		}
		if len(many) != 40 || count["1"] < 8 || count["-1"] < 8 {
			t.Errorf("%s: classes %v of %d rows", kind, count, len(many))
		}
	}
}

func newTestSession(t *testing.T) *Session {
	s := NewSession(io.Discard, io.Discard)
	s.Scratch, s.Threads = t.TempDir(), 2
	return s
}

func smallRun(points int) Training {
	d := DataSet{Name: "synthetic images", Synthetic: &Synthetic{Kind: "images", Points: 3000, Features: 60, Seed: 1}}
	return Training{Data: d, Norm: "4/3", Options: bigmkl.Options{Kernels: "gauss:auto/4", Gap: 1e-3, Limit: points}}
}

func TestRunInAChildIsTheRunInHand(t *testing.T) {
	u := smallRun(300)
	u.Test = &DataSet{Name: "more", Synthetic: &Synthetic{Kind: "images", Points: 100, Features: 70, Seed: 1}}
	here, err := u.trainAndPredict(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	there, err := newTestSession(t).Train(context.Background(), u)
	if err != nil {
		t.Fatal(err)
	}
	if !here.Converged() || !there.Converged() || here.Primal != there.Primal || here.Dual != there.Dual || here.Error != there.Error || there.Tested != 100 {
		t.Errorf("here %+v\nthere %+v", here, there)
	}
	if there.Anonymous < 1<<20 || there.Resident < there.Anonymous || there.CPU <= 0 || there.Process < there.Seconds {
		t.Errorf("memory %d of %d, CPU %g s, %g s in all", there.Anonymous, there.Resident, there.CPU, there.Process)
	}
}

func TestFailureIsARow(t *testing.T) {
	u := smallRun(300)
	u.Options.Kernels = "gauss:-1"
	o, err := newTestSession(t).Train(context.Background(), u)
	if err != nil || !strings.HasPrefix(o.Status, "failed: ") || o.Points != 300 {
		t.Errorf("%+v, %v", o, err)
	}
}

// upon cancels a context as soon as something is written.
type upon struct{ cancel context.CancelFunc }

func (u upon) Write(p []byte) (int, error) {
	u.cancel()
	return len(p), nil
}

// TestInterruptedRunIsKept interrupts a training after its first iteration.
func TestInterruptedRunIsKept(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := newTestSession(t)
	s.Progress = newProgress(upon{cancel})
	u := smallRun(600)
	u.Data.Synthetic.Features, u.Options.Kernels, u.Options.Gap = 784, FiftyGaussians, 1e-12
	o, err := s.Train(ctx, u)
	if err != nil || o.Status != "interrupted" || !(o.Gap > u.Options.Gap) || o.Iterations == 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestMemoryOfThisProcess(t *testing.T) {
	if m := memoryOf(os.Getpid()); m.anonymous < 1<<20 || m.Resident < m.anonymous {
		t.Errorf("%+v", m)
	}
	status := []byte("Name:\tx\nVmHWM:\t   20 kB\nRssAnon:\t 8 kB\n")
	if a, b := statusField(status, "VmHWM:"), statusField(status, "RssAnon:"); a != 20<<10 || b != 8<<10 {
		t.Errorf("%d, %d", a, b)
	}
}
