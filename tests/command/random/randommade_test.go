package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// madeUpSets replace real data sets on a computer without these: one for each kind of labels.
var madeUpSets = []rowSet{
	{file: "two classes", kind: twoClasses, lines: 400, most: 60},
	{file: "many classes", kind: manyClasses, lines: 400, most: 60},
	{file: "sets of labels", kind: labelSets, lines: 400, most: 60},
	{file: "numbers", kind: realNumbers, lines: 400, most: 60},
	{file: "sequences", kind: sequenceClasses, lines: 400, most: 60},
}

// madeUp makes rows of five features up, some of which are 0, or of letters. Those of several classes lie
// around places of their own, and one row in ten is of another class than its place.
func (s rowSet) madeUp() (all []line) {
	rng := rand.New(rand.NewPCG(uint64(s.kind), 5))
	for range s.lines {
		k := rng.IntN(4)
		place := k
		if rng.IntN(10) == 0 {
			place = rng.IntN(4)
		}
		x := make([]float64, 5)
		for j := range x {
			if x[j] = rng.NormFloat64(); j < 2 {
				x[j] += 2 * float64(place>>j&1)
			}
		}
		row := line{label: fmt.Sprint(k)}
		switch s.kind {
		case twoClasses:
			row.label = []string{"-1", "+1"}[k&1]
		case labelSets:
			row.label = []string{"0", "0,1", "1,2", "2"}[k]
		case realNumbers:
			row.label = fmt.Sprintf("%.4g", x[0]-x[1]*x[1]+0.2*rng.NormFloat64())
		case sequenceClasses:
			row = line{[]string{"-1", "+1"}[k&1], letters(rng, place&1 == 1)}
			all = append(all, row)
			continue
		}
		var words []string
		for j, v := range x {
			if rng.IntN(8) > 0 {
				words = append(words, fmt.Sprintf("%d:%.4g", j+1, v))
			}
		}
		row.rest = strings.Join(words, " ")
		all = append(all, row)
	}
	return all
}

// letters draws a sequence, with a word at its place or without.
func letters(rng *rand.Rand, word bool) string {
	text := make([]byte, 24)
	for i := range text {
		text[i] = "ACGT"[rng.IntN(4)]
	}
	if word {
		copy(text[8:], "GATTACA")
	}
	return string(text)
}
