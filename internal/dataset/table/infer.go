package table

import (
	"maps"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// labelNames are the names by which a column of labels is known, in lower case.
var labelNames = []string{"label", "class", "target", "y"}

// infer decides what the columns are. The result has categories as far as the sample has them.
func (s *sample) infer(o *Options) (*dataset.Columns, error) {
	c := &dataset.Columns{}
	skip := make([]bool, len(s.names))
	for _, column := range o.Skip {
		k, err := s.find(o, column)
		if err != nil {
			return nil, err
		}
		if !skip[k] {
			skip[k] = true
			c.Skipped = append(c.Skipped, s.names[k])
		}
	}
	for k, name := range s.names {
		if isIndex(name) && !skip[k] && name != o.Label && !slices.Contains(o.Categories, name) {
			skip[k] = true
			c.Skipped = append(c.Skipped, name)
		}
	}
	label, err := s.findLabel(o, skip)
	if err != nil {
		return nil, err
	}
	if label >= 0 {
		c.Label = s.names[label]
	}
	for _, of := range []struct {
		column, what string
		name         *string
	}{{o.Event, "the events", &c.Event}, {o.Upper, "the upper bounds of times", &c.Upper}} {
		if of.column == "" {
			continue
		}
		k, err := s.find(o, of.column)
		if err != nil {
			return nil, err
		}
		if k == label || skip[k] {
			return nil, fail.New(fail.Usage, "column %s has %s and is the label or left out", fail.Quote(of.column), of.what)
		}
		*of.name = s.names[k]
		skip[k] = true
	}
	if o.Group != "" {
		group, err := s.find(o, o.Group)
		if err != nil {
			return nil, err
		}
		if group == label || skip[group] {
			return nil, fail.New(fail.Usage, "column %s has the groups and is the label or left out", fail.Quote(o.Group))
		}
		c.Group = s.names[group]
		skip[group] = true
	}
	// Columns that are named have categories whatever the sample shows: their words may be numbers,
	// such as postcodes, or come after the sample.
	named := map[int]bool{}
	for _, column := range o.Categories {
		k, err := s.find(o, column)
		if err != nil {
			return nil, err
		}
		named[k] = true
	}
	letters := map[int]bool{}
	for _, column := range o.Sequences {
		k, err := s.find(o, column)
		if err != nil {
			return nil, err
		}
		if k == label || skip[k] || named[k] {
			return nil, fail.New(fail.Usage, "column %s has sequences and is the label, left out "+
				"or of categories", fail.Quote(column))
		}
		letters[k] = true
	}
	var sequences []dataset.Column
	for k, name := range s.names {
		if skip[k] || k == label {
			continue
		}
		if letters[k] {
			if o.NumbersOnly {
				return nil, fail.New(fail.Input, "column %s has sequences, and the model was "+
					"trained on numbers alone", fail.Label(name))
			}
			sequences = append(sequences, dataset.Column{Name: name, Letters: o.Letters,
				Length: max(1, s.stats[k].longest)})
			continue
		}
		// Tools write numbers of rows into a column without a name. As a feature they would separate
		// the classes wherever the file is sorted by them.
		if s.unnamed[k] {
			return nil, fail.New(fail.Input, "column %d has no name", k+1).
				WithHint("--id %d leaves it out; numbers of rows are no feature", k+1)
		}
		f := dataset.Column{Name: name, Missing: o.indicates() && (s.stats[k].empty || s.stats[k].lacking && !named[k])}
		if !named[k] {
			if err := s.stats[k].doubt(name, s.rows); err != nil {
				return nil, err
			}
		}
		if s.stats[k].words > 0 || named[k] {
			// Such a model has no features for words.
			if o.NumbersOnly {
				return nil, fail.New(fail.Input, "column %s has no numbers, and the model was "+
					"trained on numbers alone", fail.Label(name))
			}
			if f.Categories, err = s.stats[k].sorted(o, name, named[k]); err != nil {
				return nil, err
			}
		}
		c.Features = append(c.Features, f)
	}
	// Letters come last, so numbers stand side by side.
	c.Features = append(c.Features, sequences...)
	return c, nil
}

// isIndex reports whether a column has the name that pandas gives to a column of the numbers or
// names of rows, which are not a feature.
func isIndex(name string) bool {
	number, ok := strings.CutPrefix(name, "__index_level_")
	number, end := strings.CutSuffix(number, "__")
	return ok && end && number != "" && strings.Trim(number, "0123456789") == ""
}

// findLabel returns the number of the column of labels, or -1 if there is none and none is needed.
func (s *sample) findLabel(o *Options, skip []bool) (int, error) {
	if o.Label != "" {
		k, err := s.find(o, o.Label)
		if err == nil && skip[k] {
			err = fail.New(fail.Usage, "column %s is the label and is left out",
				fail.Quote(o.Label))
		}
		return k, err
	}
	// Only whole names count: a column my_class or label2 is more often a feature than the label.
	label := -1
	for k, name := range s.names {
		if skip[k] || !slices.Contains(labelNames, strings.ToLower(name)) {
			continue
		}
		if label >= 0 {
			return 0, fail.New(fail.Input, "both column %s and column %s may be the labels",
				fail.Label(s.names[label]), fail.Label(name)).WithHint("--label COLUMN")
		}
		label = k
	}
	if label < 0 && !o.Unlabelled && o.Labels == dataset.Times {
		return 0, fail.New(fail.Input, "no column of times is named").
			WithHint("%s--time COLUMN; the columns are %s", s.hintHeader(o), listNames(s.names))
	}
	if label < 0 && !o.Unlabelled {
		return 0, fail.New(fail.Input, "no column is called label, class, target or y").
			WithHint("%s--label COLUMN names the column of the labels; the columns are %s%s",
				s.hintHeader(o), listNames(s.names), s.likely(o))
	}
	return label, nil
}

// sorted returns the categories of a column in order. The column was named if the user said that it
// has categories, and words such as NA are then categories as well.
func (s *stats) sorted(o *Options, name string, named bool) ([]string, error) {
	most := dataset.MaxClasses
	// Without the user's word a column of many words is rather a name of each row, and each word would
	// be a feature that occurs once.
	if !named {
		most = mostCategories
		maps.DeleteFunc(s.categories, func(word string, _ *int) bool { return o.missing(word) })
	}
	if len(s.categories) > most {
		e := fail.New(fail.Input, "column %s has more than %d different words", fail.Label(name),
			most)
		if named {
			return nil, e
		}
		return nil, e.WithHint("--id %s leaves it out; --categories %s takes them all",
			fail.Label(name), fail.Label(name))
	}
	if len(s.categories) == 0 {
		return nil, fail.New(fail.Input, "column %s has no categories", fail.Label(name))
	}
	// The order of the words is the order of their bytes and not of the rows, so the model does not
	// depend on it.
	return slices.Sorted(maps.Keys(s.categories)), nil
}
