package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/serve"
)

// serveCommand holds the flags of the serve command.
type serveCommand struct {
	*app
	options      serve.Options
	listen       string
	grace, watch time.Duration
}

// newServeCommand defines the serve command.
func newServeCommand(a *app) *cobra.Command {
	p := &serveCommand{app: a, grace: 10 * time.Second}
	p.options.Limits = serve.Limits{
		Body: 4 << 20, Rows: 10000, Requests: 32, Waiting: 256, Wait: 5 * time.Second, Connections: 1024,
		Timeout: 30 * time.Second,
	}
	everySeconds := "0"
	if runtime.GOOS == "windows" { // There is no SIGHUP.
		p.watch, everySeconds = 5*time.Second, "5"
	}
	c := &cobra.Command{
		Use:   "serve MODEL",
		Short: "Answer predictions over HTTP",
		Long: "Serve answers predictions of a model over HTTP, equal to predict to the bit. POST /v1/predict\n" +
			"takes rows as JSON or as .npy array. It also answers GET /v1/model, /healthz, /readyz and\n" +
			"/metrics. There is neither encryption nor a password: let it listen on this computer, as it does\n" +
			"by default, and put a reverse proxy before it.\n\n" +
			"SIGHUP loads the model file again without dropping a request. --watch does so whenever the file\n" +
			"changes. Put a new model in place by renaming it, as train -o does. If it is damaged, the old\n" +
			"one stays in service. SIGTERM lets the requests in progress end. docs/SERVE.md has the rest.",
		Example: "  bigmkl serve adult.model\n" +
			"  curl -H 'Content-Type: application/json' -d '{\"rows\": [{\"index\": [3, 11], \"value\": [1, 1]}]}' \\\n" +
			"    http://127.0.0.1:8080/v1/predict",
	}
	f, o := newFlags(c), &p.options
	f.StringVar(&p.listen, "listen", "127.0.0.1:8080",
		"`ADDRESS` and port to listen on; port 0 is any that is free")
	add(f, &o.Body, "max-body", "BYTES", "4MiB", parseMemory, "size of a request's body, and of its answer")
	add(f, &o.Rows, "max-rows", "N", "10000", parseLimit, "rows of a request")
	add(f, &o.Requests, "max-requests", "N", "32", parseLimit,
		"requests for predictions in progress; more wait")
	add(f, &o.Waiting, "max-waiting", "N", "256", parseCount,
		"requests for predictions that wait for those in progress; more are refused at once")
	add(f, &o.Wait, "max-wait", "TIME", "5", parseInterval, "time that a request waits before it is refused")
	add(f, &o.Connections, "max-connections", "N", "1024", parseLimit,
		"open connections; more are closed at once")
	add(f, &o.Rate, "rate", "R", "", parsePositive,
		"requests for predictions a second; more are refused at once (default: no limit)")
	add(f, &o.Timeout, "timeout", "TIME", "30", parseInterval,
		"time to read a request, and then to answer it")
	addNarrowFlag(f, &o.IgnoreExtras)
	add(f, &p.grace, "grace", "TIME", "10", parseInterval,
		"time that requests have to end after SIGTERM")
	add(f, &p.watch, "watch", "TIME", everySeconds, parseDuration,
		"how often to look for another model file, 0 for never, when SIGHUP alone asks for it")
	add(f, &o.Threads, "threads", "N", "0", parseCount,
		"number of requests that compute at the same time, 0 for all processors")
	addMemoryFlag(f, &o.Memory)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.Join(f.err(),
				fail.New(fail.Usage, "serve takes one model, not %d", len(args)))
		}
		if err := f.err(); err != nil {
			return err
		}
		return p.run(c.Context(), args[0])
	}
	return c
}

// run loads the model and serves it until an interrupt.
func (p *serveCommand) run(ctx context.Context, path string) error {
	o := &p.options
	undo := limitHeapTo(&o.Memory, new(func(int64)))
	defer undo()
	host.KeepHeap(o.Memory)
	o.Contract, o.Describe = contract.Version, describeModel
	o.Log = func(format string, args ...any) { p.messages.log(fmt.Sprintf(format, args...)) }
	s, err := serve.New(ctx, path, *o)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", p.listen)
	if err != nil {
		return fail.New(fail.Usage, "cannot listen on %s: %w", fail.Quote(p.listen), err).
			WithHint("--listen ADDRESS:PORT")
	}
	p.last.Store(int64(p.grace + time.Second))
	p.takeHangups()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.reload(ctx, s)
	}()
	if err := p.print("listening on http://%s\n", l.Addr()); err != nil {
		l.Close()
		return err
	}
	err = s.Serve(ctx, l, p.grace)
	if ctx.Err() == nil {
		return fail.New(fail.Budget, "cannot go on listening: %w", err)
	}
	<-done
	if errors.Is(err, context.DeadlineExceeded) {
		return &exitError{contract.ExitInterrupted, fmt.Sprintf("requests that did not end within %v were cut",
			p.grace)}
	}
	return err
}

// reload loads the model again whenever SIGHUP asks for it or another file is found.
func (p *serveCommand) reload(ctx context.Context, s *serve.Server) {
	var looks <-chan time.Time
	if p.watch > 0 {
		t := time.NewTicker(p.watch)
		defer t.Stop()
		looks = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks:
			if !s.Changed() {
				continue
			}
		case <-p.hangups:
		}
		if err := s.Reload(ctx); err != nil {
			p.options.Log("the model stays as it is: %v", err)
			continue
		}
		p.options.Log("the model was loaded again")
	}
}

// describeModel returns the object that inspect --json prints.
func describeModel(m *bigmkl.Model) ([]byte, error) {
	b, err := m.Bank()
	if err != nil {
		return nil, err
	}
	average := averageMachines(&m.Model)
	order := kernelsByWeight(average)
	return encodeJSON("inspect",
		newInspectJSON(average, b, order[:min(len(order), mostListed)], nil))
}
