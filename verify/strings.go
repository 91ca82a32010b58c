package verify

import (
	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
)

// This file evaluates string kernels letter by letter. A point is a sequence of codes, one for
// each feature: 0 where there is no letter, and the number of a letter from 1 otherwise. No word
// extends over a place without a letter, or over a gap between the features of a set.

// readLetters writes the codes of the point x to dst, at the features of a set or at all if it is
// nil. A gap between features of the set becomes a 0.
func readLetters(dst []uint8, x []float32, set []int32) []uint8 {
	dst = dst[:0]
	if set == nil {
		for _, v := range x {
			dst = append(dst, uint8(v))
		}
		return dst
	}
	for i, j := range set {
		if i > 0 && set[i-1]+1 != j {
			dst = append(dst, 0)
		}
		dst = append(dst, uint8(x[j]))
	}
	return dst
}

// vocabulary numbers the words of k letters for a spectrum kernel. A word counts for all words that
// differ from it in at most so many letters.
type vocabulary struct {
	k, mismatches int
	letters       uint64 // of the alphabet
	table         int    // the number of all words; 0 if it exceeds tableWords
}

// tableWords is the number of words up to which they are counted in a table of all; above it, a
// map of those that occur takes less.
const tableWords = 1 << 12

// newVocabulary returns the words of the spectrum kernel k over the alphabet a.
func newVocabulary(k *kernelspec.Kernel, a dataset.Alphabet) *vocabulary {
	v := &vocabulary{k: k.Degree, mismatches: int(k.Mismatches), letters: uint64(a.Last()), table: 1}
	for range v.k {
		if v.table *= int(v.letters); v.table > tableWords {
			v.table = 0
			break
		}
	}
	return v
}

// wordCounts states how often each word occurs in a sequence: in a table of all words, or in a map
// of those that occur.
type wordCounts struct {
	table []float64
	some  map[uint64]float64
}

// countWords returns how often each of the words occurs.
func (v *vocabulary) countWords(words []uint64) (c wordCounts) {
	if v.table > 0 {
		c.table = make([]float64, v.table)
		for _, word := range words {
			c.table[word]++
		}
		return c
	}
	c.some = make(map[uint64]float64, len(words))
	for _, word := range words {
		c.some[word]++
	}
	return c
}

// sumOver returns the inner product with the counts of another sequence, whose words are given
// one by one: the spectrum kernel.
func (c *wordCounts) sumOver(words []uint64) float64 {
	sum := 0.0
	if c.table != nil {
		for _, word := range words {
			sum += c.table[word]
		}
		return sum
	}
	for _, word := range words {
		sum += c.some[word]
	}
	return sum
}

// listWords writes the numbers of the words of the sequence x to dst, and of all words that
// differ from one of them in few enough letters.
func (v *vocabulary) listWords(dst []uint64, x []uint8) []uint64 {
	dst = dst[:0]
	for i := 0; i+v.k <= len(x); i++ {
		v.visitNeighbors(x[i:i+v.k], 0, v.mismatches, func(word uint64) { dst = append(dst, word) })
	}
	return dst
}

// visitNeighbors calls visit for each word that begins with the letters behind number and
// continues with rest, of which so many letters may differ. It visits nothing if a place without
// a letter is among them.
func (v *vocabulary) visitNeighbors(rest []uint8, number uint64, mismatches int, visit func(word uint64)) {
	for i, code := range rest {
		if code == 0 {
			return
		}
		if mismatches > 0 {
			for other := range uint8(v.letters) {
				if other != code-1 {
					v.visitNeighbors(rest[i+1:], number*v.letters+uint64(other), mismatches-1, visit)
				}
			}
		}
		number = number*v.letters + uint64(code-1)
	}
	visit(number)
}

// weightedDegree evaluates a weighted degree kernel: at each place it counts the words of 1 to
// degree letters that agree there, and with a shift also those that agree a few places apart.
type weightedDegree struct {
	shift int

	// weight[r] is the weight of the words that end at a place where the last r letters agree:
	// the sum over k = 1..r of beta_k = 2 (degree - k + 1) / (degree (degree + 1)).
	weight []float64
}

// newWeightedDegree returns the weighted degree kernel k.
func newWeightedDegree(k *kernelspec.Kernel) *weightedDegree {
	d := &weightedDegree{shift: int(k.Shift), weight: make([]float64, k.Degree+1)}
	all := float64(k.Degree) * float64(k.Degree+1) / 2
	for i := 1; i <= k.Degree; i++ {
		d.weight[i] = d.weight[i-1] + float64(k.Degree-i+1)/all
	}
	return d
}

// evaluate returns the kernel of two sequences. Words that agree s places apart count 1/(2(s+1)),
// in both directions.
func (d *weightedDegree) evaluate(x, z []uint8) float64 {
	sum := d.sumAligned(x, z)
	for s := 1; s <= d.shift; s++ {
		moved := 0.0
		if s < len(x) {
			moved += d.sumAligned(x[s:], z)
		}
		if s < len(z) {
			moved += d.sumAligned(x, z[s:])
		}
		sum += moved / (2 * float64(s+1))
	}
	return sum
}

// sumAligned returns the sum over the places of two sequences side by side.
func (d *weightedDegree) sumAligned(x, z []uint8) float64 {
	sum, run := 0.0, 0
	// run is the number of letters that agree up to this place. Runs longer than the degree count
	// as much as one of the degree.
	z = z[:min(len(x), len(z))]
	for i, c := range z {
		if run++; c != x[i] || c == 0 {
			run = 0
		}
		sum += d.weight[min(run, len(d.weight)-1)]
	}
	return sum
}
