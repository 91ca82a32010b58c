//go:build linux

package exchange

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestServeUnderLoad: 16 clients send requests of 1 and of 64 rows as fast as they are answered, for
// a minute at level 2, 1,600 of them at level 1 and 640 below, of a smaller model. Meanwhile the model is loaded again and
// again. Every request gets the right answer, and memory stays within its budget.
func TestServeUnderLoad(t *testing.T) {
	const clients = 16
	few, n := 40, 800
	if testlevel.Reached(testlevel.EveryKind) {
		few, n = 100, 2000
	}
	f := commandtest.NewFolder(t)
	data, test, model := f.File("data", commandtest.Text(n, 1)), f.File("test", commandtest.Text(64, 2)), f.At("m")
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.01..1/9,linear", "-o", model, data)
	const memory = 512 << 20
	s := startServing(t, "--memory", fmt.Sprint(memory), "--max-requests", "16", model)
	var bodies, want []string
	for _, rows := range []string{strings.SplitAfter(f.Read("test"), "\n")[0], f.Read("test")} {
		bodies = append(bodies, bodyOf(rows))
		want = append(want, printedLines(s.post(bodies[len(bodies)-1])))
	}
	if want[1] != commandtest.Must(t, "predict", "--quiet", model, test).Stdout {
		t.Fatal("other predictions than those of predict")
	}
	texts := []string{ask(t, s, bodies[0]), ask(t, s, bodies[1])}
	minute := testlevel.Reached(testlevel.ManyTimes)
	deadline := time.Now().Add(time.Minute)
	var took [clients][2][]time.Duration
	var done atomic.Bool
	var lost atomic.Int64
	var group sync.WaitGroup
	for c := range clients {
		group.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := 0; minute && time.Now().Before(deadline) || !minute && i < few; i++ {
				kind := (i + c) % 2
				start := time.Now()
				r, err := client.Post(s.url+"/v1/predict", "application/json", strings.NewReader(bodies[kind]))
				if err != nil {
					lost.Add(1)
					continue
				}
				got, err := io.ReadAll(r.Body)
				r.Body.Close()
				if err != nil || r.StatusCode != http.StatusOK || string(got) != texts[kind] {
					lost.Add(1)
				}
				took[c][kind] = append(took[c][kind], time.Since(start))
			}
		})
	}
	peak, reloads := int64(0), 0
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := 0; !done.Load(); n++ {
			<-tick.C
			peak = max(peak, commandtest.Anonymous(s.process.Process.Pid))
			if n%25 == 0 {
				s.process.Process.Signal(syscall.SIGHUP)
				reloads++
			}
		}
	}()
	begin := time.Now()
	group.Wait()
	seconds := time.Since(begin).Seconds()
	done.Store(true)
	<-ended
	for kind, rows := range []int{1, 64} {
		var all []time.Duration
		for c := range clients {
			all = append(all, took[c][kind]...)
		}
		slices.Sort(all)
		at := func(share float64) time.Duration { return all[int(share*float64(len(all)-1))] }
		t.Logf("%d rows a request: %d requests, %.0f a second, median %v, p99 %v, largest %v", rows, len(all), float64(len(all))/seconds, at(0.5), at(0.99), at(1))
	}
	t.Logf("%d requests lost, %d times SIGHUP, a peak of %d MiB of anonymous memory for a budget of %d MiB", lost.Load(), reloads, peak>>20, int64(memory)>>20)
	if limit := int64(memory + memory/10 + 64<<20); lost.Load() > 0 || peak > limit || peak == 0 {
		t.Errorf("%d requests lost, %d MiB of memory", lost.Load(), peak>>20)
	}
	s.signal(syscall.SIGTERM)
	if code := s.end(); code != contract.ExitFine {
		t.Errorf("exit code %d\n%s", code, s.stderr)
	}
}

// ask returns the text of an answer.
func ask(t testing.TB, s *serving, body string) string {
	t.Helper()
	r, err := http.Post(s.url+"/v1/predict", "application/json", strings.NewReader(body))
	return s.text(r, err)
}

// TestServeMemory: bodies as large as they may be, from as many clients as there may be, keep the
// process within its budget, whatever is in them.
func TestServeMemory(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	_, _, _, model := commandtest.Trained(t)
	const memory, body = 448 << 20, 4 << 20
	s := startServing(t, "--memory", fmt.Sprint(memory), "--max-requests", "16", "--max-rows", "1000000", model)
	fill := func(head, piece, tail string) string {
		n := (body - len(head) - len(tail)) / (len(piece) + 1)
		return head + strings.TrimSuffix(strings.Repeat(piece+",", n), ",") + tail
	}
	bodies := []string{
		fill(`{"rows":[`, `{"index":[1],"value":[1]}`, `]}`), fill(`{"rows":[`, `{"index":[],"value":[]}`, `]}`), fill(`{"rows":[[`, `1`, `]]}`),
		fill(`{"rows":[{"index":[`, `1`, `],"value":[1]}]}`), fill(`{"rows":[`, `{}`, `]}`), fill(`{"rows":[{"columns":{`, `"a":1`, `}}]}`), fill(`{"rows":[`, `[[[`, `]}`), fill(`{"x":[`, `1`, `]}`),
	}
	var peak atomic.Int64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				peak.Store(max(peak.Load(), commandtest.Anonymous(s.process.Process.Pid)))
			}
		}
	}()
	var group sync.WaitGroup
	for c := range 16 {
		group.Go(func() {
			for i := range testlevel.Repeats(5, len(bodies)) { // Each body comes from several clients all the same.
				r, err := http.Post(s.url+"/v1/predict", "application/json", strings.NewReader(bodies[(c+i)%len(bodies)]))
				if err != nil {
					t.Error(err)
					return
				}
				if r.StatusCode >= 500 && r.StatusCode != http.StatusServiceUnavailable {
					t.Error(r.Status)
				}
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		})
	}
	group.Wait()
	close(done)
	<-ended
	t.Logf("a peak of %d MiB of anonymous memory for a budget of %d MiB", peak.Load()>>20, int64(memory)>>20)
	if limit := int64(memory + memory/10 + 64<<20); peak.Load() > limit || peak.Load() == 0 {
		t.Errorf("%d MiB are more than %d", peak.Load()>>20, limit>>20)
	}
	s.signal(syscall.SIGTERM)
	if code := s.end(); code != contract.ExitFine {
		t.Errorf("exit code %d\n%s", code, s.stderr)
	}
}
