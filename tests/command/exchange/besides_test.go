package exchange

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// mixedTable returns a table with a column of sequences between two of numbers. Each separates the classes in part.
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
	f := commandtest.NewFolder(t)
	data := f.File("d.csv", mixedTable(seed, 120, "n.a,site,n.b,y,kind"))
	other := f.File("other.csv", mixedTable(seed, 120, "site,n.b,kind,n.a,y"))
	kernels := []string{"--quiet", "--kernels", "wd:4,spectrum:2..3,wd:2@site,gauss:auto/2,linear@n,gauss:1@3-4,pow(spectrum:2,2)"}
	train := append([]string{"train", "--sequence", "site", "-o", f.At("m")}, kernels...)
	commandtest.Must(t, append(train, "--test", other, data)...)
	want := f.Read("m")
	commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
	commandtest.Must(t, "verify", "--quiet", f.At("m"), other)
	a, b := commandtest.Must(t, "predict", "--quiet", f.At("m"), data).Stdout, commandtest.Must(t, "predict", "--quiet", f.At("m"), other).Stdout
	if a != b {
		t.Error("columns in another order give other predictions")
	}
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "4 numbers and sequences of dna, up to 10 letters") {
		t.Errorf("inspect: %s", o.Stdout)
	}
	if c := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("m")); c["sequences"] != "dna@5" {
		t.Errorf("inspect --json: sequences %v", c["sequences"])
	}
	for name, more := range map[string][]string{
		"dense": {"--store", "dense"}, "threads": {"--threads", "1"}, "cache": {"--cache", "never"},
	} {
		commandtest.Must(t, append(append(train, data), more...)...)
		if f.Read("m") != want {
			t.Errorf("%s: the model has other bytes", name)
		}
	}
	// A run that is cut off after three iterations goes on to the same model.
	if o := commandtest.Try(append(train, data, "--checkpoint", f.At("c"), "--max-iter", "3")...); o.Code != contract.ExitStopped {
		t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
	}
	commandtest.Must(t, append(train, data, "--checkpoint", f.At("c"), "--resume")...)
	if f.Read("m") != want {
		t.Error("resumed: the model has other bytes")
	}
	os.RemoveAll(f.At("c"))
	commandtest.Must(t, "convert", "--quiet", "--sequence", "site", "-o", f.At("d.pack"), data)
	commandtest.Must(t, append(append([]string{"train", "-o", f.At("m")}, kernels...), f.At("d.pack"))...)
	if f.Read("m") != want {
		t.Error("packed: the model has other bytes")
	}
	commandtest.Must(t, "verify", "--quiet", f.At("m"), f.At("d.pack"))
	if o := commandtest.Execute(t.Context(), strings.NewReader(f.Read("d.csv")), append(train, "-")...); o.Code != contract.ExitFine || f.Read("m") != want {
		t.Errorf("a pipe: exit code %d, %s, or other bytes", o.Code, o.Stderr)
	}
	commandtest.Must(t, "gram", "--quiet", "--sequence", "site", "--kernels", "wd:3,linear", "-o", f.At("g%d"), data)
	// The columns alone make one kernel each, as for data without the other kind.
	lone := mixedTable(seed, 120, "y,site")
	var letters strings.Builder
	for line := range strings.Lines(lone) {
		letters.WriteString(strings.Replace(line, ",", " ", 1))
	}
	_, lines, _ := strings.Cut(letters.String(), "\n")
	commandtest.Must(t, "train", "--quiet", "--sequence", "site", "--kernels", "wd:4,spectrum:3", "-o", f.At("one"), f.File("one.csv", lone))
	commandtest.Must(t, "train", "--quiet", "--kernels", "wd:4,spectrum:3", "-o", f.At("two"), f.File("two.txt", lines))
	if withoutColumns(t, f.At("one")) != f.Read("two") {
		t.Error("sequences of a table give another model than those of text")
	}
}

// TestHostileMixtures: tables of sequences that are none, and kernels that look at the wrong kind.
func TestHostileMixtures(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("d.csv", mixedTable(22, 40, "n.a,site,n.b,y,kind"))
	commandtest.Must(t, "train", "--quiet", "--sequence", "site", "-o", f.At("m"), data)
	commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
	bad := f.At("bad.csv")
	for _, c := range []struct{ text, want string }{
		{"n.a,site,n.b,y,kind\n1,GA!T,2,1,x\n", ":2:5: \"!\" is no letter of dna"},
		{"n.a,site,n.b,y,kind\n1,,2,1,x\n", ":2:3: the value of column site is missing"},
		{"n.a,site,n.b,y,kind\n1,GATTACAGATTACA,2,1,x\n", ":2:3: 14 letters of column site, and 10 are the most"},
		{"n.a,n.b,y,kind\n1,2,1,x\n", ":1: no column is called site"},
		{"n.a,site,n.b,y,kind\nGATTA,A,2,1,x\n", ":2:1: \"GATTA\" of column n.a is not a plain decimal number"},
	} {
		f.File("bad.csv", c.text)
		commandtest.Check(t, f, commandtest.Fault{Name: c.text, Args: []string{"predict", f.At("m"), bad, "-o", f.At("new")}, Code: contract.ExitInput, Want: bad + c.want})
	}
	f.File("bad.csv", "y,site\n1,"+strings.Repeat("A", 1<<17+1)+"\n")
	train := func(more ...string) []string {
		return append([]string{"train", "--quiet", "--sequence", "site", "-o", f.At("new")}, more...)
	}
	for _, c := range []commandtest.Fault{
		{Name: "a long sequence", Args: train(bad), Code: contract.ExitInput, Want: bad + ":1: numbers and letters of a row are 131073"},
		{Name: "no such column", Args: append(train(data), "--sequence", "x"), Code: contract.ExitInput, Want: data + ":1: no column is called \"x\""},
		{Name: "the label", Args: append(train(data), "--label", "site"), Code: contract.ExitUsage, Want: "column \"site\" has sequences and is the label"},
		{Name: "letters as numbers", Args: append(train(data), "--kernels", "wd:2,linear@site"), Code: contract.ExitUsage, Want: "kernel \"linear@site\": the features of this kernel are 1-4"},
		{Name: "numbers as letters", Args: append(train(data), "--kernels", "wd:2@n"), Code: contract.ExitUsage, Want: "kernel \"wd:2@n\": the features of this kernel are 5-14"},
		{Name: "both kinds", Args: append(train(data), "--kernels", "gauss:1@each-feature"), Code: contract.ExitUsage, Want: "kernel \"gauss:1@each-feature\": @each-feature takes letters and numbers"},
		{Name: "scaled", Args: append(train(data), "--scale", "standard"), Code: contract.ExitUsage, Want: "scaling standard of sequences"},
		{Name: "libsvm text", Args: []string{"predict", f.At("m"), f.File("t", "1 1:1\n"), "-o", f.At("new")}, Code: contract.ExitInput, Want: f.At("t") + ":1: no column is called"},
		{Name: "an alphabet", Args: []string{"train", "--quiet", "--sequences", "dna@0", "-o", f.At("new"), data}, Code: contract.ExitUsage, Want: "--sequences: unknown alphabet"},
	} {
		commandtest.Check(t, f, c)
	}
}
