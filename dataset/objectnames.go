package dataset

import (
	"slices"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// ObjectNames finds the objects that rows name.
type ObjectNames interface {
	// Columns returns the names of the columns of a row, of which each is an object.
	Columns() []string
	// Number returns the number of an object of a column, counted from 0. An unknown name gives an error
	// of class fail.Input without a place.
	Number(column int, name []byte) (int32, error)
}

// namedRows reads rows that name objects:
//
//	[label] object object ..
//
// Words are separated by blanks, tabs or commas, and a word in quotes may have them. The first line may name the columns, which then follow its order.
// Feature k of a row is the number of its object of column k.
type namedRows struct {
	names  ObjectNames
	parser *parser
	starts []int // place of each word of the line
	ends   []int
	gap    int // place of a comma or tab behind which a word is missing, -1 if there is none
	begun  bool
	order  []int // word of each column, once a line has named the columns
	label  int   // word of the label then, and -1 if there is none
}

// line parses one line. It returns ok = false if the line holds no row. Its errors have a column but neither file nor
// line.
func (n *namedRows) line(b []byte, row *Row) (ok bool, err error) {
	n.split(b)
	if len(n.starts) == 0 {
		return false, nil
	}
	columns := n.names.Columns()
	if !n.begun {
		n.begun = true
		if n.heads(b, columns) {
			return false, nil
		}
	}
	p := n.parser
	p.clearLabel(row)
	words, label := len(n.starts), -1
	switch {
	case n.order != nil:
		if label = n.label; words != len(columns)+min(label+1, 1) {
			return false, badToken(b, n.starts[words-1], "%d words in a row, and the first line has %d", words,
				len(columns)+min(label+1, 1))
		}
	case words == len(columns)+1:
		label = 0
	case words == len(columns) && n.gap >= 0:
		// The words that are there could be the label and some of the objects, or the objects alone.
		return false, badToken(b, n.gap, "a word is missing, and a row is a label and %s, or its objects alone", n.listed(columns))
	case words != len(columns):
		return false, badToken(b, n.starts[words-1], "%d words in a row, and a row is a label and %s", words,
			n.listed(columns))
	}
	if label >= 0 {
		from, to := n.starts[label], n.ends[label]
		if word := n.word(b, label); len(word) == to-from-2 { // without its quotes
			from, to = from+1, to-1
		}
		if err := p.label(b, from, to, row); err != nil {
			return false, err
		}
	}
	p.index, p.value = p.index[:0], p.value[:0]
	for k := range columns {
		at := k + label + 1
		if n.order != nil {
			at = n.order[k]
		}
		number, err := n.names.Number(k, n.word(b, at))
		if err != nil {
			return false, setColumn(err, n.starts[at]+1)
		}
		p.index, p.value = append(p.index, int32(k)), append(p.value, float64(number))
	}
	row.Index, row.Value = p.index, p.value
	return true, nil
}

// listed lists columns for a message.
func (n *namedRows) listed(columns []string) string {
	return fail.List(func(k int) string { return clip(columns[k]) }, len(columns))
}

// word returns a word of the line, without the quotes around it.
func (n *namedRows) word(b []byte, at int) []byte {
	raw := b[n.starts[at]:n.ends[at]]
	if text, length, ok := labeltext.Quoted(raw); ok && length == len(raw) {
		return text
	}
	return raw
}

// split finds the words of a line up to a comment, and a place behind the first word where a word is missing between two commas, between
// two tabs or behind the last comma.
func (n *namedRows) split(b []byte) {
	n.starts, n.ends, n.gap = n.starts[:0], n.ends[:0], -1
	last, at := byte(0), 0 // the comma or the tab behind the last word, and its place
	for i := 0; i < len(b) && b[i] != '#'; {
		if apart(b[i]) {
			switch c := b[i]; {
			case c == last && last != 0 && len(n.starts) > 0:
				n.gap = i
			case c == ',' || c == '\t' && last == 0:
				last, at = c, i
			}
			i++
			continue
		}
		last = 0
		n.starts = append(n.starts, i)
		if _, length, ok := labeltext.Quoted(b[i:]); ok && (i+length == len(b) || apart(b[i+length]) || b[i+length] == '#') {
			i += length
		}
		for i < len(b) && !apart(b[i]) && b[i] != '#' {
			i++
		}
		n.ends = append(n.ends, i)
	}
	if last == ',' && len(n.starts) > 0 {
		n.gap = at
	}
}

// apart reports whether a byte separates words.
func apart(c byte) bool { return blank(c) || c == ',' || c == '\r' }

// heads reports whether the line names the columns, and takes their order from it.
func (n *namedRows) heads(b []byte, columns []string) bool {
	order, label := make([]int, len(columns)), -1
	for k := range order {
		order[k] = -1
	}
	for at := range n.starts {
		k := slices.Index(columns, string(n.word(b, at)))
		switch {
		case k >= 0 && order[k] < 0:
			order[k] = at
		case k >= 0 || label >= 0:
			return false
		default:
			label = at
		}
	}
	if slices.Contains(order, -1) {
		return false
	}
	n.order, n.label = order, label
	return true
}
