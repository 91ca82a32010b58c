package command

import (
	"context"
	"io"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/evaluate/score"
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

// writeLines predicts the rows and writes the cells of each of them, as lines of text or as a table.
func (p *predictCommand) writeLines(ctx context.Context, m *bigmkl.Model, src dataset.Source,
	to io.Writer) (*score.Score, error) {
	// Left is called with the bytes of the budget that remain for the decision values in the score. The AUC
	// needs all of them in order.
	s, o := score.New(&m.Model), p.options
	o.Left = s.Keep
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
	out, src := p.newFormat(&m.Model, src, to)
	line := &cells{}        // One buffer serves all rows.
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
		p.fill(line, &m.Model, &row)
		return out.write(line)
	})
	if err == nil {
		err = out.flush()
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
