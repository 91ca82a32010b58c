package report

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/host"
	"bigmkl/internal/train"
)

// Iteration is a line of a trace: an iteration of a training. Numbers that are not finite are null. The
// keys are a file format and stay as they are, also the older word machine.
type Iteration struct {
	// Classifier is the classifier in training from 0, and Fold the fold that is left out, 0 for
	// none.
	Classifier int `json:"machine"`
	Fold       int `json:"fold"`
	Iteration  int `json:"iteration"`
	// Primal and Dual are the sides of the certificate, Gap is the relative gap, and Target the one
	// to reach.
	Primal *float64 `json:"primal"`
	Dual   *float64 `json:"dual"`
	Gap    *float64 `json:"gap"`
	Target float64  `json:"target"`
	// Active counts the kernels that have a weight, of Kernels.
	Active  int `json:"active"`
	Kernels int `json:"kernels"`
	// Theta holds the weights of the kernels. It is missing where they are more than MostTraced.
	Theta []float64 `json:"theta,omitempty"`
	// Rows and Passes count the kernel rows that were used and the passes over the points.
	Rows   int64 `json:"rows"`
	Passes int64 `json:"passes"`
	// Hits and Misses count rows that the cache had and had not. CacheBytes and DiskBytes are
	// the sizes of the cache in memory and on disk.
	Hits       int64 `json:"cache_hits"`
	Misses     int64 `json:"cache_misses"`
	CacheBytes int64 `json:"cache_bytes"`
	DiskBytes  int64 `json:"cache_disk_bytes"`
	// Memory is the anonymous memory of the process in bytes.
	Memory int64 `json:"memory_bytes"`
	// Seconds is the time since the data were read.
	Seconds float64 `json:"seconds"`
	Warning string  `json:"warning,omitempty"`
}

// Recorder writes a trace: each iteration as one line of JSON, as soon as it has ended, so a run that
// is killed leaves all lines but perhaps a part of the last. JSON lines can be read while the run goes
// on, by tail or by report.
type Recorder struct {
	// To is where the lines go.
	To io.Writer
	// Next also gets every iteration. It may be nil.
	Next train.Recorder
}

// Record writes a line. An error of the file ends the run.
func (r *Recorder) Record(e train.Event) error {
	known := func(x float64) *float64 {
		if !float.Finite(x) {
			return nil
		}
		return &x
	}
	b, err := json.Marshal(Iteration{
		Classifier: e.Classifier, Fold: e.Fold, Iteration: e.Iteration, Primal: known(e.Primal), Dual: known(e.Dual),
		Gap: known(e.Gap), Target: e.Target, Active: e.Active, Kernels: e.Kernels, Rows: e.Rows, Passes: e.Passes,
		Hits: e.Cache.Hits, Misses: e.Cache.Misses, CacheBytes: e.Cache.RAMBytes, DiskBytes: e.Cache.DiskBytes,
		Memory: host.RSSAnon(), Seconds: e.Elapsed.Seconds(), Warning: e.Warning, Theta: tracedWeights(e.Theta),
	})
	if err != nil {
		return err
	}
	// One write for each line: a run that is killed leaves at most one broken line, the last.
	if _, err := r.To.Write(append(b, '\n')); err != nil {
		return err
	}
	if r.Next == nil {
		return nil
	}
	return r.Next.Record(e)
}

// MostTraced is the number of kernels up to which a line of a trace has their weights.
const MostTraced = 64

// tracedWeights returns the weights that a line has, nil for none.
func tracedWeights(theta []float64) []float64 {
	if len(theta) > MostTraced || slices.ContainsFunc(theta, func(x float64) bool { return !float.Finite(x) }) {
		return nil
	}
	return theta
}

// Trace is a trace that was read, thinned so that it takes bounded memory.
type Trace struct {
	// points are the iterations of the classifiers themselves, in order. Those of folds are
	// counted.
	points []Iteration
	folds  int
	total  int
	last   []Iteration // of each classifier
}

const (
	// mostIterations is the number of iterations of a trace that are kept. A chart draws 300 points of
	// a line, so this sample leaves enough for several classifiers.
	mostIterations = 1 << 14
	// mostLine is the length of a line of a trace. A line with 64 weights has about 2,000 letters.
	mostLine = 1 << 16
)

// ReadTrace reads what a Recorder wrote. A part of a line at the end, which a killed run leaves, is
// passed over; another line that is none of a trace is of class fail.Input. path is for messages.
func ReadTrace(r io.Reader, path string) (*Trace, error) {
	t := &Trace{}
	in := bufio.NewReaderSize(r, mostLine)
	stride, offset := 1, 0.
	for n := 1; ; n++ {
		// A line that does not fit the buffer gives an error here, so a file of another kind takes no
		// memory.
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			break // The text after the last end of a line is a part of a line.
		}
		if err != nil && err != bufio.ErrBufferFull {
			return nil, fail.New(fail.Input, "cannot read: %w", err).At(path, n, 0)
		}
		var i Iteration
		if e := json.Unmarshal(line, &i); err != nil || e != nil || i.Kernels < 1 || i.Classifier < 0 ||
			i.Theta != nil && len(i.Theta) != i.Kernels || t.last != nil && i.Kernels != t.last[0].Kernels {
			return nil, fail.New(fail.Input, "not a line of a trace").At(path, n, 0).
				WithHint("train --trace FILE writes one")
		}
		// Trainings of folds for probabilities or calibration have other rows, so their gaps do not
		// belong in the chart.
		if i.Fold > 0 {
			t.folds++
			continue
		}
		t.undo(&i)
		// The clock of a continued run begins again. Its seconds are counted on from the last line
		// before.
		if n := len(t.last); n > 0 && i.Seconds+offset < t.last[n-1].Seconds {
			offset = t.last[n-1].Seconds - i.Seconds
		}
		i.Seconds += offset
		if t.last == nil || t.last[len(t.last)-1].Classifier != i.Classifier {
			t.last = append(t.last, i)
		}
		t.last[len(t.last)-1] = i
		if t.total++; (t.total-1)%stride != 0 {
			continue
		}
		t.points = append(t.points, i)
		if len(t.points) == mostIterations {
			// Thinning keeps every 2^k-th iteration, so points stay evenly spaced whatever the length
			// of the trace is.
			t.points, stride = everySecond(t.points), 2*stride
		}
	}
	if t.total == 0 {
		return nil, fail.New(fail.Input, "the trace has no iterations").At(path, 0, 0)
	}
	return t, nil
}

// undo drops the iterations that do not come before this one. A run that is continued after it was
// killed does those again that came after its checkpoint. Its time begins again, so ReadTrace
// counts it on from the last iteration that is left.
func (t *Trace) undo(i *Iteration) {
	before := func(a *Iteration) bool {
		return a.Classifier < i.Classifier || a.Classifier == i.Classifier && a.Iteration < i.Iteration
	}
	for n := len(t.points); n > 0 && !before(&t.points[n-1]); n-- {
		t.points = t.points[:n-1]
	}
	for n := len(t.last); n > 0 && t.last[n-1].Classifier > i.Classifier; n-- {
		t.last = t.last[:n-1]
	}
}

// classifiers returns the iterations classifier by classifier. Each has its last one. The last
// iteration may have been dropped by thinning. It is added again, because it shows the gap that was
// reached.
func (t *Trace) classifiers() (list [][]Iteration) {
	next := 0
	for _, last := range t.last {
		from := next
		for next < len(t.points) && t.points[next].Classifier == last.Classifier {
			next++
		}
		of := slices.Clip(t.points[from:next])
		if n := len(of); n == 0 || of[n-1].Iteration != last.Iteration {
			of = append(of, last)
		}
		list = append(list, of)
	}
	return list
}
