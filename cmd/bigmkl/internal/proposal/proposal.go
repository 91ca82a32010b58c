// Package proposal looks at data and proposes the options of a training, each with its reason. It prints nothing, and
// uses nothing of a training but the names of its options.
package proposal

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"bigmkl/dataset"
)

// Choice is an option of train with its value and the reason for it. An option that is only mentioned stays a comment.
type Choice struct {
	// Key is the name of the option in a file. Value is a text, a number or a list of texts.
	Key       string
	Value     any
	Why       string
	Mentioned bool
}

// Short is the value as text of at most 20 letters.
func (c *Choice) Short() string {
	const most = 20
	text := fmt.Sprint(c.Value)
	if list, ok := c.Value.([]string); ok {
		text = strings.Join(list, ",")
	}
	// A cut within a letter of several bytes is repaired.
	if len(text) > most {
		return strings.ToValidUTF8(text[:most-2], "") + ".."
	}
	return text
}

// Guessed reports whether the column of labels was chosen among several.
func (f *Facts) Guessed() bool { return len(f.Others) > 0 }

// Choose proposes options for data that a survey has looked at. The order is the order of questions of
// a user: which data, which labels, which problem, what to repair, which kernels.
func (f *Facts) Choose() (list []Choice) {
	// Reasons are sentences with the numbers of the data, so a user can check them.
	add := func(key string, value any, why string, args ...any) {
		list = append(list, Choice{Key: key, Value: value, Why: fmt.Sprintf(why, args...)})
	}
	add("data", f.Data, "%s: %s.", f.Format, f.size())
	// Arrays have their labels in a file of their own.
	if f.Labels != "" {
		add("labels", f.Labels, "The file with the label of each row.")
	}
	if f.Label != "" {
		// A wrong column of labels still trains a model, often with suspiciously good figures.
		// So a guess is marked, with the other candidates.
		why := "The column with the labels."
		if f.Guessed() {
			why = "A guess by names and values. Other columns that may have the labels: " + strings.Join(f.Others, ", ") + "."
		}
		add("label", f.Label, "%s", why)
	}
	if f.Event != "" {
		add("event", f.Event, "The column that says which times are those of events.")
	}
	if f.Upper != "" {
		add("time-upper", f.Upper, "The column of the upper bounds of times.")
	}
	if len(f.Skipped) > 0 {
		add("id", f.Skipped, "%s", f.skips())
	}
	if f.ZeroBased {
		add("zero-based", "auto", "The indices of the text may count from 0.")
	}
	// The task depends on the labels alone.
	f.chooseTask(add)
	if why := f.lacks(); why != "" {
		add("impute", dataset.ImputeMedian, "%s", why)
	}
	// The reason shows how far the scales of the features are apart.
	add("scale", dataset.ScaleAuto, "%s", f.spread())
	// Several widths leave the choice of the width to the training. Views get five each, so some
	// views do not take hundreds of kernels.
	switch {
	case len(f.Views) > 1:
		specs, why := f.kernelsOfViews()
		add("kernels", specs, "%s", why)
	case f.Features > manyFeatures && f.density() < sparse:
		add("kernels", []string{"linear"}, "Of %d features %.2g %% are not zero in a row, as in text: a linear kernel is fast and hard to beat.", f.Features, 100*f.density())
	default:
		add("kernels", []string{"gauss:auto/10"}, "Ten Gaussian widths around the median distance: the training finds the weight of each.")
	}
	// A norm in the file would be given to select and importance, too, which choose one.
	list = append(list, Choice{"norm", "4/3", "The block norm: 1 keeps few kernels, 2 weights all alike, and the default 4/3 is between them. Without a value, select and importance choose one.", true})
	// The factor is n / (k n_c) for class c of k classes. It is only mentioned, as a comment of the file.
	if c := f.rarest(); c != nil {
		list = append(list, Choice{"class-weight", c.Label + "=" + fmt.Sprintf("%.3g", float64(f.Rows)/float64(c.Rows)/float64(len(f.Classes))),
			fmt.Sprintf("Class %s has %d of %d rows. This makes its errors count as much as those of the others.", c.Label, c.Rows, f.Rows), true})
	}
	add("out", f.Out, "The model.")
	return list
}

// skips is the reason for the columns that are left out.
func (f *Facts) skips() string {
	var texts []string
	if len(f.Skipped) > len(f.Dates) {
		texts = append(texts, "These columns name or number rows, and would tell nothing of new ones.")
	}
	// Otherwise the figures of select and importance are about rows of known patients, for example, and too good for new ones.
	if len(f.Recurring) > 0 {
		texts = append(texts, fmt.Sprintf("Values of %s recur. If rows of one value are of the same object, such as a patient, hold them out together: --groups-file %s of train, select and importance.",
			strings.Join(f.Recurring, ", "), groupsFile(f.Data, f.Recurring[0])))
	}
	if len(f.Dates) > 0 {
		texts = append(texts, fmt.Sprintf("Dates are not features: %s. The days since a date would be one.", strings.Join(f.Dates, ", ")))
	}
	return strings.Join(texts, " ")
}

// groupsFile returns the value of --groups-file for a column of names. Only one table of text can be read for it.
func groupsFile(data []string, column string) string {
	path := strings.ToLower(data[0])
	if len(data) == 1 && (strings.Contains(path, ".csv") || strings.Contains(path, ".tsv")) {
		return data[0] + ":" + column
	}
	return "FILE (the value of each row on a line)"
}

// lacks describes the missing values and what fills them in. It is empty if no value is missing.
// Numbers and words are counted apart, since their remedies differ.
func (f *Facts) lacks() string {
	var texts []string
	if f.Missing > 0 {
		texts = append(texts, fmt.Sprintf("%d numbers are missing, in %d of %d rows. The median of the training rows fills them in.", f.Missing, f.Lacking, f.Rows))
	}
	if len(f.Wordless) > 0 {
		texts = append(texts, fmt.Sprintf("Words are missing in %s. All features of the column are 0 in these rows.", strings.Join(f.Wordless, ", ")))
	}
	return strings.Join(texts, " ")
}

const (
	// Above manyFeatures features of which less than the share sparse is not 0, the data look
	// like counts of words. Gaussian kernels then cost much time for little accuracy.
	manyFeatures = 5000
	sparse       = 0.05
	// rare is the share of the rows below which a class is rare, of two classes. A classifier that
	// never predicts such a class is right for four rows in five.
	rare = 0.2
)

// chooseTask proposes the task, and the kind of several classifiers. One classifier for each class is
// the proposal, because their number grows as the classes and not as their square.
func (f *Facts) chooseTask(add func(key string, value any, why string, args ...any)) {
	switch n := len(f.Classes); {
	case f.Times:
		bounded := ""
		if f.Bounded > 0 {
			bounded = fmt.Sprintf(", and %d with an upper bound", f.Bounded)
		}
		add("task", "survival", "The labels are times from %.4g to %.4g, %d of %d with an event%s.", f.Least, f.Most, f.Events, f.Rows, bounded)
	// The labels have decided this, or more different numbers than classes could have.
	case f.Numeric:
		add("task", "svr", "The labels are numbers from %.4g to %.4g: a regression.", f.Least, f.Most)
	case n == 2:
		add("task", "class", "Two classes: %s.", f.listClasses())
	default:
		add("task", "class", "%d classes: %s.", n, f.listClasses())
		add("multiclass", "ovr", "A classifier for each class against the rest; ovo has one for each pair.")
	}
}

// Text returns the choices as a file of options, which begins with a comment.
func Text(head string, choices []Choice) (string, error) {
	var b bytes.Buffer
	// The head may have several lines, each a comment.
	for line := range strings.SplitSeq(head, "\n") {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	for _, c := range choices {
		// The encoder quotes names with any characters.
		entry, err := toml.Marshal(map[string]any{c.Key: c.Value})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n# %s\n", strings.Map(printable, c.Why))
		if c.Mentioned {
			b.WriteString("# ")
		}
		b.Write(entry)
	}
	return b.String(), nil
}

// printable keeps a comment on its line.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}
