package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

const (
	groupedKernels = "gauss:0.05 group=a,gauss:1@1-4 group=a,linear group=b prior=2"
	threeKernels   = "gauss:0.05,gauss:1@1-4,linear"
)

// TestNormFlags: every norm trains, is verified, and inspect names the norm.
func TestNormFlags(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train.txt", commandtest.Text(80, 1))
	e := f.Square("E.npy", []float64{1, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 1}, 3)
	g := f.Square("G.npy", []float64{0, 1, 0, 1, 0, 2, 0, 2, 0}, 3)
	weights := f.File("w.txt", "1 0.5 # of the Gaussians\n\n2")
	for _, c := range []struct{ args, norm string }{
		{"--kernels|" + groupedKernels + "|--norm|1|--group-norm|2", "p = 1 over 2 groups of q = 2, kernels of unequal importance"},
		{"--kernels|" + groupedKernels + "|--norm|inf|--group-norm|1", "p = inf over 2 groups of q = 1, kernels of unequal importance"},
		{"--kernels|" + threeKernels + "|--elastic-net|0.25", "elastic net of 0.25"},
		{"--kernels|" + threeKernels + "|--norm-matrix|" + e, "interactions of the kernels"},
		{"--kernels|" + threeKernels + "|--norm-laplacian|" + g + ":0.5", "interactions of the kernels"},
		{"--kernels|" + threeKernels + "|--weights|" + weights, "fixed weights"},
		{"--kernels|" + threeKernels + "|--norm|sum", "p = 2 (the plain sum)"},
		{"--kernels|" + threeKernels + "|--theta-norm|2|--squared-norm|0.5", "p = 4/3, squared norm of theta times 0.5/2"},
	} {
		args := append([]string{"train", "--quiet", "-o", f.At("m"), data}, strings.Split(c.args, "|")...)
		if o := commandtest.Must(t, args...); !strings.Contains(o.Stdout, c.norm) {
			t.Errorf("%s: no %q in\n%s", c.args, c.norm, o.Stdout)
		}
		commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
		commandtest.Must(t, "predict", "--quiet", f.At("m"), data)
		if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, c.norm) {
			t.Errorf("%s: no %q in\n%s", c.args, c.norm, o.Stdout)
		}
		commandtest.Must(t, "plan", "--quiet", args[4], "--kernels", threeKernels)
	}
	// The ends of the elastic net, and equal weights, are other norms by name.
	for _, c := range [][2]string{{"--elastic-net 0", "--norm 1"}, {"--elastic-net 1", "--norm sum"}, {"--norm 2", "--theta-norm inf"}} {
		var models [2]string
		for i, args := range c {
			commandtest.Must(t, append([]string{"train", "--quiet", "--kernels", threeKernels, "-o", f.At("m"), data}, strings.Fields(args)...)...)
			models[i] = f.Read("m")
		}
		if models[0] != models[1] {
			t.Errorf("%s and %s give different models", c[0], c[1])
		}
	}
	// Weights as they are written are read again.
	commandtest.Must(t, "train", "--quiet", "--kernels", threeKernels, "--theta-out", f.At("theta.npy"), "-o", f.At("m"), data)
	theta := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--kernels", threeKernels, "--weights", f.At("theta.npy"), "-o", f.At("m"), data)["theta"]
	if want := readVector(t, f.Read("theta.npy")); fmt.Sprint(theta) != fmt.Sprint(want) {
		t.Errorf("weights %v, read as %v", want, theta)
	}
}

// TestNormFlagsRefused: one line has the reason.
func TestNormFlagsRefused(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Plain)
	e := f.Square("E.npy", []float64{1, 0.5, 0.5, 1}, 2)
	one := f.Square("one.npy", []float64{1, 1, 1, 1}, 2)
	below := f.Square("below.npy", []float64{1, -0.5, -0.5, 1}, 2)
	flat := f.Square("flat.npy", []float64{1, 2}, 2)
	weights, few, text := f.File("w", "1 2"), f.File("few", "1"), f.File("text", "1\n2 x")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--weights " + weights + " --norm 2", contract.ExitUsage, "--norm cannot be combined with --weights"},
		{"--weights " + weights + " --elastic-net 0.5", contract.ExitUsage, "--elastic-net and --weights cannot be combined"},
		{"--weights " + few, contract.ExitUsage, "1 fixed weights, and there are 2 kernels"},
		{"--weights " + text, contract.ExitInput, text + ":2: \"x\" is not a number"},
		{"--weights " + f.File("none", "# 1\n"), contract.ExitInput, "the file has no numbers"},
		{"--weights " + f.File("minus", "1 -1"), contract.ExitUsage, "weight 2 is -1"},
		{"--weights " + e, contract.ExitInput, e + ": the array is 2 x 2"},
		{"--weights " + f.At("absent"), contract.ExitInput, f.At("absent") + ": "},
		{"--norm-matrix " + one, contract.ExitInput, one + ": the matrix of interactions defines no norm: it is not positive definite"},
		{"--norm-matrix " + below, contract.ExitInput, below + ": the matrix of interactions defines no norm: entry (2, 1) is -0.5"},
		{"--norm-matrix " + flat, contract.ExitInput, flat + ": the matrix is 1 x 2"},
		{"--norm-matrix " + e + " --norm 1", contract.ExitUsage, "--norm cannot be combined with --norm-matrix"},
		{"--norm-matrix " + f.Square("three.npy", []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3), contract.ExitUsage, "interactions of 3 kernels, and there are 2"},
		{"--norm-laplacian " + e, contract.ExitUsage, "not of the form FILE:EPS"},
		{"--norm-laplacian " + below + ":1", contract.ExitInput, below + ": edge (1, 2) of the graph is -0.5"},
		{"--norm-laplacian " + one + ":1e-300", contract.ExitInput, "eps is too small"},
		{"--elastic-net 1.5", contract.ExitUsage, "--elastic-net: 1.5 is not in [0, 1]"},
		{"--elastic-net 0.5 --theta-norm 1", contract.ExitUsage, "--theta-norm cannot be combined with --elastic-net"},
		{"--group-norm 2", contract.ExitUsage, "no kernel is in a group"},
		{"--group-norm 0.9", contract.ExitUsage, "--group-norm: q = 0.9"},
		{"--squared-norm 0", contract.ExitUsage, "--squared-norm: 0 is not a positive"},
	} {
		args := append([]string{"train", "--quiet", "--kernels", "linear,gauss:1", "-o", f.At("new"), data}, strings.Fields(c.args)...)
		if o := commandtest.Try(args...); o.Code != c.code || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%s: exit code %d, %q, want %d, %q", c.args, o.Code, o.Stderr, c.code, c.want)
		}
	}
	for kernels, want := range map[string]string{"group=a": "names no kernel", "linear group=": "without a name", "linear group=a": "no norm within groups is given"} {
		if o := commandtest.Try("train", "--quiet", "--kernels", kernels, "-o", f.At("new"), data); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, want) {
			t.Errorf("%s: exit code %d, %q, want %q", kernels, o.Code, o.Stderr, want)
		}
	}
}

// FuzzParseNumbers: whatever is written, what comes of it is read again as it was, in memory that the text bounds.
func FuzzParseNumbers(f *testing.F) {
	for _, s := range []string{"1 2\n3", "# x\n1e-3#2\n-.5", "nan", "0x1", "1_0", "", " \r\n", strings.Repeat("1", 100), "1 \x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := parseNumbers(bytes.NewReader(b), "numbers", len(b)/2+1)
		if err != nil {
			return
		}
		if cap(x) > len(b)/2+1 {
			t.Fatalf("room for %d numbers in %d bytes", cap(x), len(b))
		}
		again, err := parseNumbers(strings.NewReader(strings.Trim(fmt.Sprint(x), "[]")), "numbers", len(x))
		if err != nil || !slices.Equal(x, again) {
			t.Fatalf("%q: %v, and then %v, %v", b, x, again, err)
		}
	})
}
