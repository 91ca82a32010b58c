package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// serving is a process of bigmkl serve.
type serving struct {
	t       testing.TB
	process *exec.Cmd
	url     string
	token   string
	stderr  *bytes.Buffer // It may be read once the process has ended.
}

// startServing starts a server on a free port, and returns once it listens.
func startServing(t testing.TB, args ...string) *serving {
	t.Helper()
	return serveWith(t, commandtest.NewProcess(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

// serveWith starts a process that becomes a server.
func serveWith(t testing.TB, process *exec.Cmd) *serving {
	t.Helper()
	s := &serving{t: t, process: process, stderr: &bytes.Buffer{}}
	s.process.Stderr = s.stderr
	stdout, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.process.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if _, s.url, _ = strings.Cut(strings.TrimSpace(line), "listening on "); err != nil || s.url == "" {
		t.Fatalf("%v, %q, %s", err, line, s.stderr)
	}
	return s
}

// signal sends a signal to the process.
func (s *serving) signal(with os.Signal) {
	s.t.Helper()
	if err := s.process.Process.Signal(with); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the end of the process and returns its exit code.
func (s *serving) end() int {
	err := s.process.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return s.process.ProcessState.ExitCode()
}

// get returns what a path of the server answers.
func (s *serving) get(path string) string {
	s.t.Helper()
	r, err := s.do(http.MethodGet, path, "")
	return s.text(r, err)
}

// do sends a request with a body of JSON and the token.
func (s *serving) do(method, path, body string) (*http.Response, error) {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	return http.DefaultClient.Do(r)
}

// post returns the answer to a body of JSON, which has to fit docs/output.schema.json.
func (s *serving) post(body string) map[string]any { return s.ask("", body) }

// ask does so with a query.
func (s *serving) ask(query, body string) map[string]any {
	s.t.Helper()
	r, err := s.do(http.MethodPost, "/v1/predict"+query, body)
	return commandtest.Decode(s.t, s.text(r, err))
}

func (s *serving) text(r *http.Response, err error) string {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// await waits until the metrics have a line.
func (s *serving) await(line string) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.get("/metrics"), line+"\n"); {
		if time.Now().After(deadline) {
			s.t.Fatalf("the metrics do not show %s:\n%s", line, s.get("/metrics"))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// bodyOf returns rows of libsvm text as JSON, with their features by index and value.
func bodyOf(text string) string {
	type row struct {
		Index []int         `json:"index"`
		Value []json.Number `json:"value"`
	}
	rows := []row{}
	for line := range strings.Lines(text) {
		r := row{[]int{}, []json.Number{}}
		for _, entry := range strings.Fields(line)[1:] {
			j, v := 0, ""
			if _, err := fmt.Sscanf(entry, "%d:%s", &j, &v); err != nil {
				panic(err)
			}
			r.Index, r.Value = append(r.Index, j), append(r.Value, json.Number(v))
		}
		rows = append(rows, r)
	}
	b, err := json.Marshal(map[string]any{"rows": rows})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// printedLines returns the predictions of an answer as the command predict prints them.
func printedLines(answer map[string]any) string {
	var b strings.Builder
	for _, p := range answer["predictions"].([]any) {
		p := p.(map[string]any)
		fmt.Fprintf(&b, "%v %.9g\n", p["label"], p["decision"])
	}
	return b.String()
}

// TestServe: a server answers what predict prints and inspect shows, loads another model on SIGHUP
// and keeps the old one if that is damaged, and ends well on SIGTERM after the request in progress.
func TestServe(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	want := commandtest.Must(t, "predict", "--quiet", model, test).Stdout
	s := startServing(t, model)
	body := bodyOf(f.Read("test.txt"))
	if got := printedLines(s.post(body)); got != want {
		t.Errorf("other predictions than those of predict:\n%s", got)
	}
	if got := s.post(`{"rows": 1}`); got["message"] == nil {
		t.Errorf("no error: %v", got)
	}
	if got := s.get("/v1/model"); got != commandtest.Must(t, "inspect", "--json", model).Stdout {
		t.Errorf("the model is described otherwise than by inspect: %s", got)
	}
	if s.get("/healthz") != "ok\n" || s.get("/readyz") != "ok\n" {
		t.Error("the server is not ready")
	}
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.2,poly:2", "-o", model, data)
	s.signal(syscall.SIGHUP)
	s.await("bigmkl_model_loads_total 2")
	want = commandtest.Must(t, "predict", "--quiet", model, test).Stdout
	if got := printedLines(s.post(body)); got != want {
		t.Error("other predictions after the model was replaced")
	}
	damaged := f.File("damaged", f.Read("m")[:1000])
	if err := os.Rename(damaged, model); err != nil {
		t.Fatal(err)
	}
	s.signal(syscall.SIGHUP)
	s.await("bigmkl_model_failures_total 1")
	if got := printedLines(s.post(body)); got != want {
		t.Error("other predictions after a damaged model")
	}
	c, from := s.begin()
	s.signal(syscall.SIGTERM)
	io.WriteString(c, `{"rows":[]}`)
	if a, err := http.ReadResponse(from, nil); err != nil || a.StatusCode != http.StatusOK {
		t.Errorf("the request in progress: %v", err)
	}
	if code := s.end(); code != contract.ExitFine || !strings.Contains(s.stderr.String(), "the model stays as it is: "+model) {
		t.Errorf("exit code %d\n%s", code, s.stderr)
	}
}

// TestServeUnderNohup: a server that was started with SIGHUP ignored takes it all the same.
func TestServeUnderNohup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGHUP")
	}
	_, _, _, model := commandtest.Trained(t)
	c := commandtest.NewProcess()
	c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, os.Args[0],
		"serve", "--listen", "127.0.0.1:0", model}
	s := serveWith(t, c)
	s.signal(syscall.SIGHUP)
	s.await("bigmkl_model_loads_total 2")
	s.signal(syscall.SIGTERM)
	if code := s.end(); code != contract.ExitFine {
		t.Errorf("exit code %d\n%s", code, s.stderr)
	}
}

// begin sends the head of a request, and returns once the server waits for the body.
func (s *serving) begin() (net.Conn, *bufio.Reader) {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	fmt.Fprint(c, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
		"Content-Length: 11\r\nExpect: 100-continue\r\n\r\n")
	from := bufio.NewReader(c)
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} {
		if line, err := from.ReadString('\n'); err != nil || line != want {
			s.t.Fatalf("%q, %v", line, err)
		}
	}
	return c, from
}

// TestServeCutsWhatStays: a request that outlives the grace is cut, with the exit code of that.
func TestServeCutsWhatStays(t *testing.T) {
	_, _, _, model := commandtest.Trained(t)
	s := startServing(t, "--grace", "0.05", model)
	s.begin()
	s.signal(os.Interrupt)
	if code := s.end(); code != contract.ExitInterrupted || !strings.Contains(s.stderr.String(), "did not end within 50ms") {
		t.Errorf("exit code %d\n%s", code, s.stderr)
	}
}

// TestServeWatches: another model file is found without a signal.
func TestServeWatches(t *testing.T) {
	_, data, _, model := commandtest.Trained(t)
	s := startServing(t, "--watch", "0.01", model)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.2", "-o", model, data)
	s.await("bigmkl_model_loads_total 2")
	s.signal(syscall.SIGTERM)
	if code := s.end(); code != contract.ExitFine {
		t.Errorf("exit code %d\n%s", code, s.stderr)
	}
}

// TestServeColumns: rows by the names of the columns get the predictions of the table.
func TestServeColumns(t *testing.T) {
	f := commandtest.NewFolder(t)
	var text, objects strings.Builder
	text.WriteString("color,x,class\n")
	for i := range 40 {
		color, x := []string{"red", "dark blue", "green"}[i%3], float64(i%11)/7
		fmt.Fprintf(&text, "%s,%v,%s\n", color, x, []string{"yes", "no"}[(i%3+i%11)%2])
		fmt.Fprintf(&objects, `,{"columns":{"x":%v,"color":%q}}`, x, color)
	}
	data := f.File("a.csv", text.String())
	commandtest.Must(t, "train", "--quiet", "-o", f.At("m"), data)
	s := startServing(t, f.At("m"))
	got := printedLines(s.post(`{"rows":[` + objects.String()[1:] + `]}`))
	if want := commandtest.Must(t, "predict", "--quiet", f.At("m"), data).Stdout; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestServeContract: the answers of all kinds of models fit docs/output.schema.json.
func TestServeContract(t *testing.T) {
	f := commandtest.NewFolder(t)
	for _, c := range []struct {
		rows  string
		query string
		args  []string
	}{
		{commandtest.ThreeClasses(60), "", []string{"--multiclass", "ovr", "--probability"}}, {commandtest.ThreeClasses(60), "", []string{"--multiclass", "ovo"}},
		{commandtest.Grouped(60, 3, "labels"), "", []string{"--multiclass", "labels"}}, {commandtest.Grouped(60, 3, "svr"), "", []string{"--task", "svr"}}, {commandtest.Text(60, 1), "", []string{"--task", "oneclass"}},
		{commandtest.ThreeClasses(60), "?coverage=0.8", []string{"--multiclass", "ovr", "--conformal", "by-class"}}, {commandtest.Grouped(60, 3, "svr"), "?coverage=0.9", []string{"--task", "svr", "--conformal", "split:0.5"}},
		{commandtest.Grouped(60, 3, "svr"), "?coverage=0.9", []string{"--task", "quantile", "--tau", "0.1,0.5,0.9", "--conformal", "split:0.5"}},
	} {
		commandtest.Must(t, append(append([]string{"train", "--quiet", "-o", f.At("m")}, c.args...), f.File("rows", c.rows))...)
		s := startServing(t, f.At("m"))
		if got := s.ask(c.query, `{"rows":[{"index":[1],"value":[0.5]}]}`); (got["thresholds"] != nil) != (c.query != "") || len(got["predictions"].([]any)) != 1 {
			t.Errorf("%q: %v", c.args, got)
		}
		s.signal(syscall.SIGTERM)
		if code := s.end(); code != contract.ExitFine {
			t.Errorf("exit code %d\n%s", code, s.stderr)
		}
	}
}

// TestServeRefuses: faults of the command line and of the model end it before it listens.
func TestServeRefuses(t *testing.T) {
	f, _, _, model := commandtest.Trained(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, contract.ExitUsage, "serve takes one model or folder, not 0"}, {[]string{model, "--rate", "0"}, contract.ExitUsage, "--rate"}, {[]string{model, "--max-rows", "0", "--timeout", "0"}, contract.ExitUsage, "--timeout"},
		{[]string{f.At("none")}, contract.ExitInput, "none"}, {[]string{f.File("bad", f.Read("m")[:500])}, contract.ExitCorrupt, "bad"}, {[]string{model, "--listen", taken.Addr().String()}, contract.ExitUsage, "cannot listen"},
		{[]string{model, "--tls-cert", model}, contract.ExitUsage, "go together"}, {[]string{model, "--tls-cert", model, "--tls-key", model}, contract.ExitInput, "no certificate"},
		{[]string{model, "--token-file", f.File("short", "abc")}, contract.ExitInput, "a token has"}, {[]string{model, "--token-file", f.At("none")}, contract.ExitInput, "the token"}, {[]string{t.TempDir()}, contract.ExitInput, "no models"},
		{[]string{model, "--listen", "nowhere"}, contract.ExitUsage, "cannot listen"}, {[]string{model, "--memory", "64MiB"}, contract.ExitBudget, "--max-requests"}, {[]string{model, "--memory", "1MiB", "--max-body", "1", "--max-requests", "1"}, contract.ExitBudget, "twice"},
	} {
		if o := commandtest.Try(append([]string{"serve"}, c.args...)...); o.Code != c.code || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%q: exit code %d, want %d\n%s", c.args, o.Code, c.code, o.Stderr)
		}
	}
}

// TestServeFlags: more clients than may be served at once are all answered, and features that the model does not know are ignored where
// that is asked for.
func TestServeFlags(t *testing.T) {
	_, _, _, model := commandtest.Trained(t)
	s := startServing(t, "--max-requests", "1", "--max-waiting", "40", "--max-wait", "1m", "--ignore-extra-features", model)
	body := `{"rows": [{"index": [1, 5000000], "value": [1, 1]}]}`
	if got := s.post(body); got["ignored"] != 1.0 {
		t.Errorf("%v", got)
	}
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			r, err := http.Post(s.url+"/v1/predict", "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			r.Body.Close()
			if r.StatusCode != http.StatusOK {
				t.Errorf("code %d", r.StatusCode)
			}
		})
	}
	group.Wait()
	s.await(`bigmkl_predict_seconds_count{code="200"} 41`)
	s.await("bigmkl_ignored_values_total 41")
}

// TestServeFolder: the models of a folder are served by name, with a token, and those that come later are found.
func TestServeFolder(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	dir := t.TempDir()
	place := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name+".part"), []byte(f.Read("m")), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, name+".part"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	place("first.model")
	want := commandtest.Must(t, "predict", "--quiet", model, test).Stdout
	s := startServing(t, "--watch", "0.01", "--listen", "0.0.0.0:0", "--token-file", f.File("token", strings.Repeat("secret", 4)), dir)
	s.url = strings.Replace(s.url, "[::]", "127.0.0.1", 1)
	s.token = strings.Repeat("secret", 4)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.2,poly:2", "-o", model, data)
	place("second.model")
	s.await("bigmkl_models 2")
	for name, want := range map[string]string{"first": want, "second": commandtest.Must(t, "predict", "--quiet", model, test).Stdout} {
		r, err := s.do("POST", "/v1/models/"+name+"/predict", bodyOf(f.Read("test.txt")))
		if got := printedLines(commandtest.Decode(t, s.text(r, err))); got != want {
			t.Errorf("other predictions of %s", name)
		}
	}
	token := s.token
	s.token = ""
	if r, err := s.do("GET", "/v2", ""); err != nil || r.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %v", err)
	}
	s.token = token
	s.signal(syscall.SIGTERM)
	if code := s.end(); code != contract.ExitFine || !strings.Contains(s.stderr.String(), "what is sent is not encrypted") || strings.Contains(s.stderr.String(), "need no token") {
		t.Errorf("exit code %d\n%s", code, s.stderr)
	}
}
