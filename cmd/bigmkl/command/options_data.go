package command

import (
	"fmt"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// shownOptions choose the output of a command. Rows with a name alone are flags that their commands
// define: they have a place in the help here, and nothing else.
// Their commands are inspect, predict, export and report.
var shownOptions = []option{
	{name: "figures"}, {name: "class"}, {name: "all"}, {name: "charge"}, {name: "coverage"}, {name: "csv"}, {name: "decisions"},
	{name: "no-crossing"}, {name: "survival-at"}, {name: "without-probability"},
}

// dataOptions describe the rows and how their files are read.
// aboutRows marks options that train --continue does not take from its model.
var dataOptions = []option{
	{name: "format"},
	// Columns are about the rows of one training: the rows of train --continue may come from another
	// table.
	{name: "label", kinds: columnKinds, aboutRows: true,
		ofModel: fromColumns(func(c *dataset.Columns) given { return givenText(c.Label) })},
	// A model records the column of times as its label.
	{name: "time", kinds: columnKinds, tasks: model.TimeTasks},
	{name: "event", kinds: columnKinds, tasks: model.TimeTasks,
		ofModel: fromColumns(func(c *dataset.Columns) given { return givenText(c.Event) })},
	// tasks names the tasks that have such a column. The flag is rejected for others.
	{name: "group", kinds: columnKinds, tasks: []string{model.TaskRank},
		ofModel: fromColumns(func(c *dataset.Columns) given { return givenText(c.Group) })},
	{name: "time-upper", kinds: columnKinds, tasks: []string{model.TaskSurvival},
		ofModel: fromColumns(func(c *dataset.Columns) given { return givenText(c.Upper) })},
	{name: "id", aboutRows: true,
		ofModel: fromColumns(func(c *dataset.Columns) given { return givenList(c.Skipped) })},
	{name: "header"}, {name: "sequence"},
	// A column with a list of words was read as words, whether the flag named it or not.
	{name: "categories", aboutRows: true, ofModel: fromColumns(func(c *dataset.Columns) given {
		var words []string
		for _, f := range c.Features {
			if f.Categories != nil {
				words = append(words, f.Name)
			}
		}
		return givenList(words)
	})},
	{name: "na"},
	// The default rejects missing values. A silent substitute would change the results of an analysis.
	{name: "impute", kind: "KIND", def: "none", takers: byAll, words: dataset.Imputations, fact: "impute",
		usage: "how to fill in missing values, learned from the training rows: none (they are rejected), median, mean, " +
			"zero, or indicator, the median and one more feature for each column of a table that lacks values",
		define:  parsed(dataset.ParseImpute, func(p *problemFlags) *string { return &p.options.Impute }),
		ofModel: func(m *model.Model) given { return givenText(m.Scaling.Impute) }},
	{name: "decimal"}, {name: "thousands"}, {name: "zero-based"},
	// A model has the views themselves, because the file may be gone.
	{name: "views", takers: byAll, kinds: viewKinds, usage: "`FILE` with a line for each view: name, first feature, last feature (features count from 1)",
		define: text(func(p *problemFlags) *string { return &p.rows.views }),
		ofModel: func(m *model.Model) given {
			var views []string
			for _, v := range m.Views {
				views = append(views, fmt.Sprintf("%s %d %d", v.Name, v.First, v.Last))
			}
			return givenList(views)
		}},
	{name: "labels"}, {name: "objects"},
	// The alphabet decides how letters are stored, so a checkpoint has it as a fact.
	{name: "sequences", kind: "ALPHABET", takers: byAll, fact: "sequences",
		words:   []string{string(dataset.DNA), string(dataset.Bytes)},
		usage:   "the data are sequences of dna or bytes (default: dna if there are string kernels)",
		define:  parsed(dataset.ParseAlphabet, func(p *problemFlags) *dataset.Alphabet { return &p.options.Sequences }),
		ofModel: func(m *model.Model) given { return givenText(string(m.Sequences)) }},
	// 0 means all rows, since a training of no rows has no use.
	{name: "limit", kind: "N", def: "0", takers: byAll, aboutRows: true, usage: "use the first N rows, 0 for all",
		define:  parsed(parseCount, func(p *problemFlags) *int { return &p.options.Limit }),
		ofModel: func(m *model.Model) given { return givenCount(m.Limit) }},
	// A checkpoint has the layout as a fact, because the order of sums and so the last digits depend on
	// it.
	{name: "store", kind: "LAYOUT", def: "auto", takers: byAll, words: dataset.Layouts, fact: "store",
		usage:   "storage of the rows: dense, sparse, or auto, which decides by the data",
		define:  parsed(dataset.ParseLayout, func(p *problemFlags) *dataset.Layout { return &p.options.Store }),
		ofModel: func(m *model.Model) given { return givenText(string(m.Store)) }},
	// The flag is about the rows of --test.
	{name: "ignore-extra-features", needs: "test FILE"},
	{name: "kind-of-labels"}, {name: "to"}, {name: "join"}, {name: "input"}, {name: "trust-compressed"},
	{name: "data"}, {name: "write"}, {name: "install"}, {name: "dir"},
}

// fromColumns returns the value of an option that models of tables alone have.
// Data without named columns have no value for such an option.
func fromColumns(value func(c *dataset.Columns) given) func(m *model.Model) given {
	return func(m *model.Model) given {
		if m.Columns == nil {
			return given{}
		}
		return value(m.Columns)
	}
}
