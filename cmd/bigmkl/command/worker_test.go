package command

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// workerProcess is a worker as a process, whose working folder is none of the tests.
type workerProcess struct {
	*exec.Cmd
	t      *testing.T
	to     io.WriteCloser
	from   io.Reader
	stderr *bytes.Buffer
}

// startWorker starts a worker and reads that it is ready.
func startWorker(t *testing.T) *workerProcess {
	t.Helper()
	c, stderr := commandtest.Complaining("worker")
	to, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w := &workerProcess{c, t, to, from, stderr}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	w.read("ready")
	return w
}

// read reads a frame of this state, and holds it to the schema.
func (w *workerProcess) read(state string) map[string]any {
	w.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(w.from, head[:]); err != nil {
		w.t.Fatalf("no frame %s: %v\n%s", state, err, w.stderr)
	}
	text := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(w.from, text); err != nil {
		w.t.Fatal(err)
	}
	frame := commandtest.Decode(w.t, string(text))
	if frame["state"] != state {
		w.t.Fatalf("a frame %s, want %s", text, state)
	}
	return frame
}

// framed is a request in its frame.
func framed(folder string, args ...string) []byte {
	text, _ := json.Marshal(map[string]any{"folder": folder, "arguments": args})
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// ask runs a command line.
func (w *workerProcess) ask(folder string, args ...string) commandtest.Outcome {
	w.t.Helper()
	if _, err := w.to.Write(framed(folder, args...)); err != nil {
		w.t.Fatal(err)
	}
	w.read("taken")
	frame := w.read("ended")
	text := func(key string) string { s, _ := frame[key].(string); return s }
	return commandtest.Outcome{Code: int(frame["code"].(float64)), Stdout: text("stdout"), Stderr: text("stderr")}
}

// end closes standard input and returns the exit code.
func (w *workerProcess) end() int {
	w.to.Close()
	io.Copy(io.Discard, w.from)
	w.Wait()
	return w.ProcessState.ExitCode()
}

// TestWorker: requests of a worker give what processes of their own give, in any order and after faults of others.
func TestWorker(t *testing.T) {
	f, data, _, model := commandtest.Trained(t)
	f.File("inside", commandtest.Text(30, 4))
	w := startWorker(t)
	folder := filepath.Dir(data)
	train := []string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "-o", f.At("m1"), data}
	for _, args := range [][]string{
		train, {"predict", model, data}, {"predict", "--json", model, data}, {"verify", model, data}, {"inspect", "--json", model},
		{"predict", model, f.At("nothing")}, {"train", "--norm", "0.5", data}, {"nonsense"}, {"serve", model}, {"worker"}, {},
		{"train", "-o", f.At("m1"), "-"}, {"train", "--memory", "1000", "-o", f.At("m1"), data}, {"predict", model, "inside"},
	} {
		got := w.ask(folder, args...)
		switch {
		case len(args) == 0:
			if got.Code != contract.ExitUsage {
				t.Errorf("no arguments: %+v", got)
			}
		case args[0] == "serve" || args[0] == "worker":
			if got.Code != contract.ExitUsage || !strings.Contains(got.Stderr, "a worker does not run "+args[0]) {
				t.Errorf("%q: %+v", args, got)
			}
		case args[len(args)-1] == "inside":
			if got.Code != contract.ExitFine || strings.Count(got.Stdout, "\n") != 30 {
				t.Errorf("%q: %+v", args, got)
			}
		case args[0] == "train" && got.Code == contract.ExitFine:
			b, err := os.ReadFile(f.At("m1"))
			commandtest.Must(t, train...)
			if want, _ := os.ReadFile(f.At("m1")); err != nil || !bytes.Equal(b, want) {
				t.Error("another model", err)
			}
			commandtest.Must(t, "verify", f.At("m1"), data)
		default:
			if want := commandtest.Try(args...); got != want {
				t.Errorf("%q: %+v, want %+v", args, got, want)
			}
		}
	}
	if got := w.ask(f.At("no folder"), "version"); got.Code != contract.ExitInput || !strings.Contains(got.Stderr, "no folder") {
		t.Errorf("%+v", got)
	}
	if code := w.end(); code != contract.ExitFine {
		t.Errorf("exit code %d\n%s", code, w.stderr)
	}
}

// TestWorkerKeepsAModel: a worker predicts with the present content of a model file, and not with an earlier one.
func TestWorkerKeepsAModel(t *testing.T) {
	f, data, _, first := commandtest.Trained(t)
	several := f.File("several", commandtest.ThreeClasses(60))
	commandtest.Must(t, "train", "--quiet", "--multiclass", "ovr", "--probability", "--kernels", "gauss:auto/3", "-o", f.At("second"), several)
	drugs, targets, pairs := commandtest.Pairs(t, f, 60, 8)
	commandtest.Must(t, "train", "--quiet", "--objects", drugs, "--objects", targets, "--kernels", "gauss:1@drug,prod(gauss:1@drug,linear@target)",
		"-o", f.At("third"), pairs)
	more, unseen := "target="+f.File("more.csv", "name,length,charge\nother,2,1\nt_0,0,0\n"), f.File("unseen", "3 other\n3 t_2\n")
	w := startWorker(t)
	read := func(path string) []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	one, two, three := read(first), read(f.At("second")), read(f.At("third"))
	damaged := bytes.Clone(two)
	damaged[len(damaged)-1]++
	for i, c := range []struct {
		content []byte
		rows    string
		flags   []string
	}{
		{one, data, nil}, {one, data, nil}, {two, several, nil}, {two, several, []string{"--probability"}}, {two, several, []string{"--decisions"}},
		{damaged, several, nil}, {two, several, []string{"--probability"}}, {one, data, []string{"--threads", "1"}}, {one, data, []string{"--memory", "40MiB"}},
		{one, data, []string{"--memory", "1000"}}, {one, several, nil}, {nil, data, nil}, {one, data, []string{"--json"}},
		{three, pairs, nil}, {three, unseen, []string{"--objects", more}}, {three, unseen, nil}, {three, pairs, nil},
	} {
		path := f.File("m", string(c.content))
		args := append([]string{"predict", "--quiet", path, c.rows}, c.flags...)
		want := commandtest.Try(args...)
		if got := w.ask(filepath.Dir(data), args...); got != want {
			t.Errorf("%d, %q: %+v, want %+v", i, args, got, want)
		}
	}
	if code := w.end(); code != contract.ExitFine {
		t.Errorf("exit code %d\n%s", code, w.stderr)
	}
}

// TestWorkerOfNoRequests: any other text than a request ends the worker with a message.
func TestWorkerOfNoRequests(t *testing.T) {
	frame := func(text string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	for _, c := range []struct {
		bytes []byte
		want  string
	}{
		{[]byte{0, 0}, "ends within a request"}, {frame("{}")[:5], "ends within a request"}, {[]byte{0, 0, 0, 9}, "ends within a request"},
		{[]byte{255, 255, 255, 255}, "a request of 4294967295 bytes"}, {frame(""), "no JSON object"}, {frame("[]"), "no JSON object"},
		{frame("{}"), "no absolute path"}, {frame(`{"folder":"here","arguments":["version"]}`), "no absolute path"},
		{frame(`{"folder":"/","arguments":"version"}`), "no JSON object"}, {noise, "a request"},
	} {
		w := startWorker(t)
		w.to.Write(c.bytes)
		if code := w.end(); code != contract.ExitInput || !strings.Contains(w.stderr.String(), c.want) {
			t.Errorf("% x: exit code %d\n%s", c.bytes[:min(len(c.bytes), 20)], code, w.stderr)
		}
	}
}

// TestWorkerEnds: the end of standard input and a signal end a training that has no end of its own, and leave no scratch files.
func TestWorkerEnds(t *testing.T) {
	f := commandtest.KillFolder(t)
	data := f.File("data", commandtest.Text(400, 3))
	t.Setenv(commandtest.ShortGrace, "50ms")
	for _, signal := range []bool{true, false} {
		w := startWorker(t)
		w.to.Write(framed(filepath.Dir(data), "train", "--gap", "1e-15", "--kernels", "gauss:auto/20", "-C", "100", "-o", f.At("m"), data))
		w.read("taken")
		want := contract.ExitFine
		if signal {
			want = contract.ExitInterrupted
			w.Process.Signal(syscall.SIGTERM)
			if frame := w.read("ended"); frame["code"] != float64(contract.ExitInterrupted) {
				t.Errorf("code %v\n%v", frame["code"], frame["stderr"])
			}
		}
		if code := w.end(); code != want {
			t.Errorf("exit code %d, want %d\n%s", code, want, w.stderr)
		}
		left, err := os.ReadDir(os.Getenv("TMPDIR"))
		if err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}
