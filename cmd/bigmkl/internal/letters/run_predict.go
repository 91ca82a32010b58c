package letters

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/libsvm"
	"bigmkl/predict"
)

// predictRun is one run of svm-predict. The order of the files is data, model, result, as in
// svm-predict.
type predictRun struct {
	*Process
	quiet, probability bool
	data, model, out   string
}

// runPredict is svm-predict.
// It returns a usage error for a wrong command line, and the fault of a file otherwise.
func runPredict(ctx context.Context, p *Process, args []string) error {
	r, err := parsePredict(p, args)
	if err != nil {
		return err
	}
	// The result must not replace the data or the model.
	if err := p.Check(r.out, r.data, r.model); err != nil {
		return err
	}
	defer p.LimitHeap()()
	// The model is a file of LIBSVM, which has the support vectors as rows. A model of bigmkl has another
	// format.
	m, err := libsvm.Load(r.model)
	if err != nil {
		return err
	}
	// Probabilities need the sigmoids of svm-train -b 1.
	// The decider turns decision values into labels and probabilities. It needs only the head of the model.
	d := newDecider(&m.Head)
	if r.probability && !d.hasProbabilities() {
		return fail.New(fail.Usage, "the model does not support probability estimates").At(r.model, 0, 0).
			WithHint("svm-train -b 1")
	}
	// Scripts that read the output of svm-predict expect this line.
	if !r.probability && d.hasProbabilities() && m.Pairs() > 0 {
		r.say("Model supports probability estimates, but disabled in prediction.\n")
	}
	// The rows stream, and the model alone is in memory.
	src, err := dataset.Open([]string{r.data}, readOptions)
	if err != nil {
		return err
	}
	defer src.Close()
	return r.run(ctx, m, d, src)
}

// parsePredict reads the command line.
func parsePredict(p *Process, args []string) (*predictRun, error) {
	r := &predictRun{Process: p}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		// -q has no value, and -b has one.
		switch name := args[0]; {
		case name == "-q":
			r.quiet, args = true, args[1:]
			continue
		case name != "-b":
			return nil, usage(NamePredict, "unknown option: %s", name)
		case len(args) == 1:
			return nil, usage(NamePredict, "%s has no value", name)
		}
		// LIBSVM reads -b with atoi, so a number other than 0 asks for probabilities.
		v := value{program: NamePredict, name: "-b", text: args[1]}
		n := v.integer()
		if v.err != nil {
			return nil, v.err
		}
		r.probability, args = n != 0, args[2:]
	}
	// The message names the three files in their order.
	if len(args) != 3 {
		return nil, usage(NamePredict, "%d files, where the data, the model and the result are to be named", len(args))
	}
	// All three files are required. There is no default for the result, as svm-predict has none.
	r.data, r.model, r.out = args[0], args[1], args[2]
	return r, nil
}

// say prints unless the run is quiet.
func (r *predictRun) say(format string, args ...any) error {
	if r.quiet {
		return nil
	}
	_, err := fmt.Fprintf(r.Stdout, format, args...)
	return err
}

// run predicts the rows and writes the file, a line for each row. The figures at the end come
// from the labels in the data, which svm-predict requires. No rows are kept.
func (r *predictRun) run(ctx context.Context, m *libsvm.Model, d *decider, src *dataset.Reader) error {
	// The predictor computes decision values with the kernels of this library.
	p, err := newPredictor(m)
	if err != nil {
		return err
	}
	// sums accumulates what the mean squared error and the correlation need. right counts equal labels.
	sums, right := moments{}, 0
	// The probabilities of a regression are one sentence, and not numbers in each line.
	if r.probability && m.IsRegression() {
		if err := r.say("%s", laplaceText(&m.Head)); err != nil {
			return err
		}
	}
	err = r.write(r.out, func(w io.Writer) error {
		// A line has a few letters, so a buffer saves most of the system calls.
		out := bufio.NewWriterSize(w, 1<<16)
		if r.probability {
			out.WriteString(probabilityHead(&m.Head))
		}
		var line []byte
		err := p.decide(ctx, &targeted{src}, predict.Options{Heap: r.Heap}, func(target float64, values []float64) error {
			var v float64
			if r.probability && !m.IsRegression() {
				// each has a probability for each label, in the order of the head line.
				var each []float64
				v, each = d.probabilities(values)
				line = strconv.AppendFloat(line[:0], v, 'g', 6, 64)
				for _, x := range each {
					line = strconv.AppendFloat(append(line, ' '), x, 'g', 6, 64)
				}
			} else {
				v = d.predict(values)
				// A prediction has all digits, and probabilities six, as in LIBSVM.
				line = strconv.AppendFloat(line[:0], v, 'g', 17, 64)
			}
			// Labels of classes are integers, so equality is exact.
			if sums.add(v, target); v == target {
				right++
			}
			_, err := out.Write(append(line, '\n'))
			return err
		})
		if err != nil {
			return err
		}
		return out.Flush()
	})
	if err != nil {
		return err
	}
	// A model of one class predicts 1 or -1, so its figure is the accuracy.
	if m.IsRegression() {
		if r.quiet {
			return nil
		}
		return sums.printMoments(r.Stdout, "Mean squared error = %.6g (regression)\nSquared correlation coefficient = %.6g (regression)\n")
	}
	// Scripts read this line, so its words and its format stay.
	return r.say("Accuracy = %.6g%% (%d/%d) (classification)\n", 100*float64(right)/float64(sums.rows), right, sums.rows)
}

// probabilityHead is the line above the probabilities. The order of the columns is the order of the
// labels in the model, which need not be sorted.
func probabilityHead(h *libsvm.Head) string {
	switch {
	case h.IsRegression():
		return ""
	case h.Type == libsvm.OneClass:
		return "label normal outlier\n"
	}
	// The line begins with this word, which no label can be: labels are integers.
	line := "labels"
	// The program of LIBSVM writes the same line.
	for _, l := range h.Labels {
		line += " " + strconv.Itoa(int(l))
	}
	return line + "\n"
}

// targeted rejects rows without a label. svm-predict reads a label in each line, and its accuracy would
// be wrong without one.
type targeted struct{ dataset.Source }

// Next implements dataset.Source.
func (t *targeted) Next() (dataset.Row, error) {
	row, err := t.Source.Next()
	if err == nil {
		// The fault has the place of the row in its file.
		err = hasTarget(&row)
	}
	return row, err
}
