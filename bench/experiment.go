package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"
)

// experiment is something that can be measured.
type experiment struct {
	name, short string
	long        string
	argument    string                           // its name in the help, "" if there is none
	standIn     string                           // the argument when everything is run
	lacking     func(ctx context.Context) string // what is missing for it to run at all, "" if nothing; may be nil
	flags       func(f *pflag.FlagSet)           // their zero values stand for the defaults
	run         func(ctx context.Context, s *session, r *experimentReport, args []string) error
}

// measure runs an experiment. The report holds what has been measured, also when there is an error; if there is a folder
// for reports, it is written at once.
func (s *session) measureExperiment(ctx context.Context, e experiment, args []string) (*experimentReport, error) {
	r := s.newReport(e)
	s.progress.beginExperiment(e.name)
	err := e.run(ctx, s, r, args)
	s.progress.eraseFinally()
	if ctx.Err() != nil {
		r.note("interrupted: the tables hold what had been measured by then")
		err = ctx.Err()
	}
	return r, errors.Join(err, s.saveReport(r))
}

// report starts an empty one.
func (s *session) newReport(e experiment) *experimentReport {
	return &experimentReport{Experiment: e.name, Title: e.short, environment: newEnvironment(s.threads), Quick: s.quick}
}
