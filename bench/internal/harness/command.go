package harness

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

// NewCommand returns a root command whose subcommands are the experiments and the further commands. The root
// itself runs a short form of all experiments.
// Errors are printed by Run, so cobra prints neither them nor the usage.
func NewCommand(stdin io.Reader, stdout, stderr io.Writer, experiments []Experiment,
	further ...*cobra.Command) *cobra.Command {
	// The session has the flags of all experiments, such as --threads and --quick.
	s := NewSession(stdout, stderr)
	root := &cobra.Command{
		Use: "bench", Short: "Runtime experiments", SilenceUsage: true, SilenceErrors: true,
		Args: cobra.NoArgs,
		Long: "Bench measures the host, the routines, trainings and other programs. Without a command it\n" +
			"runs a short form of all experiments (the same as all --quick), to show that they work.",
		// cobra calls it for each subcommand, so no experiment has to check these flags.
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return s.checkFlags() },
		RunE: func(c *cobra.Command, _ []string) error {
			s.Quick = true
			return s.runAll(c.Context(), experiments)
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	// Tests pass buffers, so the help must not go to the process's own streams.
	root.SetOut(stdout)
	root.SetErr(stderr)
	s.addFlags(root.PersistentFlags())
	// Each experiment has a subcommand of its name.
	for _, e := range experiments {
		root.AddCommand(s.newCommand(e))
	}
	root.AddCommand(
		&cobra.Command{
			Use: "all", Short: "run every experiment, one after the other", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return s.runAll(c.Context(), experiments) },
		},
		&cobra.Command{
			// A training runs in a child process, so its peak of memory is its own. The child reads its
			// order from stdin.
			Use: ChildName, Hidden: true, Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return runChild(c.Context(), stdin, stdout) },
		})
	// Further commands are hidden helpers, such as the measurement of messages.
	root.AddCommand(further...)
	return root
}

// Run runs the command line of this process and returns the exit code. An interrupt ends the current training, and a
// second one ends the process at once.
// 130 is the code of a shell for an interrupt, and 1 any other fault.
func Run(root *cobra.Command) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the handler is removed, so the second one has its default effect.
	context.AfterFunc(ctx, stop)
	err := root.ExecuteContext(ctx)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: interrupted")
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// runAll runs every experiment whose requirements are met. A fault of one does not keep the
// others from running; all faults are returned at the end. Experiments whose data or programs are
// missing are listed as left out, so a reader does not take them for done.
// Flags of experiments have their defaults, because the root has no flags of an experiment.
func (s *Session) runAll(ctx context.Context, experiments []Experiment) error {
	var reports []*Report
	var faults []error
	for k, e := range experiments {
		// Three calls with --third 1, 2 and 3 share all experiments out.
		if s.third > 0 && k%3 != s.third-1 {
			continue
		}
		// The report of a left-out experiment has only this note.
		if e.Lacking != nil {
			if missing := e.Lacking(ctx); missing != "" {
				r := s.newReport(e)
				r.Note("left out: %s", missing)
				reports = append(reports, r)
				continue
			}
		}
		if e.Flags != nil { // which sets their defaults
			e.Flags(pflag.NewFlagSet(e.Name, pflag.ContinueOnError))
		}
		// StandIn is the argument that the experiment names for this case.
		var args []string
		if e.Argument != "" {
			args = []string{e.StandIn}
		}
		r, err := s.measureExperiment(ctx, e, args)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", e.Name, err))
		}
		// An experiment that failed has a report as well, with the rows that it measured.
		reports = append(reports, r)
		// The reports so far are printed after an interrupt, too. Some of them took hours.
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(append(faults, s.printReports(reports...))...)
}

// newCommand returns the subcommand of an experiment.
func (s *Session) newCommand(e Experiment) *cobra.Command {
	c := &cobra.Command{
		Use: e.Name, Short: e.Short, Long: e.Long, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			// A fault and the report are independent: rows before the fault are printed.
			r, err := s.measureExperiment(c.Context(), e, args)
			return errors.Join(err, s.printReports(r))
		},
	}
	if e.Argument != "" {
		// cobra rejects a wrong number of arguments before the experiment begins.
		c.Use, c.Args = e.Name+" "+e.Argument, cobra.ExactArgs(1)
		// An experiment of several parts takes at least one of them.
		if e.Several {
			c.Args = cobra.MinimumNArgs(1)
		}
	}
	if e.Flags != nil {
		e.Flags(c.Flags())
	}
	return c
}
