// Command bench measures the limits of the host, how near the routines come to them, how long
// trainings take, and how long other programs take for the same. Each experiment is a subcommand
// and gives Markdown tables or JSON.
//
//	go run ./bench                          a short form of every experiment, under three minutes
//	go run ./bench limits                   the machine, and each routine as a share of its own bound
//	go run ./bench targets --list           the floors that trainings have to reach
//	go run ./bench --data DIR --out DIR all every experiment in full, for hours
//
// Data sets are files such as mnist/mnist.libsvm.gz under --data or $BIGMKL_DATA. The report names
// what is absent.
//
// Every training, except for the tiny ones of toy, runs in a process of its own, so its memory can
// be measured separately. Its row states its certificate. Seconds are wall clock of the training
// without reading. An interrupt (Ctrl-C) ends the current training, and what was measured before is
// still written. A second interrupt ends the program at once.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal, a second one ends the program at once.
	context.AfterFunc(ctx, stop)
	err := newRootCommand(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(ctx)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// newRootCommand builds the tree of commands.
func newRootCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	s := &session{stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use: "bench", Short: "Runtime experiments", SilenceUsage: true, SilenceErrors: true,
		Args: cobra.NoArgs,
		Long: "Bench measures the host, the routines, trainings and other programs. Without a command it\n" +
			"runs a short form of all experiments (the same as all --quick), to show that they work.",
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return s.completeFlags() },
		RunE: func(c *cobra.Command, _ []string) error {
			s.quick = true
			return s.runAll(c.Context())
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	s.addFlags(root.PersistentFlags())
	for _, e := range listExperiments() {
		root.AddCommand(s.newCommand(e))
	}
	root.AddCommand(
		&cobra.Command{
			Use: "all", Short: "run every experiment, one after the other", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return s.runAll(c.Context()) },
		},
		&cobra.Command{
			Use: childName, Hidden: true, Args: cobra.NoArgs,
			RunE: func(c *cobra.Command,
				_ []string) error {
				return runChild(c.Context(), stdin, stdout)
			},
		},
		&cobra.Command{
			Use: wireName, Hidden: true, Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return measureWire(stdout) },
		})
	return root
}

// listExperiments returns all experiments in the order in which "all" runs them.
func listExperiments() []experiment {
	return []experiment{limitsExperiment(), figure31Experiment(), solversExperiment(),
		toyExperiment(), peersExperiment(), scalingExperiment(), millionExperiment(), choicesExperiment(),
		squaredExperiment(), classesExperiment(), gonenExperiment(), combineExperiment(), verdictsExperiment(), importanceExperiment(), coverageExperiment(), intervalExperiment(), defaultsExperiment(), mixturesExperiment(), discriminantExperiment(), cacheTierExperiment(), stringsExperiment(), readingExperiment(), trialExperiment(),
		ranksExperiment(), targetsExperiment(), regressExperiment()}
}

// runAll runs every experiment whose requirements are met.
func (s *session) runAll(ctx context.Context) error {
	var reports []*experimentReport
	var faults []error
	for k, e := range listExperiments() {
		if s.third > 0 && k%3 != s.third-1 {
			continue
		}
		if e.lacking != nil {
			if missing := e.lacking(ctx); missing != "" {
				r := s.newReport(e)
				r.note("left out: %s", missing)
				reports = append(reports, r)
				continue
			}
		}
		if e.flags != nil { // which sets their defaults
			e.flags(pflag.NewFlagSet(e.name, pflag.ContinueOnError))
		}
		var args []string
		if e.argument != "" {
			args = []string{e.standIn}
		}
		r, err := s.measureExperiment(ctx, e, args)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", e.name, err))
		}
		reports = append(reports, r)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(append(faults, s.printReports(reports...))...)
}

// newCommand returns the subcommand of an experiment.
func (s *session) newCommand(e experiment) *cobra.Command {
	c := &cobra.Command{
		Use: e.name, Short: e.short, Long: e.long, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := s.measureExperiment(c.Context(), e, args)
			return errors.Join(err, s.printReports(r))
		},
	}
	if e.argument != "" {
		c.Use, c.Args = e.name+" "+e.argument, cobra.ExactArgs(1)
		if e.several {
			c.Args = cobra.MinimumNArgs(1)
		}
	}
	if e.flags != nil {
		e.flags(c.Flags())
	}
	return c
}
