package targets

import (
	"fmt"

	"bigmkl/bench/internal/harness"
)

// targetCase is a floor that trainings have to reach, with its trainings and the value that is read
// from their outcomes. A training that several targets share is run once.
type targetCase struct {
	name string
	what string
	// data is the data set that is needed, or "" for none.
	data string
	// quick marks a target whose trainings are short enough for a quick run.
	quick bool
	floor floorLimit
	runs  []harness.Training
	// then returns further trainings, made from the outcomes of runs. It may be nil.
	then func(o []harness.Outcome) []harness.Training
	// measure returns the value that the floor is compared with, and the figures that it comes from as
	// a text.
	measure func(s *harness.Session, o []harness.Outcome) (value float64, how string)
}

// floorLimit is a limit that a measured value has to keep.
type floorLimit struct {
	limit float64
	unit  string
	// least asks for a value of at least the limit, instead of at most.
	least bool
}

// atMost returns a limit from above.
func atMost(limit float64, unit string) floorLimit { return floorLimit{limit, unit, false} }

// atLeast returns a limit from below.
func atLeast(limit float64, unit string) floorLimit { return floorLimit{limit, unit, true} }

// met reports whether a value keeps the limit.
func (f floorLimit) met(v float64) bool {
	if f.least {
		return v >= f.limit
	}
	return v <= f.limit
}

// String returns the limit as text.
func (f floorLimit) String() string {
	word := "at most"
	if f.least {
		word = "at least"
	}
	return fmt.Sprintf("%s %g %s", word, f.limit, f.unit)
}
