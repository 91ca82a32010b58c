package heldout

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate"
)

// defaultsRow is the line of a data set: accuracy or R2 of each method on held-out rows. A method that
// was not measured has an empty cell.
type defaultsRow struct {
	Set      string `json:"set" table:"data set"`
	Task     string `json:"task,omitempty" table:"task"`
	Rows     int    `json:"rows,omitempty" table:"rows|%d|blank"`
	Features int    `json:"features,omitempty" table:"features|%d|blank"`
	// The columns follow the order of defaultsMethods.
	Default  heldOut `json:"default,omitzero" table:"default||blank"`
	None     heldOut `json:"none,omitzero" table:"none||blank"`
	MinMax   heldOut `json:"minmax,omitzero" table:"minmax||blank"`
	Standard heldOut `json:"standard,omitzero" table:"standard||blank"`
	Select   heldOut `json:"select,omitzero" table:"select||blank"`
	SVC      heldOut `json:"svc,omitzero" table:"scaled SVC, SVR||blank"`
	Grid     heldOut `json:"grid,omitzero" table:"grid of these||blank"`
	Forest   heldOut `json:"forest,omitzero" table:"forest||blank"`
	Boosting heldOut `json:"boosting,omitzero" table:"boosting||blank"`
	XGBoost  heldOut `json:"xgboost,omitzero" table:"XGBoost||blank"`
	LightGBM heldOut `json:"lightgbm,omitzero" table:"LightGBM||blank"`
	// Choice is the scaling that auto chose on the first split.
	Choice string `json:"choice,omitempty" table:"what the default chose"`
}

// defaultsMethod is a column of the table.
// name is the value of --methods.
type defaultsMethod struct {
	name string
	// column returns the place of the method in a row, so code for all methods is written once.
	column func(*defaultsRow) *heldOut
	// options holds the options of a method of bigmkl, and is nil for other methods.
	options *bigmkl.Options
	// selects is set if a selection chooses kernels, norm and cost on the rows of a training.
	selects bool
}

// defaultsMethods are the columns in their order. The first four differ in scaling alone, so their
// differences show what the scaling of the default is worth.
var defaultsMethods = []defaultsMethod{
	{"default", func(r *defaultsRow) *heldOut { return &r.Default }, &bigmkl.Options{}, false},
	{"none", func(r *defaultsRow) *heldOut { return &r.None }, &bigmkl.Options{Scale: dataset.ScaleNone}, false},
	{"minmax", func(r *defaultsRow) *heldOut { return &r.MinMax }, &bigmkl.Options{Scale: dataset.ScaleMinMax}, false},
	{"standard", func(r *defaultsRow) *heldOut { return &r.Standard }, &bigmkl.Options{Scale: dataset.ScaleStandard}, false},
	{"select", func(r *defaultsRow) *heldOut { return &r.Select }, &bigmkl.Options{}, true},
	{"svc", func(r *defaultsRow) *heldOut { return &r.SVC }, nil, false},
	{"grid", func(r *defaultsRow) *heldOut { return &r.Grid }, nil, false},
	{"forest", func(r *defaultsRow) *heldOut { return &r.Forest }, nil, false},
	{"boosting", func(r *defaultsRow) *heldOut { return &r.Boosting }, nil, false},
	{"xgboost", func(r *defaultsRow) *heldOut { return &r.XGBoost }, nil, false},
	{"lightgbm", func(r *defaultsRow) *heldOut { return &r.LightGBM }, nil, false},
}

// methodNames returns the names of all methods.
// The order is the order of the columns.
func methodNames() (names []string) {
	for _, m := range defaultsMethods {
		names = append(names, m.name)
	}
	return names
}

// heldOut has the accuracy or R2 of a method on held-out rows: the mean over the splits, its error, and
// the figure of each split. The zero value means a method that was not measured.
type heldOut struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"error"`
	// Seconds is the processor time of one split.
	Seconds float64   `json:"cpu_seconds"`
	Figures []float64 `json:"figures,omitempty"`
}

// IsZero reports whether there are no figures. A mean of 0 is one.
// encoding/json calls it for omitzero, and the table for blank cells.
func (h heldOut) IsZero() bool { return h.Figures == nil && h.Mean == 0 }

// String is the cell of the table.
func (h heldOut) String() string {
	switch {
	case h.IsZero():
		return ""
	// One split has no error.
	case len(h.Figures) < 2:
		return fmt.Sprintf("%.3f", h.Mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", h.Mean, h.Error)
}

// newHeldOut describes the figures of all splits.
func newHeldOut(figures []float64, seconds float64) heldOut {
	mean := resampleDefaults(figures)
	return heldOut{Mean: mean.Mean, Error: mean.Error, Seconds: seconds, Figures: figures}
}

// resampleDefaults returns the mean of figures of splits with its corrected error. Splits share rows,
// so their figures are not independent; the ratio of test rows to training rows determines the
// correction (Nadeau and Bengio 2003).
func resampleDefaults(figures []float64) evaluate.Resampled {
	return evaluate.Resample(figures, defaultsShare/(1-defaultsShare))
}

// line returns the means as one line.
// The line is for the terminal, so errors are left out.
func (r defaultsRow) line() string {
	var parts []string
	for _, m := range defaultsMethods {
		if h := m.column(&r); !h.IsZero() {
			parts = append(parts, fmt.Sprintf("%s %.3f", m.name, h.Mean))
		}
	}
	return strings.Join(parts, ", ")
}

// defaultsTimes are the processor seconds of a split. Its fields are in the order of defaultsMethods.
type defaultsTimes struct {
	Set      string  `json:"set" table:"data set"`
	Default  float64 `json:"default,omitempty" table:"default|%.3f|blank"`
	None     float64 `json:"none,omitempty" table:"none|%.3f|blank"`
	MinMax   float64 `json:"minmax,omitempty" table:"minmax|%.3f|blank"`
	Standard float64 `json:"standard,omitempty" table:"standard|%.3f|blank"`
	Select   float64 `json:"select,omitempty" table:"select|%.3f|blank"`
	SVC      float64 `json:"svc,omitempty" table:"scaled SVC, SVR|%.3f|blank"`
	Grid     float64 `json:"grid,omitempty" table:"grid of these|%.3f|blank"`
	Forest   float64 `json:"forest,omitempty" table:"forest|%.3f|blank"`
	Boosting float64 `json:"boosting,omitempty" table:"boosting|%.3f|blank"`
	XGBoost  float64 `json:"xgboost,omitempty" table:"XGBoost|%.3f|blank"`
	LightGBM float64 `json:"lightgbm,omitempty" table:"LightGBM|%.3f|blank"`
}

// times returns the row of the table of times.
func (r defaultsRow) times() defaultsTimes {
	return defaultsTimes{r.Set, r.Default.Seconds, r.None.Seconds, r.MinMax.Seconds, r.Standard.Seconds, r.Select.Seconds, r.SVC.Seconds, r.Grid.Seconds,
		r.Forest.Seconds, r.Boosting.Seconds, r.XGBoost.Seconds, r.LightGBM.Seconds}
}

// summarize adds what the table as a whole states: means over the sets of classes, and where the
// default loses most against the better of none and standard, with classes and in regressions.
func summarize(t *harness.Table, rows []defaultsRow) {
	// Each note stays silent without its rows.
	addMeans(t, rows)
	compareSearches(t, rows)
	for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskSVR} {
		worst, where, losers, count := evaluate.Resampled{Mean: math.Inf(1)}, "", 0, 0
		// The bounds count sets with a loss of more than 1.5 points of accuracy, or more than 0.03 of
		// R2.
		bound, unit, shown := 0.015, 100.0, "points of accuracy"
		digits := 1
		if task == bigmkl.TaskSVR {
			bound, unit, shown, digits = 0.03, 1, "of R2", 3
		}
		for _, r := range rows {
			if r.Task != task || r.Default.IsZero() || r.None.IsZero() || r.Standard.IsZero() {
				continue
			}
			// A negative lead is a loss of the default.
			lead := r.lead()
			count++
			if lead.Mean < -bound {
				losers++
			}
			if lead.Mean < worst.Mean {
				worst, where = lead, r.Set
			}
		}
		if count > 0 {
			t.Note("%s: against the better of none and standard the default has %+.*f ± %.*f %s at worst, on %s; it has more than %g less on %d of %d sets.",
				task, digits, unit*worst.Mean, digits, unit*worst.Error, shown, where, unit*bound, losers, count)
		}
	}
}

// lead is the difference between the default and the better of none and standard, split by split. The
// better one is chosen after the fact, so the lead is pessimistic.
func (r defaultsRow) lead() evaluate.Resampled {
	better := r.None
	if r.Standard.Mean > better.Mean {
		better = r.Standard
	}
	return r.Default.minus(better)
}

// minus is the difference between h and another method, split by split.
// Both must have the same splits. The error of paired differences is smaller than the errors of both means.
func (h heldOut) minus(other heldOut) evaluate.Resampled {
	differences := make([]float64, len(other.Figures))
	for k, x := range other.Figures {
		differences[k] = h.Figures[k] - x
	}
	return resampleDefaults(differences)
}

// compareSearches compares select with the search of scikit-learn, over the sets of classes that both
// were run on. Both search for their parameters on the training rows, so neither has an advantage by
// more information.
func compareSearches(t *harness.Table, rows []defaultsRow) {
	sum, count := 0.0, 0
	var below []string
	for _, r := range rows {
		if r.Task != bigmkl.TaskClass || r.Select.IsZero() || r.Grid.IsZero() {
			continue
		}
		lead := r.Select.minus(r.Grid)
		// below has the sets with a loss beyond its error.
		if sum, count = sum+lead.Mean, count+1; lead.Mean < -lead.Error {
			below = append(below, r.Set)
		}
	}
	if count > 0 {
		t.Note("select has %+.1f points of accuracy against the grid of scaled SVC in the mean of %d sets, and is below it by more than one corrected error on %d (%s).",
			100*sum/float64(count), count, len(below), cmp.Or(strings.Join(below, ", "), "none"))
	}
}

// addMeans adds a row of the means over the sets of classes that every method of the table has. A set
// that a method lacks would move the mean of this method alone, so only sets with all methods count.
func addMeans(t *harness.Table, rows []defaultsRow) {
	measured := func(r *defaultsRow, m defaultsMethod) bool { return !m.column(r).IsZero() }
	// used marks the columns that the table has.
	used := map[string]bool{}
	for _, r := range rows {
		for _, m := range defaultsMethods {
			used[m.name] = used[m.name] || measured(&r, m)
		}
	}
	var whole []defaultsRow
	for _, r := range rows {
		complete := r.Task == bigmkl.TaskClass
		for _, m := range defaultsMethods {
			complete = complete && measured(&r, m) == used[m.name]
		}
		if complete {
			whole = append(whole, r)
		}
	}
	if len(whole) == 0 {
		return
	}
	// A mean over sets has no error, because sets are not a sample.
	mean := defaultsRow{Set: fmt.Sprintf("mean of %d sets of classes", len(whole))}
	for _, r := range whole {
		for _, m := range defaultsMethods {
			m.column(&mean).Mean += m.column(&r).Mean / float64(len(whole))
		}
	}
	t.Add(mean)
}
