package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"strings"
	"testing"
)

// TestConvert goes through all formats and back to the same text, and models of all of them have the same bytes.
func TestConvert(t *testing.T) {
	const seed = 4
	t.Logf("seed %d", seed)
	f, d := newFolder(t), newRows(seed, 300, 6)
	text := f.file("a.libsvm", d.libsvm())
	for _, step := range [][2]string{{"a.libsvm", "b.npz"}, {"b.npz", "c.csv"}, {"c.csv", "d.libsvm"}, {"a.libsvm", "e.csv"}, {"e.csv", "f.npz"}, {"f.npz", "g.libsvm"}} {
		o := must(t, "convert", "-o", f.at(step[1]), f.at(step[0]))
		if !strings.HasSuffix(o.stderr, "300 rows written\n") {
			t.Errorf("%v: %q", step, o.stderr)
		}
	}
	for _, name := range []string{"d.libsvm", "g.libsvm"} {
		if f.read(name) != f.read("a.libsvm") {
			t.Errorf("%s is another text", name)
		}
	}
	must(t, "train", "--quiet", "-o", f.at("m"), text)
	must(t, "verify", "--quiet", f.at("m"), f.at("f.npz"))
	o := execute(t.Context(), strings.NewReader(d.libsvm()), "convert", "--quiet", "--to", "npz", "-o", "-", "-")
	if o.code != contract.ExitFine || o.stdout != f.read("b.npz") {
		t.Errorf("from a pipe to a pipe: exit code %d, %s, or other bytes", o.code, o.stderr)
	}
}

// TestConvertLabels writes labels of each kind, and rows without any.
func TestConvertLabels(t *testing.T) {
	f := newFolder(t)
	for kind, text := range map[string]string{
		"classes": "1 1:1\n-1 2:0.5\n12 3:1e-300\n", "targets": "0.1 1:1\n-2.5 2:0.5\n1e-300 1:1e+300\n", "sets": "1,3 1:1\n- 2:0.5\na 1:2\n", "none": "1:1\n2:0.5\n",
	} {
		args := []string{"convert", "--quiet"}
		if kind != "none" {
			args = append(args, "--kind-of-labels", kind)
		}
		in := f.file(kind+".libsvm", text)
		for _, format := range []string{"npz", "csv"} {
			must(t, append(args, "-o", f.at("x."+format), in)...)
			must(t, append(args, "-o", f.at("back.libsvm"), f.at("x."+format))...)
			if got := f.read("back.libsvm"); got != text {
				t.Errorf("%s by way of %s: %q and not %q", kind, format, got, text)
			}
		}
	}
	must(t, "convert", "--quiet", "-o", f.at("t.libsvm"), f.file("t.csv", "c,y,x\nred,a,1\nblue,b,2\n"))
	must(t, "convert", "--quiet", "-o", f.at("u.csv"), f.at("t.csv"))
	if got := f.read("t.libsvm") + f.read("u.csv"); got != "a 2:1 3:1\nb 1:1 3:2\ny,c=blue,c=red,x\na,0,1,1\nb,1,0,2\n" {
		t.Errorf("words: %q", got)
	}
	for want, args := range map[string][]string{
		"cannot stand in libsvm text":      {"-o", f.at("bad.libsvm"), f.file("blank.csv", "x,y\n1,new york\n2,rome\n")},
		"a row without label and values":   {"-o", f.at("bad.libsvm"), f.file("zero.csv", "x,z\n0,0\n0,0\n")},
		"does not say its format":          {"-o", f.at("bad.txt"), f.at("t.csv")},
		"the result would replace an inpu": {"-o", f.at("t.csv"), f.at("t.csv")},
		"is not a plain decimal number":    {"-o", f.at("bad.npz"), f.file("bad", "1 1:1\n1 1:x\n")},
	} {
		if o := try(append([]string{"convert", "--quiet"}, args...)...); o.code == contract.ExitFine || !strings.Contains(o.stderr, want) || f.exists("bad.npz") || f.exists("bad.libsvm") {
			t.Errorf("%q: exit code %d, %s", args, o.code, o.stderr)
		}
	}
}
