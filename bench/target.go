package main

import "fmt"

// target is a floor that trainings have to reach: its runs, and what is read off their outcomes. Runs that several targets
// share are done once.
type targetCase struct {
	name    string
	what    string
	data    string // the set that is needed, "" for none
	quick   bool   // short enough for a quick run
	floor   floorLimit
	runs    []training
	then    func(o []outcome) []training // further ones, made of the first outcomes
	measure func(s *session, o []outcome) (value float64, how string)
}

// floor is a limit that a measured value has to keep.
type floorLimit struct {
	limit float64
	unit  string
	least bool // the value has to be at least the limit, else at most
}

func atMost(limit float64, unit string) floorLimit { return floorLimit{limit, unit, false} }

func atLeast(limit float64, unit string) floorLimit { return floorLimit{limit, unit, true} }

func (f floorLimit) met(v float64) bool {
	if f.least {
		return v >= f.limit
	}
	return v <= f.limit
}

func (f floorLimit) String() string {
	word := "at most"
	if f.least {
		word = "at least"
	}
	return fmt.Sprintf("%s %g %s", word, f.limit, f.unit)
}
