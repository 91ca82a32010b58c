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
	"github.com/spf13/pflag"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on signals act at once
	err := command(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(ctx)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "bench: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// experiment is something that can be measured.
type experiment struct {
	name, short string
	long        string
	argument    string                           // its name in the help, "" if there is none
	standIn     string                           // the argument when everything is run
	lacking     func(ctx context.Context) string // what is missing for it to run at all, "" if nothing; may be nil
	flags       func(f *pflag.FlagSet)           // their zero values stand for the defaults
	run         func(ctx context.Context, s *session, r *report, args []string) error
}

func experiments() []experiment {
	return []experiment{limits(), figure31(), solvers(), toy(), peers(), scaling(), choices(), squared(), classes(), cacheTier(), stringRows(), targets(), regress()}
}

// command is the tree of commands.
func command(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	s := &session{stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use: "bench", Short: "Runtime experiments", SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		Long: "Measures the machine, the routines, trainings and other programs. Without a command: a short form of everything\n" +
			"(the same as all --quick), which shows that the experiments work.",
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return s.check() },
		RunE: func(c *cobra.Command, _ []string) error {
			s.quick = true
			return s.all(c.Context())
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	s.flags(root.PersistentFlags())
	for _, e := range experiments() {
		root.AddCommand(s.subcommand(e))
	}
	root.AddCommand(
		&cobra.Command{
			Use: "all", Short: "every experiment, one after the other", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return s.all(c.Context()) },
		},
		&cobra.Command{
			Use: childCommand, Hidden: true, Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return child(c.Context(), stdin, stdout) },
		})
	return root
}

func (s *session) subcommand(e experiment) *cobra.Command {
	c := &cobra.Command{
		Use: e.name, Short: e.short, Long: e.long, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := s.measure(c.Context(), e, args)
			return errors.Join(err, s.print(r))
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

// all runs every experiment that can run.
func (s *session) all(ctx context.Context) error {
	var reports []*report
	var faults []error
	for _, e := range experiments() {
		if e.lacking != nil {
			if missing := e.lacking(ctx); missing != "" {
				r := s.report(e)
				r.note("left out: %s", missing)
				reports = append(reports, r)
				continue
			}
		}
		var args []string
		if e.argument != "" {
			args = []string{e.standIn}
		}
		r, err := s.measure(ctx, e, args)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", e.name, err))
		}
		reports = append(reports, r)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(append(faults, s.print(reports...))...)
}
