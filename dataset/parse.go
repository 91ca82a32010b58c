package dataset

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"bigmkl/internal/fail"
)

// parser turns a line of text into a row. The slices of its rows are its own.
type parser struct {
	maxIndex uint64 // 1-based, at most 2^31-1, so that the 0-based index fits an int32
	index    []int32
	value    []float64
	labels   map[string]string // spelling -> canonical, the first few thousand
	set      []string          // of the last set of labels that was not among them
	labeling Labeling
}

// fewLetters is what a word needs to look like a sequence.
const fewLetters = 8

// longLine is the bytes from which on memory for a line is reserved at once.
const longLine = 1 << 20

// line parses one line; ok is false where it holds no row. Errors have their column but neither file nor line.
func (p *parser) line(b []byte, row *Row) (ok bool, err error) {
	if i := bytes.IndexByte(b, '#'); i >= 0 {
		b = b[:i]
	}
	i := skipBlanks(b, 0)
	if i == len(b) {
		return false, nil
	}
	p.unlabel(row)
	if end := tokenEnd(b, i); !startsPairs(b[i:end]) {
		if err := p.label(b, i, end, row); err != nil {
			return false, err
		}
		i = skipBlanks(b, end)
		if bytes.HasPrefix(b[i:], []byte("qid:")) {
			end = tokenEnd(b, i)
			if id := string(b[i+4 : end]); id == "" || !allDigits(id) {
				return false, badToken(b, i, "query id %s is not a number", clip(id))
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

// pairs parses index:value tokens from b[i] on into p.index and p.value. It is where reading spends its time, with
// number: one look at each byte, digits gathered in integers, and all that is rare or wrong left to other functions.
// Comparisons such as c-'0' <= 9 rely on bytes below '0' wrapping around to large ones.
func (p *parser) pairs(b []byte, i int) error {
	index, value := p.index[:0], p.value[:0]
	if len(b) > longLine { // growing step by step takes several times as much
		pairs := min(bytes.Count(b, []byte(":")), len(b)/8) // with indices that ascend, a pair takes more than 8 bytes
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
		// 19 digits fit in a uint64; longer indices have wrapped and are all too large (or padded beyond reason).
		if i == len(b) || b[i] != ':' || i-start > 19 || j <= last || j > p.maxIndex {
			return p.badIndex(b, start, last)
		}
		last = j
		v, end := number(b, i+1)
		if end < 0 {
			return badValue(b, start)
		}
		i = end
		index = append(index, int32(j-1))
		value = append(value, v)
	}
	p.index, p.value = index, value
	return nil
}

// unlabel makes a row one that says nothing beside its features.
func (p *parser) unlabel(row *Row) {
	row.Label, row.Target = "", 0
	switch p.labeling {
	case Targets:
		row.Target = math.NaN()
	case Sets:
		row.Label = EmptySet
	}
}

// labelled tells whether a row is not as unlabel leaves it.
func (p *parser) labelled(row *Row) bool {
	return row.Label != "" && (p.labeling != Sets || row.Label != EmptySet) || p.labeling == Targets && !math.IsNaN(row.Target)
}

// label reads what the word b[start:end] says of a row: its class or its target.
func (p *parser) label(b []byte, start, end int, row *Row) (err error) {
	switch p.labeling {
	case Targets:
		v, stop := number(b[:end], start)
		if stop != end {
			err = badToken(b, start, "target %s is not a finite decimal number", clip(b[start:end]))
		}
		row.Target = v
	case Ignored:
	default:
		row.Label, err = p.class(b[start:end], start+1)
	}
	alone := skipBlanks(b, end) == len(b) || fail.Columns(b[end-1:end])
	if e, ok := err.(*fail.Error); ok && alone && fail.Columns(b[start:end]) {
		err = e.WithHint(ColumnsHint)
	}
	return err
}

// startsPairs tells a first token that is an index:value pair, meant well or badly, from a label: it has a colon, and
// a number (or nothing) before it or the start of a number behind it. So "1:" and ":1" are bad pairs, and "class:a" a name.
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

// class is the canonical form of a label. Data have few labels and many rows: each spelling is worked out once.
func (p *parser) class(token []byte, column int) (string, error) {
	if s, ok := p.labels[string(token)]; ok {
		return s, nil
	}
	var raw, s string
	var err error
	if p.labeling == Sets {
		raw = string(token[:min(len(token), maxSet+1)])
		s, p.set, err = canonicalSet(raw, p.set)
	} else {
		raw = string(token[:min(len(token), maxName+1)])
		s, err = CanonicalLabel(raw)
	}
	if err != nil {
		return "", at(err, column)
	}
	if p.labels == nil {
		p.labels = map[string]string{}
	}
	if len(p.labels) < knownLabels {
		p.labels[raw] = s
	}
	return s, nil
}

// badIndex says what is wrong with the pair at b[start], knowing that something is.
func (p *parser) badIndex(b []byte, start int, last uint64) error {
	index, _, found := bytes.Cut(b[start:tokenEnd(b, start)], []byte(":"))
	if !found {
		err := badToken(b, start, "%s is not an index:value pair", clip(index))
		if _, _, e := DNA.Sequence(index[:min(len(index), 4*fewLetters)], nil, nil); e == nil && len(index) >= fewLetters {
			err = err.WithHint("string kernels take sequences, such as --kernels wd:20,spectrum:6")
		} else if fail.Columns(index) {
			err = err.WithHint(ColumnsHint)
		}
		return err
	}
	if len(index) == 0 || !allDigits(string(index)) {
		return badToken(b, start, "feature index %s is not a positive integer", clip(index))
	}
	j, err := strconv.ParseUint(string(index), 10, 64)
	switch {
	case err != nil || j > p.maxIndex || len(index) > 19:
		return badToken(b, start, "feature index %s is above %d", clip(index), p.maxIndex)
	case j == 0:
		return badToken(b, start, "feature index 0").WithHint("the first feature is 1")
	}
	return badToken(b, start, "feature %d after feature %d: indices must be strictly ascending", j, last)
}

// badValue says why the value of the pair at b[start] was refused; its index is known to be good.
func badValue(b []byte, start int) error {
	index, value, _ := bytes.Cut(b[start:tokenEnd(b, start)], []byte(":"))
	// strconv tells a number that is too large (infinite, with an error) from the word infinity (without one).
	value = value[:min(len(value), maxName)]
	if v, err := strconv.ParseFloat(string(value), 64); math.IsInf(v, 0) && err != nil {
		return badToken(b, start, "value %s of feature %s is beyond a float64", clip(value), index)
	}
	return badToken(b, start, "value %s of feature %s is not a plain decimal number", clip(value), index)
}

// ColumnsHint helps who gives comma-separated values, of which every row is one word, and so a label.
const ColumnsHint = "the file looks like comma-separated values, which are not read: a row is LABEL INDEX:VALUE INDEX:VALUE .."
