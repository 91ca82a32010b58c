package hostile

import (
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestHostileHints: the hint of a fault in a table is a way out that the command has.
func TestHostileHints(t *testing.T) {
	f := commandtest.NewFolder(t)
	model := f.At("model")
	good := f.File("good.csv", "x,w,y\n1,a,yes\n2,b,no\n3,a,yes\n4,b,no\n")
	if o := commandtest.Try("train", "--quiet", "--kernels", "linear", "-o", model, good); o.Code != contract.ExitFine {
		t.Fatal(o.Stderr)
	}
	bad := f.At("bad.csv")
	const (
		controls = " is no text (names and labels have no line ends, tabs and other control characters"
		utf8     = " is no text (text is read as UTF-8: iconv"
		missing  = ":2:1: the value of column x is missing ("
	)
	for _, c := range []struct{ name, text, want string }{
		{"word of Latin-1", "x,w,y\n1,\xe9,yes\n2,b,no\n", `:1: the name "\xe9" of a category` + utf8},
		{"label of Latin-1", "x,w,y\n1,a,\xe9\n2,b,no\n", `:2:5: label "\xe9"` + utf8},
		{"line end in a word", "x,w,y\n1,\"a\nb\",yes\n2,b,no\n", `:1: the name "a\nb" of a category` + controls},
		{"line end in a label", "x,w,y\n1,a,\"a\nb\"\n2,b,no\n", `:2:5: label "a\nb"` + controls},
		{"line ends of CR", "x,w,y\r1,a,yes\r2,b,no\r", `:1: the name "y\r1" of a column` + " is no text (lines end with LF or CR LF: tr"},
		{"missing value", "x,w,y\nNA,a,yes\n2,b,no\n", missing + "convert writes no missing values; train --impute"},
	} {
		f.File("bad.csv", c.text)
		commandtest.Check(t, f, commandtest.Fault{Name: c.name, Code: contract.ExitInput, Want: bad + c.want,
			Args: []string{"convert", "--quiet", "-o", f.At("new.csv"), bad}})
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "predict", Code: contract.ExitInput, Want: bad + missing + "train --impute median",
		Args: []string{"predict", "--quiet", model, bad}})
	commandtest.Check(t, f, commandtest.Fault{Name: "train", Code: contract.ExitInput, Want: bad + missing + "--impute median",
		Args: []string{"train", "--quiet", "-o", f.At("new"), bad}})
}
