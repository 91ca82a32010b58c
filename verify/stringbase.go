package verify

import "bigmkl/kernelspec"

// fillStrings computes the values of a string kernel, which are its base. The words of a row are
// counted once and looked up for every support vector. The values of support vectors with
// themselves are needed for the spherical normalisation alone.
func (w *bases) fillStrings(g *group, rows []row, lo, hi int) {
	t, k := hi-lo, g.one
	x := make([][]uint8, len(rows))
	for r := range rows {
		x[r] = readLetters(nil, rows[r].x, g.features)
	}
	var z []uint8
	if k.Kind == kernelspec.WeightedDegree {
		d := newWeightedDegree(k)
		for r := range x {
			w.selfX[r] = d.evaluate(x[r], x[r])
		}
		for s := range t {
			z = readLetters(z, w.m.Vector(lo+s), g.features)
			for r := range x {
				w.base[r*t+s] = d.evaluate(x[r], z)
			}
			if g.spherical {
				w.selfZ[s] = d.evaluate(z, z)
			}
		}
		return
	}
	// The spectrum kernel is the inner product of the counts of words.
	v := newVocabulary(k, w.m.Sequences)
	counts := make([]wordCounts, len(x))
	var words []uint64
	for r := range x {
		words = v.listWords(words, x[r])
		counts[r] = v.countWords(words)
		w.selfX[r] = counts[r].sumOver(words)
	}
	for s := range t {
		z = readLetters(z, w.m.Vector(lo+s), g.features)
		words = v.listWords(words, z)
		for r := range x {
			w.base[r*t+s] = counts[r].sumOver(words)
		}
		if g.spherical {
			c := v.countWords(words)
			w.selfZ[s] = c.sumOver(words)
		}
	}
}
