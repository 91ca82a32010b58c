// Package command is the command bigmkl: its flags, what it reads, prints and writes, and how it ends.
//
// Each command has a file cmd_*.go, which reads flags, opens data, calls the library and reports.
// Results go to standard output. Progress, warnings and errors go to standard error, where an
// error is one line "bigmkl: file:line:column: message (hint)". Package
// contract has the exit codes.
//
// The first interrupt (Ctrl-C, SIGTERM) ends the work in order: a training finishes its iteration and
// writes the model, or is cut if that takes longer than the grace. A second interrupt ends the process
// at once, and so does the last moment after the first. For serve, SIGHUP is not an interrupt but asks
// for the model to be loaded again. In both cases the files that were being written are removed.
// Before main asks for signals, a signal ends the process by itself.
package command

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/cmd/bigmkl/internal/letters"
	"bigmkl/internal/cluster"
	"bigmkl/internal/dataset/columnar"
	decoder "bigmkl/internal/dataset/columnar/decode"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
)

// Main is the process of the command: it reads the command line, the signals and the streams of the
// process, and ends it. After the first signal the iteration in progress and the writing of the model
// have the given time, usually Grace. Its order matters. A decoder of columnar files is a child
// process, which takes no signals and no ranks. The watcher of ranks comes before anything that may
// crash. Signals are asked for before other ranks are waited for.
func Main(grace time.Duration) {
	if len(os.Args) > 1 && os.Args[1] == columnar.Argument {
		os.Exit(decoder.Run(os.Args[1:], os.Stdout, os.Stderr))
	}
	watchLaunched()
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	a.grace = grace
	ctx, cancel := context.WithCancel(context.Background())
	// SIGPIPE would end the process before its scratch files are removed. Ignored, it makes
	// the write to standard output fail instead.
	signal.Ignore(syscall.SIGPIPE)
	signals := a.signals
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// Under nohup, SIGHUP is ignored and must stay so, except for a command that takes it.
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		for hangup := true; hangup; {
			select {
			case s := <-signals:
				hangup = a.takeHangup(s)
			case <-a.asked:
				hangup = false
			}
		}
		last := time.Duration(a.last.Load())
		// A rank other than 0 passes the wish on to rank 0, which decides for all. It waits longer,
		// because rank 0 ends first.
		if leave := a.leave.Load(); leave == nil {
			cancel()
		} else {
			last += followersWait
			if !(*leave)() {
				cancel()
			}
		}
		late := time.NewTimer(last)
		// A supervisor may signal the process and then its process group. Signals that follow
		// within sameSignal express the same wish and must not end the process at once.
		for first := time.Now(); time.Since(first) < sameSignal; {
			select {
			case s := <-signals:
				if a.takeHangup(s) {
					first = time.Now() // It is not a second interrupt.
				}
			case <-late.C:
				a.complainAlone("interrupted: the operation in progress did not end within %v", last)
			}
		}
		a.cleanup.removeAll()
		exit(contract.ExitInterrupted)
	}()
	closeRanks, err := openRanks(a)
	if err != nil {
		a.complain("%s", explainError(err))
		exit(exitCode(err))
	}
	if a.team.Alone() { // what ranks send each other is garbage soon, and is collected often
		host.CollectRarely()
	}
	args := os.Args[1:]
	if name := letters.Called(os.Args[0]); name != "" { // by a link of that name
		args = append([]string{name}, args...)
	}
	code := a.execute(ctx, args)
	// Ranks are waited for, unless one of them has come to grief.
	if code != contract.ExitBug {
		closeRanks()
	}
	exit(code)
}

// exit ends the process, and informs its watcher that it has not crashed.
func exit(code int) {
	tellWatcher(ownExit)
	os.Exit(code)
}

const (
	// sameSignal is the time within which further signals count as the first one. A person who wants to
	// end the process at once presses Ctrl-C later than that.
	sameSignal = 300 * time.Millisecond

	// lastMoment is the time after the first signal at which the process ends, whatever it does.
	// It serves operations that do not look at their context, such as a system call on a device
	// that does not answer. A signalled process therefore ends within 10 seconds; serve waits as
	// long as its --grace for the requests in progress.
	lastMoment = 9 * time.Second

	// followersWait is how much longer ranks other than 0 wait, which end with rank 0.
	followersWait = 500 * time.Millisecond
)

// Execute runs a command line with the given streams in this process, as one of several ranks unless
// ranks is nil, and returns the exit code. It takes no signals: ctx ends it. It serves programs and
// tests that run several command lines, or several ranks, in one process.
func Execute(ctx context.Context, ranks cluster.Collective, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	a := newApp(stdin, stdout, stderr)
	if ranks != nil {
		a.join(ranks)
	}
	return a.execute(ctx, args)
}

// execute runs a command line, reports its errors and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) (code int) {
	defer a.cleanup.removeAll()
	defer a.messages.writeLeftOut()
	defer func() {
		if r := recover(); r != nil {
			// Ranks other than 0 write no messages, but a bug has to be seen wherever it occurs.
			if !a.team.Leads() {
				a.messages = newMessages(a.stderr)
			}
			a.complain("a bug: %v (please report it with what follows)", r)
			a.stderr.Write(debug.Stack())
			code = contract.ExitBug
		}
	}()
	a.args = args
	root, running := a.newRootCommand()
	out := &remembering{to: a.stdout}
	root.SetOut(out)
	root.SetArgs(args)
	var err error
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		err = registerCompletions(root)
	}
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	// If no command was started, the parser of the command line has failed.
	var known *fail.Error
	if out.fault != nil && (err == nil || !*running) {
		// The parser drops the error of a help that is not written, and returns that of a version.
		err = out.fault
	} else if err != nil && !*running && !errors.As(err, &known) {
		err = fail.New(fail.Usage, "%s",
			err.Error()).WithHint("%s --help lists commands, %[1]s help COMMAND its flags",
			root.Name())
	}
	// Ranks agree on one error, which rank 0 reports.
	if err = endTeam(a.team, err); err == nil && !a.team.Leads() {
		return contract.ExitFine
	}
	if code = exitCode(err); code == contract.ExitPipe {
		return code // The signal would have ended the process without a message, too.
	}
	for _, e := range splitJoined(err) {
		fitHint(e, args)
		a.complain("%s", explainError(e))
	}
	return code
}

// newRootCommand builds the tree of commands. The flag running is set when one of the commands
// starts. An error before it is therefore known to be one of the command line.
func (a *app) newRootCommand() (root *cobra.Command, running *bool) {
	running = new(bool)
	root = &cobra.Command{
		Use:   "bigmkl",
		Short: "Large-scale l_p-norm multiple kernel learning",
		Long: "bigmkl learns a classifier or a regression together with the weights of many kernels, and proves how\n" +
			"close the result is to the optimum.\n\n" +
			"Exit codes: 0 success, 1 a bug, 2 wrong usage, 3 faulty input, 4 the gap was not reached (the\n" +
			"model is written unless there was no time for it), 5 a corrupt or too new file,\n" +
			"6 out of memory or disk, 75 one of several ranks was lost, 130 interrupted.",
		Example: "  bigmkl demo --write .\n" +
			"  bigmkl train --label disease --kernels gauss:auto/5@each-view -o heart.model heart.csv\n" +
			"  bigmkl verify heart.model heart.csv\n" +
			"  bigmkl predict heart.model heart-new.csv -o predictions.txt\n" +
			"  bigmkl importance --label disease --kernels gauss:auto/5@each-view -o sources heart.csv",
		SilenceErrors: true,
		SilenceUsage:  true,
		// It runs after the flags are parsed and before the command.
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			*running = true
			return errors.Join(checkRanks(a.team, c.Name()), a.checkRequest(c.Name()))
		},

		RunE: func(*cobra.Command, []string) error {
			return fail.New(fail.Usage, "no command is given").WithHint("%s", firstCommands)
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.Version = describeVersion()
	root.SetFlagErrorFunc(explainFlag)
	addCommands(root, a.commands()...)
	return root, running
}

// firstCommands are the three commands that matter to a new user.
const firstCommands = "bigmkl init DATA looks at data and writes options, bigmkl train --config bigmkl.toml trains a model, " +
	"bigmkl predict MODEL DATA applies it; bigmkl --help lists all commands, bigmkl demo shows them"

// commands returns the commands below the root. A request has no more than the one that it names, as
// the flags of all take longer to define than a prediction.
func (a *app) commands() (list []*cobra.Command) {
	all := map[string]func(*app) *cobra.Command{
		"align": newAlignCommand, "bound": newBoundCommand, "clean": newCleanCommand, "config": newConfigCommand,
		"convert": newConvertCommand, "demo": newDemoCommand, "export": newExportCommand, "gram": newGramCommand,
		"importance": newImportanceCommand, "init": newInitCommand, "inspect": newInspectCommand, "man": newManCommand, "plan": newPlanCommand,
		"predict": newPredictCommand, "report": newReportCommand, "select": newSelectCommand, "serve": newServeCommand,
		"train": newTrainCommand, "verify": newVerifyCommand, "version": newVersionCommand, "worker": newWorkerCommand,
	}
	if a.requested && len(a.args) > 0 && all[a.args[0]] != nil {
		return []*cobra.Command{all[a.args[0]](a)}
	}
	for _, name := range letters.Names {
		all[name] = newLettersCommand(name)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name](a))
	}
	return list
}
