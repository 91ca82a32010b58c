package models

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// posteriorsOf writes posteriors of rows: near the label, and near 1/2 for every seventh row.
func posteriorsOf(rows string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(rows), "\n") {
		p := 0.05 * float64(i%9)
		if i%7 == 3 {
			p = 0.4999
		}
		if !strings.HasPrefix(line, "-") {
			p = 1 - p
		}
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// TestPosteriors: posteriors of a file, of nearest rows, and of rows that were held out, with everything that a model
// goes through.
func TestPosteriors(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := commandtest.Text(120, 5)
	data, given := f.File("data", rows), f.File("p", posteriorsOf(rows))
	held := f.At("held")
	plain := []string{"train", "--quiet", "--json", "--kernels", "gauss:0.1,linear", "-o", f.At("m"), data}
	got := commandtest.Object(t, contract.ExitFine, append(plain, "--posteriors", given, "--probability", "--posteriors-out", held)...)
	p, _ := got["posteriors"].(map[string]any)
	if p["of"] != "given" || p["left_out"] != float64(17) {
		t.Errorf("posteriors %v, want 17 rows left out", p)
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	if o := commandtest.Try("inspect", f.At("m")); !strings.Contains(o.Stdout, "given; 17 of 120 rows") {
		t.Errorf("inspect: %s", o.Stdout)
	}
	if o := commandtest.Try("config", "--of", f.At("m")); o.Code != contract.ExitFine || !strings.Contains(o.Stdout, "posteriors: the labels were uncertain") {
		t.Errorf("config: %s%s", o.Stdout, o.Stderr)
	}
	b, err := os.ReadFile(held)
	if err != nil || bytes.Count(b, []byte("\n")) != 120 {
		t.Fatalf("%d posteriors of rows that were held out, %v", bytes.Count(b, []byte("\n")), err)
	}
	for _, word := range strings.Fields(string(b)) {
		if x, err := strconv.ParseFloat(word, 64); err != nil || !(x > 0 && x < 1) {
			t.Errorf("a posterior of %s", word)
		}
	}
	// What was written is read again, as text and as an array, with the same bytes of the model.
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.1,linear", "--posteriors", given, "--probability", "--posteriors-out", f.At("held.npy"), "-o", f.At("m"), data)
	var models [2][]byte
	for i, file := range []string{held, f.At("held.npy")} {
		commandtest.Object(t, contract.ExitFine, append(plain, "--posteriors", file)...)
		commandtest.Must(t, "verify", f.At("m"), data)
		if models[i], err = os.ReadFile(f.At("m")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("text and array give different models")
	}
	got = commandtest.Object(t, contract.ExitFine, append(plain, "--posteriors", "knn:5@1-3")...)
	if p, _ = got["posteriors"].(map[string]any); p["of"] != "knn:5@1-3" {
		t.Errorf("posteriors %v", p)
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	if o := commandtest.Try("config", "--of", f.At("m")); !strings.Contains(o.Stdout, "posteriors = 'knn:5@1-3'") {
		t.Errorf("config: %s", o.Stdout)
	}
	commandtest.Must(t, "predict", f.At("m"), data)
	commandtest.Must(t, "plan", "--quiet", "--posteriors", "knn:5", data)
	commandtest.Must(t, "train", "--quiet", "--path-C", "0.1,10", "--posteriors", given, "-o", f.At("m%C"), data)
	commandtest.Must(t, "verify", f.At("m10"), data)
	for i, of := range []string{given, "knn:4"} {
		folder := f.At(fmt.Sprint("s", i))
		commandtest.Must(t, "select", "--quiet", "--kernels", "gauss:0.1,linear", "--grid-C", "0.1,1", "--folds", "3", "--posteriors", of, "-o", folder, data)
		commandtest.Must(t, "verify", folder+"/"+contract.BestFile, data)
	}
}

// TestPosteriorsOfAllClasses: one classifier for all classes takes a posterior of each, as numbers, an array or by the
// nearest rows, with the same bytes for the same numbers, and reports the posteriors.
func TestPosteriorsOfAllClasses(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := commandtest.Text(90, 5)
	data := f.File("data", rows)
	var b strings.Builder
	var values [][]float64
	for i := range 90 {
		p := float64(i%9) / 8
		fmt.Fprintf(&b, "%v %v\n", p, 1-p)
		values = append(values, []float64{p, 1 - p})
	}
	if err := commandtest.WriteArray(f.At("p.npy"), values); err != nil {
		t.Fatal(err)
	}
	plain := []string{"train", "--json", "--quiet", "--multiclass", "single", "--kernels", "gauss:0.1,linear"}
	for i, of := range []string{f.File("p", b.String()), f.At("p.npy"), "knn:7@1-3"} {
		got := commandtest.Object(t, contract.ExitFine, append(plain, "--posteriors", of, "-o", f.At("m"), data)...)
		want := []string{"given", "given", of}[i]
		if p, _ := got["posteriors"].(map[string]any); p["of"] != want || p["left_out"] != 0.0 {
			t.Errorf("%s: posteriors %v", of, p)
		}
		commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
		if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "their differences are the margins") {
			t.Errorf("%s: %s", of, o.Stdout)
		}
		if i == 1 && f.Read("m") != f.Read("first") {
			t.Error("an array makes another model")
		}
		if err := os.Rename(f.At("m"), f.At("first")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWrongPosteriors is the part of the hostile table that is about posteriors: each fault is one line before any training.
func TestWrongPosteriors(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := commandtest.Text(40, 6)
	data := f.File("data", rows)
	all := func(p string) string { return strings.Repeat(p+"\n", 40) }
	good := posteriorsOf(rows)
	bad := f.At("bad")
	for _, c := range []struct{ name, text, want string }{
		{"none", "", ": the file has no numbers"},
		{"above 1", good[:strings.LastIndex(strings.TrimSpace(good), "\n")] + "\n1.5\n", ": posterior 40 is 1.5, not in [0, 1]"},
		{"below 0", "-0.01\n" + good, ": posterior 1 is -0.01, not in [0, 1]"},
		{"NaN", "0.5\nnan\n" + good, `:2: "nan" is not a number`},
		{"infinity", "inf\n" + good, `:1: "inf" is not a number`},
		{"beyond float64", "1e400\n" + good, `:1: "1e400" is not a number`},
		{"a word", "maybe\n" + good, `:1: "maybe" is not a number`},
		{"too few", good[strings.Index(good, "\n"):], ": 39 posteriors for 40 rows"},
		{"too many", good + "0.5\n", ": 41 posteriors for 40 rows"},
		{"two columns", strings.ReplaceAll(good, "\n", " 0.5\n"), ": 80 posteriors for 40 rows"},
		{"all near 1/2", all("0.5009"), ": all 40 posteriors are within 0.001 of 1/2"},
		{"all of one class", all("0.9"), ": no posterior is 0.499 or less"},
		{"all of the other", all("0"), ": no posterior is 0.501 or more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.File("bad", c.text)
			for _, command := range [][]string{{"train", "--quiet", "-o", f.At("new")}, {"plan", "--quiet"}, {"select", "--quiet", "-o", f.At("new")}} {
				commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: append(command, "--posteriors", bad, data), Code: contract.ExitInput, Want: bad + c.want})
			}
		})
	}
	two := strings.Repeat("0.25 0.75\n", 40)
	for _, c := range []struct{ name, text, want string }{
		{"one column", good, ": 40 posteriors for 40 rows of 2 classes (each row that is used has 2, one for each class"},
		{"three columns", strings.Repeat("0.2 0.3 0.5\n", 40), ": 120 posteriors for 40 rows of 2 classes"},
		{"no sum of 1", strings.Replace(two, "0.75", "0.8", 1), ": the posteriors of row 1 have the sum 1.05, not 1"},
		{"one below 0", strings.Replace(two, "0.25 0.75", "-0.25 1.25", 1), ": posterior 1 is -0.25, not in [0, 1]"},
	} {
		f.File("bad", c.text)
		for _, command := range [][]string{{"train", "--quiet", "-o", f.At("new")}, {"plan", "--quiet"}} {
			commandtest.Check(t, f, commandtest.Fault{Name: "single, " + c.name, Args: append(command, "--multiclass", "single", "--posteriors", bad, data), Code: contract.ExitInput, Want: bad + c.want})
		}
	}
	given := f.File("given", good)
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	matrix := f.At("K.npy")
	commandtest.Must(t, "gram", "--quiet", "--kernels", "linear", "-o", matrix, data)
	bare := f.File("bare", strings.Repeat("1\n-1\n", 20))
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no K", []string{"--posteriors", "knn:", data}, contract.ExitUsage, `"knn:" is not of the form knn:K or knn:K@SET`},
		{"K of 0", []string{"--posteriors", "knn:0", data}, contract.ExitUsage, `"knn:0" is not of the form`},
		{"no set", []string{"--posteriors", "knn:3@", data}, contract.ExitUsage, `"knn:3@" is not of the form`},
		{"too many nearest", []string{"--posteriors", "knn:1001", data}, contract.ExitUsage, "posteriors of 1001 nearest rows, at least 1 and at most 1000"},
		{"as many as rows", []string{"--posteriors", "knn:40", data}, contract.ExitUsage, "posteriors of the 40 nearest of 40 rows: there are 39 others"},
		{"features that are not there", []string{"--posteriors", "knn:3@500", data}, contract.ExitUsage, "the features of nearest rows: "},
		{"several sets", []string{"--posteriors", "knn:3@each-feature", data}, contract.ExitUsage, `"each-feature" is not one set of features`},
		{"a matrix and no features", []string{"--kernels", "precomputed:" + matrix, "--posteriors", "knn:3", bare}, contract.ExitInput, bare + ": no row has a feature in which another could be near (--posteriors FILE"},
		{"sequences", []string{"--sequences", "dna", "--posteriors", "knn:3", f.File("dna", "1 ACGT\n-1 CCGT\n1 AAGT\n-1 CCTT\n")}, contract.ExitUsage, "nearest rows of sequences"},
		{"several classifiers", []string{"--multiclass", "ovr", "--posteriors", "knn:3", data}, contract.ExitUsage, "posteriors are for two classes, and ovr is for more"},
		{"several classifiers and a file", []string{"--multiclass", "ovo", "--posteriors", given, data}, contract.ExitUsage, "posteriors are for two classes, and ovo is for more"},
		{"numbers", []string{"--task", "svr", "--posteriors", given, data}, contract.ExitUsage, "posteriors are for task class, and the task is svr"},
		{"one class", []string{"--task", "oneclass", "--posteriors", "knn:3", data}, contract.ExitUsage, "posteriors are for task class, and the task is oneclass"},
		{"standard input", []string{"--posteriors", "-", data}, contract.ExitUsage, "--posteriors needs a file"},
		{"held out without probabilities", []string{"--posteriors-out", f.At("out"), data}, contract.ExitUsage, "--posteriors-out has no effect without --probability"},
		{"held out to standard output", []string{"--probability", "--posteriors-out", "-", data}, contract.ExitUsage, "--posteriors-out cannot go to standard output"},
		{"held out of several", []string{"--probability", "--multiclass", "ovr", "--posteriors-out", f.At("out"), data}, contract.ExitUsage, "--posteriors-out writes one number for each row"},
		{"held out over the data", []string{"--probability", "--posteriors-out", data, data}, contract.ExitUsage, data + ": "},
		{"the model over posteriors", []string{"-o", given, "--posteriors", given, data}, contract.ExitUsage, given + ": "},
		{"no file", []string{"--posteriors", f.At("absent"), data}, contract.ExitInput, f.At("absent") + ": "},
		{"a folder", []string{"--posteriors", f.Path, data}, contract.ExitInput, f.Path + ": "},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"train", "--quiet", "-o", f.At("new")}, c.args...)
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: args, Code: c.code, Want: c.want})
		})
	}
}
