package kernelstest

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// StringValue returns a string kernel by its definition: spectrum kernels count pairs of words of
// Degree letters, weighted degree kernels matches of up to Degree letters at the same position or
// moved by up to Shift. set holds the positions; nil means all. A letter of 0 is unknown, and
// equals no other.
func StringValue(k kernelspec.Kernel, set []int32, x, z []float32) float64 {
	x, z = layOut(x, set), layOut(z, set)
	sum := 0.0
	if k.Kind == kernelspec.Spectrum {
		var words [300]float64 // by the number of letters in which two words differ
		for n := range min(k.Degree, 2*int(k.Mismatches)) + 1 {
			words[n] = countShared(k.Degree, int(k.Mismatches), n)
		}
		for i := range x {
			for j := range z {
				if n, ok := countDifferences(x, z, i, j, k.Degree); ok {
					sum += words[n]
				}
			}
		}
		return sum
	}
	for d := 1; d <= min(k.Degree, len(x)); d++ {
		beta := 2 * float64(k.Degree-d+1) / float64(k.Degree*(k.Degree+1))
		for i := range x {
			for s := 0; s <= int(k.Shift); s++ {
				for _, at := range [2]int{i + s, i - s} {
					if n, ok := countDifferences(x, z, i, at, d); ok && n == 0 {
						sum += beta / (2 * float64(s+1))
					}
				}
			}
		}
	}
	return sum
}

// layOut returns the letters of a sequence at the positions of a set, with an unknown letter where
// these do not lie side by side, so no word spans the gap.
func layOut(x []float32, set []int32) []float32 {
	if set == nil {
		return x
	}
	var out []float32
	for i, j := range set {
		if i > 0 && j != set[i-1]+1 {
			out = append(out, 0)
		}
		out = append(out, x[j])
	}
	return out
}

// countDifferences returns in how many letters the words of k letters of x from i on and of z from
// j on differ. ok reports whether there are such words, of known letters alone.
func countDifferences(x, z []float32, i, j, k int) (count int, ok bool) {
	if i < 0 || j < 0 || i+k > len(x) || j+k > len(z) {
		return 0, false
	}
	for e := range k {
		if x[i+e] == 0 || z[j+e] == 0 {
			return 0, false
		}
		if x[i+e] != z[j+e] {
			count++
		}
	}
	return count, true
}

// countShared returns the number of words within m letters of both of two words of k letters of DNA
// that differ in n. Of the letters in which the two differ, such a word has that of the first in
// some, that of the second in others, and another letter in the rest.
func countShared(k, m, n int) float64 {
	count := 0.0
	for both := 0; both <= k-n; both++ {
		for first := 0; first <= n; first++ {
			for second := 0; second <= n-first; second++ {
				rest := n - first - second
				if both+rest+second <= m && both+rest+first <= m {
					count += binomial(k-n, both) * math.Pow(3, float64(both)) *
						binomial(n, first) * binomial(n-first, second) *
						math.Pow(2, float64(rest))
				}
			}
		}
	}
	return count
}

// binomial returns the number of ways to choose k of n things.
func binomial(n, k int) float64 {
	logFactorial := func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return v
	}
	return math.Round(math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k)))
}
