package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset/npy"
)

// square writes a matrix and gives its name.
func (f *folder) square(name string, e []float64, n int) string {
	f.t.Helper()
	w, err := npy.Create(f.at(name), len(e)/n, n, true)
	if err != nil {
		f.t.Fatal(err)
	}
	for i := range len(e) / n {
		if err := w.WriteRow64(e[i*n : (i+1)*n]); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.t.Fatal(err)
	}
	return f.at(name)
}

const (
	groupedKernels = "gauss:0.05 group=a,gauss:1@1-4 group=a,linear group=b prior=2"
	threeKernels   = "gauss:0.05,gauss:1@1-4,linear"
)

// TestNormFlags: every norm trains, is verified, and inspect says which it was.
func TestNormFlags(t *testing.T) {
	f := newFolder(t)
	data := f.file("train.txt", text(80, 1))
	e := f.square("E.npy", []float64{1, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 1}, 3)
	g := f.square("G.npy", []float64{0, 1, 0, 1, 0, 2, 0, 2, 0}, 3)
	weights := f.file("w.txt", "1 0.5 # of the Gaussians\n\n2")
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
		args := append([]string{"train", "--quiet", "-o", f.at("m"), data}, strings.Split(c.args, "|")...)
		if o := must(t, args...); !strings.Contains(o.stdout, c.norm) {
			t.Errorf("%s: no %q in\n%s", c.args, c.norm, o.stdout)
		}
		must(t, "verify", "--quiet", f.at("m"), data)
		must(t, "predict", "--quiet", f.at("m"), data)
		if o := must(t, "inspect", f.at("m")); !strings.Contains(o.stdout, c.norm) {
			t.Errorf("%s: no %q in\n%s", c.args, c.norm, o.stdout)
		}
		must(t, "plan", "--quiet", args[4], "--kernels", threeKernels)
	}
	// The ends of the elastic net, and equal weights, are other norms by name.
	for _, c := range [][2]string{{"--elastic-net 0", "--norm 1"}, {"--elastic-net 1", "--norm sum"}, {"--norm 2", "--theta-norm inf"}} {
		var models [2]string
		for i, args := range c {
			must(t, append([]string{"train", "--quiet", "--kernels", threeKernels, "-o", f.at("m"), data}, strings.Fields(args)...)...)
			models[i] = f.read("m")
		}
		if models[0] != models[1] {
			t.Errorf("%s and %s give different models", c[0], c[1])
		}
	}
	// Weights as they are written are read again.
	must(t, "train", "--quiet", "--kernels", threeKernels, "--theta-out", f.at("theta.npy"), "-o", f.at("m"), data)
	theta := object(t, contract.ExitFine, "train", "--quiet", "--json", "--kernels", threeKernels, "--weights", f.at("theta.npy"), "-o", f.at("m"), data)["theta"]
	if want := readVector(t, f.read("theta.npy")); fmt.Sprint(theta) != fmt.Sprint(want) {
		t.Errorf("weights %v, read as %v", want, theta)
	}
}

// TestNormFlagsRefused: one line says why.
func TestNormFlagsRefused(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", plain)
	e := f.square("E.npy", []float64{1, 0.5, 0.5, 1}, 2)
	one := f.square("one.npy", []float64{1, 1, 1, 1}, 2)
	below := f.square("below.npy", []float64{1, -0.5, -0.5, 1}, 2)
	flat := f.square("flat.npy", []float64{1, 2}, 2)
	weights, few, text := f.file("w", "1 2"), f.file("few", "1"), f.file("text", "1\n2 x")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--weights " + weights + " --norm 2", contract.ExitUsage, "--norm has no effect with --weights"},
		{"--weights " + weights + " --elastic-net 0.5", contract.ExitUsage, "--elastic-net and --weights cannot be combined"},
		{"--weights " + few, contract.ExitUsage, "1 fixed weights, and there are 2 kernels"},
		{"--weights " + text, contract.ExitInput, text + ":2: \"x\" is not a number"},
		{"--weights " + f.file("none", "# 1\n"), contract.ExitInput, "the file has no numbers"},
		{"--weights " + f.file("minus", "1 -1"), contract.ExitUsage, "weight 2 is -1"},
		{"--weights " + e, contract.ExitInput, e + ": the array is 2 x 2"},
		{"--weights " + f.at("absent"), contract.ExitInput, f.at("absent") + ": "},
		{"--norm-matrix " + one, contract.ExitInput, one + ": the matrix of interactions defines no norm: it is not positive definite"},
		{"--norm-matrix " + below, contract.ExitInput, below + ": the matrix of interactions defines no norm: entry (2, 1) is -0.5"},
		{"--norm-matrix " + flat, contract.ExitInput, flat + ": the matrix is 1 x 2"},
		{"--norm-matrix " + e + " --norm 1", contract.ExitUsage, "--norm cannot be combined with interactions"},
		{"--norm-matrix " + f.square("three.npy", []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3), contract.ExitUsage, "interactions of 3 kernels, and there are 2"},
		{"--norm-laplacian " + e, contract.ExitUsage, "not of the form FILE:EPS"},
		{"--norm-laplacian " + below + ":1", contract.ExitInput, below + ": edge (1, 2) of the graph is -0.5"},
		{"--norm-laplacian " + one + ":1e-300", contract.ExitInput, "eps is too small"},
		{"--elastic-net 1.5", contract.ExitUsage, "--elastic-net: 1.5 is not in [0, 1]"},
		{"--elastic-net 0.5 --theta-norm 1", contract.ExitUsage, "--theta-norm cannot be combined with --elastic-net"},
		{"--group-norm 2", contract.ExitUsage, "no kernel is in a group"},
		{"--group-norm 0.9", contract.ExitUsage, "--group-norm: q = 0.9"},
		{"--squared-norm 0", contract.ExitUsage, "--squared-norm: 0 is not a positive"},
	} {
		args := append([]string{"train", "--quiet", "--kernels", "linear,gauss:1", "-o", f.at("new"), data}, strings.Fields(c.args)...)
		if o := try(args...); o.code != c.code || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: exit code %d, %q, want %d, %q", c.args, o.code, o.stderr, c.code, c.want)
		}
	}
	for kernels, want := range map[string]string{"group=a": "names no kernel", "linear group=": "without a name", "linear group=a": "no norm within groups is given"} {
		if o := try("train", "--quiet", "--kernels", kernels, "-o", f.at("new"), data); o.code != contract.ExitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: exit code %d, %q, want %q", kernels, o.code, o.stderr, want)
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
