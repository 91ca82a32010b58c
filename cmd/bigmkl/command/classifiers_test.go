package command

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/model"
	"bigmkl/tests/commandtest"
)

// TestClassifiers trains on real data of several classes and looks at all that is said of the
// model.
func TestClassifiers(t *testing.T) {
	for _, c := range []struct {
		data  string
		step  int // between lines for training, and for testing
		least float64
	}{{"iris", 2, 0.9}, {"wine", 2, 0.9}, {"segment", 3, 0.88}, {"pendigits", 16, 0.93}} {
		for _, kind := range []string{model.OneVsRest, model.OneVsOne} {
			t.Run(c.data+" "+kind, func(t *testing.T) { testClassifiers(t, c.data, c.step, c.least, kind) })
		}
	}
}

func testClassifiers(t *testing.T, data string, step int, least float64, kind string) {
	all := commandtest.RealLines(t, filepath.Join(data, data+".libsvm.gz"), 0)
	f := commandtest.NewFolder(t)
	test := commandtest.Every(all, 1, step)
	known := commandtest.FirstWords(test)
	args := []string{"--kernels", "gauss:auto/3,linear", "--scale", "standard", "--multiclass", kind, f.Lines("train", commandtest.Every(all, 0, step))}
	trained := commandtest.Object(t, contract.ExitFine, append([]string{"train", "--quiet", "--json", "-o", f.At("m"), "--test", f.Lines("test", test), "--theta-out", f.At("theta.npy")}, args...)...)
	m, err := model.Read(f.At("m"))
	if err != nil {
		t.Fatal(err)
	}
	classifiers := trained["machines"].([]any)
	if len(classifiers) != len(model.Pairs(kind, len(m.Classes))) || trained["primal"] != nil || trained["theta"] != nil || trained["bias"] != nil || trained["multiclass"] != kind {
		t.Fatalf("%d classifiers, %v", len(classifiers), commandtest.Keys(trained))
	}
	// The output has the classifiers of the model. The files and the output of inspect have the same.
	theta, err := npy.Load(f.At("theta.npy"), m.Len())
	if err != nil {
		t.Fatal(err)
	}
	defer theta.Close()
	if theta.Rows != len(classifiers) {
		t.Errorf("%d rows of weights for %d classifiers", theta.Rows, len(classifiers))
	}
	largest, row, iterations := 0.0, make([]float64, m.Len()), 0.0
	for k, x := range classifiers {
		j, a := x.(map[string]any), &m.Classifiers[k]
		if j["positive"] != m.Classes[a.Positive] || (kind == model.OneVsRest) != (j["negative"] == nil) || j["support_vectors"] != float64(len(a.Support)) {
			t.Errorf("classifier %d: %v", k, j)
		}
		f.Same("bias", j["bias"], a.Bias)
		f.Same("gap", j["relative_gap"], a.Certificate.RelativeGap)
		largest = max(largest, a.Certificate.RelativeGap)
		theta.Row64(k, 0, row)
		for id, th := range a.Theta {
			f.Same("theta", j["theta"].([]any)[id], th)
			f.Same("theta in the file", row[id], th)
		}
		one := commandtest.Object(t, contract.ExitFine, "inspect", "--json", "--class", m.Name(k), f.At("m"))
		f.Same("primal", one["primal"], a.Certificate.Primal)
		f.Same("support vectors", one["support_vectors"], float64(len(a.Support)))
		iterations += j["iterations"].(float64)
		delete(j, "iterations") // A model does not hold them, and inspect does not show them.
	}
	f.Same("iterations of all classifiers", trained["iterations"], iterations)
	f.Same("largest gap", trained["relative_gap"], largest)
	inspected := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("m"))
	if fmt.Sprint(inspected["machines"]) != fmt.Sprint(classifiers) || len(inspected["classes"].([]any)) != len(m.Classes) {
		t.Error("inspect shows other classifiers than train")
	}
	// The figures follow from the lines.
	e := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--decisions", "-o", f.At("out"), f.At("m"), f.At("test"))
	for _, beside := range []string{"model", "contract", "command"} { // keys of predict beside these
		delete(e, beside)
	}
	if tested := trained["test"]; fmt.Sprint(tested) != fmt.Sprint(e) {
		t.Errorf("train says %v, predict %v", tested, e)
	}
	answers := f.Answers("out")
	place := map[string]int{}
	for k, class := range m.Classes {
		place[class] = k
	}
	n, right, matrix := len(m.Classes), 0, [][]int(nil)
	for range n {
		matrix = append(matrix, make([]int, n))
	}
	for i, a := range answers {
		if want := elected(m, a.Decisions); a.Label != want {
			t.Errorf("row %d is %s, by its decisions %v it is %s", i, a.Label, a.Decisions, want)
		}
		matrix[place[known[i]]][place[a.Label]]++
		if a.Label == known[i] {
			right++
		}
	}
	if share := float64(right) / float64(len(known)); share < least {
		t.Errorf("%d of %d rows are right", right, len(known))
	}
	f.Same("accuracy", e["accuracy"], float64(right)/float64(len(known)))
	f.Same("MCC", e["mcc"], commandtest.Correlation(matrix))
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
		want := commandtest.F1(matrix[k][k], predicted, had)
		f.Same("F1", j["f1"], want)
		f.Same("recall", j["recall"], float64(matrix[k][k])/float64(had))
		f.Same("known", j["known"], float64(had))
		macro += want / float64(n)
		if kind == model.OneVsOne {
			continue
		}
		var decisions []float64
		var has []bool
		for i, a := range answers {
			decisions, has = append(decisions, a.Decisions[k]), append(has, known[i] == m.Classes[k])
		}
		want = commandtest.Area(decisions, has)
		if x := j["auc"].(float64); math.Abs(x-want) > 1e-6 { // lines have nine digits
			t.Errorf("AUC of %s is %v, want %v", m.Classes[k], x, want)
		}
		areas += j["auc"].(float64) / float64(n)
	}
	f.Same("macro F1", e["macro_f1"], macro)
	if kind == model.OneVsRest {
		f.Same("macro AUC", e["macro_auc"], areas)
	}
	short := commandtest.Must(t, "predict", f.At("m"), f.At("test")).Stdout
	if !sameLabels(short, f.Read("out")) || len(strings.Fields(short)) != 2*len(answers) {
		t.Errorf("without --decisions:\n%s", short)
	}
	// And the texts.
	text := commandtest.Must(t, "inspect", f.At("m")).Stdout
	for _, want := range []string{"\n" + m.Name(0) + " ", "support vectors", "largest relative gap", describeClassifiers(m)} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if left := len(classifiers) - mostListed; (left > 0) != strings.Contains(text, fmt.Sprintf("\nand %d more", left)) {
		t.Errorf("%d classifiers in\n%s", len(classifiers), text)
	}
	if text := commandtest.Must(t, "inspect", "--all", f.At("m")).Stdout; strings.Contains(text, " more") || !strings.Contains(text, "\n"+m.Name(len(classifiers)-1)+" ") {
		t.Errorf("all classifiers are\n%s", text)
	}
	if b := commandtest.Object(t, contract.ExitFine, "bound", "--json", f.At("m")); b["machines"] != float64(len(classifiers)) || b["models"] != 1.0 {
		t.Errorf("bound: %v classifiers", b["machines"])
	}
}

// elected is the class of a row in the words of the definition.
func elected(m *model.Model, decisions []float64) string {
	if m.Multiclass == model.OneVsRest {
		return m.Classes[slices.Index(decisions, slices.Max(decisions))]
	}
	votes, sums := make([]int, len(m.Classes)), make([]float64, len(m.Classes))
	for k, f := range decisions {
		a, b := m.Classifiers[k].Positive, m.Classifiers[k].Negative
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

// TestStrangeClasses: labels that the model does not know are wrong, those that are missing do not count.
func TestStrangeClasses(t *testing.T) {
	f := commandtest.NewFolder(t)
	commandtest.Must(t, "train", "--quiet", "--multiclass", "ovr", "--kernels", "linear,gauss:1", "-C", "10", "-o", f.At("m"), f.File("train", commandtest.ThreeClasses(60)))
	o := commandtest.Try("predict", "--json", f.At("m"), f.File("test", strings.ReplaceAll(commandtest.ThreeClasses(60), "\n2 ", "\n9 ")+"1:1\n"))
	e := commandtest.Decode(t, o.Stdout)
	if !strings.Contains(o.Stderr, "20 rows have labels that are none of the model's 3 classes") || !strings.Contains(o.Stderr, "1 of 61 rows have no label") {
		t.Errorf("standard error %q", o.Stderr)
	}
	others := e["confusion_unknown"].([]any)
	if x := e["accuracy"].(float64); x > 2.0/3 || others[0].(float64)+others[1].(float64)+others[2].(float64) != 20 {
		t.Errorf("%v", e)
	}
	if j := e["classes"].([]any)[2].(map[string]any); j["recall"] != nil || j["known"] != 0.0 || j["auc"] != nil {
		t.Errorf("a class that does not occur: %v", j)
	}
	o = commandtest.Must(t, "predict", f.At("m"), f.File("bare", "1:1\n"), "-o", f.At("out"))
	if strings.TrimSpace(o.Stdout) != "1 rows" {
		t.Errorf("without labels: %q", o.Stdout)
	}
}

// TestTwoClassesAreOneClassifier: the plain model, and one warning.
func TestTwoClassesAreOneClassifier(t *testing.T) {
	f, data, _, path := commandtest.Trained(t)
	for _, kind := range []string{"ovr", "ovo"} {
		o := commandtest.Must(t, "train", "--multiclass", kind, "--kernels", "gauss:0.05,linear", "-o", f.At("new"), data)
		if f.Read("new") != f.Read(filepath.Base(path)) || strings.Count(o.Stderr, "two classes") != 1 {
			t.Errorf("%s: another model, or standard error %q", kind, o.Stderr)
		}
	}
}

// TestClassifiersReported: the text of train, its progress, and how it ends before the gap is
// reached.
func TestClassifiersReported(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train", commandtest.ThreeClasses(90))
	o := commandtest.Must(t, "train", "--multiclass", "ovo", "--kernels", "gauss:1,linear", "-o", f.At("m"), "--class-weight", "2=3", data)
	for _, want := range []string{"iterations of 3 classifiers: largest relative gap", "\n0 and 1     30    30 ", "averaged over 3 classifiers:\nkernel "} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("no %q in\n%s", want, o.Stdout)
		}
	}
	if !strings.Contains(o.Stderr, "classifier 1/3, step 1, ") {
		t.Errorf("progress %q", o.Stderr)
	}
	if text := commandtest.Must(t, "inspect", f.At("m")).Stdout; !strings.Contains(text, "cost factors 1 1 3") {
		t.Error(text)
	}
	if text := commandtest.Must(t, "inspect", "--machine", "2", f.At("m")).Stdout; !strings.Contains(text, "0 if f(x) > 0, 2 otherwise; cost factors 1 and 3") {
		t.Errorf("by number:\n%s", text)
	}
	o = commandtest.Try("train", "--quiet", "--multiclass", "ovr", "--kernels", "gauss:1,linear", "--norm", "1", "--gap", "1e-9", "--max-iter", "1", "-C", "100", "-o", f.At("m"), data)
	m, err := model.Read(f.At("m"))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := m.Convergence().Worst()
	if o.Code != contract.ExitStopped || !strings.Contains(o.Stderr, fmt.Sprintf("the iteration limit was reached at a relative gap of %.3g", c.RelativeGap)) {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
	plan := commandtest.Object(t, contract.ExitFine, "plan", "--quiet", "--json", "--multiclass", "ovo", "--kernels", "linear", data)
	if text := commandtest.Must(t, "plan", "--quiet", "--task", "rkda", "--kernels", "linear", data).Stdout; !strings.Contains(text, "3 columns of dual variables are trained together") {
		t.Errorf("the columns of one problem: %s", text)
	}
	if text := commandtest.Must(t, "plan", "--quiet", "--multiclass", "ovo", "--kernels", "linear", data).Stdout; plan["machines"] != 3.0 || !strings.Contains(text, "3 classifiers are trained one after the other") {
		t.Errorf("%v in\n%s", plan["machines"], text)
	}
}

// TestOneThetaOnTheCommandLine: one set of weights, one certificate for the whole, which verify confirms.
func TestOneThetaOnTheCommandLine(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.Lines("train", commandtest.Every(commandtest.RealLines(t, filepath.Join("segment", "segment.libsvm.gz"), 0), 0, 4))
	trained := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "-o", f.At("m"), "--kernels", "gauss:auto/3,linear", "--scale", "standard", "--multiclass", "ovr", "--one-theta", data)
	m, err := model.Read(f.At("m"))
	if err != nil {
		t.Fatal(err)
	}
	f.Same("primal", trained["primal"], m.Certificate.Primal)
	f.Same("gap", trained["relative_gap"], m.Certificate.RelativeGap)
	for id, th := range m.Shared() {
		f.Same("theta", trained["theta"].([]any)[id], th)
	}
	if gap := m.Certificate.RelativeGap; !m.OneTheta || !(gap <= 1e-3) {
		t.Errorf("one theta: %v, gap %v", m.OneTheta, gap)
	}
	inspected := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("m"))
	f.Same("primal of inspect", inspected["primal"], m.Certificate.Primal)
	verified := commandtest.Object(t, contract.ExitFine, "verify", "--json", f.At("m"), data)
	if d := math.Abs(verified["primal"].(float64)/m.Certificate.Primal - 1); !(d < 1e-4) {
		t.Errorf("primal %v, verify finds %v", m.Certificate.Primal, verified["primal"])
	}
}
