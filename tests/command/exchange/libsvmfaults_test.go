package exchange

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestFaults: what is wrong with a command line, data or models ends with the exit code of its class and one line, and leaves no file.
func TestFaults(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.ThreeClasses(30))
	commandtest.Must(t, "svm-train", "-q", data, f.At("m"))
	good := f.Read("m")
	bad := func(name, old, other string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the model has no %q", old)
		}
		return f.File(name, strings.Replace(good, old, other, 1))
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"svm-train"}, contract.ExitUsage, "svm-train --help"},
		{[]string{"svm-train", "-c", data}, contract.ExitUsage, "is no number"},
		{[]string{"svm-train", "-c"}, contract.ExitUsage, "-c has no value"},
		{[]string{"svm-train", "-c", "-1", data}, contract.ExitUsage, "C <= 0"},
		{[]string{"svm-train", "-c", "nan", data}, contract.ExitUsage, "-c nan is no number"},
		{[]string{"svm-train", "-k", "1", data}, contract.ExitUsage, "unknown option: -k"},
		{[]string{"svm-train", "-s", "5", data}, contract.ExitUsage, "the values are 0 to 4"},
		{[]string{"svm-train", "-wx", "5", data}, contract.ExitUsage, "no integer"},
		{[]string{"svm-train", "-w1", "0", data}, contract.ExitUsage, "not positive"},
		{[]string{"svm-train", "-v", "1", data}, contract.ExitUsage, "at least 2"},
		{[]string{"svm-train", "-h", "2", data}, contract.ExitUsage, "shrinking"},
		{[]string{"svm-train", "-s", "3", "-p", "-1", data}, contract.ExitUsage, "p < 0"},
		{[]string{"svm-train", "-s", "2", "-n", "2", data}, contract.ExitUsage, "nu > 1"},
		{[]string{"svm-train", f.At("none"), f.At("x")}, contract.ExitInput, "cannot open"},
		{[]string{"svm-train", f.File("words", "a 1:2\n"), f.At("x")}, contract.ExitInput, "words:1"},
		{[]string{"svm-train", f.File("unordered", "1 2:1 1:1\n"), f.At("x")}, contract.ExitInput, "unordered:1"},
		{[]string{"svm-train", f.File("unlabelled", "1 1:1\n2:1\n"), f.At("x")}, contract.ExitInput, "unlabelled:2"},
		{[]string{"svm-train", f.File("empty", ""), f.At("x")}, contract.ExitInput, "no rows"},
		{[]string{"svm-train", f.File("large", "1 1:1e300\n-1 1:1\n"), f.At("x")}, contract.ExitInput, "too large"},
		{[]string{"svm-train", "-t", "4", data, f.At("x")}, contract.ExitInput, "0:i"},
		{[]string{"svm-train", "-t", "4", f.File("twice", "1 0:1 1:1\n-1 0:1 1:1\n"), f.At("x")}, contract.ExitInput, "two rows have the number 1"},
		{[]string{"svm-train", "-t", "4", f.File("beyond", "1 0:7 1:1\n"), f.At("x")}, contract.ExitInput, "the number 7"},
		{[]string{"svm-train", data, f.At("no/folder/x")}, contract.ExitInput, "no/folder"},
		{[]string{"svm-predict", data, f.At("m")}, contract.ExitUsage, "2 files"},
		{[]string{"svm-predict", "-x", "1", data, f.At("m"), f.At("x")}, contract.ExitUsage, "unknown option: -x"},
		{[]string{"svm-predict", "-b", "1", data, f.At("m"), f.At("x")}, contract.ExitUsage, "probability estimates"},
		{[]string{"svm-predict", data, f.At("none"), f.At("x")}, contract.ExitInput, "cannot open"},
		{[]string{"svm-predict", data, data, f.At("x")}, contract.ExitInput, "no part of a model"},
		{[]string{"svm-predict", data, bad("m1", "nr_class 3", "nr_class 4"), f.At("x")}, contract.ExitInput, "rho"},
		{[]string{"svm-predict", data, bad("m2", "nr_class 3", "nr_class 100000"), f.At("x")}, contract.ExitInput, "number of classes"},
		{[]string{"svm-predict", data, bad("m3", "total_sv ", "total_sv 2000000000 "), f.At("x")}, contract.ExitInput, "m3:"},
		{[]string{"svm-predict", data, bad("m4", "svm_type c_svc", "svm_type c_svd"), f.At("x")}, contract.ExitInput, "none of"},
		{[]string{"svm-predict", data, f.File("m5", good[:len(good)-60]), f.At("x")}, contract.ExitInput, "m5:"},
		{[]string{"svm-predict", f.File("test", "1 1:1\nx\n"), f.At("m"), f.At("x")}, contract.ExitInput, "test:2"},
		{[]string{"svm-scale"}, contract.ExitUsage, "0 files"},
		{[]string{"svm-scale", "-l", "1", "-u", "0", data}, contract.ExitUsage, "inconsistent"},
		{[]string{"svm-scale", "-s", "a", "-r", "b", data}, contract.ExitUsage, "simultaneously"},
		{[]string{"svm-scale", "-y", "1"}, contract.ExitUsage, "too few values"},
		{[]string{"svm-scale", "-z", data}, contract.ExitUsage, "unknown option: -z"},
		{[]string{"svm-scale", f.At("none")}, contract.ExitInput, "cannot open"},
		{[]string{"svm-scale", "-r", f.At("none"), data}, contract.ExitInput, "cannot open"},
		{[]string{"svm-scale", "-r", f.File("r1", "x\n0 1\n1 2\n"), data}, contract.ExitInput, "r1:3"},
		{[]string{"svm-scale", "-r", f.File("r2", "y\n0 1\n"), data}, contract.ExitInput, "too early"},
		{[]string{"svm-scale", "-r", f.File("r3", "x\n0 inf\n"), data}, contract.ExitInput, "finite"},
	} {
		o := commandtest.Try(c.args...)
		if o.Code != c.code || !strings.Contains(o.Stderr, c.want) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, want %d, and %q: %q", c.args, o.Code, c.code, c.want, o.Stderr)
		}
		if f.Exists("x") {
			t.Fatalf("%q left a file", c.args)
		}
	}
	for _, program := range []string{"svm-train", "svm-predict", "svm-scale"} {
		if o := commandtest.Must(t, program, "--help"); !strings.Contains(o.Stdout, "(default") || o.Stdout != commandtest.Must(t, "help", program).Stdout {
			t.Errorf("%s --help: %q", program, o.Stdout)
		}
	}
}

// TestEnds: an interrupt leaves no model, and one that is there stays.
func TestEnds(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.ThreeClasses(60))
	f.File("m", "before")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"svm-train", data, f.At("m")}, {"svm-train", "-v", "5", data}, {"svm-train", "-b", "1", data, f.At("m")}} {
		if o := commandtest.Execute(ctx, strings.NewReader(""), args...); o.Code != contract.ExitInterrupted || f.Read("m") != "before" {
			t.Errorf("%q: exit code %d: %q", args, o.Code, o.Stderr)
		}
	}
	commandtest.Must(t, "svm-train", "-q", data, f.At("m"))
	f.File("out", "before")
	if o := commandtest.Execute(ctx, strings.NewReader(""), "svm-predict", data, f.At("m"), f.At("out")); o.Code != contract.ExitInterrupted || f.Read("out") != "before" {
		t.Errorf("svm-predict: exit code %d: %q", o.Code, o.Stderr)
	}
	if o := commandtest.Must(t, "svm-predict", data, f.At("m"), os.DevNull); !strings.HasPrefix(o.Stdout, "Accuracy") {
		t.Errorf("%q", o.Stdout)
	}
}

// TestOddData: rows of one class, of one feature, without features and with features that no training row has give the results
// of LIBSVM, and so does a label that is not an integer.
func TestOddData(t *testing.T) {
	f := commandtest.NewFolder(t)
	one := f.File("one", "3 1:1\n3 1:2\n")
	if o := commandtest.Must(t, "svm-train", one, f.At("m")); !strings.Contains(o.Stderr, "only one class") || !strings.Contains(o.Stdout, "Total nSV = 0") {
		t.Errorf("%q %q", o.Stdout, o.Stderr)
	}
	commandtest.Must(t, "svm-predict", f.File("rows", "3 2:1\n4\n"), f.At("m"), f.At("p"))
	if f.Read("p") != "3\n3\n" {
		t.Errorf("%q", f.Read("p"))
	}
	data := f.File("data", "2.7 1:1\n-1\n2 1:0.9 3:0.1\n-1 3:0.2\n2 1:1.1\n-1 3:-0.1\n")
	commandtest.Must(t, "svm-train", "-c", "10", "-g", "1", data, f.At("o"))
	if _, err := exec.LookPath("svm-train"); err != nil {
		t.Skip("svm-train of LIBSVM is not installed")
	}
	rows := f.File("far", "2 1:1\n-1 7:3\n2 1:1 7:0.5 9:0.1\n-1 3:0.2\n")
	theirs(t, f, "svm-train", "-c", "10", "-g", "1", "data", "t")
	theirs(t, f, "svm-predict", rows, "t", "tt")
	for _, m := range []string{"t", "o"} {
		commandtest.Must(t, "svm-predict", rows, f.At(m), f.At("p"))
		if f.Read("p") != f.Read("tt") {
			t.Errorf("%s: labels %q, of LIBSVM %q", m, f.Read("p"), f.Read("tt"))
		}
	}
}

// TestOneClassProbability: marks divide the rows inside and outside into fifths.
func TestOneClassProbability(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.ThreeClasses(90))
	commandtest.Must(t, "svm-train", "-s", "2", "-n", "0.4", "-b", "1", data, f.At("m"))
	if !strings.Contains(f.Read("m"), "\nprob_density_marks ") {
		t.Fatalf("%.300q", f.Read("m"))
	}
	commandtest.Must(t, "svm-predict", "-b", "1", data, f.At("m"), f.At("p"))
	lines := strings.Split(strings.TrimSpace(f.Read("p")), "\n")
	if lines[0] != "label normal outlier" || len(lines) != 91 {
		t.Fatalf("%q", lines[0])
	}
	inside := map[string]int{}
	for _, l := range lines[1:] {
		words := strings.Fields(l)
		inside[words[1]]++
		// Half is said on both sides of 0.
		if words[1] != "0.5" && (words[0] == "1") != (words[1] > "0.5") {
			t.Errorf("%q", l)
		}
	}
	if len(inside) < 8 {
		t.Errorf("probabilities %v", inside)
	}
}
