package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/serve"
	"bigmkl/internal/serve/access"
	"bigmkl/internal/serve/metrics"
)

// serveCommand holds the flags of the serve command. A server is reachable by programs that its user
// does not control. Every resource that a request can take therefore has a limit with a default.
type serveCommand struct {
	*app
	options serve.Options
	listen  string
	// grace is how long requests may continue after SIGTERM. watch is the time between two looks at the
	// model files.
	grace, watch     time.Duration
	cert, key, token string // names of files
}

// newServeCommand defines the serve command.
func newServeCommand(a *app) *cobra.Command {
	// A container gets SIGKILL 10 s after SIGTERM by default (Docker), or 30 s after it (Kubernetes).
	p := &serveCommand{app: a, grace: 10 * time.Second}
	// 4 MiB hold 10,000 rows of about 50 numbers as JSON. Waiting requests end after 5 s, as most
	// clients try again after such a time. Bodies, copies and answers of 32 requests take at most 640
	// MiB.
	p.options.Limits = serve.Limits{
		Body: 4 << 20, Rows: 10000, Requests: 32, Waiting: 256, Wait: 5 * time.Second, Connections: 1024,
		Timeout: 30 * time.Second,
	}
	everySeconds := "0"
	if runtime.GOOS == "windows" { // There is no SIGHUP.
		p.watch, everySeconds = 5*time.Second, "5"
	}
	c := &cobra.Command{
		Use:   "serve MODEL|DIR",
		Short: "Answer predictions over HTTP",
		Long: "Serve answers predictions of a model over HTTP, equal to predict to the bit. POST /v1/predict\n" +
			"takes rows as JSON or as .npy array. Paths of /v2 follow the Open Inference Protocol, and\n" +
			"GET /openapi.json lists all paths. A folder has models NAME.model and NAME/VERSION.model.\n" +
			"There is no encryption without --tls-cert, and no password without --token-file: let it listen\n" +
			"on this computer, as it does by default, or give both.\n\n" +
			"SIGHUP loads the model files again without dropping a request. --watch does so whenever a file\n" +
			"changes. Put a new model in place by renaming it, as train -o does. If it is damaged, the old\n" +
			"one stays in service. SIGTERM lets the requests in progress end. docs/SERVE.md has the rest.",
		Example: "  bigmkl serve adult.model\n" +
			"  curl -H 'Content-Type: application/json' -d '{\"rows\": [{\"index\": [3, 11], \"value\": [1, 1]}]}' \\\n" +
			"    http://127.0.0.1:8080/v1/predict",
	}
	// Most flags write into the options of package serve, which has no flags itself.
	f, o := newFlags(c), &p.options
	f.StringVar(&p.cert, "tls-cert", "", "`FILE` with the certificate of the server and its chain, as PEM")
	f.StringVar(&p.key, "tls-key", "", "`FILE` with the key of --tls-cert, as PEM")
	f.StringVar(&p.token, "token-file", "", "`FILE` with a token that requests must send (Authorization: Bearer TOKEN)")
	f.StringVar(&p.listen, "listen", "127.0.0.1:8080",
		"`ADDRESS` and port to listen on; with port 0 the system chooses a free one")
	add(f, &o.Body, "max-body", "BYTES", "4MiB", parseMemory, "largest size of the body of a request, and of its answer")
	add(f, &o.Rows, "max-rows", "N", "10000", parseLimit, "largest number of rows of a request")
	add(f, &o.Requests, "max-requests", "N", "32", parseLimit,
		"largest number of requests for predictions in progress; further requests wait")
	add(f, &o.Waiting, "max-waiting", "N", "256", parseCount,
		"largest number of waiting requests; further requests are rejected at once")
	add(f, &o.Wait, "max-wait", "TIME", "5", parseInterval, "time that a request waits before it is rejected, in seconds or such as 1m")
	add(f, &o.Connections, "max-connections", "N", "1024", parseLimit,
		"largest number of open connections; further connections are closed at once")
	add(f, &o.Rate, "rate", "R", "", parsePositive,
		"largest number of requests for predictions per second; further requests are rejected at once (default: no limit)")
	add(f, &o.Timeout, "timeout", "TIME", "30", parseInterval,
		"time to read the body of a request and to predict its rows, both together, in seconds or such as 1m")
	addNarrowFlag(f, &o.IgnoreExtras)
	add(f, &p.grace, "grace", "TIME", "10", parseInterval,
		"time that requests have to finish after SIGTERM, in seconds or such as 1m")
	add(f, &p.watch, "watch", "TIME", everySeconds, parseDuration,
		"time between two checks for another model file; with 0 only SIGHUP loads it (on Windows, which has no SIGHUP, the default is 5 seconds)")
	add(f, &o.Threads, "threads", "N", "0", parseCount,
		"number of requests that compute at the same time, 0 for all processors")
	addMemoryFlag(f, &o.Memory)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.Join(f.err(),
				fail.New(fail.Usage, "serve takes one model or folder, not %d", len(args)))
		}
		if err := f.err(); err != nil {
			return err
		}
		return p.run(c.Context(), args[0])
	}
	return c
}

// run loads the model and serves it until an interrupt. The order matters: limit of the heap, token and
// certificate, model, port. A fault of any of them ends the command before a client can connect.
func (p *serveCommand) run(ctx context.Context, path string) error {
	o := &p.options
	// The limit of the heap is set before the model is loaded. A server has no stages, so
	// nothing moves the limit later.
	undo := limitHeapTo(&o.Memory, new(func(int64)))
	defer undo()
	host.KeepHeap(o.Memory)
	o.Contract, o.Describe = contract.Version, describeModel
	v := newVersionJSON()
	o.Build = metrics.Build{Version: v.Version, Commit: v.Commit}
	// A server must not start without the token that its user asked for.
	if err := p.readAccess(); err != nil {
		return err
	}
	o.Log = func(format string, args ...any) { p.messages.log(fmt.Sprintf(format, args...)) }
	// New loads every model, so a damaged file is reported before the port is open.
	s, err := serve.New(ctx, path, *o)
	if err != nil {
		return err
	}
	// The port opens after the model was read. A client that can connect never gets the answer
	// that there is no model yet.
	l, err := net.Listen("tcp", p.listen)
	if err != nil {
		return fail.New(fail.Usage, "cannot listen on %s: %w", fail.Quote(p.listen), err).
			WithHint("--listen ADDRESS:PORT")
	}
	p.warnOf(l.Addr())
	// The process ends by force this long after a signal: the grace of the requests, and a
	// second for the shutdown itself.
	p.last.Store(int64(p.grace + time.Second))
	// Hang-ups wait in a channel from now on, so none is lost.
	p.takeHangups()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.reload(ctx, s)
	}()
	// The line has the address with the port that the system has chosen.
	scheme := "http"
	if o.Certificate != nil {
		scheme = "https"
	}
	if err := p.print("listening on %s://%s\n", scheme, l.Addr()); err != nil {
		l.Close()
		return err
	}
	err = s.Serve(ctx, l, p.grace)
	// Serve returns before an interrupt only if the listener fails, for want of descriptors for
	// example.
	if ctx.Err() == nil {
		return fail.New(fail.Budget, "cannot go on listening: %w", err)
	}
	// The goroutine may be loading a model. Its files are closed before the command returns.
	<-done
	if errors.Is(err, context.DeadlineExceeded) {
		return &exitError{contract.ExitInterrupted, fmt.Sprintf("requests that did not end within %v were cut",
			p.grace)}
	}
	return err
}

// readAccess reads the token and the certificate. Both are read once. A new certificate or token takes
// a new process. Names of files are flags in place of the secrets, since command lines are visible to
// other users of a computer.
func (p *serveCommand) readAccess() (err error) {
	if (p.cert == "") != (p.key == "") {
		return fail.New(fail.Usage, "--tls-cert and --tls-key go together")
	}
	// The files are read before the server listens, so a fault in them ends the command at once.
	if p.cert != "" {
		if p.options.Certificate, err = access.ReadCertificate(p.cert, p.key); err != nil {
			return err
		}
	}
	if p.token != "" {
		p.options.Token, err = access.ReadToken(p.token)
	}
	return err
}

// warnOf warns if other computers may reach an address although there is no encryption, or no
// token. It is a warning and no error: behind a proxy that encrypts and checks tokens, such an address
// is right.
func (p *serveCommand) warnOf(a net.Addr) {
	// Only this computer reaches a loopback address.
	if t, ok := a.(*net.TCPAddr); !ok || t.IP.IsLoopback() {
		return
	}
	if p.options.Certificate == nil {
		p.options.Log("other computers may reach %s, and what is sent is not encrypted (--tls-cert)", a)
	}
	if p.options.Token == nil {
		p.options.Log("other computers may reach %s, and need no token (--token-file)", a)
	}
}

// reload loads models again on SIGHUP, and with --watch when their files have changed. It runs
// until ctx ends. SIGHUP loads every model, and --watch only models whose files have changed. A
// file that cannot be loaded leaves the old model in service. Requests in progress keep the model with
// which they began.
func (p *serveCommand) reload(ctx context.Context, s *serve.Server) {
	// A nil channel never yields, so without --watch only hang-ups count.
	var looks <-chan time.Time
	if p.watch > 0 {
		t := time.NewTicker(p.watch)
		defer t.Stop()
		looks = t.C
	}
	for {
		// A hang-up loads all models, and a tick only models that have changed.
		load := s.Reload
		select {
		case <-ctx.Done():
			return
		case <-looks:
			if !s.Changed() {
				continue
			}
			load = s.Refresh
		case <-p.hangups:
		}
		if err := load(ctx); err != nil {
			// Models of a folder have an error each.
			for line := range strings.Lines(err.Error()) {
				p.options.Log("the model stays as it is: %s", strings.TrimSpace(line))
			}
			continue
		}
		if n := s.Models(); n > 1 {
			p.options.Log("%d models are in service", n)
			continue
		}
		p.options.Log("the model was loaded again")
	}
}

// describeModel returns the object that inspect --json prints. A server returns it for GET /v1/model,
// so clients have one format for both. It depends on the model alone.
func describeModel(m *bigmkl.Model) ([]byte, error) {
	b, err := m.Bank()
	if err != nil {
		return nil, err
	}
	// The object lists as many kernels as inspect without --all.
	average := averageClassifiers(&m.Model)
	order := kernelsByWeight(average)
	return encodeJSON("inspect",
		newInspectJSON(average, b, order[:min(len(order), mostListed)], nil))
}
