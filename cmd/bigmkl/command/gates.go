package command

import (
	"bufio"
	"fmt"
	"strconv"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/host"
	"bigmkl/internal/model"
)

// gateFigures are the means of the gates of predicted rows.
type gateFigures struct {
	// sums has the sum of each gate over the rows, and active the sum of the active kernels over rows
	// and sets.
	rows   int
	sums   []float64
	active float64
	used   []int // for each gate, the kernels behind it that have a weight
	sets   int   // classifiers that have gates of their own, 1 if they are the same for all
}

// activeFrom is the least gate with which a kernel counts as active at a row. A smaller gate changes a
// decision value by less than a thousandth of the kernel's part. A gate of softmax or sigmoid is never
// 0, so a threshold is needed.
const activeFrom = 1e-3

// newGateFigures returns nil for a model without gates.
func newGateFigures(m *model.Model) *gateFigures {
	g := m.Family.Gates()
	if g == nil {
		return nil
	}
	// A region has one gate for its kernels. Other kinds have one for each kernel or copy.
	gates := g.Count(m.Len())
	all := gates * g.Sets()
	r := &gateFigures{sums: make([]float64, all), used: make([]int, all), sets: g.Sets()}
	// of[k] is the gate of kernel k.
	of, err := m.Expansion().GateOfEach(host.Budget())
	if err != nil {
		return r // The prediction meets the same error, and reports it.
	}
	for set := range r.sets {
		theta := m.Theta
		switch {
		case r.sets > 1:
			theta = m.Classifiers[set].Theta
		case m.Several():
			theta = m.Shared() // the largest weight that a kernel has in any classifier
		}
		for k, x := range theta {
			// A kernel without a weight takes no part in a decision, however open its gate is.
			if x > 0 {
				r.used[set*gates+int(of[k])]++
			}
		}
	}
	return r
}

// add takes the gates of a row.
// The gates of all sets follow each other: set, then gate.
func (g *gateFigures) add(gates []float64) {
	g.rows++
	for k, x := range gates {
		g.sums[k] += x
		if x >= activeFrom {
			g.active += float64(g.used[k])
		}
	}
}

// gatesJSON describes how far the gates of the predicted rows were open.
type gatesJSON struct {
	// Mean has the mean of each gate: one for each region, or one for each kernel. If each classifier
	// has learned its own gates, the gates of the first classifier come first.
	Mean []number `json:"mean"`
	// ActiveKernels is the mean number of kernels with a weight whose gate is 1e-3 at least, over the
	// classifiers, too, where each has gates of its own.
	ActiveKernels number `json:"active_kernels"`
}

// json returns the figures of all rows.
// Without rows all means are not numbers, which become null.
func (g *gateFigures) json() gatesJSON {
	n := float64(g.rows)
	j := gatesJSON{Mean: make([]number, len(g.sums)), ActiveKernels: number(g.active / n / float64(g.sets))}
	for k, x := range g.sums {
		j.Mean[k] = number(x / n)
	}
	return j
}

// gateWriter writes the gates of predicted rows, a line for each row. A nil writer accepts all calls
// and writes nothing, so callers need not know whether --gates-out was given.
type gateWriter struct {
	// line is the buffer of a row, which all rows share.
	file *atomicfile.File
	out  *bufio.Writer
	line []byte
}

// newGateWriter begins a file, or returns nil without a path.
func newGateWriter(path string) (*gateWriter, error) {
	if path == "" {
		return nil, nil
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &gateWriter{file: f, out: bufio.NewWriterSize(f, 1<<16)}, nil
}

// add writes the gates of a row with all of their digits. A reader can thus compute the same decision
// values again.
func (w *gateWriter) add(gates []float64) error {
	if w == nil {
		return nil
	}
	w.line = w.line[:0]
	for _, x := range gates {
		w.line = append(strconv.AppendFloat(w.line, x, 'g', -1, 64), ' ')
	}
	// The last blank becomes the end of the line.
	if n := len(w.line); n > 0 {
		w.line[n-1] = '\n'
	}
	_, err := w.out.Write(w.line)
	return err
}

// commit gives the file its name.
func (w *gateWriter) commit() error {
	if w == nil {
		return nil
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	return w.file.Commit()
}

// abort discards a file that was not committed.
// After commit it does nothing, so it can be deferred.
func (w *gateWriter) abort() {
	if w != nil {
		w.file.Abort()
	}
}

// describeGates describes the gates of a model in a line. It returns "" if there are none.
func describeGates(m *model.Model) string {
	g := m.Family.Gates()
	switch {
	case g == nil:
		return ""
	case g.Kind == model.GatesFixed:
		return "fixed, one for each kernel; predict and verify take those of their rows from --gates"
	}
	// The features of the gates need not be the features of the kernels.
	on := "all features"
	if g.On != "" {
		on = "features " + shorten(g.On, 60)
	}
	if g.Components() > 0 {
		on = count(g.Components(), "principal component")
	}
	if g.Learned() {
		return describeLearned(g, on)
	}
	return fmt.Sprintf("%s of %s, spreads %s; kernels %d-%d are those of the first",
		count(g.Regions, "region"), on, shorten(formatNumbers(g.Spreads), 100), 1, m.Len()/g.Regions)
}
