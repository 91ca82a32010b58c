package table

import (
	"cmp"
	"slices"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// plan states which field of a record becomes which feature.
type plan struct {
	columns *dataset.Columns
	// fields is the number of fields of a record.
	fields int
	// label is the field of the label, event that of the events, upper that of the upper bounds of times, and group that
	// of the groups. Each is -1 if there is none.
	label, event, upper, group int
	// at holds the field of each column of features, and first its first feature.
	at, first []int
	// left holds the fields of columns that are neither features nor labels, with their names.
	left []leftColumn
	// categories holds for each such column the place of each word, or nil for numbers.
	categories []map[string]int
	// plain is true for each such column that has numbers.
	plain []bool
}

// leftColumn is a column that is left out: its name, and its field in a record.
type leftColumn struct {
	name string
	at   int
}

// newPlan finds the columns of a model among the names of a table. A label that is given takes the
// place of the model's.
func newPlan(c *dataset.Columns, names []string, o *Options) (*plan, error) {
	p := &plan{columns: c, fields: len(names), label: -1, event: -1, upper: -1, group: -1}
	// Columns are found by their names alone, wherever they stand. Two of one name could not be told
	// apart, and which of them is meant would depend on their order.
	where := map[string]int{}
	for k, name := range names {
		if _, ok := where[name]; ok {
			return nil, fail.New(fail.Input, "two columns are called %s", fail.Label(name))
		}
		where[name] = k
	}
	// All columns that are missing are listed in one message, and so are all that are new.
	used := make([]bool, len(names))
	missing, first := []string{}, 0
	for i := range c.Features {
		f := &c.Features[i]
		k, ok := where[f.Name]
		if !ok {
			missing = append(missing, f.Name)
			continue
		}
		used[k] = true
		p.at, p.first = append(p.at, k), append(p.first, first)
		first += f.Width()
		p.categories = append(p.categories, numbered(f.Categories))
		p.plain = append(p.plain, f.Categories == nil && f.Letters == dataset.Numbers)
	}
	if len(missing) > 0 {
		return nil, fail.New(fail.Input, "no column is called %s", listNames(missing)).
			WithHint("the columns here are %s; --header says whether the first line has names",
				listNames(names))
	}
	// Further data may call their labels otherwise than the training data did, or have none.
	label := c.Label
	if o.Label != "" {
		label = o.Label
	}
	if k, ok := where[label]; ok && label != "" {
		if used[k] {
			return nil, fail.New(fail.Input, "column %s is a feature of the model",
				fail.Quote(label))
		}
		p.label, used[k] = k, true
	} else if o.Label != "" || label != "" && !o.Unlabelled {
		return nil, fail.New(fail.Input, "no column is called %s", fail.Label(label)).
			WithHint("it has the labels; the columns here are %s", listNames(names))
	}
	for _, of := range []struct {
		given, known, what string
		at                 *int
	}{
		{o.Event, c.Event, "the events", &p.event}, {o.Upper, c.Upper, "the upper bounds of times", &p.upper},
		{o.Group, c.Group, "the groups", &p.group},
	} {
		column := cmp.Or(of.given, of.known)
		switch k, ok := where[column]; {
		case column == "":
		case !ok && (of.given != "" || p.label >= 0 && !o.Unlabelled):
			return nil, fail.New(fail.Input, "no column is called %s", fail.Label(column)).
				WithHint("it has %s; the columns here are %s", of.what, listNames(names))
		case !ok: // Times without events or with one bound of two, and relevances without groups, are not labels.
			p.label = -1
		case used[k]:
			return nil, fail.New(fail.Input, "column %s is a feature of the model or its label", fail.Quote(column))
		default:
			*of.at, used[k] = k, true
		}
	}
	// A column that nobody knows is rejected and not left out: it is most likely a feature whose name
	// was misspelt, of which the model would hear nothing.
	var unknown []string
	for k, name := range names {
		switch {
		case used[k]:
		case isIndex(name) || slices.Contains(c.Skipped, name) || slices.Contains(o.Skip, name) ||
			slices.Contains(o.Skip, strconv.Itoa(k+1)):
			p.left = append(p.left, leftColumn{name, k})
		default:
			unknown = append(unknown, name)
		}
	}
	if unknown != nil {
		return nil, fail.New(fail.Input, "column %s was not in the training data",
			listNames(unknown)).WithHint("--id COLUMN leaves a column out")
	}
	return p, nil
}

// numbered returns the place of each word.
func numbered(words []string) map[string]int {
	if words == nil {
		return nil
	}
	places := make(map[string]int, len(words))
	for k, word := range words {
		places[word] = k
	}
	return places
}
