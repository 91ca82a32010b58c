package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"
)

// experiment is one subcommand, which measures something.
type experiment struct {
	name, short string
	long        string
	// argument is the name of the argument in the help, or "" if there is none.
	argument string
	// several is set if there may be more than one argument.
	several bool
	// standIn is the argument when all experiments are run.
	standIn string
	// lacking returns what the experiment needs and does not find, or "". It may be nil.
	lacking func(ctx context.Context) string
	// flags defines the flags of the subcommand, whose zero values mean the defaults.
	flags func(f *pflag.FlagSet)
	run   func(ctx context.Context, s *session, r *experimentReport, args []string) error
}

// measureExperiment runs an experiment and writes its report into the folder of reports, if there
// is one. The report holds what was measured even if there is an error.
func (s *session) measureExperiment(ctx context.Context, e experiment,
	args []string) (*experimentReport, error) {
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

// newReport returns an empty report of an experiment.
func (s *session) newReport(e experiment) *experimentReport {
	return &experimentReport{Experiment: e.name, Title: e.short,
		environment: newEnvironment(s.threads), Quick: s.quick}
}
