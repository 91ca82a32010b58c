package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/model"
)

// writePredictions predicts the rows and writes their lines to the output file or to standard
// output. With --json and no output file it writes no lines. An output file gets its name after the
// last line. A reader never takes the first part of the predictions for all of them.
func (p *predictCommand) writePredictions(ctx context.Context, m *bigmkl.Model,
	src dataset.Source) (*score.Score, error) {
	// The report must not mix with the lines. If the lines take standard output, it goes to standard error.
	switch {
	case p.out == "" && p.json:
		return p.writeLines(ctx, m, src, io.Discard)
	case p.out == "" || isStandardOutput(p.out):
		return p.writeLines(ctx, m, src, p.stdout)
	}
	// The cleanup removes the unfinished file if a signal ends the process.
	p.cleanup.addTarget(p.out)
	f, err := atomicfile.Create(p.out)
	if err != nil {
		return nil, err
	}
	defer f.Abort()
	// An error leaves the loop before Commit, and Abort removes the unfinished file.
	s, err := p.writeLines(ctx, m, src, f)
	if err != nil {
		return nil, err
	}
	return s, f.Commit()
}

// writeLines predicts the rows and writes a line for each of them. A line has, in this order: the
// label, the decision value or all of them, probabilities, the region, and the survival curve. Scripts
// split lines at blanks, so no field may contain one.
func (p *predictCommand) writeLines(ctx context.Context, m *bigmkl.Model, src dataset.Source,
	to io.Writer) (*score.Score, error) {
	// Left is called with the bytes of the budget that remain for the decision values in the score. The AUC
	// needs all of them in order.
	s, o := score.New(&m.Model), p.options
	o.Left = s.Keep
	out := bufio.NewWriterSize(to, 1<<16)
	var line []byte
	// The line names the order of the probabilities, as the program of LIBSVM does.
	if p.options.Probability && m.Sigmoids != nil {
		fmt.Fprintf(out, "labels %s\n", strings.Join(score.ClassNames(&m.Model), " "))
	}
	if p.gatesOut != "" {
		p.cleanup.addTarget(p.gatesOut)
	}
	// Gates and projected features go to files of their own: a row has as many as there are kernels or
	// directions.
	gates, err := newGateWriter(p.gatesOut)
	if err != nil {
		return nil, err
	}
	// Abort has no effect after a commit.
	defer gates.abort()
	if p.projection != "" {
		p.cleanup.addTarget(p.projection)
	}
	// The rows pass through projected on their way to the prediction, so no second pass is needed.
	projected, err := projectedRows(m, src, p.projection, p.options.Memory)
	if err != nil {
		return nil, err
	}
	if projected != nil {
		defer projected.out.abort()
		src = projected
	}
	var weights [][]float64 // A .npy file begins with the number of rows, which is known at the end.
	// The function is called once for each row, in the order of the rows, whatever the number of threads
	// is.
	err = m.Predict(ctx, src, o, func(row bigmkl.Prediction) error {
		s.Add(row)
		if p.weightsOut != "" {
			weights = append(weights, slices.Clone(row.KernelWeights))
		}
		if p.gates != nil {
			p.gates.add(row.Gates)
			if err := gates.add(row.Gates); err != nil {
				return err
			}
		}
		if err := projected.write(row.Gates); err != nil {
			return err
		}
		// One buffer serves all lines. Nine digits tell all float32 values apart, and decisions
		// may have been computed in float32.
		line = line[:0]
		if row.Label != "" {
			line = append(append(line, row.Label...), ' ')
		}
		// Sets of labels and quantiles have no single decision, so a line always has all of them.
		if row.Decisions != nil && (p.allDecisions || m.Multiclass == model.MultiLabel || m.Multiclass == model.Quantiles) {
			for _, f := range row.Decisions {
				line = append(strconv.AppendFloat(line, f, 'g', 9, 64), ' ')
			}
		} else {
			line = append(strconv.AppendFloat(line, row.Decision, 'g', 9, 64), ' ')
		}
		// Six digits are more than the fit of a sigmoid determines. LIBSVM prints as many.
		for _, p := range row.Probabilities {
			line = append(strconv.AppendFloat(line, p, 'g', 6, 64), ' ')
		}
		if p.regions != nil {
			line = p.regions.append(line, &row)
		}
		if p.curves != nil {
			line = p.curves.append(line, &row)
		}
		// Every field ends with a blank, so the last blank becomes the end of the line.
		line[len(line)-1] = '\n'
		_, err := out.Write(line)
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return nil, err
	}
	// Files get their names only after all rows have been predicted.
	if projected != nil {
		if err := projected.out.commit(); err != nil {
			return nil, err
		}
	}
	// The width comes from the model, because a table without rows has no row to take it from.
	if p.weightsOut != "" {
		p.cleanup.addTarget(p.weightsOut)
		if err := writeTable(p.weightsOut, weights, m.Family.Mixture().Len()); err != nil {
			return nil, err
		}
	}
	return s, gates.commit()
}
