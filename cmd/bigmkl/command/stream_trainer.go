package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// trainer returns a new trainer, or the trainer whose state is in the folder of --checkpoint. It has
// the window and the refreshes of the flags.
func (t *streamFlags) trainer(ctx context.Context, o bigmkl.Options) (*bigmkl.Trainer, error) {
	tr, err := t.open(ctx, o)
	if err == nil {
		err = cmp.Or(tr.Window(t.window), tr.RefreshEvery(t.refresh))
	}
	if err != nil && tr != nil {
		tr.Close()
		return nil, err
	}
	return tr, err
}

// open makes the trainer.
func (t *streamFlags) open(ctx context.Context, o bigmkl.Options) (*bigmkl.Trainer, error) {
	folder, resume := o.Checkpoint, o.Resume
	// The command sees to all of these.
	//
	// The trainer would apply them to each batch.
	o.Checkpoint, o.Resume, o.Limit, o.MaxTime = "", false, 0, 0
	if t.from != "" {
		return bigmkl.ContinueTrainer(ctx, t.model, o)
	}
	if folder == "" {
		return bigmkl.NewTrainer(o)
	}
	tr, err := bigmkl.ResumeTrainer(ctx, folder, o)
	if err != nil {
		return nil, err
	}
	// Without --resume a new stream begins, which would overwrite the state of the other one.
	if !resume && !tr.Empty() {
		tr.Close()
		return nil, fail.New(fail.Usage, "the folder holds a stream").At(folder, 0, 0).
			WithHint("--resume goes on with it; for another stream name another folder")
	}
	return tr, nil
}

// trainerSaver saves the trainer of a stream from time to time. A state has the rows of the window, so
// saving after each batch would write the same rows again and again.
type trainerSaver struct {
	folder string // "" for nowhere
	every  time.Duration
	saved  time.Time // when that was done last
}

// defaultSaving is the time between two states of a trainer.
const defaultSaving = 5 * time.Minute

// newTrainerSaver returns a saver to the folder of checkpoints, as if it had just saved.
func newTrainerSaver(o *bigmkl.Options) *trainerSaver {
	every := o.CheckpointEvery
	if every == 0 {
		every = defaultSaving
	}
	return &trainerSaver{o.Checkpoint, every, time.Now()}
}

// save saves the trainer if there is a folder and the interval has passed, or must is set, after so many models. An
// interrupt leaves it the time for that. A state that cannot be saved is a warning, which is returned,
// else "": the state before it still exists, and the models are written.
func (s *trainerSaver) save(ctx context.Context, tr *bigmkl.Trainer, models int, must bool) (warning string) {
	if s.folder == "" || tr.Empty() || !must && s.every != bigmkl.Zero && time.Since(s.saved) < s.every {
		return ""
	}
	// The time is noted before the saving: a disk that fails is tried again after the interval and not
	// after every batch.
	s.saved = time.Now()
	// A context that has ended would keep the last state from being saved.
	if err := tr.Save(context.WithoutCancel(ctx), s.folder); err != nil {
		return fmt.Sprintf("the state after %s could not be saved: %v", count(models, "model"), err)
	}
	return ""
}

// batch is the next rows of a source: one that has been read, and those behind it. The first row has
// been read to find out whether the data have ended.
type batch struct {
	dataset.Source
	first *dataset.Row
	left  int
}

// Next returns the next row, or io.EOF behind the last of the batch.
func (b *batch) Next() (dataset.Row, error) {
	if b.left == 0 {
		return dataset.Row{}, io.EOF
	}
	b.left--
	if b.first != nil {
		row := *b.first
		b.first = nil
		return row, nil
	}
	return b.Source.Next()
}
