package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// seqs returns labelled sequences of an alphabet, and the sequences of the first class have a motif.
func seqs(seed uint64, n, long int, letters, motif string) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range n {
		text := make([]byte, long)
		for j := range text {
			text[j] = letters[rng.IntN(len(letters))]
		}
		if i%2 == 0 {
			copy(text[rng.IntN(long-len(motif)):], motif)
		}
		fmt.Fprintf(&b, "%d %s\n", i%2, text)
	}
	return b.String()
}

// TestRowsWithoutKnownLetters: rows that no string kernel knows anything of get one line with their count, from predict,
// report and a test, and others none.
func TestRowsWithoutKnownLetters(t *testing.T) {
	f := commandtest.NewFolder(t)
	const protein = "ACDEFGHIKLMNPQRSTVWY"
	train := seqs(5, 60, 30, protein, "WWHKC")
	data, lower := f.File("data", train), f.File("lower", strings.ToLower(train))
	mixed := f.File("mixed", train+"1 acdefghik\n0 acdefghik\n1 wwW\n")
	bytes := []string{"--sequences", "bytes", "--quiet", "-o", f.At("m")}
	for _, c := range []struct {
		kernels, rows, want string
	}{
		{"wd:3", lower, "warning: 60 of 60 rows have no letter that the training had, so that string kernels tell nothing of them; upper and lower case"},
		{"spectrum:3", lower, "60 of 60 rows have no word of 3 letters that"},
		{"spectrum:3..4", mixed, "3 of 63 rows have no word of 3 letters that"},
		{"spectrum:2,wd:4", mixed, "2 of 63 rows have no letter that"},
		{"prod(spectrum:3,spectrum:2)", mixed, "3 of 63 rows have no word of 2 letters that"},
		{"spectrum:3,wd:3", data, ""},
	} {
		o := commandtest.Must(t, append([]string{"train", "--kernels", c.kernels, "--test", c.rows, data}, bytes...)...)
		predicted := commandtest.Must(t, "predict", "--quiet", f.At("m"), c.rows)
		page := commandtest.Must(t, "report", "--quiet", "--test", c.rows, "-o", f.At("page.html"), f.At("m"))
		for who, got := range map[string]string{"train --test": o.Stderr, "predict": predicted.Stderr, "report": page.Stderr} {
			n := strings.Count(got, "that the training had")
			if c.want == "" && n != 0 || c.want != "" && (n != 1 || !strings.Contains(got, c.want)) {
				t.Errorf("%s, %s: %q, and not %q", who, c.kernels, got, c.want)
			}
		}
	}
	// Case does not matter to dna, and ambiguous letters equal nothing.
	dna := seqs(6, 40, 20, "ACGT", "GATTACA")
	site, small, none := f.File("site", dna), f.File("small", strings.ToLower(dna)), f.File("none", dna+"1 NNNNNN\n0 AC\n")
	commandtest.Must(t, "train", "--quiet", "--kernels", "spectrum:4", "-o", f.At("m"), site)
	for rows, want := range map[string]string{small: "", none: "warning: 2 of 42 rows have no word of 4 letters that the training had, so that string kernels tell nothing of them\n"} {
		got := commandtest.Must(t, "predict", "--quiet", f.At("m"), rows).Stderr
		if want == "" && strings.Contains(got, "that the training had") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, and not %q", rows, got, want)
		}
	}
	commandtest.Must(t, "train", "--quiet", "--kernels", "spectrum:4:1", "-o", f.At("m"), site)
	if got := commandtest.Must(t, "predict", "--quiet", f.At("m"), none).Stderr; !strings.Contains(got, "1 of 42 rows have no letter") {
		t.Errorf("with mismatches: %q", got)
	}
}

// TestUnknownWordsOfATest: a test is warned of words of a table as predict is, and letters beside numbers are known by themselves.
func TestUnknownWordsOfATest(t *testing.T) {
	f := commandtest.NewFolder(t)
	table := func(words, site string) string {
		var b strings.Builder
		b.WriteString("y,job,dose,site\n")
		for i := range 24 {
			fmt.Fprintf(&b, "%d,%s,%d.5,%s\n", i%2, strings.Fields(words)[i%2], i%5, site[i%4:i%4+8])
		}
		return b.String()
	}
	data, test := f.File("data.csv", table("cook pilot", "ACGTACGTACGT")), f.File("test.csv", table("cook nurse", "NNNNNNNNNNNN"))
	const line, letters = `12 words of the table did not occur in the training, such as "nurse" of column job; `, "24 of 24 rows have no letter"
	args := []string{"--quiet", "--label", "y", "--sequence", "site", "--kernels", "wd:3,gauss:auto", "-o", f.At("m")}
	o := commandtest.Must(t, append([]string{"train", "--test", test, data}, args...)...)
	if strings.Count(o.Stderr, line) != 1 || strings.Count(o.Stderr, letters) != 1 {
		t.Errorf("train --test: %q", o.Stderr)
	}
	if p := commandtest.Must(t, "predict", "--quiet", f.At("m"), test); strings.Count(p.Stderr, line) != 1 || strings.Count(p.Stderr, letters) != 1 {
		t.Errorf("predict: %q", p.Stderr)
	}
	if o := commandtest.Must(t, append([]string{"train", "--test", data, data}, args...)...); strings.Contains(o.Stderr, "did not occur") || strings.Contains(o.Stderr, "rows have no") {
		t.Errorf("the same rows: %q", o.Stderr)
	}
}
