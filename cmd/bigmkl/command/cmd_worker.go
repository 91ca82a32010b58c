package command

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// newWorkerCommand defines the worker command. A process takes tens of milliseconds to start. On small
// data this exceeds the time of a prediction.
func newWorkerCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "worker",
		Short: "Run command lines that come from another program",
		Long: "Worker reads command lines from standard input, runs one after the other, and writes exit codes\n" +
			"and output to standard output. The Python package keeps a worker for small data, which saves it\n" +
			"the start of a process at each call. The worker ends with standard input.\n\n" +
			"A frame is the length of a JSON object, four bytes with the highest first, and the object. A\n" +
			"request is {\"folder\": \"/tmp/f\", \"arguments\": [\"train\", \"-o\", \"m\", \"X.npy\"]}: the arguments of\n" +
			"bigmkl, and the absolute path of the folder that they refer to. docs/JSON.md has the answers.",
		Example: "  bigmkl worker",
	}
	// The command has no flags. Requests have them.
	newFlags(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fail.New(fail.Usage, "worker takes no arguments")
		}
		return a.work(c.Context())
	}
	return c
}

// work answers requests until standard input ends. A bug ends the worker after its answer. Signals end
// it as any other command.
func (a *app) work(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer end()
	// Successive predictions of the Python package use the same model. The worker keeps it open,
	// which saves the reading of the file.
	a.kept = &keptModel{}
	// The channel has no buffer, so at most one request is read ahead.
	requests, fault := make(chan workerRequest), error(nil)
	reading.Go(func() {
		// The end of standard input means that the caller has ended. The request in progress is
		// then interrupted, because its answer has no reader.
		defer end()
		defer close(requests)
		// A read of standard input cannot be cancelled otherwise.
		in := newInterruptibleReader(ctx, a.stdin)
		for {
			r, err := readRequest(in)
			if err != nil {
				fault = err
				return
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				fault = ctx.Err()
				return
			}
		}
	})
	// A caller that waits for this frame finds a worker that could not start.
	if err := writeFrame(a.stdout, workerJSON{State: "ready"}); err != nil {
		return err
	}
	for r := range requests {
		// A worker that ends before this frame has not begun the request. Its caller may start
		// another worker and send the request again.
		if err := writeFrame(a.stdout, workerJSON{State: "taken"}); err != nil {
			return err
		}
		// Standard output of the command line is part of the answer, since frames have the stream.
		answer := a.answer(ctx, r)
		if err := writeFrame(a.stdout, answer); err != nil {
			return err
		}
		if *answer.Code == contract.ExitBug {
			return nil // The next request takes a process in which no bug has left traces.
		}
	}
	if errors.Is(fault, io.EOF) {
		return nil
	}
	return fault
}

// answer runs a command line as a process of its own does. The invocation has streams of its own in
// memory. It shares the scratch folders and the kept model with the worker.
func (a *app) answer(ctx context.Context, r workerRequest) workerJSON {
	// Both streams are complete before the frame is written, so one frame has all output.
	var stdout, stderr stream
	of := newApp(strings.NewReader(""), &stdout, &stderr)
	of.cleanup, of.grace, of.requested, of.kept = a.cleanup, a.grace, true, a.kept
	// Code is the exit code that a process of its own would have.
	code := of.executeIn(ctx, r.Folder, r.Arguments)
	return workerJSON{State: "ended", Code: &code, Stdout: stdout.String(), Stderr: stderr.String()}
}

// executeIn runs a command line in a folder.
func (a *app) executeIn(ctx context.Context, folder string, args []string) int {
	// A process has one folder, so a worker runs one request at a time.
	// The folder can be gone by the time of the request, which is a fault of its caller.
	if err := files.Chdir(folder); err != nil {
		err = files.InputFault("cannot enter", folder, err)
		a.complain("%s", explainError(err))
		return exitCode(err)
	}
	// Some systems do not remove the folder that a process is in.
	defer func() { _ = files.Chdir(os.TempDir()) }()
	return a.execute(ctx, args)
}

// checkRequest rejects serve and worker in a worker: they run until a signal or the end of
// standard input, so the worker would never answer.
func (a *app) checkRequest(command string) error {
	if a.requested && slices.Contains([]string{"serve", "worker"}, command) {
		return fail.New(fail.Usage, "a worker does not run %s", command)
	}
	return nil
}
