package train

import (
	"cmp"

	"bigmkl/chunking"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// restoreClassifiers returns the classifiers that the last checkpoint holds as finished, or none of
// them finished if there is no checkpoint to resume from. The numbers in a checkpoint are claims:
// all lengths and rows are checked before they are used.
func (c *checkpoints) restoreClassifiers(r *run, d *decomposition) (*finished, error) {
	// The checkpoint stays open: the solver of the first unfinished classifier resumes from it.
	last, err := c.findLast(r)
	if err != nil {
		return nil, err
	}
	if last == nil {
		return &finished{Classifiers: len(d.pairs), Status: chunking.Converged}, nil
	}
	var w saved
	if err := readJSON(last, sectionState, &w); err != nil {
		return nil, err
	}
	damaged := fail.New(fail.Corrupt, "the classifiers of the checkpoint do not fit together")
	// One classifier at least is unfinished: the state of the solver is that classifier's.
	if w.Finished == nil || w.Finished.Classifiers != len(d.pairs) ||
		len(w.Finished.Kinds) >= len(d.pairs) {
		return nil, damaged
	}
	n := numbers{from: last}
	scalars, counts := n.floats(sectionClassifierNumbers), n.integers(sectionClassifierCounts)
	theta, norms := n.floats(sectionClassifierTheta), n.floats(sectionClassifierNorms)
	alpha, support := n.floats(sectionClassifierAlpha), n.integers(sectionClassifierSupport)
	if n.err != nil {
		return nil, n.err
	}
	done, kernels := len(w.Finished.Kinds), r.Kernels.Len()
	if len(scalars) != 4*done || len(counts) != 2*done || len(theta) != done*kernels ||
		len(norms) != done*kernels || len(alpha) != len(support) {
		return nil, damaged
	}
	if w.Finished.Roundings == nil { // in checkpoints of older versions
		w.Finished.Roundings = make([]float64, done)
	}
	if len(w.Finished.Roundings) != done {
		return nil, damaged
	}
	for k, kind := range w.Finished.Kinds {
		size := int(counts[2*k+1])
		if size < 0 || size > len(alpha) {
			return nil, damaged
		}
		x := scalars[4*k:]
		w.Finished.done = append(w.Finished.done, model.Classifier{
			Positive: d.pairs[k][0], Negative: d.pairs[k][1], Double: counts[2*k] == 1,
			Theta:  theta[k*kernels : (k+1)*kernels],
			WNorms: norms[k*kernels : (k+1)*kernels],
			Bias:   x[0],
			Certificate: model.Certificate{
				Kind: kind, Primal: x[1], Dual: x[2], RelativeGap: x[3],
				Rounding: w.Finished.Roundings[k],
			},
			Alpha: alpha[:size], Support: support[:size],
		})
		for _, i := range support[:size] {
			if i < 0 || int(i) >= r.Store.Len() {
				return nil, damaged
			}
		}
		alpha, support = alpha[size:], support[size:]
	}
	if !w.Finished.recallGates(r.gates, &n) {
		return nil, cmp.Or(n.err, error(damaged))
	}
	return w.Finished, nil
}

// recallGates reads the parameters of the gates that the finished classifiers have learned. It
// returns false if they are not those of gates like g, which is nil for kernels without gates.
func (f *finished) recallGates(g *gates, from *numbers) bool {
	if g == nil || g.learned == nil || f.count() == 0 {
		return true
	}
	parameters, descents := from.floats(sectionClassifierGates), from.floats(sectionClassifierDescents)
	f.gates = model.ClassifiersOfGates(descents, parameters)
	return from.err == nil && len(f.gates) == f.count() &&
		len(parameters) == f.count()*len(g.learned.Parameters)
}
