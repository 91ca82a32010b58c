package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"os"
	"strings"
	"testing"
)

// TestPackedStore trains on a store that is mapped, with and without a checkpoint, on sequences, and with weights of rows.
func TestPackedStore(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	f, d := newFolder(t), newRows(seed, 200, 5)
	text, store := f.file("d.txt", d.libsvm()), f.at("d.pack")
	must(t, "convert", "--quiet", "-o", store, text)
	weights := f.file("w", strings.Repeat("1\n2\n", 100))
	for name, args := range map[string][]string{
		"plain": nil, "weights": {"--row-weights", weights}, "limit": {"--limit", "100"}, "test": {"--test", text}, "sparse": {"--store", "sparse"},
		"minmax": {"--scale", "minmax"}, "checkpoint": {"--checkpoint", f.at("c")}, "positive": {"--positive", "no"}, "several": {"--multiclass", "ovr"},
	} {
		for _, data := range []string{text, store} {
			must(t, append([]string{"train", "--quiet", "--kernels", "gauss:auto/3,linear", "-o", f.at(data[len(data)-4:]), data}, args...)...)
			os.RemoveAll(f.at("c"))
		}
		if f.read(".txt") != f.read("pack") {
			t.Errorf("%s: the model has other bytes", name)
		}
		if name != "weights" {
			must(t, "verify", "--quiet", f.at("pack"), store)
		}
	}
	letters := f.file("s.txt", strings.Repeat("1 GATTACAN\n-1 CATCATGA\n1 GATTTCA\n", 5))
	must(t, "convert", "--quiet", "--sequences", "dna", "-o", f.at("s.pack"), letters)
	must(t, "train", "--quiet", "--kernels", "wd:3,spectrum:2", "-o", f.at("s1"), letters)
	must(t, "train", "--quiet", "--kernels", "wd:3,spectrum:2", "-o", f.at("s2"), f.at("s.pack"))
	if f.read("s1") != f.read("s2") {
		t.Error("sequences: the model has other bytes")
	}
	must(t, "verify", "--quiet", f.at("s2"), f.at("s.pack"))
}

// TestHostilePack: a store that is damaged, cut, of a newer release, or not what the model was trained on ends in one error.
func TestHostilePack(t *testing.T) {
	const seed = 12
	t.Logf("seed %d", seed)
	f, d := newFolder(t), newRows(seed, 60, 5)
	text, store, m := f.file("d.txt", d.libsvm()), f.at("d.pack"), f.at("m")
	must(t, "convert", "--quiet", "-o", store, text)
	must(t, "train", "--quiet", "-o", m, store)
	good := f.read("d.pack")
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
		bad := f.file("bad.pack", c.text)
		for _, args := range [][]string{{"train", "--quiet", "-o", f.at("new"), bad}, {"gram", "--quiet", "--kernels", "linear", "-o", f.at("new"), bad}} {
			check(t, f, fault{name, args, c.code, bad + ": " + c.want})
		}
		if name == "a panel" { // The rows of this store are read from its entries.
			continue
		}
		for _, args := range [][]string{{"predict", m, bad, "-o", f.at("new")}, {"verify", m, bad}, {"convert", "--quiet", "-o", f.at("new.csv"), bad}} {
			check(t, f, fault{name, args, c.code, bad + ": " + c.want})
		}
	}
	must(t, "convert", "--quiet", "-o", f.at("t.pack"), f.file("t.csv", "y,a,b\n1,2,3\n0,3,1\n1,1,2\n0,4,4\n"))
	must(t, "train", "--quiet", "-o", f.at("tm"), f.at("t.pack"))
	must(t, "convert", "--quiet", "-o", f.at("u.pack"), f.file("u.csv", "y,b,a\n1,2,3\n0,3,1\n"))
	for _, c := range []fault{
		{"columns in another order", []string{"predict", f.at("tm"), f.at("u.pack")}, contract.ExitInput, f.at("u.pack") + ": the columns are not those of the model"},
		{"two stores", []string{"train", "--quiet", "-o", f.at("new"), store, store}, contract.ExitUsage, "the packed store " + store + " among other data"},
		{"a pipe", []string{"train", "--quiet", "-o", f.at("new"), "--format", "libsvm", "-"}, contract.ExitInput, "is a packed store"},
		{"sequences as text", []string{"convert", "--sequences", "dna", "-o", f.at("new.csv"), text}, contract.ExitUsage, "sequences are written to a packed store alone"},
	} {
		if c.name == "a pipe" {
			if o := execute(t.Context(), strings.NewReader(good), c.args...); o.code != c.code || !strings.Contains(o.stderr, c.want) {
				t.Errorf("%s: exit code %d, %s", c.name, o.code, o.stderr)
			}
			continue
		}
		check(t, f, c)
	}
}
