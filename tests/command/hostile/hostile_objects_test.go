package hostile

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// pairs writes drugs, targets and pairs of them.
func pairs(t *testing.T, f commandtest.Folder) (drugs, targets, data string) {
	return commandtest.Pairs(t, f, 60, 8)
}

// TestHostileObjects: rows that name objects go through all commands, and their faults are one line with its place.
func TestHostileObjects(t *testing.T) {
	f := commandtest.NewFolder(t)
	drugs, targets, data := pairs(t, f)
	with := []string{"--objects", drugs, "--objects", targets}
	kernels := []string{"--kernels", "gauss:auto@drug,linear@target,prod(gauss:1@drug,gauss:auto@target)"}
	train := func(more ...string) []string {
		return append(append([]string{"train", "--quiet", "-o", f.At("new")}, with...), more...)
	}
	commandtest.Must(t, append(append([]string{"train", "--quiet", "-o", f.At("m"), data}, with...), kernels...)...)
	commandtest.Must(t, append([]string{"verify", "--quiet", f.At("m"), data}, with...)...)
	commandtest.Must(t, "predict", "--quiet", "-o", f.At("p"), f.At("m"), data)
	commandtest.Must(t, "inspect", f.At("m"))
	commandtest.Must(t, append(append([]string{"plan", data}, with...), kernels...)...)
	choose := func(folder, side string) []string {
		args := []string{"select", "--quiet", "--grid-C", "0.1,1", "--folds", "3", "--hold-out", side, "-o", folder, data}
		return append(append(args, with...), kernels...)
	}
	for _, side := range []string{"pairs", "drug", "target", "both"} {
		commandtest.Must(t, choose(f.At("s_"+side), side)...)
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "another side", Code: contract.ExitUsage, Want: "--hold-out: there are no objects \"protein\"",
		Args: choose(f.At("s4"), "protein")})
	importance := append(append([]string{"importance", "--quiet", "--folds", "3", "--hold-out", "both", "-o", f.At("i"), data}, with...), kernels...)
	commandtest.Check(t, f, commandtest.Fault{Name: "importance of both", Code: contract.ExitUsage, Want: "--hold-out both of importance: not yet", Args: importance})

	commandtest.Check(t, f, commandtest.Fault{Name: "objects held out of a trial", Code: contract.ExitUsage,
		Want: "--hold-out both of a trial: not yet", Args: append(choose(f.At("s5"), "both"), "--size", "30")})
	alike := []string{"importance", "--quiet", "--folds", "3", "--hold-out", "a", "-o", f.At("i2"), "--objects", "a,b=" + f.At("targets.csv"),
		"--kernels", "linear@a,linear@b", f.File("alike.txt", strings.Repeat("1 t_1 t_2\n-1 t_3 t_4\n1 t_5 t_6\n-1 t_7 t_1\n", 9))}
	commandtest.Check(t, f, commandtest.Fault{Name: "importance of one kind", Code: contract.ExitUsage,
		Want: "--hold-out a of importance: not yet for columns of one kind of objects", Args: alike})

	// The first line may name the columns, in any order, and words may be separated by commas.
	table := f.File("pairs.csv", "target,y,drug\n"+turned(f.Read("pairs.txt")))
	commandtest.Must(t, append(append([]string{"train", "--quiet", "-o", f.At("t"), table}, with...), kernels...)...)
	if f.Read("t") != f.Read("m") {
		t.Errorf("a table of the same pairs makes another model")
	}

	// New objects are compared with the objects of the training.
	more := f.File("more.csv", f.Read("targets.csv")+"t_new,2,1.5\n")
	one := f.File("one.txt", "3 t_new\n")
	commandtest.Must(t, "predict", "--quiet", "-o", f.At("p"), "--objects", "target="+more, f.At("m"), one)
	commandtest.Check(t, f, commandtest.Fault{Name: "a new object", Args: []string{"predict", "--quiet", f.At("m"), one}, Code: contract.ExitInput,
		Want: f.At("one.txt") + `:1:3: there is no target "t_new" among 8 objects`})
	other := f.File("other.csv", "t_1,9,9\n")
	commandtest.Check(t, f, commandtest.Fault{Name: "a changed object", Args: []string{"predict", "--quiet", "--objects", "target=" + other, f.At("m"), data},
		Code: contract.ExitInput, Want: other + ":1: the object \"t_1\" had other features in the training"})

	for _, c := range []struct {
		name, rows string
		want       string
	}{
		{"an unknown object", "1 3 t_1\n-1 2 t_99\n", `:2:6: there is no target "t_99" among 8 objects`},
		{"a number beyond the last", "1 3 t_1\n-1 8 t_1\n", `:2:4: there is no drug "8" among 8 objects`},
		{"a missing object", "1 3 t_1\n-1\n", ":2:1: 1 words in a row, and a row is a label and \"drug\", \"target\""},
		{"too many words", "1 3 t_1 t_2\n", ":1:9: 4 words in a row"},
		{"a negative number", "1 -3 t_1\n", `:1:3: there is no drug "-3" among 8 objects`},
		{"features", "1 1:3 2:1\n", `:1:3: there is no drug "1:3" among 8 objects`},
		{"no object between commas", "1,3,t_1\n-1,,3\n", `:2:4: a word is missing, and a row is a label and "drug", "target", or its objects alone`},
		{"no object between tabs", "1\t3\tt_1\n-1\t\tt_1\n", ":2:4: a word is missing"},
		{"no object at the end", "1,3,t_1\n3, 3, \n", ":2:5: a word is missing"},
		{"a row shorter than the names", "y,drug,target\n1,2,t_1\n-1,2\n", ":3:4: 2 words in a row, and the first line has 3"},
	} {
		bad := f.File("bad.txt", c.rows)
		commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: train(append(kernels, bad)...), Code: contract.ExitInput, Want: bad + c.want})
	}
	for _, c := range []struct{ name, text, want string }{
		{"a name twice", "a,1\nb,2\na,3\n", ":3:1: the object \"a\" was given in line 1"},
		{"a short line", "a,1\nb\n", ":2: 1 words, and the first line has 2"},
		{"no number", "a,1\nb,x\n", `:2:3: "x" is no number`},
		{"no name", "a,1\n,2\n", ":2:1:"},
		{"no number in the first line", "a,NA,1\nb,1,2\n", `:1:3: "NA" is no number (features of objects are not imputed`},
		{"no value in the first line", "a,,?\nb,1,2\n", `:1:3: "" is no number (features of objects are not imputed`},
		{"a quote that is not closed", "a,1\n\"b,c,1\n", ":2: 3 words, and the first line has 2 (a name with blanks or commas is in quotes"},
		{"a name twice, in quotes", "a,1\n\"b c\",2\n\"a\",3\n", ":3:1: the object \"a\" was given in line 1"},
		{"blanks around a name", "a,1\n\" b\",2\n", ":2:1:"},
		{"nothing", "", ": no objects"},
	} {
		bad := f.File("objects.csv", c.text)
		args := []string{"train", "--quiet", "-o", f.At("new"), "--objects", drugs, "--objects", "target=" + bad, data}
		commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: args, Code: contract.ExitInput, Want: bad + c.want})
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"a kernel of both", train("--kernels", "gauss:1", data), "kernel gauss:1 is over features of several objects"},
		{"an unknown view", train("--kernels", "gauss:1@protein", data), `kernel "gauss:1@protein": there is no view "protein"`},
		{"no file", []string{"train", "--quiet", "-o", f.At("new"), "--objects", "drug", data}, `--objects "drug"`},
		{"the name of a value of --hold-out", []string{"train", "--quiet", "-o", f.At("new"), "--objects", "both=" + f.At("targets.csv"), data},
			`--objects: "both" is a value of --hold-out, and no name of a kind of objects`},
		{"another name of these", []string{"train", "--quiet", "-o", f.At("new"), "--objects", "drug,pairs=" + f.At("targets.csv"), data},
			`--objects: "pairs" is a value of --hold-out`},
		{"a name twice", train("--objects", drugs, data), `--objects: the name "drug" is given twice`},
		{"a stream", train("--stream", "--kernels", "gauss:1@drug", data), "no stream trains rows that name objects"},
		{"the rows of a model", []string{"train", "--quiet", "-o", f.At("new"), "--continue", f.At("m"), data}, f.At("m") + ": the rows of the model name objects"},
		{"gates", train("--gating", "softmax", "--kernels", "gauss:1@drug", data), "rows that name objects cannot be combined with gates yet"},
		{"verify without objects", []string{"verify", "--quiet", f.At("m"), data}, "the model was trained on objects, whose files are needed"},
	} {
		commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: c.args, Code: contract.ExitUsage, Want: c.want})
	}
	for _, format := range []string{"libsvm", "onnx"} {
		commandtest.Check(t, f, commandtest.Fault{Name: format, Args: []string{"export", "--to", format, "-o", f.At("out"), f.At("m")}, Code: contract.ExitUsage,
			Want: f.At("m") + ": a model of rows that name objects"})
	}
}

// TestHostileObjectFiles: numbered columns are not objects, several files of objects are predicted with, and the flags of a hint can be given.
func TestHostileObjectFiles(t *testing.T) {
	f := commandtest.NewFolder(t)
	_, _, data := pairs(t, f)
	names := f.File("names.csv", "a,1,2\nb,3,5\nc,2,2\nd,5,4\n")
	rows := f.File("rows.txt", strings.Repeat("1 a b\n-1 c d\n1 b c\n-1 d a\n", 3))
	train := func(model, objects string) {
		commandtest.Must(t, "train", "--quiet", "-o", f.At(model), "--objects", "x,y="+objects, "--kernels", "pair(gauss:0.1,x,y)", rows)
	}
	train("m", names)
	for i, head := range []string{",0,1\n", "name,0,1\n", "x,1,2\n", "ID,0,1\n", "z,length,charge\n"} {
		train("n", f.File("headed.csv", head+f.Read("names.csv")))
		if f.Read("n") != f.Read("m") {
			t.Errorf("the first line %q (%d) is an object", head, i)
		}
	}
	train("n", f.File("headed.csv", "z,0,1\n"+f.Read("names.csv")))
	if f.Read("n") == f.Read("m") {
		t.Error("an object with the features 0 and 1 is lost")
	}

	// New objects may come in several files.
	one, two := f.File("one.csv", "e,1,1\n"), f.File("two.csv", "g,7,1\n")
	fresh := f.File("fresh.txt", "a e\ng e\n")
	commandtest.Must(t, "predict", "--quiet", "-o", f.At("p"), "--objects", "x="+one, "--objects", "y="+two, f.At("m"), fresh)
	commandtest.Check(t, f, commandtest.Fault{Name: "no such column", Args: []string{"predict", "--quiet", "--objects", "x,z=" + one, f.At("m"), fresh},
		Code: contract.ExitUsage, Want: `--objects: the model has no objects "z" (its objects are x, y)`})
	commandtest.Check(t, f, commandtest.Fault{Name: "columns apart", Args: []string{"verify", "--objects", "x=" + names, "--objects", "y=" + names, f.At("m"), rows},
		Code: contract.ExitUsage, Want: "the files of the objects are not given as in the training (--objects x,y=FILE)"})
	commandtest.Check(t, f, commandtest.Fault{Name: "no objects", Args: []string{"verify", f.At("m"), rows},
		Code: contract.ExitUsage, Want: "the model was trained on objects, whose files are needed (--objects x,y=FILE)"})
	commandtest.Check(t, f, commandtest.Fault{Name: "columns of features", Args: []string{"predict", "--objects", "drug=" + names, f.At("m"), data},
		Code: contract.ExitUsage, Want: `--objects: the model has no objects "drug"`})
	// A trial takes the default kernels, too.
	commandtest.Must(t, "select", "--quiet", "--objects", "x,y="+names, "--size", "12", "--folds", "2", "--grid-C", "1", "-o", f.At("s"), rows)
}

// turned is the lines of pairs as a table of target, label and drug.
func turned(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		fmt.Fprintf(&b, "%s, %s,%s\n", w[2], w[0], w[1])
	}
	return b.String()
}

// TestHostileObjectMatrices: matrices between objects, alone and as factors.
func TestHostileObjectMatrices(t *testing.T) {
	f := commandtest.NewFolder(t)
	drugs, targets, data := pairs(t, f)
	var k [][]float64
	for i := range 8 {
		row := make([]float64, 8)
		for j := range row {
			row[j] = float64(i%3*(j%3) + i%5*(j%5))
		}
		k = append(k, row)
	}
	if err := commandtest.WriteArray(f.At("K.npy"), k); err != nil {
		t.Fatal(err)
	}
	with := []string{"--objects", drugs, "--objects", targets}
	matrix := "precomputed:" + f.At("K.npy") + "@target"
	commandtest.Must(t, append([]string{"train", "--quiet", "-o", f.At("m"), "--kernels", matrix + ",prod(gauss:1@drug," + matrix + ")", data}, with...)...)
	commandtest.Must(t, append([]string{"verify", "--quiet", "--gram", f.At("K.npy"), f.At("m"), data}, with...)...)
	commandtest.Must(t, "predict", "--quiet", "-o", f.At("p"), f.At("m"), data)
	more := f.File("more.csv", f.Read("targets.csv")+"t_new,2,1.5\n")
	commandtest.Check(t, f, commandtest.Fault{Name: "a new object", Args: []string{"predict", "--quiet", "--objects", "target=" + more, f.At("m"), data},
		Code: contract.ExitInput, Want: more + ": a matrix has the values of the 8 objects target of the training alone"})
	if err := commandtest.WriteArray(f.At("short.npy"), k[:7]); err != nil {
		t.Fatal(err)
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "a short matrix", Args: append([]string{"train", "--quiet", "-o", f.At("new"), "--kernels",
		"precomputed:" + f.At("short.npy") + "@target", data}, with...), Code: contract.ExitInput,
		Want: f.At("short.npy") + ": the matrix is 7 x 8, the data have 8 objects target"})
}
