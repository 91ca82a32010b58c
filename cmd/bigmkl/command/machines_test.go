package command

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset/npy"
	"bigmkl/model"
)

// TestMachines trains on real data of several classes and looks at all that is said of the model.
func TestMachines(t *testing.T) {
	for _, c := range []struct {
		data  string
		step  int // between lines for training, and for testing
		least float64
	}{{"iris", 2, 0.9}, {"wine", 2, 0.9}, {"segment", 3, 0.88}, {"pendigits", 16, 0.93}} {
		for _, kind := range []string{model.OneVsRest, model.OneVsOne} {
			t.Run(c.data+" "+kind, func(t *testing.T) { testMachines(t, c.data, c.step, c.least, kind) })
		}
	}
}

func testMachines(t *testing.T, data string, step int, least float64, kind string) {
	all := realLines(t, filepath.Join(data, data+".libsvm.gz"), 0)
	f := newFolder(t)
	test := every(all, 1, step)
	known := firstWords(test)
	args := []string{"--kernels", "gauss:auto/3,linear", "--scale", "standard", "--multiclass", kind, f.lines("train", every(all, 0, step))}
	trained := object(t, contract.ExitFine, append([]string{"train", "--quiet", "--json", "-o", f.at("m"), "--test", f.lines("test", test), "--theta-out", f.at("theta.npy")}, args...)...)
	m, err := model.Read(f.at("m"))
	if err != nil {
		t.Fatal(err)
	}
	machines := trained["machines"].([]any)
	if len(machines) != len(model.Pairs(kind, len(m.Classes))) || trained["primal"] != nil || trained["theta"] != nil || trained["bias"] != nil || trained["multiclass"] != kind {
		t.Fatalf("%d machines, %v", len(machines), keys(trained))
	}
	// The machines are those of the model, and so are the files and what inspect shows of them.
	theta, err := npy.Load(f.at("theta.npy"), m.Len())
	if err != nil {
		t.Fatal(err)
	}
	defer theta.Close()
	if theta.Rows != len(machines) {
		t.Errorf("%d rows of weights for %d machines", theta.Rows, len(machines))
	}
	largest, row := 0.0, make([]float64, m.Len())
	for k, x := range machines {
		j, a := x.(map[string]any), &m.Machines[k]
		if j["positive"] != m.Classes[a.Positive] || (kind == model.OneVsRest) != (j["negative"] == nil) || j["support_vectors"] != float64(len(a.Support)) {
			t.Errorf("machine %d: %v", k, j)
		}
		f.same("bias", j["bias"], a.Bias)
		f.same("gap", j["relative_gap"], a.Certificate.RelativeGap)
		largest = max(largest, a.Certificate.RelativeGap)
		theta.Row64(k, 0, row)
		for id, th := range a.Theta {
			f.same("theta", j["theta"].([]any)[id], th)
			f.same("theta in the file", row[id], th)
		}
		one := object(t, contract.ExitFine, "inspect", "--json", "--machine", m.Name(k), f.at("m"))
		f.same("primal", one["primal"], a.Certificate.Primal)
		f.same("support vectors", one["support_vectors"], float64(len(a.Support)))
	}
	f.same("largest gap", trained["relative_gap"], largest)
	inspected := object(t, contract.ExitFine, "inspect", "--json", f.at("m"))
	if fmt.Sprint(inspected["machines"]) != fmt.Sprint(machines) || len(inspected["classes"].([]any)) != len(m.Classes) {
		t.Error("inspect shows other machines than train")
	}
	// The figures are those of the lines.
	e := object(t, contract.ExitFine, "predict", "--json", "--decisions", "-o", f.at("out"), f.at("m"), f.at("test"))
	for _, beside := range []string{"model", "contract", "command"} { // what predict says beside
		delete(e, beside)
	}
	if tested := trained["test"]; fmt.Sprint(tested) != fmt.Sprint(e) {
		t.Errorf("train says %v, predict %v", tested, e)
	}
	answers := f.answers("out")
	place := map[string]int{}
	for k, class := range m.Classes {
		place[class] = k
	}
	n, right, matrix := len(m.Classes), 0, [][]int(nil)
	for range n {
		matrix = append(matrix, make([]int, n))
	}
	for i, a := range answers {
		if want := elected(m, a.decisions); a.label != want {
			t.Errorf("row %d is %s, by its decisions %v it is %s", i, a.label, a.decisions, want)
		}
		matrix[place[known[i]]][place[a.label]]++
		if a.label == known[i] {
			right++
		}
	}
	if share := float64(right) / float64(len(known)); share < least {
		t.Errorf("%d of %d rows are right", right, len(known))
	}
	f.same("accuracy", e["accuracy"], float64(right)/float64(len(known)))
	f.same("MCC", e["mcc"], correlation(matrix))
	if fmt.Sprint(e["confusion"]) != fmt.Sprint(matrix) {
		t.Errorf("confusion %v, want %v", e["confusion"], matrix)
	}
	macro, areas := 0.0, 0.0
	for k := range n {
		predicted, had := 0, 0
		for l := range n {
			predicted, had = predicted+matrix[l][k], had+matrix[k][l]
		}
		j := e["classes"].([]any)[k].(map[string]any)
		want := f1(matrix[k][k], predicted, had)
		f.same("F1", j["f1"], want)
		f.same("recall", j["recall"], float64(matrix[k][k])/float64(had))
		f.same("known", j["known"], float64(had))
		macro += want / float64(n)
		if kind == model.OneVsOne {
			continue
		}
		var decisions []float64
		var has []bool
		for i, a := range answers {
			decisions, has = append(decisions, a.decisions[k]), append(has, known[i] == m.Classes[k])
		}
		want = area(decisions, has)
		if x := j["auc"].(float64); math.Abs(x-want) > 1e-6 { // lines have nine digits
			t.Errorf("AUC of %s is %v, want %v", m.Classes[k], x, want)
		}
		areas += j["auc"].(float64) / float64(n)
	}
	f.same("macro F1", e["macro_f1"], macro)
	if kind == model.OneVsRest {
		f.same("macro AUC", e["macro_auc"], areas)
	}
	short := must(t, "predict", f.at("m"), f.at("test")).stdout
	if !sameLabels(short, f.read("out")) || len(strings.Fields(short)) != 2*len(answers) {
		t.Errorf("without --decisions:\n%s", short)
	}
	// And the texts.
	text := must(t, "inspect", f.at("m")).stdout
	for _, want := range []string{"\n" + m.Name(0) + " ", "support vectors", "largest relative gap", describeMachines(m)} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if left := len(machines) - mostListed; (left > 0) != strings.Contains(text, fmt.Sprintf("\nand %d more", left)) {
		t.Errorf("%d machines in\n%s", len(machines), text)
	}
	if text := must(t, "inspect", "--all", f.at("m")).stdout; strings.Contains(text, " more") || !strings.Contains(text, "\n"+m.Name(len(machines)-1)+" ") {
		t.Errorf("all machines are\n%s", text)
	}
	if b := object(t, contract.ExitFine, "bound", "--json", f.at("m")); b["machines"] != float64(len(machines)) || b["models"] != 1.0 {
		t.Errorf("bound: %v machines", b["machines"])
	}
}

// elected is the class of a row in the words of the definition.
func elected(m *model.Model, decisions []float64) string {
	if m.Multiclass == model.OneVsRest {
		return m.Classes[slices.Index(decisions, slices.Max(decisions))]
	}
	votes, sums := make([]int, len(m.Classes)), make([]float64, len(m.Classes))
	for k, f := range decisions {
		a, b := m.Machines[k].Positive, m.Machines[k].Negative
		sums[a], sums[b] = sums[a]+f, sums[b]-f
		if f > 0 {
			votes[a]++
		} else {
			votes[b]++
		}
	}
	best := 0
	for k := range votes {
		if votes[k] > votes[best] || votes[k] == votes[best] && sums[k] > sums[best] {
			best = k
		}
	}
	return m.Classes[best]
}

// threeClasses is text of n rows around three points.
func threeClasses(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d 1:%g 2:%g\n", i%3, float64(i%3)+0.01*float64(i), math.Sin(float64(i))+float64(i%3%2))
	}
	return b.String()
}

// TestStrangeClasses: labels that the model does not know are wrong, those that are missing do not count.
func TestStrangeClasses(t *testing.T) {
	f := newFolder(t)
	must(t, "train", "--quiet", "--multiclass", "ovr", "--kernels", "linear,gauss:1", "-C", "10", "-o", f.at("m"), f.file("train", threeClasses(60)))
	o := try("predict", "--json", f.at("m"), f.file("test", strings.ReplaceAll(threeClasses(60), "\n2 ", "\n9 ")+"1:1\n"))
	e := decode(t, o.stdout)
	if !strings.Contains(o.stderr, "20 rows have labels that are none of the model's 3 classes") || !strings.Contains(o.stderr, "1 of 61 rows have no label") {
		t.Errorf("standard error %q", o.stderr)
	}
	others := e["confusion_unknown"].([]any)
	if x := e["accuracy"].(float64); x > 2.0/3 || others[0].(float64)+others[1].(float64)+others[2].(float64) != 20 {
		t.Errorf("%v", e)
	}
	if j := e["classes"].([]any)[2].(map[string]any); j["recall"] != nil || j["known"] != 0.0 || j["auc"] != nil {
		t.Errorf("a class that does not occur: %v", j)
	}
	o = must(t, "predict", f.at("m"), f.file("bare", "1:1\n"), "-o", f.at("out"))
	if strings.TrimSpace(o.stdout) != "1 rows" {
		t.Errorf("without labels: %q", o.stdout)
	}
}

// TestTwoClassesAreOneMachine: the plain model, and one warning.
func TestTwoClassesAreOneMachine(t *testing.T) {
	f, data, _, path := trained(t)
	for _, kind := range []string{"ovr", "ovo"} {
		o := must(t, "train", "--multiclass", kind, "--kernels", "gauss:0.05,linear", "-o", f.at("new"), data)
		if f.read("new") != f.read(filepath.Base(path)) || strings.Count(o.stderr, "two classes") != 1 {
			t.Errorf("%s: another model, or standard error %q", kind, o.stderr)
		}
	}
}

// TestMachinesReported: the text of train, its progress, and how it ends before the gap is reached.
func TestMachinesReported(t *testing.T) {
	f := newFolder(t)
	data := f.file("train", threeClasses(90))
	o := must(t, "train", "--multiclass", "ovo", "--kernels", "gauss:1,linear", "-o", f.at("m"), "--class-weight", "2=3", data)
	for _, want := range []string{"iterations of 3 machines: largest relative gap", "\n0 and 1  30    30 ", "averaged over 3 machines:\nkernel "} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	if !strings.Contains(o.stderr, "machine 1/3, step 1, ") {
		t.Errorf("progress %q", o.stderr)
	}
	if text := must(t, "inspect", f.at("m")).stdout; !strings.Contains(text, "cost factors 1 1 3") {
		t.Error(text)
	}
	if text := must(t, "inspect", "--machine", "2", f.at("m")).stdout; !strings.Contains(text, "0 if f(x) > 0, 2 otherwise; cost factors 1 and 3") {
		t.Errorf("by number:\n%s", text)
	}
	o = try("train", "--quiet", "--multiclass", "ovr", "--kernels", "gauss:1,linear", "--norm", "1", "--gap", "1e-9", "--max-iter", "1", "-C", "100", "-o", f.at("m"), data)
	m, err := model.Read(f.at("m"))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := m.Worst()
	if o.code != contract.ExitStopped || !strings.Contains(o.stderr, fmt.Sprintf("the iteration limit was reached at a relative gap of %.3g", c.RelativeGap)) {
		t.Errorf("exit code %d, %s", o.code, o.stderr)
	}
	plan := object(t, contract.ExitFine, "plan", "--quiet", "--json", "--multiclass", "ovo", "--kernels", "linear", data)
	if text := must(t, "plan", "--quiet", "--task", "rkda", "--kernels", "linear", data).stdout; !strings.Contains(text, "3 columns of dual variables are trained together") {
		t.Errorf("the columns of one problem: %s", text)
	}
	if text := must(t, "plan", "--quiet", "--multiclass", "ovo", "--kernels", "linear", data).stdout; plan["machines"] != 3.0 || !strings.Contains(text, "3 machines are trained one after the other") {
		t.Errorf("%v in\n%s", plan["machines"], text)
	}
}

func TestMachinesUnderEveryFault(t *testing.T) {
	f := newFolder(t)
	data := f.file("train", threeClasses(30))
	args := []string{"train", "--quiet", "--json", "--threads", "1", "--multiclass", "ovo", "--kernels", "linear", "--test", data, "-o", f.at("m"), "--theta-out", f.at("theta"), data}
	everyFault(t, trial{folder: f, run: func() outcome { return try(args...) }, inputs: []string{data}, outputs: []string{"m", "theta"}})
}

// TestOneThetaOnTheCommandLine: one set of weights, one certificate for the whole, which verify confirms.
func TestOneThetaOnTheCommandLine(t *testing.T) {
	f := newFolder(t)
	data := f.lines("train", every(realLines(t, filepath.Join("segment", "segment.libsvm.gz"), 0), 0, 4))
	trained := object(t, contract.ExitFine, "train", "--quiet", "--json", "-o", f.at("m"), "--kernels", "gauss:auto/3,linear", "--scale", "standard", "--multiclass", "ovr", "--one-theta", data)
	m, err := model.Read(f.at("m"))
	if err != nil {
		t.Fatal(err)
	}
	f.same("primal", trained["primal"], m.Certificate.Primal)
	f.same("gap", trained["relative_gap"], m.Certificate.RelativeGap)
	for id, th := range m.Shared() {
		f.same("theta", trained["theta"].([]any)[id], th)
	}
	if gap := m.Certificate.RelativeGap; !m.OneTheta || !(gap <= 1e-3) {
		t.Errorf("one theta: %v, gap %v", m.OneTheta, gap)
	}
	inspected := object(t, contract.ExitFine, "inspect", "--json", f.at("m"))
	f.same("primal of inspect", inspected["primal"], m.Certificate.Primal)
	verified := object(t, contract.ExitFine, "verify", "--json", f.at("m"), data)
	if d := math.Abs(verified["primal"].(float64)/m.Certificate.Primal - 1); !(d < 1e-4) {
		t.Errorf("primal %v, verify finds %v", m.Certificate.Primal, verified["primal"])
	}
}
