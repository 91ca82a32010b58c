package bits

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// digest hashes a model, and what it predicts of the unseen rows: labels, decision values and
// probabilities, both as their bits. The first model of the problem is verified, and predicts on several
// ranks; the others have to be the same.
func (p *problem) digest(t *testing.T, m *bigmkl.Model, o bigmkl.Options, prepared bool) digests {
	t.Helper()
	file := bigmkltest.Encoded(t, m)
	if p.verified++; p.verified <= len(p.names()) {
		p.verify(t, m)
		sameAgain(t, file)
	}
	h, count := sha256.New(), 0
	with := bigmkl.PredictOptions{
		Threads: o.Threads, Gram: p.gram, UserKernels: o.UserKernels, Probability: o.Folds > 0,
		Memory: p.o.Memory,
	}
	emit := func(r bigmkl.Prediction) error {
		fmt.Fprintf(h, "%q\n", r.Label)
		addBits(h, r.Decision)
		addBits(h, r.Decisions...)
		addBits(h, r.Probabilities...)
		count++
		return nil
	}
	if p.verified <= len(p.names()) {
		p.predictedOnRanks(t, m, with)
	}
	var err error
	if prepared && p.gram == nil {
		err = predictPrepared(t.Context(), m, p.unseen, with, emit)
	} else {
		err = m.Predict(t.Context(), datasettest.Stream(p.unseen), with, emit)
	}
	if err != nil || count != len(p.unseen) {
		t.Fatalf("%d predictions of %d rows: %v", count, len(p.unseen), err)
	}
	return digests{
		model:       fmt.Sprintf("%x", sha256.Sum256(file)),
		predictions: fmt.Sprintf("%x", h.Sum(nil)),
	}
}

// predictPrepared predicts rows by two calls of a model that was prepared.
func predictPrepared(ctx context.Context, m *bigmkl.Model, rows []dataset.Row, with bigmkl.PredictOptions,
	emit func(bigmkl.Prediction) error) error {
	p, err := m.Prepare(ctx, with)
	if err != nil {
		return err
	}
	half := len(rows) / 2
	if err := p.Predict(ctx, datasettest.Stream(rows[:half]), emit); err != nil {
		return err
	}
	return p.Predict(ctx, datasettest.Stream(rows[half:]), emit)
}

// verify holds a model to what it claims.
func (p *problem) verify(t *testing.T, m *bigmkl.Model) {
	t.Helper()
	if p.o.UserKernels != nil {
		bigmkltest.Verified(t, m, p.rows, p.o.UserKernels)
		return
	}
	if p.named != nil {
		bigmkltest.VerifiedObjects(t, m, p.rows, p.named)
		return
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows), p.matrices()...)
}

// sameAgain reads a model file, and writes it again as it was.
func sameAgain(t *testing.T, file []byte) {
	t.Helper()
	m, err := model.Decode(bytes.NewReader(file), int64(len(file)), "m")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bigmkltest.Encoded(t, &bigmkl.Model{Model: *m}), file) {
		t.Error("a model that was read is written in other bytes")
	}
}

// matrices are the files of the precomputed kernels of the training.
func (p *problem) matrices() []string {
	if p.gram == nil {
		return nil
	}
	var files []string
	for _, s := range strings.Split(p.o.Kernels, ",") {
		files = append(files, strings.TrimPrefix(s, "precomputed:"))
	}
	return files
}

// addBits hashes how many numbers there are, and their bits.
func addBits(h hash.Hash, list ...float64) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(list)))
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	h.Write(b)
}

// plans are the digests of the plan of the training, or of each on the path.
func (p *problem) plans(t *testing.T) []string {
	t.Helper()
	if p.path == nil {
		return []string{digestPlan(t, p.rows, p.o)}
	}
	var list []string
	for _, point := range p.path {
		o := p.o
		o.Norm, o.C = point.Norm, point.C
		list = append(list, digestPlan(t, p.rows, o))
	}
	return list
}

// digestPlan hashes the figures that the command plan --json prints, for two threads. It leaves out
// the forecasts of time, which are measured, and the free space of the disk. The figures are listed
// here and not encoded by their fields in Go, because a field may get another name.
func digestPlan(t *testing.T, rows []dataset.Row, o bigmkl.Options) string {
	t.Helper()
	o.Threads, o.Scratch = 2, t.TempDir()
	p, err := bigmkl.NewPlan(t.Context(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	fmt.Fprintln(h, p.Rows, p.Features, p.Nonzeros, p.Sparse, p.Kernels, p.Groups, p.WorkingSet)
	fmt.Fprintln(h, p.Classifiers, p.Time.Iterations)
	for _, s := range []*budget.Share{&p.Memory, &p.Disk} {
		fmt.Fprintln(h, s.Budget, s.Least, s.InCore, s.Ample, s.Gradients, s.Rows)
		for _, part := range s.Fixed {
			fmt.Fprintf(h, "%q %q %d\n", part.Name, part.Formula, part.Bytes)
		}
	}
	fmt.Fprintf(h, "%q %d %d\n", p.Checkpoints.Formula, p.Checkpoints.Bytes, p.Checkpoints.Most)
	return fmt.Sprintf("%x", h.Sum(nil))
}
