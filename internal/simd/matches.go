package simd

// Matches compares one sequence of letters with 32 others, 64 positions a word. x: [word][planes+1], the bits of the letters by
// planes and then of the places that have one; z: [word][planes+1][32]. With m_1 the places where both have the same letter and
// m_(k+1) those of m_k that the next place of m_k follows, it writes |m_k|, the number of common words of k letters, to
// counts[k-1][32] for k up to len(counts)/32, or until there are no more. scratch: MatchScratch of the number of words.
func Matches(counts []int64, x, z, scratch []uint64, planes int) {
	words := len(x) / (planes + 1)
	check(len(x) == words*(planes+1) && len(z) == Width*len(x) && len(scratch) >= MatchScratch(words) && len(counts)%Width == 0 && len(counts) > 0 && words > 0, "Matches")
	matches(counts, x, z, scratch, words, planes)
}

// MatchScratch is the length of the scratch memory for so many words.
func MatchScratch(words int) int { return 8 * (words + 1) }
