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
	"io"
	"os"

	"github.com/spf13/cobra"

	"bigmkl/bench/internal/gonen"
	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/heldout"
	"bigmkl/bench/internal/lewis"
	"bigmkl/bench/internal/limits"
	"bigmkl/bench/internal/peers"
	"bigmkl/bench/internal/ranks"
	"bigmkl/bench/internal/scaling"
	"bigmkl/bench/internal/targets"
	"bigmkl/bench/internal/thesis"
	"bigmkl/bench/internal/ye"
)

func main() { os.Exit(harness.Run(newRootCommand(os.Stdin, os.Stdout, os.Stderr))) }

// newRootCommand builds the tree of commands.
func newRootCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	return harness.NewCommand(stdin, stdout, stderr, listExperiments(), ranks.NewWireCommand(stdout))
}

// listExperiments returns all experiments in the order in which "all" runs them. The limits come first,
// since other experiments state shares of them. The comparison with a commit is last, as it builds
// programs.
func listExperiments() []harness.Experiment {
	return []harness.Experiment{
		limits.Experiment(), thesis.Figure31(), thesis.Solvers(), thesis.Toy(), peers.Peers(),
		scaling.Scaling(), scaling.Million(), scaling.LargeC(), thesis.Choices(), thesis.Squared(), thesis.Classes(),
		gonen.Experiment(), lewis.Combine(), heldout.Verdicts(), heldout.Importance(), heldout.Coverage(),
		heldout.Intervals(), heldout.Defaults(), lewis.Mixtures(), ye.Experiment(),
		targets.CacheTier(), targets.Strings(), scaling.Reading(), scaling.Trial(), ranks.Experiment(),
		targets.Experiment(), peers.Regress(),
	}
}
