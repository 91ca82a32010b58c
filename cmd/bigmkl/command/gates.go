package command

import (
	"bufio"
	"fmt"
	"strconv"

	"bigmkl/gating"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/host"
	"bigmkl/model"
)

// defineGateFlags defines the flags for gates of kernels.
func (t *trainCommand) defineGateFlags(f *flags) {
	f.StringVar(&t.options.Gating, "gating", "",
		"gates of kernels, as `GATES`: softmax, sigmoid or gauss, which are learned; regions:R, each kernel once in each of R regions of the data; or fixed:FILE, an .npy file of rows x kernels; --norm is then 2 unless given")
	f.StringVar(&t.options.GateOn, "gate-on", "",
		"features that the gates of --gating look at, as `WHAT` behind the @ of a kernel: a view, 1-76 or 3+17, or pca:R for principal components; or kernel:SPEC*L, the values of a kernel with L of the rows, of any data (default: all features)")
	add(f, &t.options.GateTol, "gate-tol", "T", "1e-2", parseGap,
		"gates, or a projection, have converged where the slope of the objective is no longer than this part of it and the last step has lowered it by less than a tenth of that")
	add(f, &t.options.GateSteps, "gate-steps", "N", "500", parseLimit,
		"largest number of steps of a descent of gates, or of a projection; reached before --gate-tol, the exit code is 4")
	add(f, &t.options.Starts, "starts", "R", "1", parseLimit,
		"number of descents of gates, or of a projection, from different starts, of which the lowest stays")
	add(f, &t.options.GateDecay, "gate-decay", "L", "0", parseWeight,
		"add L/2 times the objective at the start times the squared weights of gates, which keeps gates from hardening without end; at most 1e50")
	add(f, &t.options.GateFloor, "gate-floor", "F", "0", parseFloor,
		"close gates below F, in [0, 1), at the end and solve the classifier once more; predictions do not compute what is closed")
	f.BoolVar(&t.options.OneGate, "one-gate", false,
		"learn one set of gates, or one projection as in --kernels 'proj(gauss:0.5,2)', for all classifiers of --multiclass")
}

// checkGateFlags finds flags that make no sense beside gates.
func (t *trainCommand) checkGateFlags(f *flags, faults *usageFaults) {
	s, err := gating.Parse(t.options.Gating)
	if err != nil {
		return // Validate reports it.
	}
	faults.require(s.Kind != gating.KindFixed || t.test == "",
		"predict --gates F takes the gates of other rows",
		"--test has no gates for its rows with --gating fixed:FILE")
	t.gateFile = s.File
	for _, name := range learnedFlags {
		faults.require(s.Learned() || projects(t.options.Kernels) || !f.Changed(name),
			"--gating softmax, sigmoid or gauss",
			"--%s is for gates that are learned, and for projections", name)
	}
}

// learnedFlags names the flags of gates that are learned whose values do not show that they were given.
var learnedFlags = []string{"gate-tol", "gate-steps", "starts"}

// gateFigures are the means of the gates of predicted rows.
type gateFigures struct {
	rows   int
	sums   []float64
	active float64
	used   []int // for each gate, the kernels behind it that have a weight
	sets   int   // classifiers that have gates of their own, 1 if they are the same for all
}

// activeFrom is the least gate with which a kernel counts as active at a row.
const activeFrom = 1e-3

// newGateFigures returns nil for a model without gates.
func newGateFigures(m *model.Model) *gateFigures {
	g := m.Gates()
	if g == nil {
		return nil
	}
	gates := g.Count(m.Len())
	all := gates * g.Sets()
	r := &gateFigures{sums: make([]float64, all), used: make([]int, all), sets: g.Sets()}
	of, err := m.GateOfEach(host.Budget())
	if err != nil {
		return r // The prediction meets the same error, and says so.
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
			if x > 0 {
				r.used[set*gates+int(of[k])]++
			}
		}
	}
	return r
}

// add takes the gates of a row.
func (g *gateFigures) add(gates []float64) {
	g.rows++
	for k, x := range gates {
		g.sums[k] += x
		if x >= activeFrom {
			g.active += float64(g.used[k])
		}
	}
}

// gatesJSON says how far the gates of the predicted rows were open.
type gatesJSON struct {
	// Mean has the mean of each gate: one for each region, or one for each kernel. Those of classifiers
	// that have learned their own are one behind the other.
	Mean []number `json:"mean"`
	// ActiveKernels is the mean number of kernels with a weight whose gate is 1e-3 at least, over the
	// classifiers, too, where each has gates of its own.
	ActiveKernels number `json:"active_kernels"`
}

// json returns the figures of all rows.
func (g *gateFigures) json() gatesJSON {
	n := float64(g.rows)
	j := gatesJSON{Mean: make([]number, len(g.sums)), ActiveKernels: number(g.active / n / float64(g.sets))}
	for k, x := range g.sums {
		j.Mean[k] = number(x / n)
	}
	return j
}

// gateWriter writes the gates of predicted rows, a line for each row.
type gateWriter struct {
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

// add writes the gates of a row with all of their digits.
func (w *gateWriter) add(gates []float64) error {
	if w == nil {
		return nil
	}
	w.line = w.line[:0]
	for _, x := range gates {
		w.line = append(strconv.AppendFloat(w.line, x, 'g', -1, 64), ' ')
	}
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
func (w *gateWriter) abort() {
	if w != nil {
		w.file.Abort()
	}
}

// describeGates describes the gates of a model in a line. It returns "" if there are none.
func describeGates(m *model.Model) string {
	g := m.Gates()
	switch {
	case g == nil:
		return ""
	case g.Kind == model.GatesFixed:
		return "fixed, one for each kernel; predict and verify take those of their rows from --gates"
	}
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
