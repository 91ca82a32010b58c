package harness

import (
	"context"
	"errors"

	"github.com/spf13/pflag"
)

// Experiment is one subcommand, which measures something.
type Experiment struct {
	// Short is one line of the help, and Long the description of the subcommand.
	Name, Short string
	Long        string
	// Argument is the name of the argument in the help, or "" if there is none.
	Argument string
	// Several is set if there may be more than one argument.
	Several bool
	// StandIn is the argument when all experiments are run.
	StandIn string
	// Lacking returns what the experiment needs and does not find, or "". It may be nil.
	Lacking func(ctx context.Context) string
	// Flags defines the flags of the subcommand, whose zero values represent the defaults.
	Flags func(f *pflag.FlagSet)
	// Run adds tables and notes to r. Tables that are complete when it returns an error are kept.
	Run func(ctx context.Context, s *Session, r *Report, args []string) error
}

// measureExperiment runs an experiment and writes its report into the folder of reports, if there
// is one. The report holds what was measured even if there is an error.
func (s *Session) measureExperiment(ctx context.Context, e Experiment,
	args []string) (*Report, error) {
	r := s.newReport(e)
	s.Progress.beginExperiment(e.Name)
	err := e.Run(ctx, s, r, args)
	s.Progress.eraseFinally()
	if ctx.Err() != nil {
		r.Note("interrupted: the tables hold what had been measured by then")
		err = ctx.Err()
	}
	return r, errors.Join(err, s.saveReport(r))
}

// newReport returns an empty report of an experiment.
// The environment is read when the experiment begins.
func (s *Session) newReport(e Experiment) *Report {
	return &Report{Experiment: e.Name, Title: e.Short,
		environment: newEnvironment(s.Threads), Quick: s.Quick}
}
