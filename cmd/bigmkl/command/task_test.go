package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// targets is text of n rows whose target is a smooth function of two features.
func targets(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 4))
	var b strings.Builder
	for range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&b, "%.6f 1:%.6f 2:%.6f\n", math.Sin(2*x)+0.5*y+0.05*rng.NormFloat64(), x, y)
	}
	return b.String()
}

// TestTasksRoundTrip trains, verifies, predicts and inspects for every task.
func TestTasksRoundTrip(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("train", targets(300, 1)), f.File("test", targets(100, 2))
	for _, task := range []string{"svr", "square"} {
		got := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--task", task, "--kernels", "gauss:auto/5,linear", "-C", "10", "--test", test, "-o", f.At("m"), data)
		if r2 := got["test"].(map[string]any)["r2"].(float64); r2 < 0.9 {
			t.Errorf("%s: R2 %g", task, r2)
		}
		commandtest.Must(t, "verify", f.At("m"), data)
		o := commandtest.Must(t, "predict", "--quiet", f.At("m"), test)
		if lines := strings.Split(strings.TrimSpace(o.Stdout), "\n"); len(lines) != 100 || strings.Contains(lines[0], " ") {
			t.Errorf("%s: %d lines such as %q", task, len(lines), lines[0])
		}
		if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "a number") {
			t.Errorf("%s: %s", task, o.Stdout)
		}
		if o := commandtest.Must(t, "predict", f.At("m"), f.File("bare", "1:1\n2:1\n"), "-o", f.At("out")); !strings.Contains(o.Stdout, "2 rows") {
			t.Errorf("%s: rows without targets: %s", task, o.Stdout)
		}
	}
	commandtest.Must(t, "train", "--quiet", "--task", "square", "--solver", "lbfgs", "--kernels", "gauss:auto/5,linear", "-o", f.At("m"), data)
	commandtest.Must(t, "verify", f.At("m"), data)
	o := commandtest.Must(t, "train", "--quiet", "--task", "oneclass", "--nu", "0.2", "-C", "3", "--kernels", "gauss:auto/3", "-o", f.At("m"), data)
	if !strings.Contains(o.Stderr, "-C has no effect") {
		t.Errorf("standard error %q", o.Stderr)
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	e := commandtest.Object(t, contract.ExitFine, "predict", "--json", f.At("m"), data)
	if within := e["within"].(float64); within < 0.75 || within > 0.9 {
		t.Errorf("a share of %g is within", within)
	}
}

// cohort is a table of n patients whose times follow from a, with a column of events and one of times.
func cohort(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 6))
	var b strings.Builder
	b.WriteString("months,died,a,b\n")
	for range n {
		a, b2 := rng.NormFloat64(), rng.NormFloat64()
		t, end := 10*math.Exp(a+0.2*rng.NormFloat64()), 40*rng.Float64()
		fmt.Fprintf(&b, "%.4f,%v,%.4f,%.4f\n", min(t, end)+0.01, t <= end, a, b2)
	}
	return b.String()
}

// markedTimes writes the rows of cohort as libsvm text with T or T+ for labels, or as signed times in a file of labels.
func markedTimes(table string) (text, times string) {
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		w := strings.Split(line, ",")
		label := w[0]
		if times += "-"[:len(w[1])-4] + w[0] + "\n"; w[1] == "false" {
			label += "+"
		}
		text += label + " 1:" + w[2] + " 2:" + w[3] + "\n"
	}
	return text, times
}

// TestSurvivalRoundTrip trains on times in three forms, which give the same function, and uses the model.
func TestSurvivalRoundTrip(t *testing.T) {
	f := commandtest.NewFolder(t)
	table, other := cohort(200, 1), cohort(100, 2)
	data, test := f.File("a.csv", table), f.File("b.csv", other)
	named := []string{"--time", "months", "--event", "died"}
	train := func(out string, more ...string) map[string]any {
		return commandtest.Object(t, contract.ExitFine, append([]string{"train", "--quiet", "--json", "--task", "survival", "--kernels", "gauss:auto/3", "-o", f.At(out)}, more...)...)
	}
	got := train("m", append(named, "--test", test, data)...)
	figures := got["test"].(map[string]any)
	if c, u := figures["c_index"].(float64), figures["uno_c"].(float64); c < 0.85 || u < 0.85 || c > 1 || u > 1 || c == u {
		t.Errorf("C-indices %g and %g", c, u)
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	text, times := markedTimes(table)
	libsvm, signed := f.File("a.libsvm", text), f.File("times", times)
	train("l", libsvm)
	commandtest.Must(t, "verify", f.At("l"), libsvm)
	bare := f.File("bare.csv", "a,b\n"+strings.Join(strings.Split(regexp.MustCompile("(?m)^[^,]*,[^,]*,").ReplaceAllString(table, ""), "\n")[1:], "\n"))
	train("s", "--labels", signed, "--format", "libsvm", f.File("none.libsvm", regexp.MustCompile("(?m)^[^ ]* ").ReplaceAllString(text, "")))
	want := commandtest.Must(t, "predict", "--quiet", f.At("m"), data).Stdout
	for _, args := range [][]string{{f.At("l"), libsvm}, {f.At("s"), libsvm}, {f.At("m"), bare}} {
		if o := commandtest.Must(t, append([]string{"predict", "--quiet"}, args...)...); o.Stdout != want {
			t.Errorf("%v predicts other times", args)
		}
	}
	for _, line := range strings.Fields(want) {
		if x, err := strconv.ParseFloat(line, 64); err != nil || x <= 0 {
			t.Errorf("the time %s", line)
		}
	}
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "the quantile 0.5 of times, its logarithm in a tube") || !strings.Contains(o.Stdout, "events in died") {
		t.Errorf("%s", o.Stdout)
	}
	// The options that a model records train it again.
	f.File("again.toml", commandtest.Must(t, "config", "--of", f.At("m")).Stdout)
	commandtest.Must(t, "train", "--quiet", "--config", f.At("again.toml"), "-o", f.At("again"), data)
	if f.Read("again") != f.Read("m") {
		t.Error("another model of the same options")
	}
	for _, to := range []string{"x.csv", "x.npz", "x.pack", "x.libsvm"} {
		commandtest.Must(t, append(append([]string{"convert", "--quiet", "--kind-of-labels", "times", "-o", f.At(to)}, named...), data)...)
		commandtest.Must(t, "verify", "--time", "months", f.At("l"), f.At(to))
	}
	o := commandtest.Must(t, "train", "--quiet", "--task", "survival", "--kernels", "gauss:auto/3", "--path-C", "0.1,1,10", "--test", test, "-o", f.At("p%C"), "--time", "months", "--event", "died", data)
	if !strings.Contains(o.Stdout+o.Stderr, "Harrell's C") {
		t.Errorf("a path without figures: %s%s", o.Stdout, o.Stderr)
	}
}

// TestIntervalsRoundTrip trains on bounds of times in three forms, which give the same function, and uses the model.
func TestIntervalsRoundTrip(t *testing.T) {
	testlevel.Sample(t, 2, 1)
	f := commandtest.NewFolder(t)
	table, text, words := boundedTimes(200, 1)
	other, _, _ := boundedTimes(100, 2)
	data, test, libsvm, labels := f.File("a.csv", table), f.File("b.csv", other), f.File("a.libsvm", text), f.File("times", words)
	named := []string{"--time", "from", "--time-upper", "to"}
	train := func(out string, more ...string) map[string]any {
		return commandtest.Object(t, contract.ExitFine, append([]string{"train", "--quiet", "--json", "--task", "survival", "--kernels", "gauss:auto/3", "-o", f.At(out)}, more...)...)
	}
	figures := train("m", append(named, "--test", test, data)...)["test"].(map[string]any)
	if c := figures["c_index"].(float64); c < 0.85 || c > 1 || figures["uno_c"] != nil {
		t.Errorf("figures %v", figures)
	}
	commandtest.Must(t, "verify", f.At("m"), data)
	train("l", libsvm)
	commandtest.Must(t, "verify", f.At("l"), libsvm)
	train("s", "--labels", labels, "--format", "libsvm", f.File("none.libsvm", regexp.MustCompile("(?m)^[^ ]* ").ReplaceAllString(text, "")))
	want := commandtest.Must(t, "predict", "--quiet", f.At("m"), data).Stdout
	bare := f.File("bare.csv", regexp.MustCompile("(?m)^[^,]*,[^,]*,").ReplaceAllString(table, ""))
	for _, args := range [][]string{{f.At("l"), libsvm}, {f.At("s"), libsvm}, {f.At("m"), bare}} {
		if o := commandtest.Must(t, append([]string{"predict", "--quiet"}, args...)...); o.Stdout != want {
			t.Errorf("%v predicts other times", args)
		}
	}
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "upper bounds of times in to") {
		t.Errorf("%s", o.Stdout)
	}
	f.File("again.toml", commandtest.Must(t, "config", "--of", f.At("m")).Stdout)
	commandtest.Must(t, "train", "--quiet", "--config", f.At("again.toml"), "-o", f.At("again"), data)
	if f.Read("again") != f.Read("m") {
		t.Error("another model of the same options")
	}
	for _, to := range []string{"x.csv", "x.npz", "x.pack", "x.libsvm"} {
		commandtest.Must(t, append(append([]string{"convert", "--quiet", "--kind-of-labels", "times", "-o", f.At(to)}, named...), data)...)
		commandtest.Must(t, "verify", "--time", "from", f.At("l"), f.At(to))
	}
	for _, args := range [][]string{
		append([]string{"select", "--quiet", "--task", "survival", "--kernels", "gauss:auto", "--grid-norm", "4/3", "--grid-C", "0.3,1", "-o", f.At("chosen"), data}, named...),
		append([]string{"importance", "--quiet", "--task", "survival", "--kernels", "gauss:auto@each-feature", "--repeat", "1", "-o", f.At("sources"), data}, named...),
		append([]string{"plan", "--task", "survival", data}, named...),
		append([]string{"train", "--quiet", "--task", "survival", "--kernels", "gauss:auto", "--path-C", "0.1,1", "-o", f.At("p%C"), "--test", test, data}, named...),
		{"report", "--quiet", "--test", test, "-o", f.At("page.html"), f.At("m")},
	} {
		commandtest.Must(t, args...)
	}
	commandtest.Must(t, append([]string{"init", "-o", f.At("init.toml"), data}, named...)...)
	if text := f.Read("init.toml"); !strings.Contains(text, "time-upper = 'to'") || !strings.Contains(text, "with an upper bound") {
		t.Errorf("%s", text)
	}
	commandtest.Must(t, "train", "--quiet", "--config", f.At("init.toml"), "-o", f.At("of init"))
	commandtest.Check(t, f, commandtest.Fault{Name: "Uno's C", Code: contract.ExitUsage, Want: "uno_c is a measure of times that have no upper bounds, and some rows have one (--measure c_index)",
		Args: append([]string{"select", "--quiet", "--measure", "uno_c", "--task", "survival", "--kernels", "gauss:auto", "-o", f.At("none"), data}, named...)})
}

// boundedTimes draws rows with bounds of times, as a table, as libsvm text and as a list of words.
func boundedTimes(n int, seed uint64) (table, text, words string) {
	rng := rand.New(rand.NewPCG(seed, 3))
	var t, x, w strings.Builder
	t.WriteString("from,to,a,b\n")
	for range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		time := math.Exp(1 + a + math.Sin(2*b) + 0.1*rng.NormFloat64())
		from, to := fmt.Sprintf("%.4f", time*(0.4+0.5*rng.Float64())), fmt.Sprintf("%.4f", time*(1.1+rng.Float64()))
		word := ""
		switch rng.IntN(4) {
		case 0:
			from, word = to, to
		case 1:
			to, word = "inf", from+"+"
		case 2:
			from, word = "", ".."+to
		default:
			word = from + ".." + to
		}
		fmt.Fprintf(&t, "%s,%s,%.6f,%.6f\n", from, to, a, b)
		fmt.Fprintf(&x, "%s 1:%.6f 2:%.6f\n", word, a, b)
		w.WriteString(word + "\n")
	}
	return t.String(), x.String(), w.String()
}

// TestSurvivalCurves trains with residuals of held-out rows, and predicts the shares of rows without an event until some times.
func TestSurvivalCurves(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("a.csv", cohort(200, 1)), f.File("b.csv", cohort(100, 2))
	named := []string{"--task", "survival", "--kernels", "gauss:auto/3", "--time", "months", "--event", "died"}
	commandtest.Must(t, append(append([]string{"train", "--quiet", "--conformal", "folds:4", "-o", f.At("m")}, named...), data)...)
	commandtest.Must(t, "verify", f.At("m"), data)
	o := commandtest.Must(t, "predict", "--survival-at", "0.5,1,3,9", f.At("m"), test)
	for i, line := range strings.Split(strings.TrimSpace(o.Stdout), "\n") {
		last := 1.0
		words := strings.Fields(line)
		if len(words) != 5 {
			t.Fatalf("line %d: %s", i+1, line)
		}
		for _, word := range words[1:] {
			if s, err := strconv.ParseFloat(word, 64); err != nil || s < 0 || s > last {
				t.Errorf("line %d: %s", i+1, line)
			} else {
				last = s
			}
		}
	}
	if !strings.Contains(o.Stderr, "Brier score ") || !strings.Contains(o.Stderr, ", integrated ") {
		t.Errorf("%s", o.Stderr)
	}
	got := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--survival-at", "0.5,1,3,9", f.At("m"), test)["curves"].(map[string]any)
	if b := got["integrated_brier"].(float64); len(got["times"].([]any)) != 4 || len(got["brier"].([]any)) != 4 || b < 0.02 || b > 0.2 {
		t.Errorf("%v", got)
	}
	if got := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--survival-at", "2", f.At("m"), test)["curves"].(map[string]any); got["integrated_brier"] != nil {
		t.Errorf("%v", got)
	}
	bare := f.File("bare.csv", regexp.MustCompile("(?m)^[^,]*,[^,]*,").ReplaceAllString(cohort(20, 3), ""))
	if o := commandtest.Must(t, "predict", "--survival-at", "2", f.At("m"), bare); strings.Count(o.Stdout, "\n") != 20 {
		t.Errorf("%s", o.Stdout)
	}
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "held out by 4 folds (predict --survival-at)") {
		t.Errorf("%s", o.Stdout)
	}
	commandtest.Must(t, "report", "--quiet", "--test", test, "-o", f.At("page.html"), f.At("m"))
	commandtest.Must(t, append(append([]string{"train", "--quiet", "--threads", "1", "--conformal", "folds:4", "-o", f.At("again")}, named...), data)...)
	if f.Read("again") != f.Read("m") {
		t.Error("another model on one thread")
	}
	if o := commandtest.Must(t, "config", "--of", f.At("m")); !strings.Contains(o.Stdout, "conformal = 'folds:4'") {
		t.Errorf("%s", o.Stdout)
	}
	commandtest.Must(t, append(append([]string{"train", "--quiet", "-o", f.At("none")}, named...), data)...)
	svr := f.File("rows", targets(40, 1))
	commandtest.Must(t, "train", "--quiet", "--task", "svr", "--conformal", "split:0.3", "-o", f.At("svr"), svr)
	for _, c := range []commandtest.Fault{
		{Name: "no residuals", Args: []string{"predict", "--survival-at", "2", f.At("none"), test}, Code: contract.ExitUsage, Want: f.At("none") + ": the model has no residuals of held-out rows (train --conformal)"},
		{Name: "curves of numbers", Args: []string{"predict", "--survival-at", "2", f.At("svr"), svr}, Code: contract.ExitUsage, Want: f.At("svr") + ": a model of task svr has no survival curves"},
		{Name: "intervals of times", Args: []string{"predict", "--coverage", "0.9", f.At("m"), test}, Code: contract.ExitUsage, Want: f.At("m") + ": task survival has no intervals"},
		{Name: "falling times", Args: []string{"predict", "--survival-at", "2,1", f.At("m"), test}, Code: contract.ExitUsage, Want: "--survival-at: \"2,1\": times are above 0 and ascend"},
		{Name: "a time of 0", Args: []string{"predict", "--survival-at", "0", f.At("m"), test}, Code: contract.ExitUsage, Want: "--survival-at: \"0\": times are above 0 and ascend"},
		{Name: "no number", Args: []string{"predict", "--survival-at", "1,x", f.At("m"), test}, Code: contract.ExitUsage, Want: "--survival-at: \"1,x\": times are above 0 and ascend"},
	} {
		commandtest.Check(t, f, c)
	}
}

func TestTaskFaults(t *testing.T) {
	f := commandtest.NewFolder(t)
	good, two := f.File("good", targets(20, 1)), f.File("two", commandtest.Text(20, 1))
	train := func(more ...string) []string { return append([]string{"train", "--quiet", "-o", f.At("m")}, more...) }
	for _, c := range []commandtest.Fault{
		{Name: "target no number", Args: train("--task", "svr", f.File("words", "1.5 1:1\nhigh 1:2\n")), Code: contract.ExitInput, Want: f.At("words") + ":2:1: target \"high\""},
		{Name: "target infinite", Args: train("--task", "square", f.File("large", "1e999 1:1\n")), Code: contract.ExitInput, Want: f.At("large") + ":1:1: target"},
		{Name: "no target", Args: train("--task", "svr", f.File("none", "1.5 1:1\n1:2\n")), Code: contract.ExitInput, Want: f.At("none") + ":2: the row has no target"},
		{Name: "a class that is a missing value", Args: train("--label", "y", f.File("nan.csv", "y,x\na,1\nnan,2\nb,3\n")), Code: contract.ExitInput, Want: f.At("nan.csv") + ":3: the row has no label (leave the row out; in a table its cell of --label is missing or NA; --labels"},
		{Name: "epsilon without svr", Args: train("--epsilon", "0.1", good), Code: contract.ExitUsage, Want: "--epsilon is an option of --task svr or quantile or survival alone"},
		{Name: "tau without quantile", Args: train("--task", "svr", "--tau", "0.1", good), Code: contract.ExitUsage, Want: "--tau is an option of --task quantile or expectile or survival alone"},
		{Name: "delta without huber", Args: train("--task", "square", "--delta", "1", good), Code: contract.ExitUsage, Want: "--delta is an option of --task huber alone"},
		{Name: "several tau without quantile", Args: train("--task", "svr", "--tau", "0.1,0.9", good), Code: contract.ExitUsage, Want: "--tau is an option of --task quantile or expectile or survival alone"},
		{Name: "several expectiles", Args: train("--task", "expectile", "--tau", "0.1,0.9", good), Code: contract.ExitUsage, Want: "several quantiles in task expectile: they are for task quantile (give one --tau)"},
		{Name: "tau that falls", Args: train("--task", "quantile", "--tau", "0.9,0.1", good), Code: contract.ExitUsage, Want: "--tau: \"0.9,0.1\" does not ascend"},
		{Name: "tau twice", Args: train("--task", "quantile", "--tau", "0.1,0.1", good), Code: contract.ExitUsage, Want: "--tau: \"0.1,0.1\" does not ascend"},
		{Name: "no tau", Args: train("--task", "quantile", "--tau", "0.1,", good), Code: contract.ExitUsage, Want: "--tau: \"\" is not a share in (0, 1)"},
		{Name: "a path of quantiles", Args: []string{"train", "-o", f.At("p%C"), "--task", "quantile", "--tau", "0.1,0.9", "--path-C", "1,2", good}, Code: contract.ExitUsage, Want: "a path cannot hold models of several quantiles"},
		{Name: "a start of quantiles", Args: train("--task", "quantile", "--tau", "0.1,0.9", "--init", good, good), Code: contract.ExitUsage, Want: "--init starts a model of one quantile"},
		{Name: "tau of 1", Args: train("--task", "quantile", "--tau", "1", good), Code: contract.ExitUsage, Want: "--tau: \"1\" is not a share in (0, 1)"},
		{Name: "tau of 0", Args: train("--task", "expectile", "--tau", "0", good), Code: contract.ExitUsage, Want: "--tau: \"0\" is not a share in (0, 1)"},
		{Name: "a tube of expectiles", Args: train("--task", "expectile", "--epsilon", "0.1", good), Code: contract.ExitUsage, Want: "--epsilon is an option of --task svr or quantile or survival alone"},
		{Name: "folds for odds", Args: train("--task", "logistic", "--probability", two), Code: contract.ExitUsage, Want: "--probability has no effect in task logistic: its models give probabilities without folds (leave it out; predict --probability writes them)"},
		{Name: "one classifier for all odds", Args: train("--task", "logistic", "--multiclass", "single", two), Code: contract.ExitUsage, Want: "one classifier for all classes has a hinge loss, and task logistic the log loss"},
		{Name: "uncertain odds", Args: train("--task", "logistic", "--posteriors", "knn:2", two), Code: contract.ExitUsage, Want: "posteriors are for task class, and the task is logistic"},
		{Name: "a loss of odds", Args: train("--task", "logistic", "--loss", "hinge", two), Code: contract.ExitUsage, Want: "only task class has a choice of losses, and the task is logistic"},
		{Name: "quasi-Newton for odds", Args: train("--task", "logistic", "--solver", "lbfgs", two), Code: contract.ExitUsage, Want: "solver lbfgs is for task square, whose dual has no bounds and a constant curvature, and not for task logistic"},
		{Name: "C found for odds", Args: train("-C", "joint", "--norm", "1", "--task", "logistic", two), Code: contract.ExitUsage, Want: "C is found for squared losses alone"},
		{Name: "quasi-Newton for expectiles", Args: train("--task", "expectile", "--solver", "lbfgs", good), Code: contract.ExitUsage, Want: "solver lbfgs is for task square, whose dual has no bounds and a constant curvature"},
		{Name: "C found for expectiles", Args: train("-C", "joint", "--norm", "1", "--task", "expectile", good), Code: contract.ExitUsage, Want: "C is found for squared losses alone: squared-hinge in task class, and the loss of task square"},
		{Name: "events without times", Args: train("--task", "svr", "--event", "a", good), Code: contract.ExitUsage, Want: "--event is an option of --task survival or cox alone"},
		{Name: "all censored", Args: train("--task", "survival", f.File("censored", "1.5+ 1:1\n2+ 1:2\n")), Code: contract.ExitInput, Want: f.At("censored") + ": no event: all 2 rows are censored"},
		{Name: "times without survival", Args: train("--time", "a", good), Code: contract.ExitUsage, Want: "--time is an option of --task survival or cox alone"},
		{Name: "time and label", Args: train("--task", "survival", "--time", "t", "--label", "e", f.File("both.csv", "t,e,x\n5,1,0.5\n6,1,1\n")), Code: contract.ExitUsage, Want: "the column of times is \"t\", and that of labels \"e\""},
		{Name: "a time of 0", Args: train("--task", "survival", f.File("zero", "1.5+ 1:1\n0 1:2\n")), Code: contract.ExitInput, Want: f.At("zero") + ":2:1: time \"0\" is not above 0"},
		{Name: "no time", Args: train("--task", "survival", f.File("untimed", "1.5+ 1:1\n1:2\n")), Code: contract.ExitInput, Want: f.At("untimed") + ":2: the row has no time (leave the row out; in a table its cell of --time, --event or"},
		{Name: "a pair in the place of a time", Args: train("--task", "survival", f.File("pair", "1.5+ 1:1\n7:1 1:2\n")), Code: contract.ExitInput, Want: f.At("pair") + ":2:5: feature 1 after feature 7"},
		{Name: "weights of classes for times", Args: train("--task", "survival", "--class-weight", "1=2", good), Code: contract.ExitUsage, Want: "class"},
		{Name: "probabilities of times", Args: train("--task", "survival", "--probability", good), Code: contract.ExitUsage, Want: "probabilities are for tasks with classes, and task survival"},
		{Name: "residuals of intervals", Args: train("--task", "survival", "--conformal", "split:0.3", f.File("between", "1..5 1:1\n2 1:2\n3 1:4\n4 1:3\n")), Code: contract.ExitInput, Want: f.At("between") + ": survival curves from times with upper bounds"},
		{Name: "residuals by class", Args: train("--task", "survival", "--conformal", "folds:3,by-class", good), Code: contract.ExitUsage, Want: "scores by class of a regression"},
		{Name: "a rule for times", Args: train("--task", "survival", "--weights", "rule:mse", good), Code: contract.ExitUsage, Want: "the rule mse is for numbers"},
		{Name: "another event", Args: train("--task", "survival", "--time", "t", "--event", "e", f.File("lung.csv", "t,e,x\n5,1,0.5\n6,2,1\n")), Code: contract.ExitInput, Want: f.At("lung.csv") + ":3:3: \"2\" of column e says neither"},
		{Name: "a bound above the other", Args: train("--task", "survival", f.File("crossed", "1.5+ 1:1\n7..2 1:2\n")), Code: contract.ExitInput, Want: f.At("crossed") + ":2:1: time \"7..2\" has a lower bound above its upper bound"},
		{Name: "bounds of a table", Args: train("--task", "survival", "--time", "t", "--time-upper", "u", f.File("crossed.csv", "t,u,x\n5,6,0.5\n6,2,1\n")), Code: contract.ExitInput, Want: f.At("crossed.csv") + ":3:1: time \"6..2\" has a lower bound above"},
		{Name: "upper bounds alone", Args: train("--task", "survival", f.File("left", "..5 1:1\n..2 1:2\n")), Code: contract.ExitInput, Want: f.At("left") + ": no lower bound: all 2 times are upper bounds"},
		{Name: "no bound", Args: train("--task", "survival", "--time", "t", "--time-upper", "u", f.File("open.csv", "t,u,x\n5,6,0.5\n0,inf,1\n")), Code: contract.ExitInput, Want: f.At("open.csv") + ":3: the row has no time"},
		{Name: "events and upper bounds", Args: train("--task", "survival", "--time", "t", "--time-upper", "u", "--event", "x", f.At("open.csv")), Code: contract.ExitUsage, Want: "column \"x\" has the events, and column \"u\" the upper bounds of times"},
		{Name: "upper bounds without times", Args: train("--task", "svr", "--time-upper", "u", f.At("open.csv")), Code: contract.ExitUsage, Want: "--time-upper is an option of --task survival alone"},
		{Name: "nu without one class", Args: train("--nu", "0.1", "--task", "svr", good), Code: contract.ExitUsage, Want: "--nu is an option of --task oneclass alone"},
		{Name: "nu above 1", Args: train("--nu", "1.01", "--task", "oneclass", good), Code: contract.ExitUsage, Want: "--nu: "},
		{Name: "quasi-Newton for classes", Args: train("--solver", "lbfgs", good), Code: contract.ExitUsage, Want: "solver lbfgs is for task square"},
		{Name: "quasi-Newton for a tube", Args: train("--task", "svr", "--solver", "lbfgs", good), Code: contract.ExitUsage, Want: "solver lbfgs is for task square"},
		{Name: "newton without cox", Args: train("--solver", "newton", good), Code: contract.ExitUsage, Want: "solver newton is for task cox, and not class"},
		{Name: "cox with chunks", Args: train("--task", "cox", "--solver", "chunking", good), Code: contract.ExitUsage, Want: "task cox has only solver newton, and not chunking"},
		{Name: "unknown solver", Args: train("--solver", "simplex", good), Code: contract.ExitUsage, Want: "--solver: "},
		{Name: "C found for a hinge", Args: train("-C", "joint", "--norm", "1", two), Code: contract.ExitUsage, Want: "C is found for squared losses alone"},
		{Name: "C found for a tube", Args: train("-C", "joint", "--norm", "1", "--task", "svr", good), Code: contract.ExitUsage, Want: "C is found for squared losses alone"},
		{Name: "C found for one class", Args: train("-C", "joint", "--norm", "1", "--task", "oneclass", good), Code: contract.ExitUsage, Want: "C is found for squared losses alone"},
		{Name: "C found at another p", Args: train("-C", "joint", "--task", "square", good), Code: contract.ExitUsage, Want: "C is found as a weight that sums to 1 with the others, which takes the block norm p = 1"},
		{Name: "C found with the elastic net", Args: train("-C", "joint", "--task", "square", "--elastic-net", "0.1", good), Code: contract.ExitUsage, Want: "C is found as a weight that sums to 1 with the others, which takes the block norm p = 1"},
		{Name: "C found with fixed weights", Args: train("-C", "joint", "--task", "square", "--weights", "rule:mse", good), Code: contract.ExitUsage, Want: "C is found as a weight that sums to 1 with the others, which takes the block norm p = 1"},
		{Name: "C found by quasi-Newton", Args: train("-C", "joint", "--task", "square", "--norm", "1", "--solver", "lbfgs", good), Code: contract.ExitUsage, Want: "C is found by solver chunking, and not lbfgs"},
		{Name: "C found by cutting planes", Args: train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--solver", "cpm", two), Code: contract.ExitUsage, Want: "C is found by solver chunking, and not cpm"},
		{Name: "C found for several classifiers", Args: train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--multiclass", "ovr", two), Code: contract.ExitUsage, Want: "C is found for one classifier"},
		{Name: "C found with probabilities", Args: train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--probability", two), Code: contract.ExitUsage, Want: "probabilities cannot be combined with a C that is found"},
		{Name: "C found with gates", Args: train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--gating", "regions:2", two), Code: contract.ExitUsage, Want: "a C that is found cannot be combined with gates"},
		{Name: "C found with prior weights", Args: train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--kernels", "linear prior=2,poly:2", two), Code: contract.ExitUsage, Want: "prior= and cost= beside a C that is found"},
		{Name: "C found with costs", Args: train("-C", "joint", "--loss", "squared-hinge", "--norm", "1", "--kernels", "linear cost=2,poly:2", two), Code: contract.ExitUsage, Want: "prior= and cost= beside a C that is found"},
		{Name: "C found on a path", Args: []string{"train", "-o", f.At("m%p"), "-C", "joint", "--loss", "squared-hinge", "--path-norm", "1", two}, Code: contract.ExitUsage, Want: "C is found as a weight that sums to 1"},
		{Name: "C no number", Args: train("-C", "joined", good), Code: contract.ExitUsage, Want: "-C: "},
		{Name: "plan of another solver", Args: []string{"plan", "--task", "square", "--solver", "lbfgs", good}, Code: contract.ExitUsage, Want: "plan cannot predict how long --solver lbfgs takes"},
		{Name: "classes in regression", Args: train("--task", "svr", "--positive", "1", good), Code: contract.ExitUsage, Want: "labels of the positive class are for tasks with classes"},
		{Name: "numbers as classes", Args: train(good), Code: contract.ExitInput, Want: good + ":1:1: label"},
	} {
		t.Run(c.Name, func(t *testing.T) { commandtest.Check(t, f, c) })
	}
}
