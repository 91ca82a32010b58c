package command

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

func TestTrainJSON(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("train.txt", commandtest.Text(80, 1)), f.File("test.txt", commandtest.Text(50, 2))
	got := commandtest.Object(t, contract.ExitFine, "train", "--json", "--quiet", "--kernels", "gauss:0.05,gauss:1@1-4,poly:2", "--norm", "inf", "-C", "2",
		"--test", test, "--theta-out", f.At("theta.npy"), "-o", f.At("m"), data)
	want := []string{"n", "d", "kernels", "kernel_names", "p", "C", "primal", "dual", "relative_gap", "certificate", "iterations", "passes",
		"support_vectors", "theta", "w_norms", "bias", "seconds", "read_seconds", "train_seconds", "status", "peak_rss_bytes", "cache",
		"test", "warnings", "contract", "command"}
	slices.Sort(want)
	if k := commandtest.Keys(got); !slices.Equal(k, want) {
		t.Errorf("keys %v, want %v", k, want)
	}
	if k := commandtest.Keys(got["cache"].(map[string]any)); !slices.Equal(k, []string{"damaged", "disk_hits", "hits", "misses", "spilled_bytes"}) {
		t.Errorf("cache has keys %v", k)
	}
	if k := commandtest.Keys(got["test"].(map[string]any)); !slices.Equal(k, []string{"accuracy", "auc", "average_precision", "mcc", "n"}) {
		t.Errorf("test has keys %v", k)
	}
	for key, value := range map[string]any{"n": 80.0, "d": 30.0, "kernels": 3.0, "p": "inf", "C": 2.0, "certificate": "gap", "status": "converged"} {
		if got[key] != value {
			t.Errorf("%s is %v, want %v", key, got[key], value)
		}
	}
	theta := got["theta"].([]any)
	if want := []any{"gauss:0.05", "gauss:1@1-4", "poly:2"}; !reflect.DeepEqual(got["kernel_names"], want) {
		t.Errorf("kernels are named %v, want %v", got["kernel_names"], want)
	}
	if len(theta) != 3 || len(got["w_norms"].([]any)) != 3 {
		t.Fatalf("theta %v, w_norms %v", theta, got["w_norms"])
	}
	vector := readVector(t, f.Read("theta.npy"))
	for i, v := range vector {
		if v != theta[i] {
			t.Errorf("theta[%d] is %v in the file and %v in JSON", i, v, theta[i])
		}
	}
	verified := commandtest.Object(t, contract.ExitFine, "verify", "--json", f.At("m"), data)
	if g, w := verified["primal"].(float64), got["primal"].(float64); math.Abs(g-w) > 1e-3*w {
		t.Errorf("verify gives the primal value %v, train %v", g, w)
	}
}

// readVector reads a one-dimensional .npy file as strictly as writeVector writes it.
func readVector(t *testing.T, s string) []float64 {
	t.Helper()
	if len(s) < 128 || s[:8] != "\x93NUMPY\x01\x00" {
		t.Fatalf("no .npy file: %q", s[:min(len(s), 10)])
	}
	end := 10 + int(binary.LittleEndian.Uint16([]byte(s[8:10])))
	var n int
	if _, err := fmt.Sscanf(s[10:end], "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", &n); err != nil {
		t.Fatal(err)
	}
	if end%64 != 0 || s[end-1] != '\n' || len(s) != end+8*n {
		t.Fatalf("%d numbers from byte %d in a file of %d bytes", n, end, len(s))
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64([]byte(s[end+8*i:])))
	}
	return out
}

func TestManyKernelsLeaveArraysOut(t *testing.T) {
	testlevel.Sample(t, 2, 1)
	f := commandtest.NewFolder(t)
	data := f.File("train.txt", commandtest.Text(30, 1))
	got := commandtest.Object(t, contract.ExitFine, "train", "--json", "--quiet", "--gap", "0.1", "--kernels", "gauss:0.1@random:3*10001", "--seed", "5",
		"--theta-out", f.At("theta.npy"), "-o", f.At("m"), data)
	if got["theta"] != nil || got["w_norms"] != nil || got["kernels"] != 10001.0 {
		t.Errorf("kernels %v with arrays", got["kernels"])
	}
	if n := len(readVector(t, f.Read("theta.npy"))); n != 10001 {
		t.Errorf("%d weights in the file", n)
	}
}

func TestWeightsByView(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train.txt", commandtest.Text(120, 1))
	views := f.File("views.txt", "ring 1 4\nslope 5 10 further columns\n# comment\nnoise 11 30\n")
	o := commandtest.Must(t, "train", "--quiet", "--views", views, "-o", f.At("m"), data)
	for _, want := range []string{"converged after ", "120 rows, 30 features, 30 kernels, p = 4/3", "\nview ", "\nring ", "\nslope ", "\nnoise "} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("no %q in\n%s", want, o.Stdout)
		}
	}
	got := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("m"))
	share := 0.0
	for _, w := range got["weights"].([]any) {
		share += w.(map[string]any)["share"].(float64)
	}
	if math.Abs(share-1) > 1e-9 || got["by"] != "view" || len(got["heaviest"].([]any)) != mostListed {
		t.Errorf("by %v, shares sum to %v, %d kernels", got["by"], share, len(got["heaviest"].([]any)))
	}
	if n := len(commandtest.Object(t, contract.ExitFine, "inspect", "--json", "--all", f.At("m"))["heaviest"].([]any)); n != 30 {
		t.Errorf("--all gives %d kernels", n)
	}
	if got["active"].(float64) < 1 || !(got["w_block_norm"].(float64) > 0) {
		t.Errorf("%v active, ||w|| = %v", got["active"], got["w_block_norm"])
	}
	shown := commandtest.Must(t, "inspect", "--all", f.At("m")).Stdout
	m, err := model.Read(f.At("m"))
	if err != nil {
		t.Fatal(err)
	}
	for id, theta := range m.Theta { // a line for each kernel, with theta and ||w_m||
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^%d +\S+ +%s +%s +\S+ %%$`, id+1, regexp.QuoteMeta(fmt.Sprintf("%.4g", theta)), regexp.QuoteMeta(fmt.Sprintf("%.4g", m.WNorms[id])))).MatchString(shown) {
			t.Errorf("kernel %d is not shown with theta = %.4g and ||w|| = %.4g:\n%s", id+1, theta, m.WNorms[id], shown)
		}
	}
}

func TestModelOnStandardOutput(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	o := commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "-o", "-", data)
	if o.Stdout != f.Read("m") {
		t.Error("standard output is not the model alone")
	}
	commandtest.Must(t, "train", "--quiet", "-o", "/dev/null", data)
}

// TestStoreFlag: every layout trains, the model names the layout, and the certificate holds.
func TestStoreFlag(t *testing.T) {
	f, data, test, _ := commandtest.Trained(t)
	for layout, used := range map[string]string{"auto": "dense", "dense": "dense", "sparse": "sparse"} {
		commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--store", layout, "-o", f.At(layout), data)
		if got := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At(layout))["store"]; got != used {
			t.Errorf("--store %s: stored %v", layout, got)
		}
		if o := commandtest.Must(t, "inspect", f.At(layout)); !strings.Contains(o.Stdout, "stored "+used) {
			t.Errorf("--store %s is not shown in\n%s", layout, o.Stdout)
		}
		commandtest.Must(t, "verify", "--quiet", f.At(layout), data)
		commandtest.Must(t, "predict", "--quiet", f.At(layout), test)
	}
	if f.Read("auto") != f.Read("dense") {
		t.Error("auto and dense give other models on data without zeros")
	}
	commandtest.Must(t, "gram", "--quiet", "--kernels", "gauss:0.05", "--store", "sparse", "-o", f.At("K.npy"), data)
}

func TestWarmStart(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train.txt", commandtest.Text(200, 1))
	cold := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--gap", "1e-4", "-o", f.At("m"), data)
	warm := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--gap", "1e-4", "--init", f.At("m"), "-o", f.At("again"), data)
	if warm["iterations"].(float64) >= cold["iterations"].(float64) {
		t.Errorf("%v iterations, %v from the solution", cold["iterations"], warm["iterations"])
	}
}

func TestRowWeights(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train.txt", commandtest.Text(60, 1))
	var weights strings.Builder
	weights.WriteString("# id weight\n")
	for i := range 60 {
		fmt.Fprintf(&weights, "%d %g\n", i, 0.5+float64(i%4))
	}
	column := f.File("weights.txt", weights.String()) + ":2"
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05", "--row-weights", column, "-o", f.At("m"), data)
	commandtest.Must(t, "verify", f.At("m"), data, "--row-weights", column)
	if o := commandtest.Try("verify", f.At("m"), data); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "--row-weights") {
		t.Errorf("verify without the weights: exit code %d, %q", o.Code, o.Stderr)
	}
}

// TestRowWeightsOfZero: a row of weight 0 counts as little as one that is not there. The model has the
// same bytes without it, whatever its label and its features are, and verify reads the same rows.
func TestRowWeightsOfZero(t *testing.T) {
	f := commandtest.NewFolder(t)
	lines := strings.SplitAfter(strings.TrimSuffix(commandtest.Text(60, 1), "\n"), "\n")
	lines[59] += "\n"
	lines[7] = "7 1:1e9 9:3\n" // A class and a feature that no other row has.
	for _, kept := range []string{"1\n", "2.5\n"} {
		var rest, weights, restWeights strings.Builder
		for i, line := range lines {
			if i%4 == 3 {
				weights.WriteString("0\n")
				continue
			}
			rest.WriteString(line)
			weights.WriteString(kept)
			restWeights.WriteString(kept)
		}
		all, left := f.File("all.txt", strings.Join(lines, "")), f.File("left.txt", rest.String())
		w, v := f.File("all.weights", weights.String()), f.File("left.weights", restWeights.String())
		options := []string{"train", "--quiet", "--kernels", "gauss:auto/4,linear", "--scale", "minmax"}
		commandtest.Must(t, append(options, "--row-weights", w, "-o", f.At("m"), all)...)
		commandtest.Must(t, append(options, "--row-weights", v, "-o", f.At("n"), left)...)
		if f.Read("m") != f.Read("n") {
			t.Error("a model depends on rows of weight 0")
		}
		commandtest.Must(t, "verify", f.At("m"), all, "--row-weights", w)
		commandtest.Must(t, "verify", f.At("m"), left, "--row-weights", v)
	}
}

func TestPositiveAndLimit(t *testing.T) {
	f := commandtest.NewFolder(t)
	var rows strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(commandtest.Text(90, 1)), "\n") {
		label, rest, _ := strings.Cut(line, " ")
		fmt.Fprintf(&rows, "%d %s\n", map[string]int{"1": 0, "-1": 1}[label]+2*(i%2), rest)
	}
	data := f.File("digits.txt", rows.String())
	got := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--positive", "0,2", "--limit", "70", "--class-weight", "+1=2", "-o", f.At("m"), data)
	if got["n"] != 70.0 {
		t.Errorf("n is %v", got["n"])
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	if acc := commandtest.Object(t, contract.ExitFine, "predict", "--json", f.At("m"), data)["accuracy"].(float64); acc < 0.8 {
		t.Errorf("accuracy %v on its own data: other labels are not mapped", acc)
	}
	if o := commandtest.Try("train", "-o", f.At("no"), data); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "4 classes") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
}

// TestRealData runs the commands on data sets that are not part of the module.
func TestRealData(t *testing.T) {
	root := commandtest.DataFolder(t)
	f := commandtest.NewFolder(t)
	data := filepath.Join(root, "sonar", "sonar.libsvm.gz")
	for _, p := range []string{"1", "4/3", "inf"} {
		commandtest.Must(t, "train", "--quiet", "--norm", p, "-o", f.At("m"), data)
		commandtest.Must(t, "verify", f.At("m"), data)
	}
	// One linear kernel a feature has no interior at p = inf; it is the hardest of the small problems.
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear@each-feature", "--norm", "inf", "-o", f.At("m"), data)
	commandtest.Must(t, "verify", f.At("m"), data)
}
