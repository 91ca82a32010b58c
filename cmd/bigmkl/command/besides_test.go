package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// mixedTable returns a table with a column of sequences between two of numbers. Either tells the classes apart in part.
func mixedTable(seed uint64, rows int, order string) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	b.WriteString(order + "\n")
	for i := range rows {
		y := 1 - 2*(i%2)
		letters := []byte{}
		for range 6 + rng.IntN(5) {
			letters = append(letters, "ACGTN"[rng.IntN(5)])
		}
		if y > 0 && rng.IntN(4) > 0 {
			copy(letters, "GATTA")
		}
		fields := map[string]string{"y": fmt.Sprint(y), "site": string(letters), "n.a": fmt.Sprint(rng.NormFloat64() + float64(y)), "n.b": fmt.Sprint(rng.NormFloat64()), "kind": []string{"x", "y"}[rng.IntN(2)]}
		line := []string{}
		for _, name := range strings.Split(order, ",") {
			line = append(line, fields[name])
		}
		b.WriteString(strings.Join(line, ",") + "\n")
	}
	return b.String()
}

// TestNumbersBesideSequences trains string kernels and others on one table, and takes the model through all commands.
func TestNumbersBesideSequences(t *testing.T) {
	const seed = 21
	t.Logf("seed %d", seed)
	f := newFolder(t)
	data := f.file("d.csv", mixedTable(seed, 120, "n.a,site,n.b,y,kind"))
	other := f.file("other.csv", mixedTable(seed, 120, "site,n.b,kind,n.a,y"))
	kernels := []string{"--quiet", "--kernels", "wd:4,spectrum:2..3,wd:2@site,gauss:auto/2,linear@n,gauss:1@3-4,pow(spectrum:2,2)"}
	train := append([]string{"train", "--sequence", "site", "-o", f.at("m")}, kernels...)
	must(t, append(train, "--test", other, data)...)
	want := f.read("m")
	must(t, "verify", "--quiet", f.at("m"), data)
	must(t, "verify", "--quiet", f.at("m"), other)
	a, b := must(t, "predict", "--quiet", f.at("m"), data).stdout, must(t, "predict", "--quiet", f.at("m"), other).stdout
	if a != b {
		t.Error("columns in another order give other predictions")
	}
	if o := must(t, "inspect", f.at("m")); !strings.Contains(o.stdout, "4 numbers and sequences of dna, up to 10 letters") {
		t.Errorf("inspect: %s", o.stdout)
	}
	if c := object(t, contract.ExitFine, "inspect", "--json", f.at("m")); c["sequences"] != "dna@5" {
		t.Errorf("inspect --json: sequences %v", c["sequences"])
	}
	for name, more := range map[string][]string{
		"dense": {"--store", "dense"}, "threads": {"--threads", "1"}, "cache": {"--cache", "never"},
	} {
		must(t, append(append(train, data), more...)...)
		if f.read("m") != want {
			t.Errorf("%s: the model has other bytes", name)
		}
	}
	// A run that is cut off after three iterations goes on to the same model.
	if o := try(append(train, data, "--checkpoint", f.at("c"), "--max-iter", "3")...); o.code != contract.ExitStopped {
		t.Fatalf("exit code %d, %s", o.code, o.stderr)
	}
	must(t, append(train, data, "--checkpoint", f.at("c"), "--resume")...)
	if f.read("m") != want {
		t.Error("resumed: the model has other bytes")
	}
	os.RemoveAll(f.at("c"))
	must(t, "convert", "--quiet", "--sequence", "site", "-o", f.at("d.pack"), data)
	must(t, append(append([]string{"train", "-o", f.at("m")}, kernels...), f.at("d.pack"))...)
	if f.read("m") != want {
		t.Error("packed: the model has other bytes")
	}
	must(t, "verify", "--quiet", f.at("m"), f.at("d.pack"))
	if o := execute(t.Context(), strings.NewReader(f.read("d.csv")), append(train, "-")...); o.code != contract.ExitFine || f.read("m") != want {
		t.Errorf("a pipe: exit code %d, %s, or other bytes", o.code, o.stderr)
	}
	must(t, "gram", "--quiet", "--sequence", "site", "--kernels", "wd:3,linear", "-o", f.at("g%d"), data)
	// The columns alone make one kernel each, which are those of the data without the other kind.
	lone := mixedTable(seed, 120, "y,site")
	var letters strings.Builder
	for line := range strings.Lines(lone) {
		letters.WriteString(strings.Replace(line, ",", " ", 1))
	}
	_, lines, _ := strings.Cut(letters.String(), "\n")
	must(t, "train", "--quiet", "--sequence", "site", "--kernels", "wd:4,spectrum:3", "-o", f.at("one"), f.file("one.csv", lone))
	must(t, "train", "--quiet", "--kernels", "wd:4,spectrum:3", "-o", f.at("two"), f.file("two.txt", lines))
	if withoutColumns(t, f.at("one")) != f.read("two") {
		t.Error("sequences of a table give another model than those of text")
	}
}

// TestHostileMixtures: tables of sequences that are none, and kernels that look at the wrong kind.
func TestHostileMixtures(t *testing.T) {
	f := newFolder(t)
	data := f.file("d.csv", mixedTable(22, 40, "n.a,site,n.b,y,kind"))
	must(t, "train", "--quiet", "--sequence", "site", "-o", f.at("m"), data)
	must(t, "verify", "--quiet", f.at("m"), data)
	bad := f.at("bad.csv")
	for _, c := range []struct{ text, want string }{
		{"n.a,site,n.b,y,kind\n1,GA!T,2,1,x\n", ":2:5: \"!\" is no letter of dna"},
		{"n.a,site,n.b,y,kind\n1,,2,1,x\n", ":2:3: the value of column site is missing"},
		{"n.a,site,n.b,y,kind\n1,GATTACAGATTACA,2,1,x\n", ":2:3: 14 letters of column site, and 10 are the most"},
		{"n.a,n.b,y,kind\n1,2,1,x\n", ":1: no column is called site"},
		{"n.a,site,n.b,y,kind\nGATTA,A,2,1,x\n", ":2:1: \"GATTA\" of column n.a is not a plain decimal number"},
	} {
		f.file("bad.csv", c.text)
		check(t, f, fault{c.text, []string{"predict", f.at("m"), bad, "-o", f.at("new")}, contract.ExitInput, bad + c.want})
	}
	f.file("bad.csv", "y,site\n1,"+strings.Repeat("A", 1<<17+1)+"\n")
	train := func(more ...string) []string {
		return append([]string{"train", "--quiet", "--sequence", "site", "-o", f.at("new")}, more...)
	}
	for _, c := range []fault{
		{"a long sequence", train(bad), contract.ExitInput, bad + ":1: numbers and letters of a row are 131073"},
		{"no such column", append(train(data), "--sequence", "x"), contract.ExitInput, data + ":1: no column is called \"x\""},
		{"the label", append(train(data), "--label", "site"), contract.ExitUsage, "column \"site\" has sequences and is the label"},
		{"letters as numbers", append(train(data), "--kernels", "wd:2,linear@site"), contract.ExitUsage, "kernel \"linear@site\": the features of this kernel are 1-4"},
		{"numbers as letters", append(train(data), "--kernels", "wd:2@n"), contract.ExitUsage, "kernel \"wd:2@n\": the features of this kernel are 5-14"},
		{"both kinds", append(train(data), "--kernels", "gauss:1@each-feature"), contract.ExitUsage, "kernel \"gauss:1@each-feature\": @each-feature takes letters and numbers"},
		{"scaled", append(train(data), "--scale", "standard"), contract.ExitUsage, "scaling standard of sequences"},
		{"libsvm text", []string{"predict", f.at("m"), f.file("t", "1 1:1\n"), "-o", f.at("new")}, contract.ExitInput, f.at("t") + ":1: no column is called"},
		{"an alphabet", []string{"train", "--quiet", "--sequences", "dna@0", "-o", f.at("new"), data}, contract.ExitUsage, "--sequences: unknown alphabet"},
	} {
		check(t, f, c)
	}
}
