package dataset

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// Columns describes what the columns of a table are: which of them are features, and which
// features they become. A model keeps the columns of its training data, so further data are read
// alike.
type Columns struct {
	// Label is the name of the column of labels, or "" if there was none.
	Label string `json:"label,omitempty"`
	// Event is the name of the column that reports whether the time in Label is the time of an event, or "" if there
	// was none.
	Event string `json:"event,omitempty"`
	// Group is the name of the column that has the groups of Relevances, or "" if the labels have them.
	Group string `json:"group,omitempty"`
	// Upper is the name of the column of upper bounds of times, of which Label has the lower bounds, or "" if there was none.
	Upper string `json:"upper,omitempty"`
	// Skipped names columns that are not features, such as names of rows.
	Skipped []string `json:"skipped,omitempty"`
	// Features lists the others in order.
	Features []Column `json:"features"`
}

// Column is a column of a table that is one feature or several.
type Column struct {
	Name string `json:"name"`
	// Categories lists the words of a column that has no numbers. Each is a feature, which is 1 in
	// the rows with this word and else 0. It is nil for a column of numbers.
	Categories []string `json:"categories,omitempty"`
	// Letters is the alphabet of a column of sequences, and Length the number of letters of the
	// longest, each of which is a feature. Such columns come last, so numbers stand side by side.
	Letters Alphabet `json:"letters,omitempty"`
	Length  int      `json:"length,omitempty"`
	// Missing is set if the last feature of the column is 1 in rows that lack the value, and else 0.
	Missing bool `json:"missing,omitempty"`
}

// MaxColumns is the largest number of columns of a table.
const MaxColumns = 1 << 20

// maxColumnText is the largest number of bytes that names and categories take in a model, which
// holds them as one value of JSON. Quoting may double them.
const maxColumnText = 2 << 20

// Width returns the number of features of a column.
func (c *Column) Width() int {
	n := max(1, len(c.Categories), c.Length)
	if c.Missing {
		n++
	}
	return n
}

// Plain reports whether a column is one feature, which is its number.
func (c *Column) Plain() bool { return c.Categories == nil && !c.Missing && c.Letters == Numbers }

// Alphabet returns the alphabet of rows with these columns. It is Numbers if none has sequences.
func (c *Columns) Alphabet() Alphabet {
	before := 0
	for i := range c.Features {
		if f := &c.Features[i]; f.Letters != Numbers {
			return f.Letters.beside(before)
		}
		before += c.Features[i].Width()
	}
	return Numbers
}

// Width returns the number of features of all columns.
func (c *Columns) Width() int {
	n := 0
	for i := range c.Features {
		n += c.Features[i].Width()
	}
	return n
}

// Views returns a view for each column, whose name specifications of kernels can have: letters and digits stay, and
// other characters become underscores.
func (c *Columns) Views() []View {
	var views []View
	known, first := map[string]bool{}, 1
	for i := range c.Features {
		f := &c.Features[i]
		base := "_" + strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' {
				return r
			}
			return '_'
		}, f.Name)
		if len(base) > 1 && !unicode.IsDigit(rune(base[1])) {
			base = base[1:] // A number would be the number of a feature.
		}
		base = strings.ToValidUTF8(base[:min(len(base), labeltext.Longest-8)], "_")
		name := base
		for k := 2; known[name]; k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		known[name] = true
		views = append(views, View{name, first, first + f.Width() - 1})
		first += f.Width()
	}
	return views
}

// Check returns an error of class fail.Input unless there is a feature, names and categories are
// distinct texts, and a model can hold them.
func (c *Columns) Check() error {
	size, names := 0, map[string]bool{}
	name := func(s string, seen map[string]bool, what string) error {
		size += len(s) + len(`{"name":"","categories":[]},`)
		switch {
		case s == "" || len(s) > labeltext.Longest || !labeltext.Printable(s):
			return fail.New(fail.Input, "the name %s of a %s is no text", clip(s), what).WithHint("%s", labeltext.TextHint(s))
		case seen[s]:
			return fail.New(fail.Input, "two columns or categories are called %s", clip(s))
		}
		seen[s] = true
		return nil
	}
	if c.Label != "" {
		if err := name(c.Label, names, "column"); err != nil {
			return err
		}
	}
	if c.Event != "" {
		if err := name(c.Event, names, "column"); err != nil {
			return err
		}
	}
	if c.Group != "" {
		if err := name(c.Group, names, "column"); err != nil {
			return err
		}
	}
	if c.Upper != "" {
		if err := name(c.Upper, names, "column"); err != nil {
			return err
		}
	}
	for _, s := range c.Skipped {
		if err := name(s, names, "column"); err != nil {
			return err
		}
	}
	for i := range c.Features {
		f := &c.Features[i]
		if err := name(f.Name, names, "column"); err != nil {
			return err
		}
		if err := c.checkLetters(i); err != nil {
			return err
		}
		if f.Categories == nil {
			continue
		}
		words := make(map[string]bool, len(f.Categories))
		for _, s := range f.Categories {
			if err := name(s, words, "category"); err != nil {
				return err
			}
		}
	}
	switch {
	case len(c.Features) == 0:
		return fail.New(fail.Input, "no column is a feature")
	case len(names) > MaxColumns:
		return fail.New(fail.Input, "more than %d columns", MaxColumns)
	case size > maxColumnText:
		return fail.New(fail.Input, "names and categories of columns take more than %d bytes",
			maxColumnText)
	case c.Width() >= math.MaxInt32:
		return fail.New(fail.Input, "%d features of columns", c.Width())
	}
	return nil
}

// checkLetters checks the entries of column i about sequences.
func (c *Columns) checkLetters(i int) error {
	f := &c.Features[i]
	if f.Letters == Numbers && f.Length == 0 && (i == 0 || c.Features[i-1].Letters == Numbers) {
		return nil
	}
	if f.Letters != DNA && f.Letters != Bytes || f.Categories != nil || f.Missing || f.Length < 1 ||
		i > 0 && c.Features[i-1].Letters != Numbers && c.Features[i-1].Letters != f.Letters {
		return fail.New(fail.Input, "column %s has %d letters of %s", clip(f.Name), f.Length,
			clip(f.Letters))
	}
	if c.Width() > MaxSequence {
		return fail.New(fail.Input, "numbers and letters of a row are %d, and at most %d beside "+
			"sequences", c.Width(), MaxSequence)
	}
	return nil
}
