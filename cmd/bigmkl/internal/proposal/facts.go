package proposal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// Facts are the facts about data that a proposal is made from. Read fills them in a single pass
// over the rows, in memory for the classes and one number for each feature.
type Facts struct {
	// Data are the arguments that name the data, Labels the file of labels, and Out the model to be.
	Data        []string
	Labels, Out string
	// Format describes in words what the data are.
	Format string
	// Label is the column of labels of a table. Others describes further candidates if it is a guess. Skipped are
	// columns that are not features. Dates are the skipped columns of dates, and
	// Recurring the columns of names that recur, as a message names them.
	Label  string
	Others []string
	// Event is the column of events, and Upper the column of upper bounds, if Times is set. Each
	// may be empty.
	Event     string
	Upper     string
	Skipped   []string
	Dates     []string
	Recurring []string
	ZeroBased bool
	Views     []dataset.View
	// Columns are the columns of a table, nil for other data.
	Columns *dataset.Columns

	// Features is one more than the largest index.
	Rows, Features int
	// Wordless names the columns of words in which a word is missing, which no value of a row shows.
	Wordless []string
	// Entries counts the values that are not zero, Missing those that lack, and Lacking the rows with such.
	Entries, Missing, Lacking int
	// Numeric is set if the labels are numbers of a regression, from Least to Most. Else Classes has the classes,
	// ordered by falling number of rows.
	Numeric     bool
	Least, Most float64
	// Times is set if these numbers are times, of which Events are of rows with an event, and Bounded have an upper bound.
	Times   bool
	Events  int
	Bounded int
	Classes []Class
	// smallest and largest are the least and the greatest of the largest magnitudes of features.
	smallest, largest float64
}

// Class is a class and the number of its rows.
type Class struct {
	Label string
	Rows  int
}

const (
	// mostClasses is the number of different labels up to which whole numbers are classes. Ages, counts
	// and prices have more different values, and classes rarely have as many.
	mostClasses = 20
	// triedRows is the number of rows that decide whether labels are numbers of a regression.
	// The rows are opened again afterwards, with labels of the kind that was found.
	triedRows = 1000
	// mostFollowed is the number of features whose magnitudes are recorded, which bounds the
	// memory for text with millions of features.
	mostFollowed = 1 << 16
)

// IsNumeric reports whether the labels of the first rows, which are read as targets, are numbers of a regression: any
// that is not whole, or more than 20 different ones. Labels that are not numbers are classes.
func IsNumeric(ctx context.Context, src dataset.Source) (bool, error) {
	different := map[float64]bool{}
	for range triedRows {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, fail.Input) {
			return false, nil // The reading as classes finds what is wrong, if anything is.
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return false, err
		}
		if math.IsNaN(row.Target) {
			return false, nil
		}
		// Classes are often numbered, so whole numbers decide nothing by themselves: their count
		// does.
		if row.Target != math.Trunc(row.Target) {
			return true, nil
		}
		different[row.Target] = true
	}
	return len(different) > mostClasses, nil
}

// Read reads all rows and counts. It returns an error of class fail.Input for data that no
// training takes.
func (f *Facts) Read(ctx context.Context, src dataset.Source) error {
	// magnitudes has the largest absolute value of each feature that is followed.
	classes := map[string]int{}
	magnitudes := map[int32]float64{}
	f.Least, f.Most = math.Inf(1), math.Inf(-1)
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		f.Rows++
		if f.Numeric && !math.IsNaN(row.Target) {
			least, most := row.Target, row.Target
			if f.Times {
				least, most = f.countTime(&row)
			}
			f.Least, f.Most = min(f.Least, least), max(f.Most, most)
			// The count ends beyond what a training accepts, so memory is bounded.
		} else if !f.Numeric && len(classes) <= dataset.MaxClasses {
			classes[row.Label]++
		}
		lacking := f.Missing
		for k, j := range row.Index {
			f.Features = max(f.Features, int(j)+1)
			switch x := math.Abs(row.Value[k]); {
			case math.IsNaN(x):
				f.Missing++
			case x > magnitudes[j] && (magnitudes[j] > 0 || len(magnitudes) < mostFollowed):
				magnitudes[j] = x
			}
		}
		f.Entries += len(row.Index)
		if f.Missing > lacking {
			f.Lacking++
		}
	}
	for label, n := range classes {
		f.Classes = append(f.Classes, Class{label, n})
	}
	slices.SortFunc(f.Classes, func(a, b Class) int { return cmp.Or(b.Rows-a.Rows, labeltext.Compare(a.Label, b.Label)) })
	// Features whose values are all 0 have no magnitude, and do not count.
	f.smallest = math.Inf(1)
	for _, x := range magnitudes {
		f.smallest, f.largest = min(f.smallest, x), max(f.largest, x)
	}
	return f.check()
}

// check returns an error for data that no training takes.
func (f *Facts) check() error {
	switch {
	case f.Rows == 0:
		return fail.New(fail.Input, "no rows").At(f.Data[0], 0, 0)
	case !f.Numeric && len(f.Classes) == 1 && f.Classes[0].Label == "":
		return fail.New(fail.Input, "the rows have no labels").At(f.Data[0], 0, 0).WithHint("--labels FILE has the label of each row")
	case !f.Numeric && len(f.Classes) == 1:
		return fail.New(fail.Input, "all rows have the label %s", fail.Label(f.Classes[0].Label)).At(f.Data[0], 0, 0).
			WithHint("--label COLUMN names another column, and train --task oneclass needs no labels")
	}
	return nil
}

// size describes the numbers of rows, features and views, and the density if most values are 0.
func (f *Facts) size() string {
	text := fmt.Sprintf("%d rows of %d features", f.Rows, f.Features)
	if len(f.Views) > 1 {
		text += " in " + strconv.Itoa(len(f.Views)) + " views ("
		var names []string
		for _, v := range f.Views[:min(10, len(f.Views))] {
			names = append(names, v.Name)
		}
		text += strings.Join(names, ", ") + ")"
	}
	if f.density() < 0.5 {
		text += fmt.Sprintf(", of which %.2g %% are not zero", 100*f.density())
	}
	return text
}

// density is the share of the values that are not zero.
func (f *Facts) density() float64 {
	return float64(f.Entries) / max(1, float64(f.Rows)*float64(f.Features))
}

// spread states how the magnitudes of features differ.
// The text is the reason for the scaling.
func (f *Facts) spread() string {
	// A feature that is ten times as large has a hundred times the part in squared distances.
	const unequal = 10
	if f.largest > unequal*f.smallest {
		return fmt.Sprintf("The largest values of features reach from %.3g to %.3g. auto scales features that vary unequally by their deviation.",
			f.smallest, f.largest)
	}
	return "The features have values of about the same size. auto scales features only if they vary unequally."
}

// listClasses lists the classes with their rows.
func (f *Facts) listClasses() string {
	var texts []string
	for _, c := range f.Classes[:min(8, len(f.Classes))] {
		texts = append(texts, fmt.Sprintf("%s (%d rows)", fail.Label(c.Label), c.Rows))
	}
	if len(f.Classes) > len(texts) {
		texts = append(texts, "..")
	}
	return strings.Join(texts, ", ")
}

// rarest returns the smaller of two classes if it has less than the share rare of the rows, and
// nil otherwise. A label with a comma or an equals sign cannot be written in a value of
// --class-weight.
func (f *Facts) rarest() *Class {
	if f.Numeric || len(f.Classes) != 2 || float64(f.Classes[1].Rows) >= rare*float64(f.Rows) || strings.ContainsAny(f.Classes[1].Label, ",=") {
		return nil
	}
	return &f.Classes[1]
}

// countTime counts a row with a time, and returns its bounds. A bound that is not known is taken to be the other one.
func (f *Facts) countTime(row *dataset.Row) (least, most float64) {
	if row.Target > 0 {
		f.Events++
	}
	if row.Upper > 0 {
		f.Bounded++
	}
	least, most = labeltext.TimeBounds(row.Target, row.Upper)
	if least == 0 {
		least = most
	}
	if math.IsInf(most, 1) {
		most = least
	}
	return least, most
}
