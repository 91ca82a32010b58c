package command

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// patients is a table with names of rows, words, missing values and two classes.
func patients(rows int) string {
	var b strings.Builder
	b.WriteString("patient,age,sex,marker,outcome\n")
	for i := range rows {
		age := fmt.Sprint(20 + i*7%60)
		if i%9 == 4 {
			age = ""
		}
		fmt.Fprintf(&b, "P%03d,%s,%s,%.3f,%s\n", i, age, []string{"m", "f"}[i/2%2], float64(i*37%100)/50+float64(i%3/2), []string{"well", "well", "ill"}[i%3])
	}
	return b.String()
}

// TestInit: init finds out what the data are, and what it proposes trains a model.
func TestInit(t *testing.T) {
	f := commandtest.NewFolder(t)
	var sparse strings.Builder
	for i := range 60 {
		fmt.Fprintf(&sparse, "%d %d:1 %d:1 9000:0.1\n", 1-2*(i%2), 1+i%2+3*(i%7), 100+i)
	}
	labels := make([][]float64, 60)
	first, second := make([][]float64, 60), make([][]float64, 60)
	for i := range labels {
		labels[i], first[i], second[i] = []float64{float64(i % 3)}, []float64{float64(i % 3), float64(i)}, []float64{float64(i%3) / 2, 1, float64(i % 5)}
	}
	for name, rows := range map[string][][]float64{"y.npy": labels, "a.npy": first, "b.npy": second} {
		if err := commandtest.WriteArray(f.At(name), rows); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		data []string
		want []string
		not  string
	}{
		"table":   {[]string{f.File("patients.csv", patients(90))}, []string{"label = 'outcome'", "id = ['patient']", "impute = 'median'", "well (60 rows), ill (30 rows)", "10 numbers are missing, in 10 of 90 rows", "patients.model"}, "multiclass"},
		"named":   {[]string{"--label", "sex", "--id", "patient,marker", f.File("other.csv", patients(60))}, []string{"label = 'sex'", "id = ['patient', 'marker']"}, "Others"},
		"rare":    {[]string{f.File("rare", strings.Repeat("1 1:1\n1 1:2\n1 1:0.5\n1 2:1\n1 2:2\n1 2:3\n", 5)+"2 1:-1\n2 1:-2\n")}, []string{"# class-weight = '2=8'", "zero-based = 'auto'"}, "impute"},
		"several": {[]string{f.File("three", commandtest.ThreeClasses(30))}, []string{"3 classes", "multiclass = 'ovr'"}, "label ="},
		"numbers": {[]string{f.File("svr", commandtest.Grouped(60, 3, "svr"))}, []string{"task = 'svr'"}, "multiclass"},
		"times":   {[]string{"--time", "months", "--event", "died", f.File("study.csv", cohort(60, 3))}, []string{"label = 'months'", "event = 'died'", "task = 'survival'", "of 60 with an event"}, "id ="},
		"text":    {[]string{f.File("sparse", sparse.String())}, []string{"kernels = ['linear']", "60 rows of 9000 features"}, "gauss"},
		"views":   {[]string{"--labels", f.At("y.npy"), "one=" + f.At("a.npy"), "two=" + f.At("b.npy")}, []string{"gauss:auto/5@each-view", "2 views (one, two)", "y.npy", "\n# norm = '4/3'\n", "combine the views. bigmkl importance measures which views matter."}, "zero-based"},
	} {
		out := f.At(name + ".toml")
		said := commandtest.Must(t, append([]string{"init", "-o", out}, c.data...)...).Stdout
		text := f.Read(name + ".toml")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "\n"+c.not) || !strings.Contains(said, "bigmkl train --config "+out) {
			t.Errorf("%s: %s\n%s", name, text, said)
		}
		commandtest.Must(t, "train", "--quiet", "--config", out, "-o", f.At(name+".model"))
	}
}

// TestInitGuesses: the column of labels is told from features with vague names. A guess is called one, with the command for
// another column, and tables with views get the command that measures their importance, which runs as it is printed.
func TestInitGuesses(t *testing.T) {
	f := commandtest.NewFolder(t)
	var b strings.Builder
	b.WriteString("my_id,status,blood.a,blood.b,scan.x,scan.y,credit\n")
	for i := range 80 {
		fmt.Fprintf(&b, "%d,%d,%d,%.2f,%d,%.2f,%s\n", 1000+i, i%4, i%9, float64(i%7)/3, i%5, float64(i*i%11)/2, []string{"good", "bad"}[i/3%2])
	}
	data := f.File("my credits.csv", b.String())
	said := commandtest.Must(t, "init", "-o", f.At("c.toml"), data).Stdout
	for _, want := range []string{"A guess by names and values. Other columns that may have the labels: status (4 values)", "The label credit is a guess.", "bigmkl init --label COLUMN '" + data + "'"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	_, line, _ := strings.Cut(said, "  bigmkl importance ")
	line, _, _ = strings.Cut(line, "\n")
	if want := "--label credit --id my_id --task class --kernels gauss:auto/5@each-view,gauss:auto/5@1 -o importance '" + data + "'"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
	if want := "--kernels gauss:auto/5@each-view,gauss:auto/5@1 --measure auc --nested -o selection"; !strings.Contains(said, want) { // as in importance
		t.Errorf("no %q in\n%s", want, said)
	}
	args := strings.Fields(strings.TrimSuffix(line, " '"+data+"'"))
	args[len(args)-1] = f.At("importance")
	commandtest.Must(t, append(append([]string{"importance", "--quiet", "--folds", "3", "--samples", "0"}, args...), data)...)
	if said := commandtest.Must(t, "init", "-o", f.At("d.toml"), f.File("known.csv", strings.Replace(b.String(), "credit", "class", 1))).Stdout; strings.Contains(said, "guess") {
		t.Errorf("a known name is a guess:\n%s", said)
	}
}

// TestInitCountsMissingWords: a column of words that lacks some is named, and the training that is proposed takes it.
func TestInitCountsMissingWords(t *testing.T) {
	f := commandtest.NewFolder(t)
	var b strings.Builder
	b.WriteString("age,region,churned\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%s,%s\n", i%50, []string{"north", "south", "", "west"}[i%4], []string{"yes", "no"}[i/3%2])
	}
	out := f.At("c.toml")
	said := commandtest.Must(t, "init", "-o", out, f.File("churn.csv", b.String())).Stdout
	if !strings.Contains(said, "Words are missing in region. All features of the column are 0 in these rows.") || strings.Contains(said, "numbers are missing") {
		t.Error(said)
	}
	commandtest.Must(t, "train", "--quiet", "--config", out, "-o", f.At("m"))
	_, line, _ := strings.Cut(said, "  bigmkl select ")
	line, _, _ = strings.Cut(line, "\n")
	if want := "--label churned --task class --impute median --kernels gauss:auto/10 --nested -o selection " + f.At("churn.csv"); line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

// TestInitUsesAllColumns: columns outside of the views get kernels, dates have a reason of their own, and prices with signs
// are rejected even if each occurs once.
func TestInitUsesAllColumns(t *testing.T) {
	f := commandtest.NewFolder(t)
	table := func(sign string) string {
		var b strings.Builder
		b.WriteString("weight,age.years,blood.a,blood.b,scan.x,scan.y,age.sex,visit,price,class\n")
		for i := range 80 {
			fmt.Fprintf(&b, "%d,%d,%d,%.2f,%d,%.2f,%s,2024-%02d-%02d,%s%d.5,%s\n", 50+i%31, 20+i%17, i%9, float64(i%7)/3, i%5, float64(i*i%11)/2,
				[]string{"m", "f"}[i%2], 1+i/28, 1+i%28, sign, 100+i, []string{"good", "bad"}[i/3%2])
		}
		return b.String()
	}
	out := f.At("c.toml")
	said := commandtest.Must(t, "init", "-o", out, f.File("plain.csv", table(""))).Stdout
	for _, want := range []string{"in 2 views (blood, scan)", "id         visit                 Dates are not features: visit. The days since a date would be one.\n",
		"@1-2+7-9 has kernels for the columns in no view: weight, age.years, age.sex, price.", "--kernels gauss:auto/5@each-view,gauss:auto/5@1-2+7-9 "} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if o := commandtest.Must(t, "train", "--quiet", "--config", out, "-o", f.At("m")).Stdout; !strings.Contains(o, "(other features)") {
		t.Error(o)
	}
	if got := commandtest.Try("init", "-o", f.At("d.toml"), f.File("signs.csv", table("$"))); got.Code != contract.ExitInput || !strings.Contains(got.Stderr, "values of column price look like numbers with signs around them") {
		t.Errorf("%d, %s%s", got.Code, got.Stdout, got.Stderr)
	}
}

// TestInitNamesGroups: a column of identifiers that recur is left out, and the proposal names the option that holds their rows
// out together. Identifiers of one row each need none.
func TestInitNamesGroups(t *testing.T) {
	f := commandtest.NewFolder(t)
	for name, c := range map[string]struct {
		each int
		form string
		want bool
	}{"one.csv": {1, "%d", false}, "two.csv": {2, "P%03d", true}, "five.csv": {5, "P%03d", true}, "numbers.csv": {4, "%d", true}} {
		var b strings.Builder
		b.WriteString("patient_id,age,marker,class\n")
		for i := range 200 {
			fmt.Fprintf(&b, c.form+",%d,%.2f,%s\n", 100+i/c.each, 20+i%50, float64(i*37%100)/50, []string{"well", "ill"}[i/5%2])
		}
		said := commandtest.Must(t, "init", "-o", f.At(name+".toml"), f.File(name, b.String())).Stdout
		if !strings.Contains(said, "\nid         patient_id ") || strings.Contains(said, "Values of patient_id recur.") != c.want || strings.Contains(said, "--groups-file") != c.want {
			t.Errorf("%s:\n%s", name, said)
		}
		if !c.want {
			continue
		}
		groups := f.At(name) + ":patient_id"
		if !strings.Contains(said, "--groups-file "+groups+" of train, select and importance") {
			t.Errorf("%s: no column of groups in\n%s", name, said)
		}
		commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "--id", "patient_id", "--probability", "--groups-file", groups, "-o", f.At("m"), f.At(name))
	}
}

// TestRowNumbersAreNamed: a column that numbers the rows and is a feature is warned of by train, select and importance, with the option
// that leaves it out. Views that the kernels do not use are named.
func TestRowNumbersAreNamed(t *testing.T) {
	f := commandtest.NewFolder(t)
	var b strings.Builder
	b.WriteString("customer_id,blood.a,blood.b,scan.x,scan.y,class\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%d,%.2f,%d,%d,%d\n", 500-i, i%9, float64(i%7)/3, i%5, i*i%11, i/3%2)
	}
	data := f.File("data.csv", b.String())
	const warning = "warning: column customer_id has another whole number in each row, as identifiers have, and is a feature (--id customer_id leaves it out)"
	kernels := []string{"--kernels", "gauss:auto@each-view"}
	for _, args := range [][]string{
		{"train", "-o", f.At("m"), data}, {"select", "--quiet", "--folds", "2", "--no-baselines", "-o", f.At("s"), data},
		append([]string{"importance", "--quiet", "--folds", "2", "--samples", "0", "-o", f.At("i"), data}, kernels...),
	} {
		if o := commandtest.Must(t, args...); !strings.Contains(o.Stderr, warning) {
			t.Errorf("%s: %s", args[0], o.Stderr)
		}
	}
	o := commandtest.Must(t, "train", "--id", "customer_id", "-o", f.At("m"), data)
	if strings.Contains(o.Stderr, "customer_id") || !strings.Contains(o.Stdout, "\n2 views (blood, scan) have no kernels of their own: --kernels gauss:auto/5@each-view gives each five\n") {
		t.Errorf("%s%s", o.Stderr, o.Stdout)
	}
	if o := commandtest.Must(t, append([]string{"train", "--id", "customer_id", "-o", f.At("m"), data}, kernels...)...); strings.Contains(o.Stdout, "have no kernels") {
		t.Error(o.Stdout)
	}
}

// TestInitFaults: data that no training takes are met with what to do, and no file is written or replaced.
func TestInitFaults(t *testing.T) {
	f := commandtest.NewFolder(t)
	good := f.File("good.csv", patients(60))
	f.File("there.toml", "mine")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, contract.ExitUsage, "init DATA"}, {[]string{"-"}, contract.ExitUsage, "not standard input"}, {[]string{f.At("none")}, contract.ExitInput, "none"},
		{[]string{"--label", "nothing", good}, contract.ExitInput, "no column is called"}, {[]string{f.File("names.csv", "a,b\nu,v\nw,x\n")}, contract.ExitInput, "no column looks like labels"},
		{[]string{f.File("one", "1 1:2\n1 1:3\n")}, contract.ExitInput, "all rows have the label 1"}, {[]string{f.File("bare", "1:2\n1:3\n")}, contract.ExitInput, "no labels"},
	} {
		o := commandtest.Try(append([]string{"init", "-o", f.At("x.toml")}, c.args...)...)
		if o.Code != c.code || !strings.Contains(o.Stderr, c.want) || f.Exists("x.toml") {
			t.Errorf("%q: exit code %d, %q", c.args, o.Code, o.Stderr)
		}
	}
	if o := commandtest.Try("init", "-o", f.At("there.toml"), good); o.Code != contract.ExitUsage || f.Read("there.toml") != "mine" {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	// Without a column that is known by its name, train names the candidates.
	if o := commandtest.Try("train", "-o", f.At("m"), good); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "the columns are patient, age, sex, marker, outcome; likely outcome (2 values) or sex (2 values)") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	if o := commandtest.Try(); o.Code != contract.ExitUsage || strings.Count(o.Stderr, "\n") != 1 || !strings.Contains(o.Stderr, "bigmkl init DATA") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
}
