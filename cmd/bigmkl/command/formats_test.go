package command

import (
	"archive/zip"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/model"
)

// rowsOfTest holds the rows of a test in all formats.
type rowsOfTest struct {
	rows, cols int
	values     []float64 // values holds rows x cols numbers, of which some are zero.
	labels     []string
}

// newRows draws rows of two classes. The last column is nowhere zero, so that every format says how many there are.
func newRows(seed uint64, rows, cols int) *rowsOfTest {
	r := rand.New(rand.NewPCG(seed, 0))
	t := &rowsOfTest{rows: rows, cols: cols}
	for i := range rows {
		sign := float64(2*(i%2) - 1)
		t.labels = append(t.labels, []string{"no", "yes"}[i%2])
		for j := range cols {
			v := sign*0.5 + r.NormFloat64()
			if j < cols-1 && r.IntN(4) == 0 {
				v = 0
			}
			t.values = append(t.values, v)
		}
	}
	return t
}

func (t *rowsOfTest) libsvm() string {
	var b strings.Builder
	for i := range t.rows {
		b.WriteString(t.labels[i])
		for j, v := range t.values[i*t.cols : (i+1)*t.cols] {
			if v != 0 {
				fmt.Fprintf(&b, " %d:%v", j+1, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// columns returns the columns from first to last-1 as an array.
func (t *rowsOfTest) columns(first, last int, fortran bool) string {
	var values []float64
	add := func(i, j int) { values = append(values, t.values[i*t.cols+j]) }
	if fortran {
		for j := first; j < last; j++ {
			for i := range t.rows {
				add(i, j)
			}
		}
	} else {
		for i := range t.rows {
			for j := first; j < last; j++ {
				add(i, j)
			}
		}
	}
	return array("<f8", fmt.Sprintf("(%d, %d)", t.rows, last-first), fortran, values)
}

// csv returns the rows as a table with the label in the third place. The order, if it is not nil, is that of the columns.
func (t *rowsOfTest) csv(separator string, order []int) string {
	var b strings.Builder
	for i := -1; i < t.rows; i++ {
		fields := make([]string, 0, t.cols+1)
		for j := range t.cols {
			if order != nil {
				j = order[j]
			}
			if i < 0 {
				fields = append(fields, fmt.Sprintf("part%d.c%d", j/2, j))
			} else {
				fields = append(fields, fmt.Sprint(t.values[i*t.cols+j]))
			}
		}
		label := "Class"
		if i >= 0 {
			label = t.labels[i]
		}
		b.WriteString(strings.Join(slices.Insert(fields, 2, label), separator) + "\r\n")
	}
	return b.String()
}

// withoutColumn removes a column of a table.
func withoutColumn(text string, k int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Join(slices.Delete(strings.Split(line, ","), k, k+1), ","))
	}
	return b.String()
}

func gzipped(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

// words returns the labels as an array of text.
func (t *rowsOfTest) words() string {
	letters := make([]uint32, 0, 3*t.rows)
	for _, l := range t.labels {
		word := [3]uint32{}
		for k, c := range []byte(l) {
			word[k] = uint32(c)
		}
		letters = append(letters, word[:]...)
	}
	return array("<U3", fmt.Sprintf("(%d,)", t.rows), false, letters)
}

// sparse returns the members of a matrix in compressed sparse rows, with labels.
func (t *rowsOfTest) sparse() map[string]string {
	var data []float64
	var indices []int32
	indptr := []int32{0}
	for i := range t.rows {
		for j, v := range t.values[i*t.cols : (i+1)*t.cols] {
			if v != 0 {
				data, indices = append(data, v), append(indices, int32(j))
			}
		}
		indptr = append(indptr, int32(len(data)))
	}
	list := func(descr string, n int, elements any) string {
		return array(descr, fmt.Sprintf("(%d,)", n), false, elements)
	}
	return map[string]string{"data": list("<f8", len(data), data), "indices": list("<i4", len(data), indices),
		"indptr": list("<i4", len(indptr), indptr), "shape": list("<i8", 2, []int64{int64(t.rows), int64(t.cols)}),
		"format": array("|S3", "()", false, []byte("csr")), "y": t.words()}
}

// array returns a .npy file.
func array(descr, shape string, fortran bool, elements any) string {
	order := map[bool]string{false: "False", true: "True"}[fortran]
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	b, err := binary.Append(append([]byte("\x93NUMPY\x01\x00"), append([]byte{byte(len(dict)), 0}, dict...)...), binary.LittleEndian, elements)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// archive returns a .npz file.
func archive(members map[string]string) string {
	var b strings.Builder
	z := zip.NewWriter(&b)
	for name, data := range members {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write([]byte(data))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// TestFormatsGiveTheSameModel trains on the same rows in every format. The models have the same bytes, each verifies on the
// rows in another format, and predictions of any format are the same.
func TestFormatsGiveTheSameModel(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	f, d := newFolder(t), newRows(seed, 80, 5)
	text := f.file("d.txt", d.libsvm())
	y := f.file("y.npy", d.words())
	train := func(args ...string) string {
		t.Helper()
		must(t, append([]string{"train", "--quiet", "--kernels", "gauss:auto/3,linear@1-3", "--scale", "standard", "-o", f.at("m")}, args...)...)
		return f.read("m")
	}
	want := train(text)
	inputs := map[string][]string{
		"npy":          {f.file("c.npy", d.columns(0, d.cols, false)), "--labels", y},
		"Fortran":      {f.file("f.npy", d.columns(0, d.cols, true)), "--labels", y},
		"name":         {f.file("array", d.columns(0, d.cols, false)), "--labels", y},
		"npz":          {f.file("d.npz", archive(map[string]string{"X": d.columns(0, d.cols, false), "y": d.words()}))},
		"sparse":       {f.file("s.npz", archive(d.sparse()))},
		"csv":          {f.file("d.csv", d.csv(",", nil))},
		"tsv":          {f.file("d.tsv", d.csv("\t", nil))},
		"sniffed":      {f.file("d.data", d.csv(";", nil))},
		"gzip":         {f.file("d.csv.gz", gzipped(d.csv(",", nil)))},
		"bare":         {f.file("bare.tsv", strings.SplitN(d.csv("\t", nil), "\n", 2)[1]), "--label", "3"},
		"csv, labels":  {f.file("bare.csv", withoutColumn(d.csv(",", nil), 2)), "--labels", y},
		"text, labels": {f.file("bare", unlabelled(d.libsvm())), "--labels", y},
	}
	// A packed store of any of them is another format, with or without the names of columns.
	for _, from := range []string{"npz", "sparse", "csv", "text, labels"} {
		out := f.at(strings.ReplaceAll(from, ", ", "-") + ".pack")
		must(t, append([]string{"convert", "--quiet", "-o", out}, inputs[from]...)...)
		inputs[from+", packed"] = []string{out}
	}
	for name, args := range inputs {
		got := train(args...)
		if strings.HasPrefix(name, "csv") || name == "tsv" || name == "sniffed" || name == "gzip" {
			got = withoutColumns(t, f.at("m"))
		}
		if got != want {
			t.Errorf("%s: the model has other bytes", name)
		}
		must(t, append([]string{"verify", "--quiet", f.at("m")}, args...)...)
		a, b := must(t, "predict", "--quiet", f.at("m"), text), must(t, append([]string{"predict", "--quiet", f.at("m")}, args...)...)
		if a.stdout != b.stdout {
			t.Errorf("%s: other predictions", name)
		}
		for _, command := range []string{"gram", "align", "plan"} {
			more := []string{command, "--quiet", "--kernels", "linear"}
			if command != "plan" {
				more = append(more, "-o", f.at(command))
			}
			must(t, append(more, args...)...)
		}
	}
	must(t, "verify", "--quiet", f.at("m"), text)
}

// withoutColumns returns the bytes of a model without what it keeps of the columns of a table.
func withoutColumns(t *testing.T, path string) string {
	t.Helper()
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Columns == nil {
		t.Fatal("the model has no columns")
	}
	m.Columns = nil
	var b strings.Builder
	if err := model.Encode(t.Context(), &b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// unlabelled removes the first word of each line.
func unlabelled(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, " ")
		b.WriteString(rest)
	}
	return b.String()
}

// TestArraysAreViews trains on several arrays, which kernels name by their files, and compares with --views.
func TestArraysAreViews(t *testing.T) {
	const seed = 2
	t.Logf("seed %d", seed)
	f, d := newFolder(t), newRows(seed, 60, 5)
	left, right := f.file("left.npy", d.columns(0, 2, false)), f.file("right.npy", d.columns(2, 5, false))
	y := f.file("y.npy", d.words())
	kernels := []string{"--quiet", "--kernels", "gauss:1@left,linear@right,gauss:0.5@each-view"}
	views := f.file("views", "left 1 2\nright 3 5\n")
	must(t, append([]string{"train", "-o", f.at("want"), "--views", views, f.file("d.txt", d.libsvm())}, kernels...)...)
	must(t, append([]string{"train", "-o", f.at("m"), "--labels", y, left, right}, kernels...)...)
	if f.read("m") != f.read("want") {
		t.Error("two arrays give another model than two views")
	}
	must(t, append([]string{"train", "-o", f.at("named"), "--labels", y, "left=" + f.file("1.npy", d.columns(0, 2, false)), "right=" + right}, kernels...)...)
	if f.read("named") != f.read("want") {
		t.Error("names of views give another model")
	}
	both := f.file("both.npz", archive(map[string]string{"right": d.columns(2, 5, false), "left": d.columns(0, 2, false), "y": d.words()}))
	for _, args := range [][]string{{right, left}, {"right=" + right, "left=" + left}, {both}} {
		if len(args) > 1 {
			args = append(args, "--labels", y)
		}
		must(t, append([]string{"verify", "--quiet", f.at("m")}, args...)...)
	}
}

// TestRowWeightsOfZeroInFormats: labels of every kind of file stay with their rows where some are left out.
func TestRowWeightsOfZeroInFormats(t *testing.T) {
	f, d := newFolder(t), newRows(11, 40, 4)
	text, x, y := f.file("d.txt", d.libsvm()), f.file("x.npy", d.columns(0, 4, false)), f.file("y.npy", d.words())
	csv, list := f.file("d.csv", d.csv(",", nil)), f.file("y.txt", strings.Join(d.labels, "\n"))
	var weights, left strings.Builder
	for i, line := range slices.Collect(strings.Lines(d.libsvm())) {
		if i == 0 || i%3 == 1 || i >= 37 { // The first row and the last ones are among them.
			weights.WriteString("0\n")
		} else {
			weights.WriteString("1\n")
			left.WriteString(line)
		}
	}
	w := f.file("w", weights.String())
	must(t, "train", "--quiet", "-o", f.at("want"), f.file("left.txt", left.String()))
	for _, args := range [][]string{{text}, {x, "--labels", y}, {x, "--labels", list}, {csv}} {
		args = append(args, "--row-weights", w)
		must(t, append([]string{"train", "--quiet", "-o", f.at("m")}, args...)...)
		if !strings.HasSuffix(args[0], ".csv") && f.read("m") != f.read("want") { // That of a table has names.
			t.Errorf("%q: a model depends on rows of weight 0", args)
		}
		must(t, append([]string{"verify", f.at("m")}, args...)...)
	}
	short, many := f.file("short.npy", newRows(11, 39, 4).words()), f.file("many.npy", newRows(11, 41, 4).words())
	for labels, want := range map[string]string{short: "only 39 labels for more rows", many: "more labels than the 40 rows"} {
		o := try("train", "--quiet", "-o", f.at("new"), "--row-weights", w, "--labels", labels, x)
		if o.code != contract.ExitInput || !strings.Contains(o.stderr, want) {
			t.Errorf("exit code %d, %q, want %q", o.code, o.stderr, want)
		}
	}
}

// TestFormatsThatDoNotFit has a command line for each way in which formats do not go together.
func TestFormatsThatDoNotFit(t *testing.T) {
	f, d := newFolder(t), newRows(3, 20, 4)
	text, x := f.file("d.txt", d.libsvm()), f.file("x.npy", d.columns(0, 4, false))
	y, short := f.file("y.npy", d.words()), f.file("short.npy", newRows(3, 19, 4).words())
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{contract.ExitUsage, "is an array and", []string{text, x}},
		{contract.ExitUsage, "only arrays are views", []string{"left=" + text}},
		{contract.ExitUsage, "--views with data", []string{"left=" + x, "--labels", y, "--views", f.file("views", "a 1 2\n")}},
		{contract.ExitInput, "the row has no label", []string{x}},
		{contract.ExitInput, "short.npy: only 19 labels for more rows", []string{x, "--labels", short}},
		{contract.ExitInput, "y.npy: more labels than the 19 rows", []string{f.file("x19.npy", newRows(3, 19, 4).columns(0, 4, false)), "--labels", y}},
		{contract.ExitInput, "labels have a file of their own", []string{text, "--labels", y}},
		{contract.ExitInput, "neither an .npy nor an .npz", []string{f.file("d.npy", d.libsvm())}},
		{contract.ExitInput, "no list", []string{x, "--labels", x}},
		{contract.ExitInput, "sequences are text", []string{x, "--labels", y, "--kernels", "wd:3"}},
	} {
		o := try(append([]string{"train", "--quiet", "-o", f.at("m")}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.want) || strings.Count(o.stderr, "\n") != 1 || f.exists("m") {
			t.Errorf("%q: exit code %d\n%s", c.args, o.code, o.stderr)
		}
	}
}

// TestTableByNames trains on a table with words and names of rows. Predictions and the certificate take the columns in
// another order and without the label, a pipe gives the same model, and what does not fit is named.
func TestTableByNames(t *testing.T) {
	f := newFolder(t)
	var a, b, plain strings.Builder
	a.WriteString("name,color,x.1,class,x.2\n")
	b.WriteString("x.2;x.1;color\n")
	colors := []string{"red", "green", "dark blue"}
	place := map[string]int{"dark blue": 1, "green": 2, "red": 3}
	r := rand.New(rand.NewPCG(5, 0))
	for i := range 60 {
		c, x, y := colors[i%3], r.NormFloat64(), r.NormFloat64()
		label := map[bool]string{true: "over 50K", false: "under 50K"}[x+float64(i%3) > 1]
		fmt.Fprintf(&a, "\"row, %d\",\"%s\",%v, %s ,%v\n", i, c, x, strings.Fields(label)[0], y)
		fmt.Fprintf(&b, "%v;%v;%s\n", y, x, c)
		fmt.Fprintf(&plain, "%s %d:1 4:%v 5:%v\n", strings.Fields(label)[0], place[c], x, y)
	}
	data, other := f.file("a.csv", a.String()), f.file("b.csv", b.String())
	args := []string{"train", "--quiet", "--id", "name", "--kernels", "gauss:1,linear@4-5,linear@x"}
	must(t, append(args, "-o", f.at("m"), "--test", data, data)...)
	must(t, "verify", "--quiet", f.at("m"), data)
	if o := must(t, "inspect", f.at("m")); !strings.Contains(o.stdout, "3, 1 of them categories: color, x.1, x.2; labels in class") {
		t.Errorf("inspect: %s", o.stdout)
	}
	if c, ok := object(t, contract.ExitFine, "inspect", "--json", f.at("m"))["columns"].(map[string]any); !ok || c["label"] != "class" {
		t.Errorf("inspect --json: columns %v", c)
	}
	must(t, "train", "--quiet", "--kernels", "gauss:1,linear@4-5,linear@x", "--views", f.file("views", "x 4 5\n"), "-o", f.at("plain"), f.file("plain.txt", plain.String()))
	if withoutColumns(t, f.at("m")) != f.read("plain") {
		t.Error("words are other features than in text")
	}
	x, y := must(t, "predict", "--quiet", f.at("m"), data).stdout, must(t, "predict", "--quiet", f.at("m"), other).stdout
	if x != y {
		t.Error("columns in another order give other predictions")
	}
	if o := execute(t.Context(), strings.NewReader(a.String()), append(args, "-o", f.at("pipe"), "-")...); o.code != contract.ExitFine || f.read("pipe") != f.read("m") {
		t.Errorf("a pipe: exit code %d, %s, or another model", o.code, o.stderr)
	}
	o := must(t, "predict", "--quiet", f.at("m"), f.file("new.csv", "x.2,x.1,color\n1,2,pink\n"))
	if !strings.Contains(o.stderr, "1 words are none of the categories") {
		t.Errorf("an unknown word: %q", o.stderr)
	}
	for want, text := range map[string]string{
		"no column is called color (":                "x.1,x.2\n1,2\n",
		"column more was not in the training data":   "x.1,x.2,color,more\n1,2,red,4\n",
		":3:1: the value of column x.1 is missing":   "x.1,x.2,color\n1,2,red\n?,2,red\n",
		":2:5: the value of column color is missin":  "x.1,x.2,color\n1,2,\n",
		":2:1: \"word\" of column x.1 is not a plai": "x.1,x.2,color\nword,2,red\n",
	} {
		if o := try("predict", "--quiet", f.at("m"), f.file("bad.csv", text)); o.code != contract.ExitInput || !strings.Contains(o.stderr, want) {
			t.Errorf("%q: exit code %d, %s", text, o.code, o.stderr)
		}
	}
}

// TestArraysOfFewerColumns: an array that lacks features of the model is refused by all commands that take its rows.
func TestArraysOfFewerColumns(t *testing.T) {
	f, d := newFolder(t), newRows(12, 40, 5)
	y, few := f.file("y.npy", d.words()), f.file("few.npy", d.columns(0, 4, false))
	csv := f.file("d.csv", d.csv(",", nil))
	must(t, "train", "--quiet", "-o", f.at("array"), "--labels", y, f.file("x.npy", d.columns(0, 5, false)))
	must(t, "train", "--quiet", "-o", f.at("table"), csv)
	for _, m := range []string{f.at("array"), f.at("table")} {
		for _, args := range [][]string{{"predict", "-o", f.at("new"), m, few}, {"verify", "--labels", y, m, few}, {"report", "-o", f.at("new"), m, "--test", few}} {
			o := try(args...)
			want := "bigmkl: " + few + ": the array has 4 columns, and the model was trained on 5 features"
			if o.code != contract.ExitInput || !strings.HasPrefix(o.stderr, want) || f.exists("new") {
				t.Errorf("%q: exit code %d, %s", args, o.code, o.stderr)
			}
		}
	}
}
