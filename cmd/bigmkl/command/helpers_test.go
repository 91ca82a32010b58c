package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bigmkl/cluster"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/cmd/bigmkl/demo"
	"bigmkl/dataset/npy"
	"bigmkl/internal/testlevel"
)

// repeats is how often a test draws or repeats what it does: as often as the named variable says,
// many times in the long run, else a few times.
func repeats(t testing.TB, variable string, few, many int) int {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("%s is %q, which is no number of repetitions", variable, text)
		}
		return n
	}
	return testlevel.Repeats(few, many)
}

// outcome is what a command line gave.
type outcome struct {
	code           int
	stdout, stderr string
}

// program is the command that is tested: Execute and Main of package command.
type program struct {
	execute func(ctx context.Context, ranks cluster.Collective, stdin io.Reader, stdout, stderr io.Writer, args []string) int
	main    func(grace time.Duration)
}

var tested program

// runTests runs the tests of a package. The binary of the tests stands in for the command where a test starts
// it as a process.
func runTests(m *testing.M, p program) {
	tested = p
	if os.Getenv("BIGMKL_TEST_AS_PROGRAM") != "" {
		grace := 4 * time.Second
		if short, err := time.ParseDuration(os.Getenv(shortGrace)); err == nil {
			grace = short
		}
		p.main(grace)
	}
	os.Exit(m.Run())
}

// run runs a command line with these streams.
func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args ...string) int {
	return tested.execute(ctx, nil, stdin, stdout, stderr, args)
}

func execute(ctx context.Context, stdin io.Reader, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(ctx, stdin, &stdout, &stderr, args...)
	return outcome{code, stdout.String(), stderr.String()}
}

// try runs a command line with nothing on standard input.
func try(args ...string) outcome {
	return execute(context.Background(), strings.NewReader(""), args...)
}

// must runs a command line that is to end well.
func must(t testing.TB, args ...string) outcome {
	t.Helper()
	o := try(args...)
	if o.code != contract.ExitFine {
		t.Fatalf("%q: exit code %d\n%s", args, o.code, o.stderr)
	}
	return o
}

// object runs a command line that is to print one JSON object.
func object(t testing.TB, code int, args ...string) map[string]any {
	t.Helper()
	o := try(args...)
	if o.code != code {
		t.Fatalf("%q: exit code %d, want %d\n%s", args, o.code, code, o.stderr)
	}
	return decode(t, o.stdout)
}

// decode reads one object, which has to be what docs/output.schema.json says.
func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one object in %q", text)
	}
	checkContract(t, out)
	return out
}

// folder is a place for the files of a test.
type folder struct {
	t    testing.TB
	path string
}

// newFolder also moves scratch files there, so that what is left behind is seen.
func newFolder(t testing.TB) folder {
	f := folder{t, t.TempDir()}
	scratch := t.TempDir()
	if t, ok := t.(*testing.T); ok {
		t.Setenv("TMPDIR", scratch)
	}
	t.Cleanup(func() {
		for _, name := range list(t, scratch) {
			t.Errorf("%s is left in the scratch folder", name)
		}
		for _, name := range list(t, f.path) {
			if strings.Contains(name, ".tmp") {
				t.Errorf("%s is left behind", name)
			}
		}
	})
	return f
}

func list(t testing.TB, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (f folder) at(name string) string { return filepath.Join(f.path, name) }

func (f folder) file(name, text string) string {
	f.t.Helper()
	if err := os.WriteFile(f.at(name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
	return f.at(name)
}

func (f folder) read(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(f.at(name))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(b)
}

func (f folder) exists(name string) bool {
	_, err := os.Stat(f.at(name))
	return err == nil
}

// text is n rows of the generated problem.
func text(n int, stream uint64) string {
	var b bytes.Buffer
	if err := demo.WriteRows(&b, demo.Rows(n, stream)); err != nil {
		panic(err)
	}
	return b.String()
}

// trained is a folder with training data, test data and a model.
func trained(t testing.TB) (f folder, data, test, model string) {
	t.Helper()
	f = newFolder(t)
	data, test, model = f.file("train.txt", text(80, 1)), f.file("test.txt", text(50, 2)), f.at("m")
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "-o", model, data)
	return f, data, test, model
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// progressRows is the number of rows that are read before the first line of progress.
const progressRows = 1 << 14

// writeArray writes rows of equal length as a .npy file of float64.
func writeArray(path string, rows [][]float64) error {
	w, err := npy.Create(path, len(rows), len(rows[0]), true)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := w.WriteRow64(row); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}
