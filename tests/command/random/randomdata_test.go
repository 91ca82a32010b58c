package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// rowSet is a data set of which random problems take rows.
type rowSet struct {
	file  string // in the folder of data sets, or what is made up
	kind  labelKind
	lines int // at the beginning of the file, of which rows are drawn
	most  int // rows that a problem takes
}

// labelKind is the kind of the labels of a data set.
type labelKind uint8

const (
	twoClasses labelKind = iota
	manyClasses
	labelSets
	realNumbers
	sequenceClasses
)

// realSets are small, or cut to a size at which a training takes less than a second.
var realSets = []rowSet{
	{"heart/heart", twoClasses, 270, 270}, {"sonar/sonar", twoClasses, 208, 208},
	{"pima/pima", twoClasses, 768, 768},
	{"german-numeric/german-numeric", twoClasses, 1000, 1000},
	{"spambase/spambase", twoClasses, 4601, 1500}, {"wbc/wbc683", twoClasses, 683, 683},
	{"banana/banana", twoClasses, 5300, 1200}, {"mushrooms/mushrooms", twoClasses, 8124, 900},
	{"a9a/a9a", twoClasses, 3000, 1200}, {"w8a/w8a", twoClasses, 4000, 900},
	{"eeg/eeg", twoClasses, 5000, 900}, {"magic/magic", twoClasses, 19020, 900},
	{"colon/colon", twoClasses, 62, 62}, {"advert998/advert998", twoClasses, 998, 500},
	{"iris/iris", manyClasses, 150, 150}, {"wine/wine", manyClasses, 178, 178},
	{"thyroid/thyroid", manyClasses, 215, 215}, {"segment/segment", manyClasses, 2310, 700},
	{"letter/letter", manyClasses, 4000, 500}, {"satimage/satimage", manyClasses, 6435, 600},
	{"pendigits/pendigits", manyClasses, 6000, 600},
	{"shuttle/shuttle", manyClasses, 6000, 700},
	{"covtype20k/covtype20k", manyClasses, 6000, 500},
	{"kddcup99/kddcup99", manyClasses, 12000, 500}, {"msrcv1/msrcv1", manyClasses, 210, 100},
	{"3sources/3sources", manyClasses, 169, 169},
	{"bbcsport2/bbcsport2", manyClasses, 544, 150},
	{"concrete/concrete", realNumbers, 1030, 700},
	{"motorcycle/motorcycle", realNumbers, 133, 133},
	{"whitewine/whitewine", realNumbers, 4898, 800},
	{"yeast-ml/yeast-ml", labelSets, 1500, 350},
	{"celegans-acc/celegans-acc", sequenceClasses, 3000, 400},
}

// line is a row as text: its label, and its features or letters.
type line struct{ label, rest string }

// firstLines holds the beginnings of data sets. So each is read once.
var firstLines = struct {
	sync.Mutex
	of map[string][]line
}{of: map[string][]line{}}

// realData reports whether there are real data sets.
func realData() bool { return testlevel.RealData() != "" }

func (s rowSet) rows(t testing.TB) []line {
	t.Helper()
	if !realData() {
		return s.madeUp()
	}
	firstLines.Lock()
	defer firstLines.Unlock()
	if all := firstLines.of[s.file]; all != nil {
		return all
	}
	suffix, blank := ".libsvm.gz", " "
	if s.kind == sequenceClasses {
		suffix, blank = ".seq.tsv.gz", "\t"
	}
	var all []line
	for _, text := range commandtest.RealLines(t, s.file+suffix, s.lines) {
		label, rest, _ := strings.Cut(strings.TrimSpace(text), blank)
		all = append(all, line{label, rest})
	}
	firstLines.of[s.file] = all
	return all
}

// sample is the rows of a problem, and what its options depend on.
type sample struct {
	rows     []line
	kind     labelKind
	features int     // the largest index
	least    float64 // value
	views    []dataset.View
}

// drawSample draws rows of a data set, in their order or shuffled, sometimes with twins, and with
// values with heavier tails than the data. For generated data, seeds that follow each
// other have rows of each kind in turn.
func drawSample(t testing.TB, rng *rand.Rand, seed uint64) (name string, s sample) {
	set := realSets[rng.IntN(len(realSets))]
	if !realData() {
		set = madeUpSets[seed%uint64(len(madeUpSets))]
	}
	s.kind = set.kind
	all := set.rows(t)
	if set.kind == manyClasses && rng.IntN(4) > 0 {
		all = ofClasses(rng, all, 2+rng.IntN(5))
	}
	n := 20 + rng.IntN(max(1, min(set.most, 100<<rng.IntN(5))-20))
	if rng.IntN(25) == 0 {
		n = 4 + rng.IntN(8)
	}
	for i, row := range all {
		if rng.IntN(len(all)-i) < n-len(s.rows) {
			s.rows = append(s.rows, row)
		}
	}
	if rng.IntN(2) == 0 {
		rng.Shuffle(len(s.rows), func(i, j int) { s.rows[i], s.rows[j] = s.rows[j], s.rows[i] })
	}
	if rng.IntN(6) == 0 { // points that occur twice, in the same class or not
		for i := range s.rows {
			if rng.IntN(8) == 0 {
				s.rows[i].rest = s.rows[rng.IntN(len(s.rows))].rest
			}
		}
	}
	if s.kind == sequenceClasses {
		s.features = len(s.rows[0].rest)
		return set.file, s
	}
	tail := anyOf(rng, 0, 0, 0, 0, 0, 1, 2, 3)
	for i := range s.rows {
		s.features = max(s.features, s.rows[i].stretch(tail, &s.least))
	}
	s.drawViews(rng)
	return set.file, s
}

// ofClasses keeps the rows of some classes.
func ofClasses(rng *rand.Rand, all []line, count int) (kept []line) {
	names := labelsOf(all)
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:min(count, len(names))]
	for _, row := range all {
		if slices.Contains(names, row.label) {
			kept = append(kept, row)
		}
	}
	return kept
}

func labelsOf(rows []line) (names []string) {
	for _, row := range rows {
		names = append(names, row.label)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stretch makes the tails of the values heavier, and gives the largest index: 1 takes their cubes, 2
// multiplies some features by up to 1e6, 3 makes few values a million times larger.
func (l *line) stretch(tail int, least *float64) (features int) {
	words := strings.Fields(l.rest)
	for k, w := range words {
		index, value, _ := strings.Cut(w, ":")
		j, _ := strconv.Atoi(index)
		x, _ := strconv.ParseFloat(value, 64)
		features = max(features, j)
		switch {
		case tail == 1:
			x *= x * x
		case tail == 2:
			x *= math.Pow10(j % 7)
		case tail == 3 && (j*31+len(l.rest)*17)%97 == 0:
			x *= 1e6
		}
		*least = min(*least, x)
		if tail > 0 {
			words[k] = fmt.Sprintf("%d:%g", j, x)
		}
	}
	if tail > 0 {
		l.rest = strings.Join(words, " ")
	}
	return features
}

// drawViews cuts the features into ranges that may overlap.
func (s *sample) drawViews(rng *rand.Rand) {
	for k := range 1 + rng.IntN(4) {
		first := 1 + rng.IntN(s.features)
		v := dataset.View{Name: fmt.Sprintf("v%d", k+1), First: first}
		v.Last = first + rng.IntN(s.features-first+1)
		s.views = append(s.views, v)
	}
}

// text is rows as a file.
func (s *sample) text(rows []line) string {
	var b strings.Builder
	blank := " "
	if s.kind == sequenceClasses {
		blank = "\t"
	}
	for _, row := range rows {
		b.WriteString(row.label + blank + row.rest + "\n")
	}
	return b.String()
}

func anyOf[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }
