package bigmkltest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// Interrupted trains until the given iteration and is then interrupted.
func Interrupted(t testing.TB, rows []dataset.Row, o bigmkl.Options, at int) *bigmkl.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.Scratch, o.Recorder = t.TempDir(), &StopAt{Iteration: at, Stop: cancel}
	_, r, err := bigmkl.Train(ctx, datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Resumable adds a folder of checkpoints to options. Only what is written when a run ends is left there.
func Resumable(t testing.TB, o bigmkl.Options) bigmkl.Options {
	o.Checkpoint, o.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoints"), time.Hour
	return o
}

// InterruptedAfter trains until so many iterations of all classifiers have been seen, and is then
// interrupted.
func InterruptedAfter(t testing.TB, rows []dataset.Row, o bigmkl.Options, events int) *bigmkl.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	o.Scratch, o.Recorder = t.TempDir(), Recorder(func(bigmkl.Event) error {
		if seen++; seen == events {
			cancel()
		}
		return nil
	})
	m, r, err := bigmkl.Train(ctx, datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Classifiers) == 0 {
		t.Fatal("no classifiers")
	}
	return r
}

// Recorder is a function as a Recorder.
type Recorder func(bigmkl.Event) error

func (r Recorder) Record(e bigmkl.Event) error { return r(e) }

// StopAt ends a run from within, as a person or a signal does, after some iterations.
type StopAt struct {
	Iteration int
	Stop      func()
	seen      []bigmkl.Event
}

func (s *StopAt) Record(e bigmkl.Event) error {
	if s.seen = append(s.seen, e); e.Iteration == s.Iteration {
		s.Stop()
	}
	return nil
}
