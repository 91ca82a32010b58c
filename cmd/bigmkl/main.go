// Command bigmkl trains, applies and checks l_p-norm multiple kernel learning machines.
//
// Each command is a file cmd_*.go over the library: it reads flags, opens data, and reports. Results go to standard output,
// progress, warnings and errors to standard error, an error being one line "bigmkl: file:line:column: message (hint)". The
// exit codes are in exit.go.
//
// The first interrupt (Ctrl-C, SIGTERM) ends the work in order: training finishes its iteration and
// writes the model, or is cut once that takes longer than the grace. The second ends the process at
// once, and so does the last moment that the first leaves it; what it had begun to write is removed
// in either case. Until main has asked for signals they end the process themselves.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"bigmkl/internal/fail"
)

func main() {
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	ctx, cancel := context.WithCancel(context.Background())
	signal.Ignore(syscall.SIGPIPE) // it would end the process before scratch files are gone; writes fail instead
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		cancel()
		late := time.NewTimer(lastMoment)
		// A supervisor may signal the process and then its group: what comes at once is the same wish.
		for first := time.Now(); time.Since(first) < sameSignal; {
			select {
			case <-signals:
			case <-late.C:
				a.complain("interrupted: what was in hand did not come to an end within %v", lastMoment)
			}
		}
		a.cleanup.remove()
		os.Exit(exitInterrupted)
	}()
	os.Exit(a.run(ctx, os.Args[1:]))
}

const (
	sameSignal = 300 * time.Millisecond // within which further signals count as the first

	// lastMoment after the first signal the process ends, whatever it does: for all that does not
	// look at its context, such as a system call on a device that does not answer. A process so
	// ends within 10 seconds.
	lastMoment = 9 * time.Second
)

// grace is what the iteration in hand, and the model, have of that time; the rest is for a
// checkpoint of what was cut. Tests leave less.
var grace = 4 * time.Second

// app is one invocation.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	messages       *messages // to stderr
	start          time.Time
	cleanup        cleanup
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, messages: newMessages(stderr), start: time.Now()}
}

// run executes a command line and gives the exit code.
func (a *app) run(ctx context.Context, args []string) (code int) {
	defer a.cleanup.remove()
	defer a.messages.end()
	defer func() {
		if r := recover(); r != nil {
			a.complain("a bug: %v (please report it with what follows)", r)
			a.stderr.Write(debug.Stack())
			code = exitBug
		}
	}()
	root, running := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !*running { // the parser's own complaints
		err = fail.New(fail.Usage, "%s", err.Error()).WithHint("%s --help explains", root.Name())
	}
	if code = exitCode(err); code == exitPipe {
		return code // as silent as the signal
	}
	for _, e := range leaves(err) {
		a.complain("%s", explain(e))
	}
	return code
}

// command builds the tree of commands. running becomes true when one of them starts.
func (a *app) command() (root *cobra.Command, running *bool) {
	running = new(bool)
	root = &cobra.Command{
		Use:   "bigmkl",
		Short: "Large-scale l_p-norm multiple kernel learning",
		Long: "bigmkl learns a classifier together with the weights of many kernels, and proves how good the result is.\n\n" +
			"Exit codes: 0 fine, 1 a bug, 2 usage, 3 input, 4 stopped before the gap was reached (the model is\n" +
			"written all the same, unless there was no time to), 5 corrupt or newer file, 6 out of memory or disk,\n" +
			"130 interrupted.",
		Example: "  bigmkl demo\n" +
			"  bigmkl plan --kernels gauss:auto/10 a9a.gz\n" +
			"  bigmkl train --kernels gauss:auto/10 --norm 4/3 -o adult.model a9a.gz\n" +
			"  bigmkl verify adult.model a9a.gz\n" +
			"  bigmkl predict adult.model a9a.t -o adult.predictions",
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRun:  func(*cobra.Command, []string) { *running = true },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE: func(*cobra.Command, []string) error {
			return fail.New(fail.Usage, "no command given").WithHint("bigmkl --help lists them, bigmkl demo shows them")
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.Version = version()
	root.AddCommand(a.trainCommand(), a.planCommand(), a.predictCommand(), a.verifyCommand(), a.inspectCommand(), a.gramCommand(), a.alignCommand(), a.boundCommand(),
		a.cleanCommand(), a.demoCommand(), a.versionCommand())
	return root, running
}

// complain writes one line to standard error.
func (a *app) complain(format string, args ...any) { a.messages.say(fmt.Sprintf(format, args...)) }

// print writes results to standard output.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}
