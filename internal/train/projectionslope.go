package train

import (
	"context"

	"bigmkl/internal/model"
)

// slope returns the slope of J by the matrices, in the tangent space of the matrices in use. It is
// the sum of the slopes of all classifiers.
func (t *trialTrainer) slope(ctx context.Context, made *trial) ([]float64, error) {
	if !t.space.projects() {
		return nil, nil
	}
	var g []float64
	var err error
	eachClassifier(made.model, func(m *model.Model) {
		own, e := t.slopeOf(ctx, made, m)
		switch {
		case e != nil:
			err = e
		case g == nil:
			g = own
		default:
			for k, s := range own {
				g[k] += s
			}
		}
	})
	if err != nil {
		return nil, err
	}
	made.matrices.Tangent(g)
	return g, nil
}

// slopeOf returns that of one classifier of a trial, which follows from its support vectors.
func (t *trialTrainer) slopeOf(ctx context.Context, made *trial, m *model.Model) (slope []float64, err error) {
	of, forms, d := t.space.projection(made.matrices), t.space.bank.Forms, t.rows.d
	floor := 0.0
	if made.closing {
		floor = t.options.Gating.Floor
	}
	gates, eta := t.space.gates.ofRow(made.parameters, floor), make([]float64, len(forms))
	blocks, index := of.Blocks(), t.rows.index()
	x := make([]float64, 0, len(m.Support)*d)
	row, z := make([]float64, of.Width()), make([][]float64, len(blocks))
	alpha := make([][]float64, len(blocks)) // with the gates of each kernel
	for s, i := range m.Support {
		features := t.rows.features(i)
		x = append(x, features...)
		of.Project(index, features, row)
		gates(row, eta)
		for k, b := range blocks {
			z[k] = append(z[k], row[b.First:][:b.Width]...)
			alpha[k] = append(alpha[k], m.Alpha[s]*eta[k])
		}
	}
	for k, f := range forms {
		part, err := f.Slope(ctx, d, x, z[k], alpha[k], m.Theta[k])
		if err != nil {
			return nil, err
		}
		slope = append(slope, part...)
	}
	return slope, nil
}
