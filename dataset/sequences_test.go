package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
)

func readSequences(text string, o ReadOptions) ([]Row, error) {
	if o.Sequences == Numbers {
		o.Sequences = DNA
	}
	return readAll(NewReader(strings.NewReader(text), "in", o))
}

// printSequences writes rows in a column, or as FASTA.
func printSequences(rows []Row, a Alphabet, targets, fasta bool) string {
	var b strings.Builder
	for i, r := range rows {
		label := r.Label
		if targets && !math.IsNaN(r.Target) {
			label = strconv.FormatFloat(r.Target, 'g', -1, 64)
		}
		letters := make([]byte, len(r.Value))
		for k, code := range r.Value {
			if letters[k] = byte(code); a == DNA {
				letters[k] = "NACGT"[int(code)]
			}
		}
		if !fasta {
			fmt.Fprintf(&b, "%s %s\n", label, letters)
			continue
		}
		fmt.Fprintf(&b, ">%d", i)
		if label != "" {
			fmt.Fprintf(&b, " label=%s ", label)
		}
		for line := range slices.Chunk(letters, 7) {
			fmt.Fprintf(&b, "\n%s", line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestSequencesInAColumn(t *testing.T) {
	want := []Row{
		{Label: "1", Weight: 1, Index: []int32{0, 1, 2, 3, 4}, Value: []float64{1, 2, 3, 4, 4}},
		{Label: "-1", Weight: 1, Index: []int32{0, 1, 2}, Value: []float64{3, 0, 1}},
		{Weight: 1, Index: []int32{0}, Value: []float64{4}},
	}
	rows, err := readSequences("\ufeff+1\tACGTu\r\n# no row\n\n  -1.0  gNa\nT", ReadOptions{})
	if err != nil || !sameRows(rows, want) {
		t.Fatalf("%v, %v", rows, err)
	}
	if rows[1].Line != 4 || rows[1].File != "in" {
		t.Errorf("the second row is at %s:%d", rows[1].File, rows[1].Line)
	}
	for name, data := range map[string][]byte{"gzip": gzipped("1 AC\n"), "zstd": zstded("1 AC\n")} {
		if rows, err := readAll(NewReader(bytes.NewReader(data), "in", ReadOptions{Sequences: DNA})); err != nil || len(rows) != 1 {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
}

func TestFASTA(t *testing.T) {
	rows, err := readSequences(">a label=x rest\nAC GT\n\n  tt\n>b\nNN\n> label=2\nA\n", ReadOptions{})
	want := []Row{
		{Label: "x", Weight: 1, Index: []int32{0, 1, 2, 3, 4, 5}, Value: []float64{1, 2, 3, 4, 4, 4}},
		{Weight: 1, Index: []int32{0, 1}, Value: []float64{0, 0}},
		{Label: "2", Weight: 1, Index: []int32{0}, Value: []float64{1}},
	}
	if err != nil || !sameRows(rows, want) {
		t.Fatalf("%v, %v", rows, err)
	}
	if lines := []int{rows[0].Line, rows[1].Line, rows[2].Line}; !slices.Equal(lines, []int{1, 5, 7}) {
		t.Errorf("records are in lines %v", lines)
	}
}

// TestLabelsOfSequences: they are what the task has, wherever they stand.
func TestLabelsOfSequences(t *testing.T) {
	numbers, blank := write(t, "numbers", "a,2.5\nb,-1e-1\nc,0\n"), math.NaN()
	for _, c := range []struct {
		text string
		o    ReadOptions
		want []float64
	}{
		{"2.5 AC\n-.1 G\nT\n", ReadOptions{Labels: Targets}, []float64{2.5, -.1, blank}},
		{">a label=2.5\nAC\n>b\nG\n>c label=0 x\nT", ReadOptions{Labels: Targets}, []float64{2.5, blank, 0}},
		{">a\nAC\n>b\nG\n>c\nT", ReadOptions{Labels: Targets, LabelFile: numbers + ":2"}, []float64{2.5, -.1, 0}},
		{"2.5 AC\nwhatever,is/there G\nT\n", ReadOptions{Labels: Ignored}, []float64{0, 0, 0}},
		{">a label=\nAC\n>b\nG\n>c label=-1\nT", ReadOptions{Labels: Ignored}, []float64{0, 0, 0}},
	} {
		rows, err := readSequences(c.text, c.o)
		if err != nil || len(rows) != 3 {
			t.Fatalf("%q: %v, %v", c.text, rows, err)
		}
		for i, r := range rows {
			if r.Label != "" || math.Float64bits(r.Target) != math.Float64bits(c.want[i]) {
				t.Errorf("%q: row %d has label %q and target %v, want %v", c.text, i, r.Label, r.Target, c.want[i])
			}
		}
	}
	for text, want := range map[string]string{
		"1e999 AC": "in:1:1: target", "2,5 AC": "in:1:1: target \"2,5\"", ">a label=x\nA": "in:1:10: target \"x\"", "GATTACA A": "in:1:1: target \"GATTACA\"", ">a label= \nA": "in:1:10: target \"\"",
	} {
		if _, err := readSequences(text, ReadOptions{Labels: Targets}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{"1 A\n2 A\n": "in:1: the row has a label, and labels have a file", "A": numbers + ":1:1: target \"a\""} {
		if _, err := readSequences(text, ReadOptions{Labels: Targets, LabelFile: numbers}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q with labels: error %v, want %s", text, err, want)
		}
	}
	if _, err := readSequences("A", ReadOptions{Labels: Ignored, LabelFile: numbers}); !errors.Is(err, fail.Usage) {
		t.Errorf("labels of no use: %v", err)
	}
}

// TestSequenceFiles: files of either form follow each other, and labels may have a file of their own.
func TestSequenceFiles(t *testing.T) {
	fasta, column := write(t, "a.fa", ">x\nAC\n>y\nGT\n"), write(t, "b.txt", "AC\nTT\n")
	labels := write(t, "labels", "# id label\n1 +1\n2 -1\n3 1.0\n4 b\n")
	r, err := Open([]string{fasta, column}, ReadOptions{Sequences: DNA, LabelFile: labels + ":2"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := readAll(r)
	var got []string
	for _, row := range rows {
		got = append(got, row.Label)
	}
	if err != nil || !slices.Equal(got, []string{"1", "-1", "1", "b"}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSequenceFaults(t *testing.T) {
	two := write(t, "two", "1\n2\n")
	for text, want := range map[string]string{
		"1 ACGT\n-1 AC!T\n": "in:2:6: \"!\" is no letter of dna", "1 AC GT": "in:1:6: \"GT\" after the sequence", ">a\nAC\nA>C": "in:3:2: \">\" is no letter",
		">a\n>b\nAC": "in:1: a record without a sequence", ">a label=\nAC": "in:1:10: empty class label", ">a\nAC\n>b label=1.5\nA": "in:3:10: label \"1.5\" is not an integer",
		"1.5 AC": "in:1:1: label \"1.5\" is not an integer", "": "in: no rows", "ACGJ": "in:1:4: \"J\"", ">a\nAC\x00": "in:2:3: NUL byte", "1 A\xffC": "in:1:4:",
	} {
		if _, err := readSequences(text, ReadOptions{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"1 A\n-1 C\n": "in:1: the row has a label, and labels have a file", "A\n": two + ":2:1: more labels than the 1 rows", "A\nC\nG\n": two + ": only 2 labels",
	} {
		if _, err := readSequences(text, ReadOptions{LabelFile: two}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q with labels: error %v, want %s", text, err, want)
		}
	}
	if _, err := parseString(">a\nACGT\n"); err == nil || !strings.Contains(err.Error(), "FASTA") {
		t.Errorf("FASTA read as numbers: %v", err)
	}
	if _, err := readSequences("1 "+strings.Repeat("A", MaxSequence+1), ReadOptions{}); err == nil || !strings.Contains(err.Error(), "letters") {
		t.Errorf("a long sequence: %v", err)
	}
}

// TestSequenceStore: a store holds codes, and only codes.
func TestSequenceStore(t *testing.T) {
	s, err := Build(t.Context(), NewReader(strings.NewReader("1 ACGT\n-1 NT\n"), "in", ReadOptions{Sequences: DNA}), StoreOptions{Dir: t.TempDir(), Sequences: DNA})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	row := make([]float32, 4)
	if s.Row(1, row); s.Dim() != 4 || !slices.Equal(row, []float32{0, 4, 0, 0}) {
		t.Errorf("%d features, the second row %v", s.Dim(), row)
	}
	_, err = Build(t.Context(), NewReader(strings.NewReader("1 1:1 2:.5\n"), "in", ReadOptions{}), StoreOptions{Dir: t.TempDir(), Sequences: DNA})
	if err == nil || !strings.Contains(err.Error(), "in:1: position 2 is 0.5") {
		t.Errorf("numbers: %v", err)
	}
	_, err = Build(t.Context(), NewReader(strings.NewReader("1 A\n"), "in", ReadOptions{Sequences: DNA}), StoreOptions{Dir: t.TempDir(), Sequences: DNA, Scale: ScaleMinMax})
	if err == nil || !strings.Contains(err.Error(), "letters are not numbers") {
		t.Errorf("scaled: %v", err)
	}
}

// TestCodes: numbers that are codes stay what they are, whatever else there is are none.
func TestCodes(t *testing.T) {
	for a, count := range map[Alphabet]int{DNA: 4, Bytes: 255} {
		met := 0
		for x := -10.0; x < 300; x += 0.25 {
			code := a.Code(float32(x))
			if a.isCode(x) && (float64(code) != x || int(code)-1 >= 1<<a.Planes()) {
				t.Errorf("%s: code %d of %v", a, code, x)
			}
			if a.isCode(x) && code > 0 {
				met++
			}
		}
		if met != count {
			t.Errorf("%s: %d letters", a, met)
		}
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30} {
			if a.Code(float32(x)) != 0 || a.isCode(x) {
				t.Errorf("%s: %v is a code", a, x)
			}
		}
	}
}

func TestSequencesAreBounded(t *testing.T) {
	for name, data := range map[string][]byte{
		"one line": append([]byte("1 "), bytes.Repeat([]byte("A"), MaxSequence)...), "beyond": bytes.Repeat([]byte("A"), 30<<20),
		"records": bytes.Repeat([]byte(">a label=1\nACGT\n"), 1<<20), "headers": bytes.Repeat([]byte(">a"), 15<<20), "a record": append([]byte(">a\n"), bytes.Repeat([]byte("ACGT\n"), MaxSequence/4)...),
	} {
		bounded(t, name, len(data), func() error { return drain(NewReader(bytes.NewReader(data), "in", ReadOptions{Sequences: DNA})) })
	}
}

// columnsMislead reports whether letters are at a place where they begin a header or a comment.
func columnsMislead(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
			return true
		}
	}
	return strings.HasPrefix(strings.TrimLeft(text, " "), ">")
}

// FuzzSequences: what parses can be printed in either form and parsed again to the same rows; the size of the pieces that a stream
// comes in makes no difference; an error is fail.Input at a place that exists; a row holds codes alone.
func FuzzSequences(f *testing.F) {
	const seed = 5
	random := rand.New(rand.NewPCG(seed, 0))
	for _, text := range []string{
		"1 ACGT\n-1\tNNacgu\r\n# c\n\nGG\n", ">a label=1\nAC\nGT\n>b\n\nA\n", ">", ">a\n>b\nA", "1 A C", "1 A\x00", "\ufeff>a\nA C\n", ">a label=\n", "label=1 A", "# >\n>a\nA\n", "A\n>A\n",
	} {
		f.Add([]byte(text), random.IntN(2) == 0, uint8(random.IntN(3)))
		f.Add([]byte(text), true, uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, dna bool, labels uint8) {
		o := ReadOptions{Sequences: Bytes, Labels: []Labeling{Classes, Targets, Ignored}[labels%3]}
		if dna {
			o.Sequences = DNA
		}
		var rows []Row
		var err error
		used := heaptest.Allocated(func() { rows, err = readBytes(data, o) })
		for _, r := range rows {
			used -= int64(1000 + 24*len(r.Index))
		}
		frugal(t, data, used-24*int64(len(data)))
		for _, r := range inPieces(data) {
			chunked, chunkedErr := readAll(NewReader(r, "in", o))
			if !sameRows(rows, chunked) || !samePlaces(rows, chunked) || (err == nil) != (chunkedErr == nil) {
				t.Fatalf("whole: %v, %v; in pieces: %v, %v", rows, err, chunked, chunkedErr)
			}
		}
		placed(t, err, data)
		for _, r := range rows {
			if e := r.check(false); e != nil {
				t.Fatalf("row %v: %v", r, e)
			}
			if e := o.Sequences.Check(&r); e != nil {
				t.Fatalf("row %v: %v", r, e)
			}
		}
		for _, fasta := range []bool{false, true} {
			text := printSequences(rows, o.Sequences, o.Labels == Targets, fasta)
			if len(rows) == 0 || hasMagic([]byte(text)) || fasta && strings.Count("\n"+text, "\n>") != len(rows) || !fasta && columnsMislead(text) {
				continue
			}
			again, err := readAll(NewReader(strings.NewReader(text), "in", o))
			if err != nil || !sameRows(rows, again) {
				t.Fatalf("%v\nprinted as %q\nreads as %v, %v", rows, text, again, err)
			}
		}
	})
}
