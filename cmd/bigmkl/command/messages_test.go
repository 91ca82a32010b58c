package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// marker represents private text: 40 bytes, of which no message shows more than 32.
const marker = "aVeryPrivateNameOfFortyBytesThatIs0815ok"

// bounded checks that messages are few and what is on standard error of bounded width and without the marker.
func bounded(t *testing.T, what, stderr string) {
	t.Helper()
	if strings.Contains(stderr, marker) {
		t.Errorf("%s shows the marker: %.300q", what, stderr)
	}
	lines, said := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n"), strings.Count("\n"+stderr, "\nbigmkl: ")
	if said > 12 {
		t.Errorf("%s: %d messages, such as %.300q", what, said, lines[0])
	}
	for _, l := range lines {
		if len(l) > 1100 {
			t.Errorf("%s: a line of %d bytes: %.300q", what, len(l), l)
		}
	}
}

// TestMessagesKeepToTheToken: no line on standard error holds more of the data than the start of the token in question.
func TestMessagesKeepToTheToken(t *testing.T) {
	f := commandtest.NewFolder(t)
	const secret = "4711.0815"
	long := strings.Repeat("x", 5000)
	row := "1 1:" + secret + " 2:" + secret
	table := func(separator string) string {
		var b strings.Builder
		for i := range 30 {
			b.WriteString(strings.Join([]string{fmt.Sprint(float64(i) / 8), secret, fmt.Sprint(i % 3), marker + "\n"}, separator))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"bad value": row + " 3:nan\n", "long value": row + " 3:" + long + "\n", "long number": row + " 3:" + strings.Repeat("9", 5000) + "\n", "long index": row + " " + long + ":1\n",
		"index of digits": row + " " + strings.Repeat("9", 5000) + ":1\n", "long label": long + " 1:" + secret + "\n", "numeric label": strings.Repeat("9", 1000) + " 1:" + secret + "\n",
		"one class": row + "\n" + row + "\n", "no label": "1:" + secret + "\n", "NUL": row + " 3:\x00\n", "no pair": row + " " + long + "\n", "long query": "1 qid:" + long + " 1:" + secret + "\n",
		"many classes": "1 1:" + secret + "\n" + strings.Repeat("a", 900) + " 1:" + secret + "\n" + strings.Repeat("b", 900) + " 1:" + secret + "\n",
		"overflow":     "1 1:" + secret + " 2:1e300\n-1 1:" + secret + "\n", "twice": row + " 2:" + secret + "\n",
		"values with commas": table(","), "semicolons": table(";"), "one row with commas": "3," + secret + "," + secret + "\n", "a private class": marker + " 1:" + secret + "\n",
		"private classes": marker + "1 1:1\n" + marker + "2 1:2\n" + marker + "3 1:3\n",
	} {
		bad := f.File("bad", text)
		for _, args := range [][]string{
			{"train", "-o", f.At("new"), bad}, {"train", "-o", f.At("new"), f.File("data", commandtest.Plain), "--views", bad}, {"train", "-o", f.At("new"), f.At("data"), "--row-weights", bad},
			{"train", "-o", f.At("new"), f.At("data"), "--kernels", "@" + bad}, {"train", "-o", f.At("new"), f.At("data"), "--posteriors", bad},
		} {
			o := commandtest.Try(args...)
			if o.Code == contract.ExitFine || o.Code == contract.ExitBug {
				t.Errorf("%s: %q ends with %d: %s", name, args, o.Code, o.Stderr)
			}
			data := args[len(args)-1] == bad && len(args) == 4 // else the first token may be the one in question
			if strings.Contains(o.Stderr, secret) && data || len(o.Stderr) > 500+len(bad) || strings.Contains(o.Stderr, strings.Repeat("x", 33)) {
				t.Errorf("%s: %q says %q", name, args, o.Stderr)
			}
			bounded(t, name, o.Stderr)
		}
	}
}

// TestTablesNeedLabels: who gives comma-separated values is asked for the labels, whatever they are to be.
func TestTablesNeedLabels(t *testing.T) {
	f := commandtest.NewFolder(t)
	const hint = "(--label COLUMN names the column of the labels; the columns are "
	for name, text := range map[string]string{
		"many": "5.1,3.5,1.4,setosa\n4.9,3.0,1.4,setosa\n6.3,3.3,6.0,virginica\n", "two rows": "5.1,3.5,setosa\n4.9,3.0,virginica\n", "one row": "5.1,3.5,setosa\n",
		"blanks": "1, 0.5, 2\n2, 0.25, 3\n", "semicolons": "1;0,5\n2;0,25\n3;0,125\n", "labels": "a,1\nb,2\nc,3\n",
	} {
		data := f.File("table", text)
		for _, args := range [][]string{nil, {"--multiclass", "ovr"}, {"--multiclass", "ovo"}, {"--task", "svr"}, {"--task", "square"}, {"--views", f.File("views", "v 1 2\n")}} {
			o := commandtest.Try(append([]string{"train", "--quiet", "-o", f.At("m"), data}, args...)...)
			errors := strings.Count(o.Stderr, "\n") - strings.Count(o.Stderr, "bigmkl: warning: ")
			if o.Code != contract.ExitInput || !strings.Contains(o.Stderr, hint) || errors != 1 {
				t.Errorf("%s %q: exit code %d, %q", name, args, o.Code, o.Stderr)
			}
		}
	}
	if o := commandtest.Try("train", "--quiet", "-o", f.At("m"), f.File("plain", "a,b 1:1\nc 1:2\nd 1:3\n")); strings.Contains(o.Stderr, "comma-separated") {
		t.Errorf("rows with features: %q", o.Stderr)
	}
}

// TestForgedTextsStayInTheFile: each text of a model is replaced by the marker, once and over and over. Below level 1 one of the commands,
// which a seed draws, reads each of these models.
func TestForgedTextsStayInTheFile(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, views := f.File("data", commandtest.ThreeClasses(30)), f.File("views", "first 1 1\nsecond 2 2\n")
	commandtest.Must(t, "train", "--quiet", "--multiclass", "ovr", "--views", views, "--kernels", "linear@each-view group=g,gauss:0.5", "--group-norm", "2", "--class-weight", "1=2", "-o", f.At("m"), data)
	commandtest.Must(t, "train", "--quiet", "--positive", "1", "--kernels", "gauss:0.5,linear", "-o", f.At("two"), data)
	forged, runs := 0, 0
	for _, name := range []string{"m", "two"} {
		good := f.Read(name)
		for _, secret := range []string{marker, strings.Repeat(marker, 1750)} {
			for _, change := range forgeries(commandtest.TakeApart(t, good), secret) {
				m := commandtest.TakeApart(t, good)
				what := change(m)
				bad := f.File("forged", m.Build())
				forged++
				for _, args := range testlevel.Few(t, fmt.Sprint(forged), 1, [][]string{
					{"inspect", bad}, {"inspect", "--machine", "nobody", bad}, {"predict", bad, data}, {"predict", "--quiet", "-o", f.At("out"), bad, data}, {"verify", bad, data}, {"bound", bad},
					{"train", "--quiet", "-o", f.At("new"), "--init", bad, data},
				}) {
					o := commandtest.Try(args...)
					runs++
					bounded(t, fmt.Sprintf("%s of a model with %s", args[0], what), o.Stderr)
					if o.Code == contract.ExitBug {
						t.Errorf("%s with %s: %s", args[0], what, o.Stderr)
					}
				}
			}
		}
	}
	if forged < 350 || runs < forged {
		t.Errorf("only %d models and %d runs", forged, runs)
	}
}

// forgeries put a text in the place of each one in the settings of a model, of each number, and of the names and types of its tensors.
// Each has a text with its change.
func forgeries(m *commandtest.Forgery, text string) (list []func(*commandtest.Forgery) string) {
	var in func(path []string, v any)
	set := func(path []string, to any) {
		list = append(list, func(m *commandtest.Forgery) string {
			var v any = m.Settings
			for _, step := range path[:len(path)-1] {
				v = child(v, step)
			}
			switch v := v.(type) {
			case map[string]any:
				v[path[len(path)-1]] = to
			case []any:
				i := 0
				fmt.Sscan(path[len(path)-1], &i)
				v[i] = to
			}
			return strings.Join(path, ".")
		})
	}
	in = func(path []string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				in(append(slices.Clone(path), k), v[k])
			}
		case []any:
			for i := range v {
				in(append(slices.Clone(path), fmt.Sprint(i)), v[i])
			}
		default:
			set(path, text)
			set(path, json.Number(strings.Repeat("7", min(len(text), 5000))))
			for _, before := range []string{"gauss:", "precomputed:", "user:", "linear@", "linear group=", "prod(linear,linear@"} {
				if path[0] == "kernels" {
					set(path, before+text)
				}
			}
		}
	}
	in(nil, m.Settings)
	set([]string{"sequences"}, text)
	set([]string{text}, 1)
	set([]string{"classes"}, []string{text, text + "1", text + "2"})
	set([]string{"classes"}, []string{"0," + text + "," + text, "1", "2"})
	set([]string{"positive"}, "0,"+text+","+text)
	list = append(list,
		func(m *commandtest.Forgery) string { m.Dtype["theta"] = text; return "a type" },
		func(m *commandtest.Forgery) string {
			m.Names, m.Dtype[text] = append(m.Names, text), "F64"
			return "a tensor"
		},
		func(m *commandtest.Forgery) string { m.Text = text; return "settings" },
		func(m *commandtest.Forgery) string { m.Text = `{"` + text + `":`; return "half of the settings" })
	return list
}

// child is an element of an object or a list of JSON.
func child(v any, step string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[step]
	case []any:
		i := 0
		fmt.Sscan(step, &i)
		return v[i]
	}
	return nil
}

// TestNamesStayShort: runs that end well show no long name on standard error either, be it of a class, a view, a group or a
// classifier, and neither do rejections to resume another run's checkpoint.
func TestNamesStayShort(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := commandtest.ThreeClasses(60)
	for old, name := range map[string]string{"0 1:": marker + "a 1:", "1 1:": marker + "b 1:", "2 1:": marker + "c 1:"} {
		rows = strings.ReplaceAll("\n"+rows, "\n"+old, "\n"+name)[1:]
	}
	data, views := f.File("data", rows), f.File("views", marker+" 1 1\nsecond 2 2\n")
	flat := f.File("flat", strings.ReplaceAll(rows, " 2:", " 3:0 4:"))
	strange := f.File("strange", strings.ReplaceAll(rows, marker, marker+"x"))
	kernels := "linear@" + marker + " group=" + marker + ",gauss:0.5 group=" + marker + "2,linear@second"
	for _, kind := range []string{"ovr", "ovo", "labels"} {
		model := f.At(kind)
		commandtest.Must(t, "train", "--quiet", "--multiclass", kind, "--kernels", "linear,gauss:0.5", "-o", model, data)
		for _, args := range [][]string{
			{"train", "--multiclass", kind, "--views", views, "--kernels", kernels, "--group-norm", "2", "-o", "-", data},
			{"train", "--multiclass", kind, "--views", views, "--kernels", "linear@each-view,gauss:0.5@" + marker, "-o", "-", data},
			{"train", "--multiclass", kind, "--kernels", "linear@1-2,linear@3,sigmoid:2:-3", "--max-iter", "1", "-o", "-", flat},
			{"predict", model, strange}, {"verify", model, strange}, {"verify", "--quiet", model, flat}, {"inspect", model}, {"inspect", "--machine", marker, model}, {"bound", model},
			{"align", "--views", views, "--kernels", "linear@each-view", "-o", f.At("K"), data}, {"gram", "--views", views, "--kernels", "linear@" + marker + ",linear@second", "-o", f.At("K"), data},
			{"plan", "--views", views, "--kernels", kernels, "--group-norm", "2", "--multiclass", kind, data}, {"train", "--quiet", "-o", f.At("new"), "--class-weight", marker + "=2", data},
			{"train", "--quiet", "-o", f.At("new"), "--positive", marker + "z", data}, {"train", "--quiet", "-o", f.At("new"), "--init", model, data}, {"train", "-o", f.At("new"), data},
			{"train", "-o", f.At("new"), "--kernels", "linear@" + marker, data}, {"train", "-o", f.At("new"), "--kernels", marker, data}, {"train", "-o", f.At("new"), "--norm", marker, data},
			{"select", "--resume", "--multiclass", kind, "--views", views, "--kernels", "linear@" + marker + ",linear@second", "--norm", "2", "--grid-C", "1", "--folds", "2", "-o", f.At("s" + kind), data},
			{"select", "--resume", "--multiclass", kind, "--kernels", "linear", "--norm", "2", "--folds-file", f.File("folds", marker+"\n"+strings.Repeat("a\nb\n", 90)[:2*(strings.Count(rows, "\n")-1)]), "--grid-C", "1", "-o", f.At("f" + kind), data},
			{"select", "--measure", marker, "-o", f.At("new"), data}, {"select", "--part", marker, "-o", f.At("new"), data}, {"select", "--splits", marker, "-o", f.At("new"), data},
		} {
			o := commandtest.Try(args...)
			bounded(t, kind+" "+args[0], o.Stderr)
			if args[0] == "inspect" && strings.Contains(o.Stdout, marker) {
				t.Errorf("inspect shows the marker: %q", o.Stdout)
			}
		}
	}
	commandtest.Must(t, "train", "--quiet", "--positive", marker+"a", "--views", views, "--kernels", "linear@each-view", "--checkpoint", f.At("ck"), "-o", f.At("two"), data)
	for _, args := range [][]string{{"--kernels", "linear@" + marker}, {"--positive", marker + "a"}, {"--positive", marker + "b," + marker + "c"}, {"--class-weight", "1=2"}} {
		o := commandtest.Try(append([]string{"train", "--quiet", "--views", views, "--checkpoint", f.At("ck"), "--resume", "--kernels", "linear@each-view", "--positive", marker + "a", "-o", f.At("two"), data}, args...)...)
		bounded(t, "a checkpoint of another run", o.Stderr)
	}
	for _, args := range [][]string{{"predict", f.At("two"), strange}, {"inspect", f.At("two")}, {"verify", f.At("two"), strange}} {
		bounded(t, args[0], commandtest.Try(args...).Stderr)
	}
}

// TestRandomBytesStayInTheFile puts the marker, and rows of numbers, at random places of good files of every kind.
func TestRandomBytesStayInTheFile(t *testing.T) {
	seed, times := testlevel.Seed, 80
	if testlevel.Reached(testlevel.EveryKind) {
		times = 400
	}
	t.Logf("BIGMKL_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	f := commandtest.NewFolder(t)
	good := map[string]string{
		"data": commandtest.ThreeClasses(9), "views": "first 1 1\nsecond 2 2\n", "kernels": "linear@each-view\ngauss:0.5 group=g\nprod(linear,poly:2)\n", "weights": strings.Repeat("1\n", 9),
		"fasta": ">a label=1\nACGTACGT\n>b label=-1\nACCTACGA\n", "numbers": strings.Repeat("1 0.5\n", 3),
	}
	inserts := []string{marker, strings.Repeat(marker, 200), "," + marker + ",", "\n" + marker + " ", ":" + marker, " " + marker + ":1 ", "@" + marker, "0.5,1.5," + marker + "\n", "\x00" + marker, "(" + marker}
	for range times {
		kind := []string{"data", "views", "kernels", "weights", "fasta", "numbers"}[rng.IntN(6)]
		text := good[kind]
		for range 1 + rng.IntN(2) {
			at := rng.IntN(len(text) + 1)
			text = text[:at] + inserts[rng.IntN(len(inserts))] + text[at:]
		}
		bad, data, views := f.File("bad", text), f.File("data", good["data"]), f.File("views", good["views"])
		args := map[string][]string{
			"data": {bad}, "views": {"--kernels", "linear@each-view", "--views", bad, data}, "kernels": {"--views", views, "--group-norm", "2", "--kernels", "@" + bad, data},
			"weights": {"--row-weights", bad, data}, "fasta": {"--kernels", "wd:3", bad}, "numbers": {"--kernels", "linear,gauss:1,poly:2", "--weights", bad, data},
		}[kind]
		multi := [][]string{nil, {"--multiclass", "ovr"}, {"--multiclass", "labels"}, {"--task", "svr"}}[rng.IntN(4)]
		o := commandtest.Try(slices.Concat([]string{"train", "--quiet", "--max-iter", "2", "-o", f.At("m")}, multi, args)...)
		bounded(t, fmt.Sprintf("seed %d: %s %.200q %q", seed, kind, text, multi), o.Stderr)
		if o.Code == contract.ExitBug {
			t.Errorf("seed %d: %s: %s", seed, kind, o.Stderr)
		}
	}
}

// TestMessagesAreBounded: whatever is said, there are few lines of a kind, none is longer than it may be, and what is left out is
// counted.
func TestMessagesAreBounded(t *testing.T) {
	var out bytes.Buffer
	m := newMessages(&out)
	for i := range 1000 {
		m.write(fmt.Sprintf("warning: no kernel tells %q of row %d apart", strings.Repeat("a", i%7)+`"`, i))
	}
	m.write("/a/path:1:2: " + strings.Repeat("é", 5000) + " (a hint)")
	m.write("one\nline\r\nalone")
	m.writeLeftOut()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != mostAlike+3 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	if l := lines[mostAlike]; len(l) > 1100 || !strings.HasPrefix(l, "bigmkl: /a/path:1:2: é") || !strings.HasSuffix(l, "é (a hint)") || strings.ContainsRune(l, '�') {
		t.Errorf("%q", l)
	}
	if lines[mostAlike+1] != "bigmkl: one line alone" {
		t.Errorf("%q", lines[mostAlike+1])
	}
	if want := fmt.Sprintf("bigmkl: %d more like: warning: no kernel tells ", 1000-mostAlike); !strings.HasPrefix(lines[mostAlike+2], want) {
		t.Errorf("%q", lines[mostAlike+2])
	}
}
