package exchange

import (
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestConvert goes through all formats and back to the same text, and models of all of them have the same bytes.
func TestConvert(t *testing.T) {
	const seed = 4
	t.Logf("seed %d", seed)
	f, d := commandtest.NewFolder(t), commandtest.NewRows(seed, 300, 6)
	text := f.File("a.libsvm", d.Libsvm())
	for _, step := range [][2]string{{"a.libsvm", "b.npz"}, {"b.npz", "c.csv"}, {"c.csv", "d.libsvm"}, {"a.libsvm", "e.csv"}, {"e.csv", "f.npz"}, {"f.npz", "g.libsvm"}} {
		o := commandtest.Must(t, "convert", "-o", f.At(step[1]), f.At(step[0]))
		if !strings.HasSuffix(o.Stderr, "300 rows written\n") {
			t.Errorf("%v: %q", step, o.Stderr)
		}
	}
	for _, name := range []string{"d.libsvm", "g.libsvm"} {
		if f.Read(name) != f.Read("a.libsvm") {
			t.Errorf("%s is another text", name)
		}
	}
	commandtest.Must(t, "train", "--quiet", "-o", f.At("m"), text)
	commandtest.Must(t, "verify", "--quiet", f.At("m"), f.At("f.npz"))
	o := commandtest.Execute(t.Context(), strings.NewReader(d.Libsvm()), "convert", "--quiet", "--to", "npz", "-o", "-", "-")
	if o.Code != contract.ExitFine || o.Stdout != f.Read("b.npz") {
		t.Errorf("from a pipe to a pipe: exit code %d, %s, or other bytes", o.Code, o.Stderr)
	}
}

// TestConvertLabels writes labels of each kind, and rows without any.
func TestConvertLabels(t *testing.T) {
	f := commandtest.NewFolder(t)
	for kind, text := range map[string]string{
		"classes": "1 1:1\n-1 2:0.5\n12 3:1e-300\n", "targets": "0.1 1:1\n-2.5 2:0.5\n1e-300 1:1e+300\n", "sets": "1,3 1:1\n- 2:0.5\na 1:2\n", "none": "1:1\n2:0.5\n",
	} {
		args := []string{"convert", "--quiet"}
		if kind != "none" {
			args = append(args, "--kind-of-labels", kind)
		}
		in := f.File(kind+".libsvm", text)
		for _, format := range []string{"npz", "csv"} {
			commandtest.Must(t, append(args, "-o", f.At("x."+format), in)...)
			commandtest.Must(t, append(args, "-o", f.At("back.libsvm"), f.At("x."+format))...)
			if got := f.Read("back.libsvm"); got != text {
				t.Errorf("%s by way of %s: %q and not %q", kind, format, got, text)
			}
		}
	}
	commandtest.Must(t, "convert", "--quiet", "-o", f.At("t.libsvm"), f.File("t.csv", "c,y,x\nred,a,1\nblue,b,2\n"))
	commandtest.Must(t, "convert", "--quiet", "-o", f.At("u.csv"), f.At("t.csv"))
	if got := f.Read("t.libsvm") + f.Read("u.csv"); got != "a 2:1 3:1\nb 1:1 3:2\ny,c=blue,c=red,x\na,0,1,1\nb,1,0,2\n" {
		t.Errorf("words: %q", got)
	}
	for want, args := range map[string][]string{
		"cannot stand in libsvm text":      {"-o", f.At("bad.libsvm"), f.File("blank.csv", "x,y\n1,new york\n2,rome\n")},
		"a row without label and values":   {"-o", f.At("bad.libsvm"), f.File("zero.csv", "x,z\n0,0\n0,0\n")},
		"does not say its format":          {"-o", f.At("bad.txt"), f.At("t.csv")},
		"the result would replace an inpu": {"-o", f.At("t.csv"), f.At("t.csv")},
		"is not a plain decimal number":    {"-o", f.At("bad.npz"), f.File("bad", "1 1:1\n1 1:x\n")},
	} {
		if o := commandtest.Try(append([]string{"convert", "--quiet"}, args...)...); o.Code == contract.ExitFine || !strings.Contains(o.Stderr, want) || f.Exists("bad.npz") || f.Exists("bad.libsvm") {
			t.Errorf("%q: exit code %d, %s", args, o.Code, o.Stderr)
		}
	}
}
