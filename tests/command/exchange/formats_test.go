package exchange

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// withoutColumn removes a column of a table.
func withoutColumn(text string, k int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Join(slices.Delete(strings.Split(line, ","), k, k+1), ","))
	}
	return b.String()
}

// TestFormatsGiveTheSameModel trains on the same rows in every format. The models have the same bytes, each verifies on the
// rows in another format, and predictions of any format are the same.
func TestFormatsGiveTheSameModel(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	f, d := commandtest.NewFolder(t), commandtest.NewRows(seed, 50, 5)
	text := f.File("d.txt", d.Libsvm())
	y := f.File("y.npy", d.Words())
	train := func(args ...string) string {
		t.Helper()
		commandtest.Must(t, append([]string{"train", "--quiet", "--kernels", "gauss:auto/3,linear@1-3", "--scale", "standard", "-o", f.At("m")}, args...)...)
		return f.Read("m")
	}
	want := train(text)
	predicted := commandtest.Must(t, "predict", "--quiet", f.At("m"), text).Stdout
	inputs := map[string][]string{
		"npy":          {f.File("c.npy", d.Columns(0, d.Cols, false)), "--labels", y},
		"Fortran":      {f.File("f.npy", d.Columns(0, d.Cols, true)), "--labels", y},
		"name":         {f.File("array", d.Columns(0, d.Cols, false)), "--labels", y},
		"npz":          {f.File("d.npz", commandtest.Archive(map[string]string{"X": d.Columns(0, d.Cols, false), "y": d.Words()}))},
		"sparse":       {f.File("s.npz", commandtest.Archive(d.Sparse()))},
		"csv":          {f.File("d.csv", d.Csv(",", nil))},
		"tsv":          {f.File("d.tsv", d.Csv("\t", nil))},
		"sniffed":      {f.File("d.data", d.Csv(";", nil))},
		"gzip":         {f.File("d.csv.gz", commandtest.Gzipped(d.Csv(",", nil)))},
		"bare":         {f.File("bare.tsv", strings.SplitN(d.Csv("\t", nil), "\n", 2)[1]), "--label", "3"},
		"csv, labels":  {f.File("bare.csv", withoutColumn(d.Csv(",", nil), 2)), "--labels", y},
		"text, labels": {f.File("bare", unlabelled(d.Libsvm())), "--labels", y},
		"npy, column":  {f.File("e.npy", d.Columns(0, d.Cols, false)), "--labels", f.File("labels.csv", d.Csv(",", nil)) + ":Class"},
	}
	// A packed store of any of them is another format, with or without the names of columns.
	for _, from := range []string{"npz", "sparse", "csv", "text, labels"} {
		out := f.At(strings.ReplaceAll(from, ", ", "-") + ".pack")
		commandtest.Must(t, append([]string{"convert", "--quiet", "-o", out}, inputs[from]...)...)
		inputs[from+", packed"] = []string{out}
	}
	for name, args := range inputs {
		got := train(args...)
		if strings.HasPrefix(name, "csv") || name == "tsv" || name == "sniffed" || name == "gzip" {
			got = withoutColumns(t, f.At("m"))
		}
		if got != want {
			t.Errorf("%s: the model has other bytes", name)
		}
		commandtest.Must(t, append([]string{"verify", "--quiet", f.At("m")}, args...)...)
		if o := commandtest.Must(t, append([]string{"predict", "--quiet", f.At("m")}, args...)...); o.Stdout != predicted {
			t.Errorf("%s: other predictions", name)
		}
		for _, command := range testlevel.Some(t, name, 1, []string{"gram", "align", "plan"}) {
			more := []string{command, "--quiet", "--kernels", "linear"}
			if command != "plan" {
				more = append(more, "-o", f.At(command))
			}
			commandtest.Must(t, append(more, args...)...)
		}
	}
	commandtest.Must(t, "verify", "--quiet", f.At("m"), text)
	if o := commandtest.Must(t, "predict", "--quiet", f.At("m"), text); o.Stdout != predicted {
		t.Error("other predictions of text by another model")
	}
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
	f, d := commandtest.NewFolder(t), commandtest.NewRows(seed, 60, 5)
	left, right := f.File("left.npy", d.Columns(0, 2, false)), f.File("right.npy", d.Columns(2, 5, false))
	y := f.File("y.npy", d.Words())
	kernels := []string{"--quiet", "--kernels", "gauss:1@left,linear@right,gauss:0.5@each-view"}
	views := f.File("views", "left 1 2\nright 3 5\n")
	commandtest.Must(t, append([]string{"train", "-o", f.At("want"), "--views", views, f.File("d.txt", d.Libsvm())}, kernels...)...)
	commandtest.Must(t, append([]string{"train", "-o", f.At("m"), "--labels", y, left, right}, kernels...)...)
	if f.Read("m") != f.Read("want") {
		t.Error("two arrays give another model than two views")
	}
	commandtest.Must(t, append([]string{"train", "-o", f.At("named"), "--labels", y, "left=" + f.File("1.npy", d.Columns(0, 2, false)), "right=" + right}, kernels...)...)
	if f.Read("named") != f.Read("want") {
		t.Error("names of views give another model")
	}
	both := f.File("both.npz", commandtest.Archive(map[string]string{"right": d.Columns(2, 5, false), "left": d.Columns(0, 2, false), "y": d.Words()}))
	for _, args := range [][]string{{right, left}, {"right=" + right, "left=" + left}, {both}} {
		if len(args) > 1 {
			args = append(args, "--labels", y)
		}
		commandtest.Must(t, append([]string{"verify", "--quiet", f.At("m")}, args...)...)
	}
}

// TestRowWeightsOfZeroInFormats: labels of every kind of file stay with their rows where some are left out.
func TestRowWeightsOfZeroInFormats(t *testing.T) {
	f, d := commandtest.NewFolder(t), commandtest.NewRows(11, 40, 4)
	text, x, y := f.File("d.txt", d.Libsvm()), f.File("x.npy", d.Columns(0, 4, false)), f.File("y.npy", d.Words())
	csv, list := f.File("d.csv", d.Csv(",", nil)), f.File("y.txt", strings.Join(d.Labels, "\n"))
	var weights, left strings.Builder
	for i, line := range slices.Collect(strings.Lines(d.Libsvm())) {
		if i == 0 || i%3 == 1 || i >= 37 { // The first row and the last ones are among them.
			weights.WriteString("0\n")
		} else {
			weights.WriteString("1\n")
			left.WriteString(line)
		}
	}
	w := f.File("w", weights.String())
	commandtest.Must(t, "train", "--quiet", "-o", f.At("want"), f.File("left.txt", left.String()))
	for _, args := range [][]string{{text}, {x, "--labels", y}, {x, "--labels", list}, {csv}} {
		args = append(args, "--row-weights", w)
		commandtest.Must(t, append([]string{"train", "--quiet", "-o", f.At("m")}, args...)...)
		if !strings.HasSuffix(args[0], ".csv") && f.Read("m") != f.Read("want") { // That of a table has names.
			t.Errorf("%q: a model depends on rows of weight 0", args)
		}
		commandtest.Must(t, append([]string{"verify", f.At("m")}, args...)...)
	}
	short, many := f.File("short.npy", commandtest.NewRows(11, 39, 4).Words()), f.File("many.npy", commandtest.NewRows(11, 41, 4).Words())
	for labels, want := range map[string]string{short: "only 39 labels for more rows", many: "more labels than the 40 rows"} {
		o := commandtest.Try("train", "--quiet", "-o", f.At("new"), "--row-weights", w, "--labels", labels, x)
		if o.Code != contract.ExitInput || !strings.Contains(o.Stderr, want) {
			t.Errorf("exit code %d, %q, want %q", o.Code, o.Stderr, want)
		}
	}
}

// TestFormatsThatDoNotFit has a command line for each way in which formats do not go together.
func TestFormatsThatDoNotFit(t *testing.T) {
	f, d := commandtest.NewFolder(t), commandtest.NewRows(3, 20, 4)
	text, x := f.File("d.txt", d.Libsvm()), f.File("x.npy", d.Columns(0, 4, false))
	y, short := f.File("y.npy", d.Words()), f.File("short.npy", commandtest.NewRows(3, 19, 4).Words())
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{contract.ExitUsage, "x.npy is an array", []string{text, x}},
		{contract.ExitUsage, "an array of labels has no columns to choose one of", []string{x, "--labels", y + ":2"}},
		{contract.ExitUsage, "an array of labels has no columns to choose one of", []string{x, "--labels", y + ":class"}},
		{contract.ExitUsage, "only arrays are views", []string{"left=" + text}},
		{contract.ExitUsage, "--views with data", []string{"left=" + x, "--labels", y, "--views", f.File("views", "a 1 2\n")}},
		{contract.ExitInput, "the row has no label", []string{x}},
		{contract.ExitInput, "short.npy: only 19 labels for more rows", []string{x, "--labels", short}},
		{contract.ExitInput, "y.npy: more labels than the 19 rows", []string{f.File("x19.npy", commandtest.NewRows(3, 19, 4).Columns(0, 4, false)), "--labels", y}},
		{contract.ExitInput, "labels have a file of their own", []string{text, "--labels", y}},
		{contract.ExitInput, "neither an .npy nor an .npz", []string{f.File("d.npy", d.Libsvm())}},
		{contract.ExitInput, "no list", []string{x, "--labels", x}},
		{contract.ExitInput, "sequences are text", []string{x, "--labels", y, "--kernels", "wd:3"}},
	} {
		o := commandtest.Try(append([]string{"train", "--quiet", "-o", f.At("m")}, c.args...)...)
		if o.Code != c.code || !strings.Contains(o.Stderr, c.want) || strings.Count(o.Stderr, "\n") != 1 || f.Exists("m") {
			t.Errorf("%q: exit code %d\n%s", c.args, o.Code, o.Stderr)
		}
	}
}

// TestTableByNames trains on a table with words and names of rows. Predictions and the certificate take the columns in
// another order and without the label, a pipe gives the same model, and what does not fit is named.
func TestTableByNames(t *testing.T) {
	f := commandtest.NewFolder(t)
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
	data, other := f.File("a.csv", a.String()), f.File("b.csv", b.String())
	args := []string{"train", "--quiet", "--id", "name", "--kernels", "gauss:1,linear@4-5,linear@x"}
	commandtest.Must(t, append(args, "-o", f.At("m"), "--test", data, data)...)
	commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "3, 1 of them categories: color, x.1, x.2; labels in class") {
		t.Errorf("inspect: %s", o.Stdout)
	}
	if c, ok := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("m"))["columns"].(map[string]any); !ok || c["label"] != "class" {
		t.Errorf("inspect --json: columns %v", c)
	}
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:1,linear@4-5,linear@x", "--views", f.File("views", "x 4 5\n"), "-o", f.At("plain"), f.File("plain.txt", plain.String()))
	if withoutColumns(t, f.At("m")) != f.Read("plain") {
		t.Error("words are other features than in text")
	}
	x, y := commandtest.Must(t, "predict", "--quiet", f.At("m"), data).Stdout, commandtest.Must(t, "predict", "--quiet", f.At("m"), other).Stdout
	if x != y {
		t.Error("columns in another order give other predictions")
	}
	if o := commandtest.Execute(t.Context(), strings.NewReader(a.String()), append(args, "-o", f.At("pipe"), "-")...); o.Code != contract.ExitFine || f.Read("pipe") != f.Read("m") {
		t.Errorf("a pipe: exit code %d, %s, or another model", o.Code, o.Stderr)
	}
	o := commandtest.Must(t, "predict", "--quiet", f.At("m"), f.File("new.csv", "x.2,x.1,color\n1,2,pink\n"))
	if !strings.Contains(o.Stderr, `1 word of the table did not occur in the training, such as "pink" of column color; `) {
		t.Errorf("an unknown word: %q", o.Stderr)
	}
	for want, text := range map[string]string{
		"no column is called color (":                "x.1,x.2\n1,2\n",
		"column more was not in the training data":   "x.1,x.2,color,more\n1,2,red,4\n",
		":3:1: the value of column x.1 is missing":   "x.1,x.2,color\n1,2,red\n?,2,red\n",
		":2:5: the value of column color is missin":  "x.1,x.2,color\n1,2,\n",
		":2:1: \"word\" of column x.1 is not a plai": "x.1,x.2,color\nword,2,red\n",
	} {
		if o := commandtest.Try("predict", "--quiet", f.At("m"), f.File("bad.csv", text)); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, want) {
			t.Errorf("%q: exit code %d, %s", text, o.Code, o.Stderr)
		}
	}
}

// TestArraysOfFewerColumns: an array that lacks features of the model is rejected by all commands that take its rows.
func TestArraysOfFewerColumns(t *testing.T) {
	f, d := commandtest.NewFolder(t), commandtest.NewRows(12, 40, 5)
	y, few := f.File("y.npy", d.Words()), f.File("few.npy", d.Columns(0, 4, false))
	csv := f.File("d.csv", d.Csv(",", nil))
	commandtest.Must(t, "train", "--quiet", "-o", f.At("array"), "--labels", y, f.File("x.npy", d.Columns(0, 5, false)))
	commandtest.Must(t, "train", "--quiet", "-o", f.At("table"), csv)
	for _, m := range []string{f.At("array"), f.At("table")} {
		for _, args := range [][]string{{"predict", "-o", f.At("new"), m, few}, {"verify", "--labels", y, m, few}, {"report", "-o", f.At("new"), m, "--test", few}} {
			o := commandtest.Try(args...)
			want := "bigmkl: " + few + ": the array has 4 columns, and the model was trained on 5 features"
			if o.Code != contract.ExitInput || !strings.HasPrefix(o.Stderr, want) || f.Exists("new") {
				t.Errorf("%q: exit code %d, %s", args, o.Code, o.Stderr)
			}
		}
	}
}
