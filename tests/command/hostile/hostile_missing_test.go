package hostile

import (
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestHostileMissing: views that rows lack, and that make no sense by themselves or beside other options.
func TestHostileMissing(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("data.txt", commandtest.Text(80, 1)), f.File("test.txt", commandtest.Text(50, 2))
	views := f.File("views", "a 1 10\nb 11 30\n")
	short := f.File("short", "a 1 10\n")
	good, bank := f.File("missing", "1 a\n# a remark\n\n80 b\n1 a\n"), []string{"--views", views, "--kernels", "gauss:1@a missing=self,linear@b"}
	commandtest.Must(t, append([]string{"train", "--quiet", "-o", f.At("m"), "--missing", good, data}, bank...)...)
	commandtest.Must(t, "train", "--quiet", "-o", f.At("plain"), "--kernels", "linear", data)
	commandtest.Must(t, "verify", "--quiet", "--missing", good, f.At("m"), data)
	with := func(args ...string) []string { return append(args, bank...) }
	kernel := func(spec string) []string { return []string{"--views", views, "--missing", good, "--kernels", spec} }
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"an unknown view", with("--missing", f.File("view", "1 a\n2 c\n")), contract.ExitInput, f.At("view") + `:2: there is no view "c"`},
		{"a row beyond the data", with("--missing", f.File("row", "81 a\n")), contract.ExitInput, f.At("row") + ": row 81 lacks a view, and the data have 80 rows"},
		{"row 0", with("--missing", f.File("zero", "0 a\n")), contract.ExitInput, f.At("zero") + `:1: row "0" is not an integer`},
		{"a row without a view", with("--missing", f.File("half", "1\n")), contract.ExitInput, f.At("half") + ":1: a missing view is a row and the name of a view"},
		{"a third word", with("--missing", f.File("third", "1 a b\n")), contract.ExitInput, f.At("third") + ":1: a missing view is a row and the name of a view"},
		{"no file", with("--missing", f.At("absent")), contract.ExitInput, f.At("absent") + ": "},
		{"no kernel that says what to put in", []string{"--views", views, "--missing", good, "--kernels", "gauss:1@a"}, contract.ExitUsage, "rows lack views, and no kernel says what to put in the place of its values"},
		{"nothing is missing", bank, contract.ExitUsage, `kernel "gauss:1@a missing=self": missing= without --missing`},
		{"no view", kernel("gauss:1 missing=self"), contract.ExitUsage, "kernel \"gauss:1 missing=self\": missing= behind a kernel that is not over a view"},
		{"features that are no view", kernel("gauss:1@1-3 missing=self"), contract.ExitUsage, "kernel \"gauss:1@1-3 missing=self\": missing= behind a kernel that is not over a view"},
		{"another word", kernel("gauss:1@a missing=some"), contract.ExitUsage, `kernel "gauss:1@a missing=some": missing="some" is none of none, self and all`},
		{"a product", kernel("prod(gauss:1@a,linear@b) missing=all"), contract.ExitUsage, "kernel \"prod(gauss:1@a,linear@b) missing\"...: missing= behind prod: it is for a kernel of numbers of one view"},
		{"a matrix", kernel("precomputed:" + data + " missing=all,linear@a missing=self"), contract.ExitUsage, "kernel \"precomputed:"},
		{"features outside of the views", []string{"--views", short, "--missing", "empty", "--kernels", "linear@a missing=none"}, contract.ExitInput, data + ":1: feature 30, and views end at feature 10"},
		{"gates", with("--missing", good, "--gating", "regions:2"), contract.ExitUsage, "gates cannot be combined with views that rows lack"},
		{"nearest rows", with("--missing", good, "--posteriors", "knn:3"), contract.ExitUsage, "posteriors of nearest rows cannot be combined with views that rows lack"},
		{"a start", with("--missing", good, "--init", f.At("plain")), contract.ExitUsage, "a start from another model cannot be combined with views that rows lack"},
		{"a test", with("--missing", good, "--test", test), contract.ExitUsage, "--test has no word of what its rows lack"},
		{"the model over the file", with("--missing", good, "-o", good), contract.ExitUsage, good + ": "},
	} {
		t.Run(c.name, func(t *testing.T) {
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: append(append([]string{"train", "--quiet", "-o", f.At("new")}, c.args...), data), Code: c.code, Want: c.want})
		})
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"predict with a plain model", []string{"predict", "--missing", good, f.At("plain"), test}, contract.ExitUsage, "missing views for a model whose kernels take none"},
		{"predict beyond the rows", []string{"predict", "--quiet", "--json", "--missing", good, f.At("m"), test}, contract.ExitInput, good + ": row 80 lacks a view, and the data have 50 rows"},
		{"verify with a plain model", []string{"verify", "--missing", good, f.At("plain"), data}, contract.ExitUsage, "missing views for a model whose kernels take none"},
		{"verify without", []string{"verify", f.At("m"), data}, contract.ExitUsage, "the rows of the model may lack views, and it is not given which"},
		{"an export", []string{"export", "--to", "json", "-o", f.At("out"), f.At("m")}, contract.ExitUsage, f.At("m") + ": a model whose rows may lack views"},
	} {
		t.Run(c.name, func(t *testing.T) {
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: c.args, Code: c.code, Want: c.want})
		})
	}
	for _, args := range [][]string{{"plan"}, {"gram", "-o", f.At("K.npy")}, {"align"}} {
		args = append(append(args, "--quiet", "--views", views, "--missing", good, "--kernels", "gauss:1@a missing=self"), data)
		commandtest.Must(t, args...)
	}
	commandtest.Must(t, "predict", "--quiet", "--missing", "empty", "-o", f.At("p"), f.At("m"), test)
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "missing views") {
		t.Errorf("inspect: %s", o.Stdout)
	}
}
