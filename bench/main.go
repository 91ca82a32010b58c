// Command bench measures: what the machine can do, what the routines make of it, how long trainings take, and what other
// programs take for the same. Each experiment is a subcommand and gives Markdown tables, or JSON.
//
//	go run ./bench                          a short form of every experiment, under three minutes
//	go run ./bench limits                   the machine, and each routine as a share of its own bound
//	go run ./bench targets --list           the floors that trainings have to reach
//	go run ./bench --data DIR --out DIR all every experiment in full, for hours
//
// Data are folders such as mnist/mnist.libsvm.gz under --data or $BIGMKL_DATA; what is absent is named in the report.
//
// Every training, but the tiny ones of toy, runs in a process of its own, so that its memory can be told apart, and ends in a
// certificate, which its row states; seconds are wall clock of the training, reading apart. An interrupt (Ctrl-C) ends the run in hand; what has
// been measured by then is written all the same. A second one ends the program at once.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on signals act at once
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

// command is the tree of commands.
func newRootCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	s := &session{stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use: "bench", Short: "Runtime experiments", SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		Long: "Measures the machine, the routines, trainings and other programs. Without a command: a short form of everything\n" +
			"(the same as all --quick), which shows that the experiments work.",
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
			Use: "all", Short: "every experiment, one after the other", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return s.runAll(c.Context()) },
		},
		&cobra.Command{
			Use: childName, Hidden: true, Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return runChild(c.Context(), stdin, stdout) },
		})
	return root
}

func listExperiments() []experiment {
	return []experiment{limitsExperiment(), figure31Experiment(), solversExperiment(), toyExperiment(), peersExperiment(), scalingExperiment(), choicesExperiment(), squaredExperiment(), classesExperiment(), cacheTierExperiment(), stringsExperiment(), targetsExperiment(), regressExperiment()}
}

// all runs every experiment that can run.
func (s *session) runAll(ctx context.Context) error {
	var reports []*experimentReport
	var faults []error
	for _, e := range listExperiments() {
		if e.lacking != nil {
			if missing := e.lacking(ctx); missing != "" {
				r := s.newReport(e)
				r.note("left out: %s", missing)
				reports = append(reports, r)
				continue
			}
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
	}
	if e.flags != nil {
		e.flags(c.Flags())
	}
	return c
}
