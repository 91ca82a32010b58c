package simd

// Matches compares one sequence of letters with 32 others, 64 positions a word. The argument x has
// the shape [word][planes+1]: the bits of the letters by planes, and then a bit for each place that
// has a letter. The argument z has the shape [word][planes+1][32]. Let m_1 be the places where both
// sequences have the same letter, and m_(k+1) the places of m_k whose next place is also in m_k.
// Matches writes |m_k|, the number of common words of k letters, to counts[k-1][32] for k up to
// len(counts)/32, or until it is 0. The length of scratch is MatchScratch of the number of words.
func Matches(counts []int64, x, z, scratch []uint64, planes int) {
	words := len(x) / (planes + 1)
	check(len(x) == words*(planes+1) && len(z) == Width*len(x) &&
		len(scratch) >= MatchScratch(words) && len(counts)%Width == 0 && len(counts) > 0 &&
		words > 0, "Matches")
	matches(counts, x, z, scratch, words, planes)
}

// MatchScratch returns the length of the scratch memory of Matches for the given number of words.
func MatchScratch(words int) int { return 8 * (words + 1) }
