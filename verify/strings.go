package verify

import (
	"bigmkl/dataset"
	"bigmkl/kernelspec"
)

// String kernels, letter by letter. Words do not reach over places without a letter, nor over gaps of a feature set.

// spell gives the codes of a point at the positions of a set, 0 where there is no letter and in the gaps between positions.
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

// vocabulary is the words of k letters, and those that differ in at most so many.
type vocabulary struct {
	k, mismatches int
	letters       uint64 // of the alphabet
	table         int    // number of all words, if they are few
}

// tabled is the number of words up to which they are counted in a table.
const tableWords = 1 << 12

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

// wordCounts is how often a sequence has each word: a table of all, or those that there are.
type wordCounts struct {
	table []float64
	some  map[uint64]float64
}

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

// sum is the product with the counts of the words of another sequence.
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

// words lists the words of a sequence, as numbers, with all that differ from them in few enough letters.
func (v *vocabulary) listWords(dst []uint64, x []uint8) []uint64 {
	dst = dst[:0]
	for i := 0; i+v.k <= len(x); i++ {
		v.visitNeighbors(x[i:i+v.k], 0, v.mismatches, func(word uint64) { dst = append(dst, word) })
	}
	return dst
}

// near goes on from the first letters of a word, whose number is given, where so many letters may still differ.
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

// degree is a weighted degree kernel.
type weightedDegree struct {
	shift  int
	weight []float64 // of the words that end where the last so many letters agree: sum_k beta_k
}

func newWeightedDegree(k *kernelspec.Kernel) *weightedDegree {
	d := &weightedDegree{shift: int(k.Shift), weight: make([]float64, k.Degree+1)}
	all := float64(k.Degree) * float64(k.Degree+1) / 2
	for i := 1; i <= k.Degree; i++ {
		d.weight[i] = d.weight[i-1] + float64(k.Degree-i+1)/all
	}
	return d
}

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

// along sums over the places of two sequences side by side.
func (d *weightedDegree) sumAligned(x, z []uint8) float64 {
	sum, run := 0.0, 0
	z = z[:min(len(x), len(z))]
	for i, c := range z {
		if run++; c != x[i] || c == 0 {
			run = 0
		}
		sum += d.weight[min(run, len(d.weight)-1)]
	}
	return sum
}
