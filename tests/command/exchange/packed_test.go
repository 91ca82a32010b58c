package exchange

import (
	"os"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestPackedStore trains on a store that is mapped, with and without a checkpoint, on sequences, and with weights of rows.
func TestPackedStore(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	f, d := commandtest.NewFolder(t), commandtest.NewRows(seed, 80, 5)
	text, store := f.File("d.txt", d.Libsvm()), f.At("d.pack")
	commandtest.Must(t, "convert", "--quiet", "-o", store, text)
	weights := f.File("w", strings.Repeat("1\n2\n", 40))
	for name, args := range map[string][]string{
		"plain": nil, "weights": {"--row-weights", weights}, "limit": {"--limit", "40"}, "test": {"--test", text}, "sparse": {"--store", "sparse"},
		"minmax": {"--scale", "minmax"}, "checkpoint": {"--checkpoint", f.At("c")}, "positive": {"--positive", "no"}, "several": {"--multiclass", "ovr"},
	} {
		for _, data := range []string{text, store} {
			commandtest.Must(t, append([]string{"train", "--quiet", "--kernels", "gauss:auto/3,linear", "-o", f.At(data[len(data)-4:]), data}, args...)...)
			os.RemoveAll(f.At("c"))
		}
		if f.Read(".txt") != f.Read("pack") {
			t.Errorf("%s: the model has other bytes", name)
		}
		if name != "weights" {
			commandtest.Must(t, "verify", "--quiet", f.At("pack"), store)
		}
	}
	letters := f.File("s.txt", strings.Repeat("1 GATTACAN\n-1 CATCATGA\n1 GATTTCA\n", 5))
	commandtest.Must(t, "convert", "--quiet", "--sequences", "dna", "-o", f.At("s.pack"), letters)
	commandtest.Must(t, "train", "--quiet", "--kernels", "wd:3,spectrum:2", "-o", f.At("s1"), letters)
	commandtest.Must(t, "train", "--quiet", "--kernels", "wd:3,spectrum:2", "-o", f.At("s2"), f.At("s.pack"))
	if f.Read("s1") != f.Read("s2") {
		t.Error("sequences: the model has other bytes")
	}
	commandtest.Must(t, "verify", "--quiet", f.At("s2"), f.At("s.pack"))
}

// TestHostilePack: a store that is damaged, cut, of a newer release, or not what the model was trained on ends in one error.
func TestHostilePack(t *testing.T) {
	const seed = 12
	t.Logf("seed %d", seed)
	f, d := commandtest.NewFolder(t), commandtest.NewRows(seed, 60, 5)
	text, store, m := f.File("d.txt", d.Libsvm()), f.At("d.pack"), f.At("m")
	commandtest.Must(t, "convert", "--quiet", "-o", store, text)
	commandtest.Must(t, "train", "--quiet", "-o", m, store)
	good := f.Read("d.pack")
	change := func(at int) string {
		b := []byte(good)
		b[at] ^= 0x40
		return string(b)
	}
	// The last two panels stand before the offsets of the rows, at a multiple of a page.
	panel := strings.LastIndex(good, "panels")
	if panel < 0 {
		t.Fatal("no panels in the table")
	}
	at := int(good[panel+8]) | int(good[panel+9])<<8 | int(good[panel+10])<<16
	for name, c := range map[string]struct {
		text string
		code int
		want string
	}{
		"a panel":      {change(at + 100), contract.ExitCorrupt, "the packed store is damaged: the checksum of section panels differs"},
		"the table":    {change(len(good) - 60), contract.ExitCorrupt, "the packed store is damaged: the checksum of its table is another"},
		"cut":          {good[:len(good)-100], contract.ExitCorrupt, "the packed store is damaged: it is cut off"},
		"longer":       {good + "x", contract.ExitCorrupt, "the packed store is damaged: it is cut off, or followed by other bytes"},
		"a head alone": {good[:12], contract.ExitCorrupt, "the packed store is damaged: it is cut off"},
		"newer":        {good[:8] + "\x02" + good[9:], contract.ExitCorrupt, "a packed store of version 2"},
		"another file": {"1 1:1\n", contract.ExitInput, "the file is no packed store"},
	} {
		bad := f.File("bad.pack", c.text)
		for _, args := range [][]string{{"train", "--quiet", "-o", f.At("new"), bad}, {"gram", "--quiet", "--kernels", "linear", "-o", f.At("new"), bad}} {
			commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: c.code, Want: bad + ": " + c.want})
		}
		if name == "a panel" { // The rows of this store are read from its entries.
			continue
		}
		for _, args := range [][]string{{"predict", m, bad, "-o", f.At("new")}, {"verify", m, bad}, {"convert", "--quiet", "-o", f.At("new.csv"), bad}} {
			commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: c.code, Want: bad + ": " + c.want})
		}
	}
	commandtest.Must(t, "convert", "--quiet", "-o", f.At("t.pack"), f.File("t.csv", "y,a,b\n1,2,3\n0,3,1\n1,1,2\n0,4,4\n"))
	commandtest.Must(t, "train", "--quiet", "-o", f.At("tm"), f.At("t.pack"))
	commandtest.Must(t, "convert", "--quiet", "-o", f.At("u.pack"), f.File("u.csv", "y,b,a\n1,2,3\n0,3,1\n"))
	for _, c := range []commandtest.Fault{
		{Name: "columns in another order", Args: []string{"predict", f.At("tm"), f.At("u.pack")}, Code: contract.ExitInput, Want: f.At("u.pack") + ": the columns are not those of the model"},
		{Name: "two stores", Args: []string{"train", "--quiet", "-o", f.At("new"), store, store}, Code: contract.ExitUsage, Want: store + " is a packed store among other data"},
		{Name: "a pipe", Args: []string{"train", "--quiet", "-o", f.At("new"), "--format", "libsvm", "-"}, Code: contract.ExitInput, Want: "is a packed store"},
		{Name: "sequences as text", Args: []string{"convert", "--sequences", "dna", "-o", f.At("new.csv"), text}, Code: contract.ExitUsage, Want: "sequences are written to a packed store alone"},
	} {
		if c.Name == "a pipe" {
			if o := commandtest.Execute(t.Context(), strings.NewReader(good), c.Args...); o.Code != c.Code || !strings.Contains(o.Stderr, c.Want) {
				t.Errorf("%s: exit code %d, %s", c.Name, o.Code, o.Stderr)
			}
			continue
		}
		commandtest.Check(t, f, c)
	}
}
