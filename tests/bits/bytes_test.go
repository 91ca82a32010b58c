package bits

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"bigmkl"
	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/simd"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify/verifytest"
)

// A model is a function of the data and the options. The tests named SameBits compare two runs of
// one build with each other; this file compares a build with the builds before it. The table
// testdata/bytes.txt holds SHA-256 digests of models, of what they predict and of what the plan
// says, for the problems in bytesproblems_test.go and for each level of internal/simd. A change
// that only moves or renames code has to leave the table as it is. A change that is meant to change
// results writes the table again, level by level:
//
//	BIGMKL_SIMD=avx512 go test ./tests/bits -run TestBytes -update
//	BIGMKL_SIMD=avx2 go test ./tests/bits -run TestBytes -update
//	BIGMKL_SIMD=go go test ./tests/bits -run TestBytes -update
//
// The whole model file is hashed: it holds no time, no version of the program and no path but those
// that the options name. One kernel makes the bits depend on the make of the processor too: at
// level avx512, chi2 starts from VRCP14PS or VRCP14PD, whose results are specified up to a relative
// error only. The problems that have chi2 are "histograms" and "products".

// problem is one training, or one path of trainings, whose bytes are in the table.
type problem struct {
	name   string
	rows   []dataset.Row
	unseen []dataset.Row // the rows that are predicted
	o      bigmkl.Options
	path   []bigmkl.PathPoint // if not nil, Path trains one model for each point; each has its line
	from   *bigmkl.Options    // if not nil, the training starts from the model that these options give
	gram   []string           // files with the kernel values of the unseen rows, for precomputed kernels
	short  bool               // the limit of iterations ends the training above its gap
	spills bool               // points have to be left out of passes, and cached rows to go to disk
}

// TestBytes trains every problem with one thread and with two, and compares both with the table.
func TestBytes(t *testing.T) {
	switch {
	case runtime.GOARCH != "amd64":
		t.Skip("the table of bytes was recorded on amd64, and other architectures round otherwise")
	case !cpu.X86.HasAVX || !cpu.X86.HasFMA:
		t.Skip("this processor has no FMA, with which math.Exp rounds as in the table of bytes")
	case fuses(1+0x1p-30, 1-0x1p-30, -1):
		t.Skip("this build fuses products and sums, and the table was recorded with GOAMD64=v1")
	}
	level := simd.Level()
	t.Logf("level %s", level)
	table := readBytes(t)
	t.Chdir(t.TempDir()) // so that models name the files of precomputed kernels without a folder
	list := bytesProblems(t)
	got := map[cell]digests{}
	for i := range list {
		p := &list[i]
		t.Run(p.name, func(t *testing.T) {
			first, second := p.record(t, 1), p.record(t, 2)
			plans := p.plans(t)
			for k, name := range p.names() {
				at := cell{name, level}
				if first[k] != second[k] {
					t.Errorf("%s: %v with one thread, %v with two", name, first[k], second[k])
				}
				first[k].plan = plans[k]
				got[at] = first[k]
				if !*update {
					compareBytes(t, at, first[k], table)
				}
			}
		})
	}
	checkNames(t, list, table)
	if *update && !t.Failed() {
		for at, d := range got {
			table[at] = d
		}
		writeBytes(t, list, table)
	}
}

// fuses tells whether the compiler rounds x*y+z once, as it may with GOAMD64=v3. The conversion on
// the other side of the comparison forbids that.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != float64(x*y)+z }

// names are those of the lines of a problem: one, or one for each point of its path.
func (p *problem) names() []string {
	if p.path == nil {
		return []string{p.name}
	}
	var list []string
	for _, point := range p.path {
		list = append(list, fmt.Sprintf("%s at p=%.4g, C=%g", p.name, point.Norm, point.C))
	}
	return list
}

// record trains with so many threads and gives the digests of each model, but for its plan. The
// models of one thread are verified; those of two threads have to be the same.
func (p *problem) record(t *testing.T, threads int) []digests {
	t.Helper()
	o := p.o
	o.Threads = threads
	if p.from != nil {
		start := *p.from
		start.Memory, start.Disk = o.Memory, o.Disk
		o.Init, _ = bigmkltest.Converge(t, datasettest.Stream(p.rows), start)
	}
	if p.path == nil {
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(p.rows), o)
		if converged := r.Status == chunking.Converged; converged == p.short {
			gap := m.Certificate.RelativeGap
			t.Errorf("%s after %d iterations, gap %.3g", r.Status, r.Iterations, gap)
		}
		if s := r.Gradient.Cache; p.spills && (s.Spills == 0 || s.DiskHits == 0 || !bigmkltest.Slept(r)) {
			t.Errorf("no point was left out, or no row was spilled and read back: %+v", r.Gradient)
		}
		return []digests{p.digest(t, m, o)}
	}
	var list []digests
	o.Scratch = t.TempDir()
	emit := func(point bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
		if r.Status != chunking.Converged {
			t.Errorf("%+v: %s after %d iterations", point, r.Status, r.Iterations)
		}
		list = append(list, p.digest(t, m, o))
		return nil
	}
	if err := bigmkl.Path(t.Context(), datasettest.Stream(p.rows), o, p.path, emit); err != nil {
		t.Fatal(err)
	}
	return list
}

// digest hashes a model, and what it predicts of the unseen rows: labels, decision values and
// probabilities, both as their bits.
func (p *problem) digest(t *testing.T, m *bigmkl.Model, o bigmkl.Options) digests {
	t.Helper()
	switch {
	case o.Threads > 1:
	case o.UserKernels != nil:
		bigmkltest.Verified(t, m, p.rows, o.UserKernels)
	default:
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows), p.matrices()...)
	}
	h, count := sha256.New(), 0
	with := bigmkl.PredictOptions{
		Threads: o.Threads, Gram: p.gram, UserKernels: o.UserKernels, Probability: o.Folds > 0,
		Memory: o.Memory,
	}
	err := m.Predict(t.Context(), datasettest.Stream(p.unseen), with, func(r bigmkl.Prediction) error {
		fmt.Fprintf(h, "%q\n", r.Label)
		addBits(h, r.Decision)
		addBits(h, r.Decisions...)
		addBits(h, r.Probabilities...)
		count++
		return nil
	})
	if err != nil || count != len(p.unseen) {
		t.Fatalf("%d predictions of %d rows: %v", count, len(p.unseen), err)
	}
	return digests{
		model:       fmt.Sprintf("%x", sha256.Sum256(bigmkltest.Encoded(t, m))),
		predictions: fmt.Sprintf("%x", h.Sum(nil)),
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
// here and not encoded by their fields in Go, so that a field may get another name.
func digestPlan(t *testing.T, rows []dataset.Row, o bigmkl.Options) string {
	t.Helper()
	o.Threads, o.Scratch = 2, t.TempDir()
	p, err := bigmkl.NewPlan(context.Background(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	fmt.Fprintln(h, p.Rows, p.Features, p.Nonzeros, p.Sparse, p.Kernels, p.Groups, p.WorkingSet)
	fmt.Fprintln(h, p.Machines, p.Time.Iterations)
	for _, s := range []*budget.Share{&p.Memory, &p.Disk} {
		fmt.Fprintln(h, s.Budget, s.Least, s.InCore, s.Ample, s.Gradients, s.Rows)
		for _, part := range s.Fixed {
			fmt.Fprintf(h, "%q %q %d\n", part.Name, part.Formula, part.Bytes)
		}
	}
	fmt.Fprintf(h, "%q %d %d\n", p.Checkpoints.Formula, p.Checkpoints.Bytes, p.Checkpoints.Most)
	return fmt.Sprintf("%x", h.Sum(nil))
}
