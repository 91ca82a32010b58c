package dataset

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// parser turns a line of text into a row. The slices of the row belong to the parser.
type parser struct {
	// imputes is set if values may be missing.
	imputes bool
	// maxIndex is the largest 1-based index accepted, at most 2^31-1, so the 0-based index fits
	// an int32.
	maxIndex uint64
	// zero is what is added to an index to count from 1: 1 if the text counts from 0, and else 0.
	zero  uint64
	index []int32
	value []float64
	// labels maps the first few thousand spellings of labels to their canonical forms.
	labels map[string]string
	// set is memory for splitting one set of labels.
	set      []string
	labeling Labeling
	// word is set if labels are words on their own, and not the beginnings of rows.
	word bool
}

// fewLetters is the number of letters from which on a word looks like a sequence.
const fewLetters = 8

// longLine is the length in bytes from which on the memory for all pairs of a line is reserved at
// once.
const longLine = 1 << 20

// line parses one line. It returns ok = false if the line holds no row. Its errors have a column
// but neither file nor line.
func (p *parser) line(b []byte, row *Row) (ok bool, err error) {
	if i := bytes.IndexByte(b, '#'); i >= 0 {
		b = b[:i]
	}
	i := skipBlanks(b, 0)
	if i == len(b) {
		return false, nil
	}
	p.clearLabel(row)
	if end := tokenEnd(b, i); !startsPairs(b[i:end]) {
		if err := p.label(b, i, end, row); err != nil {
			return false, err
		}
		i = skipBlanks(b, end)
		if bytes.HasPrefix(b[i:], []byte("qid:")) {
			end = tokenEnd(b, i)
			if err := p.query(b, i, end, row); err != nil {
				return false, err
			}
			i = end
		}
	}
	if err := p.pairs(b, i); err != nil {
		return false, err
	}
	row.Index, row.Value = p.index, p.value
	return true, nil
}

// pairs parses the index:value tokens from b[i] on into p.index and p.value. Reading spends most of
// its time here and in number. So both look at each byte once, gather digits in integers, and leave
// all that is rare or wrong to other functions. Comparisons such as c-'0' <= 9 rely on bytes below
// '0' wrapping around to large ones.
func (p *parser) pairs(b []byte, i int) error {
	index, value := p.index[:0], p.value[:0]
	if len(b) > longLine { // Slices that grow step by step take several times as much memory.
		// As indices ascend, a pair takes more than 8 bytes on average.
		pairs := min(bytes.Count(b, []byte(":")), len(b)/8)
		index, value = slices.Grow(index, pairs), slices.Grow(value, pairs)
	}
	last := uint64(0)
	for {
		i = skipBlanks(b, i)
		if i == len(b) {
			break
		}
		start := i
		j := uint64(0)
		for i < len(b) && b[i]-'0' <= 9 {
			j = j*10 + uint64(b[i]-'0')
			i++
		}
		j += p.zero
		// A uint64 holds 19 digits. An index with more digits has wrapped around, and is too large
		// or has many leading zeros.
		if i == len(b) || b[i] != ':' || i-start > 19 || j <= last || j > p.maxIndex {
			return p.badIndex(b, start, last)
		}
		last = j
		v, end := number(b, i+1)
		if end < 0 {
			if end = missingEnd(b, i+1); end < 0 {
				return badValue(b, start)
			}
			if v = math.NaN(); !p.imputes {
				return badToken(b, start, "the value of feature %d is missing", j-p.zero).WithHint("%s", ImputeHint)
			}
		}
		i = end
		index = append(index, int32(j-1))
		value = append(value, v)
	}
	p.index, p.value = index, value
	return nil
}

// clearLabel sets label and target of a row to what a row without a label has.
func (p *parser) clearLabel(row *Row) {
	row.Label, row.Target, row.Upper = "", 0, 0
	switch p.labeling {
	case Targets, Times, Relevances:
		row.Target = math.NaN()
	case Sets:
		row.Label = labeltext.EmptySet
	}
}

// hasLabel reports whether a row differs from what clearLabel makes of it.
func (p *parser) hasLabel(row *Row) bool {
	return row.Label != "" && (p.labeling != Sets || row.Label != labeltext.EmptySet) ||
		p.labeling.Numeric() && !math.IsNaN(row.Target)
}

// label reads the class or the target of a row from the word b[start:end].
func (p *parser) label(b []byte, start, end int, row *Row) (err error) {
	switch p.labeling {
	case Targets:
		v, stop := number(b[:end], start)
		if stop != end {
			err = badToken(b, start, "target %s is not a finite decimal number", clip(b[start:end]))
		}
		row.Target = v
	case Relevances:
		err = p.relevance(b, start, end, row)
	case Times:
		row.Target, row.Upper, err = timeOf(b, start, end)
	case Ignored:
	default:
		row.Label, err = p.class(b[start:end], start+1)
	}
	alone := !p.word && (skipBlanks(b, end) == len(b) || fail.Columns(b[end-1:end]))
	if e, ok := err.(*fail.Error); ok && alone && fail.Columns(b[start:end]) {
		err = e.WithHint(ColumnsHint)
	}
	return err
}

// startsPairs reports whether the first token of a line is an index:value pair, even a malformed
// one, and not a label. A pair has a colon, and before it a number or nothing, or behind it the
// start of a number. So "1:" and ":1" are malformed pairs, and "class:a" is a name.
func startsPairs(token []byte) bool {
	before, after, found := bytes.Cut(token, []byte(":"))
	if !found {
		return false
	}
	if len(bytes.Trim(before, "+-.0123456789")) == 0 {
		return true
	}
	return len(after) > 0 && bytes.IndexByte([]byte("+-.0123456789"), after[0]) >= 0
}

// class returns the canonical form of a label. As data have few labels and many rows, the form of
// each spelling is computed only once.
func (p *parser) class(token []byte, column int) (string, error) {
	if s, ok := p.labels[string(token)]; ok {
		return s, nil
	}
	var raw, s string
	var err error
	if p.labeling == Sets {
		raw = string(token[:min(len(token), labeltext.LongestSet+1)])
		s, p.set, err = labeltext.AppendSet(raw, p.set)
	} else {
		raw = string(token[:min(len(token), labeltext.Longest+1)])
		s, err = labeltext.Canonical(raw)
	}
	if err != nil {
		return "", setColumn(err, column)
	}
	if p.labels == nil {
		p.labels = map[string]string{}
	}
	if len(p.labels) < knownLabels {
		p.labels[raw] = s
	}
	return s, nil
}

// badIndex returns the error that explains what is wrong with the index of the pair at b[start].
func (p *parser) badIndex(b []byte, start int, last uint64) error {
	index, _, found := bytes.Cut(b[start:tokenEnd(b, start)], []byte(":"))
	if !found {
		err := badToken(b, start, "%s is not an index:value pair", clip(index))
		if _, _, e := DNA.Sequence(index[:min(len(index), 4*fewLetters)], nil, nil); e == nil &&
			len(index) >= fewLetters {
			err = err.WithHint("string kernels take sequences, such as --kernels wd:20,spectrum:6")
		} else if fail.Columns(index) {
			err = err.WithHint(ColumnsHint)
		}
		return err
	}
	if len(index) == 0 || !labeltext.AllDigits(string(index)) {
		return p.hintTime(badToken(b, start, "feature index %s is not a positive integer", clip(index)))
	}
	j, err := strconv.ParseUint(string(index), 10, 64)
	switch {
	case err != nil || len(index) > 19 || j+p.zero > p.maxIndex:
		return badToken(b, start, "feature index %s is above %d", clip(index), p.maxIndex-p.zero)
	case j+p.zero == 0:
		return badToken(b, start, "feature index 0").WithHint("%s", zeroHint)
	}
	return p.hintTime(badToken(b, start, "feature %d after feature %d: indices must be strictly ascending", j,
		last-p.zero))
}

// missingEnd returns the end of a value at b[start] that means that there is none, or a negative
// number.
func missingEnd(b []byte, start int) int {
	end := tokenEnd(b, start)
	switch strings.TrimLeft(strings.ToLower(string(b[start:min(end, start+labeltext.Longest)])), "+-") {
	case "nan", "na", "?":
		return end
	}
	return -1
}

// badValue returns the error that explains what is wrong with the value of the pair at b[start].
func badValue(b []byte, start int) error {
	index, value, _ := bytes.Cut(b[start:tokenEnd(b, start)], []byte(":"))
	// strconv distinguishes a number that is too large (infinite, with an error) from the word
	// infinity (infinite, without an error).
	value = value[:min(len(value), labeltext.Longest)]
	if v, err := strconv.ParseFloat(string(value), 64); math.IsInf(v, 0) && err != nil {
		return badToken(b, start, "value %s of feature %s is beyond a float64", clip(value), index)
	}
	return badToken(b, start, "value %s of feature %s is not a plain decimal number", clip(value),
		index)
}

// ColumnsHint is the hint for data in comma-separated values, where every row is one word and so
// looks like a label.
const ColumnsHint = "the file looks like comma-separated values, which --format csv reads: a row " +
	"is LABEL INDEX:VALUE INDEX:VALUE .."
