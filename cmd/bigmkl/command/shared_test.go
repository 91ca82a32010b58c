package command

import (
	"archive/zip"
	"bigmkl/cluster"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/cmd/bigmkl/demo"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
	"bigmkl/internal/testlevel"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faultStride is how far apart the operations are that a plain go test lets fail, and ciStride those of
// .ci/run.
const (
	faultStride = 5
	ciStride    = 3
)

// trial is a command line that has to withstand faults of its files.
type trial struct {
	folder
	run     func() outcome
	inputs  []string // files of the user: where reading them fails, the input is at fault, not a resource
	outputs []string // files that it writes, by their names in the folder
	stdout  bool     // what it prints is the same every time
	after   func()   // what is to be tried when it has ended, without faults; nil for nothing
}

// everyFault runs the command line with the first operation failing, then the second and so on, until
// none is left to fail, for each kind of fault. A plain go test fails one in faultStride operations, from
// one that is drawn on, .ci/run one in ciStride; .ci/long fails all. A run either ends with one line and the exit code of the
// fault's class, or gives what the undisturbed run gives, which proves the fault harmless. Neither
// leaves a half-written or a needless file behind.
func everyFault(t *testing.T, c trial) {
	t.Helper()
	want := c.attempt(t, nil)
	if want.code != contract.ExitFine || len(want.written) != len(c.outputs) {
		t.Fatalf("undisturbed: exit code %d, %s", want.code, want.stderr)
	}
	full := faulty.FullDisk
	full.Name, full.Folder = "a full scratch disk", os.TempDir()
	stride := faultStride
	switch {
	case testlevel.Reached(testlevel.ManyTimes):
		stride = 1
	case testlevel.Reached(testlevel.EveryKind):
		stride = ciStride
	}
	for _, fault := range append(slices.Clone(faulty.Faults), full) {
		runs, harmless, first := 0, 0, rand.IntN(stride)
		for at := first; ; at += stride {
			s := faulty.At(at, fault)
			got := c.attempt(t, s)
			struck := s.Struck()
			if len(struck) == 0 {
				if got.code != contract.ExitFine {
					t.Fatalf("%s: nothing was struck: exit code %d, %s", fault.Name, got.code, got.stderr)
				}
				break
			}
			runs++
			where := fmt.Sprintf("%s, operation %d (%s %s)", fault.Name, at, struck[0].Kind, struck[0].Path)
			if got.code == contract.ExitFine {
				harmless++
				c.same(t, where, got, want)
			} else {
				c.reported(t, where, got, want, fault, struck[0])
			}
			if c.after != nil {
				c.after()
			}
			if t.Failed() {
				t.Log(where)
				t.FailNow() // the others fail in the same way, as a rule
			}
		}
		t.Logf("%s: %d operations failed in turn, each %d. from operation %d on, %d of them without harm",
			fault.Name, runs, stride, first, harmless)
	}
}

// result is what a run left.
type result struct {
	outcome
	written map[string]string
}

// attempt runs the command line under an injector, or none, and checks that there is nothing but its output.
func (c *trial) attempt(t *testing.T, i files.Injector) result {
	t.Helper()
	for _, name := range c.outputs {
		os.Remove(c.at(name))
	}
	before := list(t, c.path)
	restore := func() {}
	if i != nil {
		restore = files.Inject(i)
	}
	r := result{c.run(), map[string]string{}}
	restore()
	for _, name := range list(t, c.path) {
		switch {
		case slices.Contains(c.outputs, name):
			r.written[name] = c.read(name)
		case !slices.Contains(before, name):
			t.Errorf("%s is left behind: exit code %d, %s", name, r.code, r.stderr)
		}
	}
	for _, name := range list(t, os.TempDir()) {
		t.Errorf("%s is left in the scratch folder: exit code %d, %s", name, r.code, r.stderr)
	}
	return r
}

func (c *trial) same(t *testing.T, where string, got, want result) {
	t.Helper()
	if !maps.Equal(got.written, want.written) {
		t.Errorf("%s: neither reported nor harmless", where)
	}
	if c.stdout && got.stdout != want.stdout {
		t.Errorf("%s: neither reported nor harmless: prints %q, not %q", where, got.stdout, want.stdout)
	}
}

func (c *trial) reported(t *testing.T, where string, got, want result, fault faulty.Fault, op files.Op) {
	t.Helper()
	code := contract.ExitBudget
	if errors.Is(fault.Err, syscall.EIO) && slices.Contains(c.inputs, op.Path) {
		code = contract.ExitInput
	}
	if got.code != code {
		t.Errorf("%s: exit code %d, want %d: %s", where, got.code, code, got.stderr)
	}
	if !strings.HasPrefix(got.stderr, "bigmkl: ") || strings.Count(got.stderr, "\n") != 1 || strings.Contains(got.stderr, "a bug") {
		t.Errorf("%s: standard error %q", where, got.stderr)
	}
	for name, content := range got.written { // a later file failed, or to make its name durable
		if content != want.written[name] {
			t.Errorf("%s: half of %s is there", where, name)
		}
	}
}

// fault is a command line that must fail in one way.
type fault struct {
	name string
	args []string
	code int
	want string // what the line on standard error starts with, after "bigmkl: "
}

// check runs the command line and looks at its one line.
func check(t *testing.T, f folder, c fault) {
	t.Helper()
	before := list(t, f.path)
	o := try(c.args...)
	if o.code != c.code {
		t.Errorf("exit code %d, want %d: %s", o.code, c.code, o.stderr)
	}
	if !strings.HasPrefix(o.stderr, "bigmkl: "+c.want) || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("standard error %q, want a line that starts with %q", o.stderr, "bigmkl: "+c.want)
	}
	if o.stdout != "" {
		t.Errorf("standard output %q", o.stdout)
	}
	if after := list(t, f.path); len(after) != len(before) {
		t.Errorf("files before %q, after %q", before, after)
	}
}

// every takes each so manieth line.
func every(lines []string, from, step int) (out []string) {
	for i := from; i < len(lines); i += step {
		out = append(out, lines[i])
	}
	return out
}

func (f folder) lines(name string, lines []string) string {
	return f.file(name, strings.Join(lines, "\n")+"\n")
}

// answer is a line of predictions.
type answer struct {
	label     string
	decisions []float64
}

func (f folder) answers(name string) (out []answer) {
	f.t.Helper()
	for line := range strings.Lines(f.read(name)) {
		words := strings.Fields(line)
		a := answer{label: words[0]}
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				f.t.Fatal(err)
			}
			a.decisions = append(a.decisions, x)
		}
		out = append(out, a)
	}
	return out
}

func firstWords(lines []string) (out []string) {
	for _, l := range lines {
		w, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		out = append(out, w)
	}
	return out
}

// area is the area under the curve by its definition.
func area(decisions []float64, has []bool) float64 {
	won, pairs := 0.0, 0.0
	for i, p := range has {
		for j, q := range has {
			if p && !q {
				pairs++
				switch {
				case decisions[i] > decisions[j]:
					won++
				case decisions[i] == decisions[j]:
					won += 0.5
				}
			}
		}
	}
	return won / pairs
}

// f1 by its definition from precision and recall.
func f1(right, predicted, known int) float64 {
	p, r := float64(right)/float64(predicted), float64(right)/float64(known)
	if right == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// correlation of predictions and classes is the sum over triples of classes of Gorodkin, eq. 8, as it stands there.
func correlation(c [][]int) float64 {
	num, p, t := 0.0, 0.0, 0.0
	for k := range c {
		row, column, otherRows, otherColumns := 0, 0, 0, 0
		for l := range c {
			for m := range c {
				num += float64(c[k][k]*c[m][l] - c[l][k]*c[k][m])
				if l != k {
					otherRows, otherColumns = otherRows+c[l][m], otherColumns+c[m][l]
				}
			}
			row, column = row+c[k][l], column+c[l][k]
		}
		t += float64(row) * float64(otherRows)
		p += float64(column) * float64(otherColumns)
	}
	return num / math.Sqrt(p) / math.Sqrt(t)
}

func (f folder) same(what string, got any, want float64) {
	f.t.Helper()
	if x, ok := got.(float64); !ok || math.Abs(x-want) > 1e-9 {
		f.t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// rowsOfTest holds the rows of a test in all formats.
type rowsOfTest struct {
	rows, cols int
	values     []float64 // values holds rows x cols numbers, of which some are zero.
	labels     []string
}

// newRows draws rows of two classes. The last column is nowhere zero, so that every format says how many there are.
func newRows(seed uint64, rows, cols int) *rowsOfTest {
	r := rand.New(rand.NewPCG(seed, 0))
	t := &rowsOfTest{rows: rows, cols: cols}
	for i := range rows {
		sign := float64(2*(i%2) - 1)
		t.labels = append(t.labels, []string{"no", "yes"}[i%2])
		for j := range cols {
			v := sign*0.5 + r.NormFloat64()
			if j < cols-1 && r.IntN(4) == 0 {
				v = 0
			}
			t.values = append(t.values, v)
		}
	}
	return t
}

func (t *rowsOfTest) libsvm() string {
	var b strings.Builder
	for i := range t.rows {
		b.WriteString(t.labels[i])
		for j, v := range t.values[i*t.cols : (i+1)*t.cols] {
			if v != 0 {
				fmt.Fprintf(&b, " %d:%v", j+1, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// columns returns the columns from first to last-1 as an array.
func (t *rowsOfTest) columns(first, last int, fortran bool) string {
	var values []float64
	add := func(i, j int) { values = append(values, t.values[i*t.cols+j]) }
	if fortran {
		for j := first; j < last; j++ {
			for i := range t.rows {
				add(i, j)
			}
		}
	} else {
		for i := range t.rows {
			for j := first; j < last; j++ {
				add(i, j)
			}
		}
	}
	return array("<f8", fmt.Sprintf("(%d, %d)", t.rows, last-first), fortran, values)
}

// csv returns the rows as a table with the label in the third place. The order, if it is not nil, is that of the columns.
func (t *rowsOfTest) csv(separator string, order []int) string {
	var b strings.Builder
	for i := -1; i < t.rows; i++ {
		fields := make([]string, 0, t.cols+1)
		for j := range t.cols {
			if order != nil {
				j = order[j]
			}
			if i < 0 {
				fields = append(fields, fmt.Sprintf("part%d.c%d", j/2, j))
			} else {
				fields = append(fields, fmt.Sprint(t.values[i*t.cols+j]))
			}
		}
		label := "Class"
		if i >= 0 {
			label = t.labels[i]
		}
		b.WriteString(strings.Join(slices.Insert(fields, 2, label), separator) + "\r\n")
	}
	return b.String()
}

func gzipped(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

// words returns the labels as an array of text.
func (t *rowsOfTest) words() string {
	letters := make([]uint32, 0, 3*t.rows)
	for _, l := range t.labels {
		word := [3]uint32{}
		for k, c := range []byte(l) {
			word[k] = uint32(c)
		}
		letters = append(letters, word[:]...)
	}
	return array("<U3", fmt.Sprintf("(%d,)", t.rows), false, letters)
}

// sparse returns the members of a matrix in compressed sparse rows, with labels.
func (t *rowsOfTest) sparse() map[string]string {
	var data []float64
	var indices []int32
	indptr := []int32{0}
	for i := range t.rows {
		for j, v := range t.values[i*t.cols : (i+1)*t.cols] {
			if v != 0 {
				data, indices = append(data, v), append(indices, int32(j))
			}
		}
		indptr = append(indptr, int32(len(data)))
	}
	list := func(descr string, n int, elements any) string {
		return array(descr, fmt.Sprintf("(%d,)", n), false, elements)
	}
	return map[string]string{"data": list("<f8", len(data), data), "indices": list("<i4", len(data), indices),
		"indptr": list("<i4", len(indptr), indptr), "shape": list("<i8", 2, []int64{int64(t.rows), int64(t.cols)}),
		"format": array("|S3", "()", false, []byte("csr")), "y": t.words()}
}

// array returns a .npy file.
func array(descr, shape string, fortran bool, elements any) string {
	order := map[bool]string{false: "False", true: "True"}[fortran]
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	b, err := binary.Append(append([]byte("\x93NUMPY\x01\x00"), append([]byte{byte(len(dict)), 0}, dict...)...), binary.LittleEndian, elements)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// archive returns a .npz file.
func archive(members map[string]string) string {
	var b strings.Builder
	z := zip.NewWriter(&b)
	for name, data := range members {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write([]byte(data))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

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

// forgery is a model file taken apart, to be put together again with a checksum that is right: who writes hostile files can
// compute one as well.
type forgery struct {
	t        testing.TB
	settings map[string]any // numbers are json.Number
	names    []string       // tensors in file order
	shape    map[string][]int64
	dtype    map[string]string
	body     map[string][]byte
	text     string // instead of settings, if not ""
	extra    string // behind the tensors
}

// tensor is an entry of the header.
type tensor struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

func takeApart(t testing.TB, file string) *forgery {
	t.Helper()
	n := binary.LittleEndian.Uint64([]byte(file))
	head, body := file[8:8+n], file[8+n:]
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(head), &all); err != nil {
		t.Fatal(err)
	}
	var meta map[string]string
	if err := json.Unmarshal(all["__metadata__"], &meta); err != nil {
		t.Fatal(err)
	}
	f := &forgery{t: t, shape: map[string][]int64{}, dtype: map[string]string{}, body: map[string][]byte{}}
	d := json.NewDecoder(strings.NewReader(meta["model"]))
	d.UseNumber()
	if err := d.Decode(&f.settings); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"theta", "w_norms", "alpha", "normalizer", "sigmoids", "scaling_factor", "scaling_offset", "class_weights", "class_means", "machine_numbers", "centre_means", "vector_start", "centre_start", "machine_classes",
		"machine_support", "support", "vectors", "vector_index", "vector_value", "centre_rows", "centre_vectors", "centre_index", "centre_value"} {
		raw, ok := all[name]
		if !ok {
			continue
		}
		var e tensor
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		f.names = append(f.names, name)
		f.shape[name], f.dtype[name], f.body[name] = e.Shape, e.Dtype, []byte(body[e.Offsets[0]:e.Offsets[1]])
	}
	return f
}

// build gives the file.
func (f *forgery) build() string {
	text := f.text
	if text == "" {
		b, err := json.Marshal(f.settings)
		if err != nil {
			f.t.Fatal(err)
		}
		text = string(b)
	}
	quoted, _ := json.Marshal(text)
	var head, body bytes.Buffer
	version := 1
	if f.dtype["vector_start"] != "" {
		version = 2
	}
	if f.dtype["centre_means"] != "" {
		version = 6
	}
	// A text that a table gives in the place of the settings has the version of plain models.
	if _, columns := f.settings["discriminant"]; columns {
		if version = 5; f.settings["cost_weight"] != nil {
			version = 6
		}
	}
	fmt.Fprintf(&head, `{"__metadata__":{"format":"bigmkl","version":"%d","sha256":"%064d","model":%s}`, version, 0, quoted)
	for _, name := range f.names {
		at := int64(body.Len())
		body.Write(f.body[name])
		entry, _ := json.Marshal(tensor{f.dtype[name], f.shape[name], [2]int64{at, int64(body.Len())}})
		fmt.Fprintf(&head, `,"%s":%s`, name, entry)
	}
	head.WriteByte('}')
	b := binary.LittleEndian.AppendUint64(nil, uint64(head.Len()))
	b = append(append(append(b, head.Bytes()...), body.Bytes()...), f.extra...)
	sum := sha256.Sum256(b)
	hex.Encode(b[bytes.Index(b, []byte(strings.Repeat("0", 64))):], sum[:])
	return string(b)
}

// double sets element i of a tensor of F64.
func (f *forgery) double(name string, i int, v float64) {
	binary.LittleEndian.PutUint64(f.body[name][8*i:], math.Float64bits(v))
}

// zeros makes a tensor one of so many elements, all zero.
func (f *forgery) zeros(name string, dims ...int64) {
	n := map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4}[f.dtype[name]]
	for _, d := range dims {
		n *= d
	}
	f.shape[name], f.body[name] = dims, make([]byte, n)
}

func (f *forgery) drop(name string) {
	for i, n := range f.names {
		if n == name {
			f.names = append(f.names[:i:i], f.names[i+1:]...)
			return
		}
	}
	f.t.Fatalf("no tensor %s", name)
}

// without leaves the model without support vectors, so that nothing in the file shows how many features there are.
func (f *forgery) without() {
	f.zeros("alpha", 0)
	f.zeros("support", 0)
	f.zeros("vectors", 0, 1)
}

// plain is a small problem that every kernel can learn, with both features in use.
const plain = "1 1:1 2:0.5\n-1 1:-1 2:0.25\n1 1:2 2:-0.5\n-1 1:-2 2:0.75\n1 1:1.5\n-1 2:2\n"

// kills is how often runs are killed or stopped.
func kills(t *testing.T) int { return repeats(t, "BIGMKL_KILLS", 3, 20) }

// killFolder is a folder for processes that are killed, which leave their scratch files.
func killFolder(t *testing.T) folder {
	t.Setenv("TMPDIR", t.TempDir())
	return folder{t, t.TempDir()}
}

// newProcess is a command line of the command as a process of its own.
func newProcess(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
	return c
}

// dataFolder returns the folder of the real data sets. It skips the test if there is none.
func dataFolder(t testing.TB) string {
	t.Helper()
	root := os.Getenv("BIGMKL_DATA")
	if root == "" {
		t.Skip("BIGMKL_DATA is not set: no real data")
	}
	return root
}

// realLines returns the first lines of a file of real data, which is compressed by gzip, without
// their line breaks. It returns all lines if most is 0.
func realLines(t testing.TB, path string, most int) (lines []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dataFolder(t), path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewReader(z); most == 0 || len(lines) < most; {
		text, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if text != "" {
			lines = append(lines, strings.TrimSuffix(text, "\n"))
		}
		if err != nil {
			break
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no rows", path)
	}
	return lines
}

// page reads a page and fails unless it is well-formed XML.
func (f folder) page(name string) string {
	f.t.Helper()
	text := f.read(name)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return text
		} else if err != nil {
			f.t.Fatalf("%s is not well-formed: %v", name, err)
		}
	}
}

// shows fails unless a page has all of these texts.
func (f folder) shows(page string, texts ...string) {
	f.t.Helper()
	for _, s := range texts {
		if !strings.Contains(page, s) {
			f.t.Errorf("the page does not show %q", s)
		}
	}
}

const (
	// shortGrace names the environment variable by which tests leave what is in hand less time than
	// users have.
	shortGrace = "BIGMKL_TEST_GRACE"

	// longestStop is what is promised of a process that is asked to end.
	longestStop = 10 * time.Second
)

// stopped is how a process ended.
type stopped struct {
	code           int // -1 by a signal
	signal         syscall.Signal
	stdout, stderr string
	after          time.Duration // of the signal; 0 if it ended before
}

// stop runs the program and sends it a signal once it has run for so long.
func stop(t *testing.T, c *exec.Cmd, with syscall.Signal, at time.Duration) stopped {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var s stopped
	var err error
	select {
	case err = <-ended:
	case <-time.After(at):
		start := time.Now()
		c.Process.Signal(with)
		select {
		case err = <-ended:
			s.after = time.Since(start)
		case <-time.After(longestStop + 20*time.Second):
			c.Process.Signal(syscall.SIGQUIT) // which shows where it is
			<-ended
			t.Fatalf("%q has not ended %v after %v\n%s", c.Args[1:], time.Since(start), with, stderr.String())
		}
	}
	s.stdout, s.stderr = stdout.String(), stderr.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		s.code = exit.ExitCode()
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			s.signal = status.Signal()
		}
	} else if err != nil {
		t.Fatal(err)
	}
	if s.after > longestStop {
		t.Errorf("%q ended %v after %v\n%s", c.Args[1:], s.after, with, s.stderr)
	}
	return s
}

func (f folder) copy(from, to string) {
	f.t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// grouped is rows of so many classes, of sets of labels or with targets.
func grouped(n, classes int, kind string) string {
	var b strings.Builder
	for i := range n {
		k := i % classes
		label := fmt.Sprint(k)
		switch kind {
		case "labels":
			label += fmt.Sprintf(",%d", (k+1)%classes)
		case "svr", "square":
			label = fmt.Sprint(float64(k) + 0.25)
		}
		angle := 2*math.Pi*float64(k)/float64(classes) + 0.3*math.Sin(float64(7*i))
		fmt.Fprintf(&b, "%s 1:%.6f 2:%.6f 3:%.6f\n", label, math.Cos(angle), math.Sin(angle), 0.3*math.Cos(float64(3*i)))
	}
	return b.String()
}

// anonymous is the anonymous memory of a process in bytes, 0 once it has ended.
func anonymous(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, _ := strconv.ParseInt(strings.TrimSpace(string(line)), 10, 64)
	return kib << 10
}
