package letters

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/float"
)

// interval is the range of the values of a feature or of the labels, or the range that they are
// scaled to.
type interval struct{ least, most float64 }

// scale maps a number linearly from one interval to another. The ends are mapped to the ends
// exactly, as svm-scale does: the formula could round past them.
// The interval must have two different ends, since their difference divides. Callers leave out constant
// features.
func (from interval) scale(x float64, to interval) float64 {
	switch x {
	case from.least:
		return to.least
	case from.most:
		return to.most
	}
	return to.least + (to.most-to.least)*(x-from.least)/(from.most-from.least)
}

// add makes room for a number.
func (from *interval) add(x float64) { from.least, from.most = min(from.least, x), max(from.most, x) }

// nothing is the interval of no number.
// Its ends are beyond every number, so the first number that is added becomes both.
var nothing = interval{math.Inf(1), math.Inf(-1)}

// scaling is what svm-scale saves: intervals of features by their indices, and intervals of labels if
// they are scaled.
type scaling struct {
	// to is the interval of the scaled features. features has the interval of each feature in the data.
	to       interval
	features map[int32]interval
	labels   *[2]interval // the interval to scale to, and the interval of the data
}

// write writes the factors as svm-scale -s does. Those of indices below 1 are left out. svm-scale
// counts indices from 1.
func (s *scaling) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	// 17 digits restore every float64 exactly, so training and test data get the same factors.
	two := func(i interval) string { return long(i.least) + " " + long(i.most) + "\n" }
	if s.labels != nil {
		out.WriteString("y\n" + two(s.labels[0]) + two(s.labels[1]))
	}
	out.WriteString("x\n" + two(s.to))
	for _, j := range sortedKeys(s.features) {
		if i := s.features[j]; j >= 1 && i.least != i.most {
			fmt.Fprintf(out, "%d %s", j, two(i))
		}
	}
	return out.Flush()
}

// long is a number in the format %.17g of C, which is different for all float64 values.
func long(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }

// sortedKeys lists the indices, ascending.
func sortedKeys(features map[int32]interval) []int32 {
	list := make([]int32, 0, len(features))
	for j := range features {
		list = append(list, j)
	}
	slices.Sort(list)
	return list
}

// readScaling reads the factors that svm-scale has saved. The file is a contract with svm-scale: each
// program reads the files of the other.
func readScaling(path string) (*scaling, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	// The file has a line y and two intervals (optional), then a line x, the target interval, and a line
	// for each feature.
	r := &scalingReader{scanner: bufio.NewScanner(f), path: path}
	// A file that ends early is a fault, since factors of some features would be missing.
	s := &scaling{features: map[int32]interval{}}
	// The lines y and x begin the parts of labels and of features.
	word, err := r.next(1)
	if err == nil && word[0] == "y" {
		s.labels = new([2]interval)
		for k := range s.labels {
			if s.labels[k], err = r.interval(2); err != nil {
				return nil, err
			}
		}
		word, err = r.next(1)
	}
	if err == nil && word[0] != "x" {
		err = r.fault("%s where there should be x", fail.Quote(word[0]))
	}
	if err != nil {
		return nil, err
	}
	if s.to, err = r.interval(2); err != nil {
		return nil, err
	}
	// A line is an index and the two ends of its interval.
	for r.more() {
		i, err := r.interval(3)
		if err != nil {
			return nil, err
		}
		j, err := strconv.ParseInt(r.words[0], 10, 32)
		if err != nil || j < 0 {
			return nil, r.fault("%s is no index", fail.Quote(r.words[0]))
		}
		s.features[int32(j)] = i
	}
	return s, r.err
}

// scalingReader reads lines of words.
// Its errors name the file and the line.
type scalingReader struct {
	scanner *bufio.Scanner
	path    string
	line    int
	words   []string // of the line at hand
	err     error
}

// more reads the next line that is not empty.
// It returns false at the end and at a fault, which is then in err.
func (r *scalingReader) more() bool {
	for r.scanner.Scan() {
		r.line++
		if r.words = strings.Fields(r.scanner.Text()); len(r.words) > 0 {
			return true
		}
	}
	if err := r.scanner.Err(); err != nil {
		r.err = fail.New(fail.Input, "cannot read factors: %w", err).At(r.path, r.line+1, 0)
	}
	return false
}

// next returns the next line, which has so many words.
func (r *scalingReader) next(words int) ([]string, error) {
	if !r.more() {
		if r.err == nil {
			r.err = r.fault("the factors end here, too early")
		}
		return nil, r.err
	}
	if len(r.words) != words {
		return nil, r.fault("%d words where there should be %d", len(r.words), words)
	}
	return r.words, nil
}

// interval returns the last two numbers of a line of so many. more has read a line of three already.
func (r *scalingReader) interval(words int) (i interval, err error) {
	if words == 2 {
		if _, err := r.next(words); err != nil {
			return i, err
		}
	}
	if len(r.words) != words {
		return i, r.fault("%d words where there should be %d", len(r.words), words)
	}
	for k, to := range []*float64{&i.least, &i.most} {
		text := r.words[words-2+k]
		if *to, err = strconv.ParseFloat(text, 64); err != nil || !float.Finite(*to) {
			return i, r.fault("%s is no finite number", fail.Quote(text))
		}
	}
	return i, nil
}

// fault is an error at the present line.
func (r *scalingReader) fault(format string, args ...any) error {
	return fail.New(fail.Input, format, args...).At(r.path, r.line, 0)
}

// appendFeature appends a feature as svm-scale writes it. %g of C has six digits.
func appendFeature(b []byte, j int32, x float64) []byte {
	b = append(strconv.AppendInt(b, int64(j), 10), ':')
	return append(strconv.AppendFloat(b, x, 'g', 6, 64), ' ')
}
