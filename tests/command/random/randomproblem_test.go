package random

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/dataset/npy"
)

// posed is a random problem as command lines.
type posed struct {
	*rand.Rand
	sample
	family    string // that is wanted
	folder    string // with all of its files
	set       string // where its rows are from
	data      string
	known     string   // the used rows of the data, to predict
	train     []string // arguments of train, except for data, output and options that do not change a model
	verify    []string // arguments of verify beside model and data
	predict   []string // those of predict
	out       string   // the output, %p and %C in it for paths
	gap       float64  // asked for
	p         float64  // block norm, 0 if the norm is not a plain one
	solver    string
	several   string // kind of classifiers
	once      bool   // has no checkpoints
	missing   bool   // rows lack views
	centred   bool   // kernels are centred
	gates     string // regions or fixed, "" for none
	columns   bool   // the task is rkda, or one classifier has a function for each class
	shared    bool   // several classifiers share their gates
	projected bool   // kernels see projected features
	mixture   bool   // the task is med or mixture
	pairs     bool   // and the solver smo
	joint     bool   // the cost is found along with the weights
	limit     int    // of iterations, 0 for none
	banks     drawn
}

// poseOnce draws a problem, likely of the family, and writes its files.
func poseOnce(t testing.TB, rng *rand.Rand, seed uint64, folder, family string) *posed {
	t.Helper()
	q := &posed{Rand: rng, family: family, folder: folder, out: "m", gap: 1e-3}
	q.set, q.sample = drawSample(t, rng, seed)
	q.data = q.write(t, "data", q.text(q.rows))
	q.known = q.data
	q.drawTask(t)
	q.drawBank(t)
	q.drawProjection()
	q.drawGates(t)
	q.drawMissing(t)
	q.drawCentred()
	q.drawNorm(t)
	q.drawSolver()
	q.drawRest(t)
	q.drawStart()
	q.drawPosteriors(t)
	q.drawCalibration(t)
	return q
}

func (q *posed) write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(q.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (q *posed) add(args ...string) { q.train = append(q.train, args...) }

// drawTask draws what is to be learnt, and what errors cost.
func (q *posed) drawTask(t testing.TB) {
	names := labelsOf(q.rows)
	tasks := []string{"class", "class", "class", "class", "class", "svr", "square", "oneclass", anyOf(q.Rand, "quantile", "huber", "expectile", "logistic")}
	switch q.kind {
	case realNumbers:
		tasks = []string{"svr", "svr", "square", "square", "square", "quantile", "huber", "expectile", "survival", "cox", "oneclass"}
	case labelSets:
		tasks = []string{"class"}
	}
	task := anyOf(q.Rand, tasks...)
	if task == "class" && q.kind == twoClasses && q.oneIn(8, "med") {
		q.mixture = true
		q.add("--task", anyOf(q.Rand, "med", "med", "mixture"), "--restarts", strconv.Itoa(1+q.IntN(3)), "--rounds", strconv.Itoa(1+q.IntN(4)))
		return
	}
	if task == "class" && q.kind != labelSets && len(names) > 1 && q.oneIn(7, "rkda") {
		q.drawDiscriminant()
		return
	}
	if task != "class" || q.IntN(4) == 0 {
		q.add("--task", task)
	}
	switch task {
	case "class":
		q.drawClasses(t, names)
		if !q.columns && q.IntN(6) == 0 {
			q.add("--loss", "squared-hinge")
			q.joint = q.several == "" && !q.once && q.IntN(2) == 0
		}
	case "logistic":
		q.drawClasses(t, names)
		if q.IntN(2) == 0 {
			q.predict = append(q.predict, "--probability")
		}
	case "svr":
		if q.IntN(2) == 0 {
			q.add("--epsilon", between(q.Rand, -4, 1))
		}
	case "quantile":
		tau := anyOf(q.Rand, "0.5", "0.1", "0.9", "0.01,0.975", "0.1,0.5,0.9")
		if strings.Contains(tau, ",") {
			q.several = "quantiles"
			if q.IntN(2) == 0 {
				q.predict = append(q.predict, "--no-crossing")
			}
		}
		q.add("--tau", tau)
		if q.IntN(3) == 0 {
			q.add("--epsilon", between(q.Rand, -4, 0))
		}
	case "expectile":
		q.add("--tau", anyOf(q.Rand, "0.5", "0.1", "0.9", "0.01", "0.975"))
	case "survival":
		q.drawTimes(t)
		if q.IntN(3) == 0 {
			q.add("--survival", "ranking")
			q.dropBounds(t)
			q.solver = "chunking"
			return // a ranking has no row weights
		}
		if q.IntN(2) == 0 {
			q.add("--tau", anyOf(q.Rand, "0.5", "0.1", "0.9"))
		}
		if q.IntN(3) == 0 {
			q.add("--epsilon", between(q.Rand, -4, 0))
		}
	case "cox":
		q.drawTimes(t)
		q.dropBounds(t)
		q.solver = "newton"
	case "huber":
		if q.IntN(2) == 0 {
			q.add("--delta", between(q.Rand, -4, 3))
		}
	case "square":
		q.solver = anyOf(q.Rand, "", "", "lbfgs")
		q.joint = q.solver == "" && q.IntN(3) == 0
	case "oneclass":
		if q.IntN(2) == 0 {
			q.add("--nu", anyOf(q.Rand, "0.01", "0.1", "0.3", "0.7", "0.99"))
		}
		return
	}
	if q.IntN(5) == 0 {
		var b strings.Builder
		for range q.rows {
			b.WriteString(between(q.Rand, -1, 1) + "\n")
		}
		weights := []string{"--row-weights", q.write(t, "rowweights", b.String())}
		q.add(weights...)
		q.verify = append(q.verify, weights...)
	}
}

// drawDiscriminant draws a ridge and a rule.
func (q *posed) drawDiscriminant() {
	q.columns = true
	q.add("--task", "rkda")
	switch q.IntN(4) {
	case 0, 1:
		q.add("--lambda", anyOf(q.Rand, "1e-3", between(q.Rand, -6, 2)))
	case 2:
		q.joint = true
	}
	if q.IntN(3) == 0 {
		q.add("--rule", anyOf(q.Rand, "means", "indicator"))
	}
}

// drawClasses draws how classes are told apart.
func (q *posed) drawClasses(t testing.TB, names []string) {
	odds := slices.Contains(q.train, "logistic")
	switch {
	case q.kind == labelSets:
		q.several = "labels"
	case q.kind == manyClasses && len(names) > 2 && q.IntN(5) == 0:
		q.add("--positive", strings.Join(names[:1+q.IntN(len(names)-1)], ","))
		return
	case odds && (q.kind == manyClasses && len(names) > 2 || q.IntN(20) == 0):
		q.several = anyOf(q.Rand, "ovr", "ovr", "ovo", "labels")
	case q.kind == manyClasses && len(names) > 2 || q.IntN(20) == 0:
		q.several = anyOf(q.Rand, "ovr", "ovr", "ovo", "ovo", "labels", "single", "single")
		q.columns = q.several == "single"
	}
	if q.several != "" {
		q.add("--multiclass", q.several)
	}
	if q.kind != labelSets && q.IntN(5) == 0 {
		var list []string
		for _, name := range names {
			list = append(list, name+"="+between(q.Rand, -1, 1))
		}
		q.add("--class-weight", strings.Join(list, ","))
	}
	if !q.columns && !odds && q.IntN(6) == 0 {
		q.add("--probability", "--folds", strconv.Itoa(2+q.IntN(4)))
		q.drawGroups(t)
		q.predict, q.once = append(q.predict, "--probability"), true
	}
}

// drawTimes makes times of the labels, of which some are censored, and writes the rows again.
func (q *posed) drawTimes(t testing.TB) {
	bounded := q.IntN(2) == 0
	for i := range q.rows {
		r := &q.rows[i]
		x, err := strconv.ParseFloat(r.label, 64)
		if err != nil {
			t.Fatal(err)
		}
		time := strconv.FormatFloat(math.Abs(x)+0.01, 'g', -1, 64)
		switch r.label = time; {
		case i == 0 || q.IntN(3) > 0: // an event
		case bounded:
			r.label = anyOf(q.Rand, time+"+", ".."+time, time+".."+strconv.FormatFloat(3*math.Abs(x)+0.1, 'g', -1, 64))
		default:
			r.label += "+"
		}
	}
	q.write(t, "data", q.text(q.rows))
}

// dropBounds makes lower bounds of upper bounds and of intervals of times, and writes the rows again: rankings and cox take no
// others.
func (q *posed) dropBounds(t testing.TB) {
	for i := range q.rows {
		r := &q.rows[i]
		if low, high, found := strings.Cut(r.label, ".."); found {
			r.label = cmp.Or(low, high) + "+"
		}
	}
	q.write(t, "data", q.text(q.rows))
}

// drawBank draws scaling, kernels and their normalisation.
func (q *posed) drawBank(t testing.TB) {
	scale := "none"
	if q.kind != sequenceClasses {
		scale = anyOf(q.Rand, "none", "minmax", "standard", "global")
		q.add("--scale", scale)
	}
	if len(q.views) > 0 {
		var b strings.Builder
		for _, v := range q.views {
			fmt.Fprintf(&b, "%s %d %d\n", v.Name, v.First, v.Last)
		}
		q.add("--views", q.write(t, "views", b.String()))
	}
	positive := q.least >= 0 && scale != "standard" || scale == "minmax"
	b := bank{q.Rand, &q.sample, positive, anyOf(q.Rand, 12, 60, 60, 300)}
	q.banks = b.list()
	if q.IntN(12) == 0 && !q.mixture {
		q.addPrecomputed(t)
	}
	q.add("--normalize", anyOf(q.Rand, "none", "multiplicative", "multiplicative", "spherical"))
	q.add("--store", anyOf(q.Rand, "dense", "sparse", "auto"), "--seed", strconv.Itoa(q.IntN(1000)))
}

// drawGates draws gates of the kernels, some of which are closed.
func (q *posed) drawGates(t testing.TB) {
	if q.columns && q.several != "single" || q.mixture || q.projected || q.solver == "lbfgs" || q.solver == "newton" || q.solver == "chunking" || q.joint || !q.oneIn(5, "gates") {
		return
	}
	if q.IntN(2) == 0 {
		q.drawLearned()
		return
	}
	if q.kind != sequenceClasses && q.IntN(3) > 0 {
		regions := 1 + q.IntN(4)
		q.gates = "regions"
		q.add("--gating", fmt.Sprintf("regions:%d", regions))
		if q.IntN(3) == 0 {
			q.add("--gate-on", anyOf(q.Rand, "1", "pca:1", q.landmarks()))
		}
		for i := range q.banks.counts {
			q.banks.counts[i] *= regions
		}
		return
	}
	q.gates = "fixed"
	file, row := filepath.Join(q.folder, "gates.npy"), make([]float64, q.banks.kernels())
	w, err := npy.Create(file, len(q.rows), len(row), q.IntN(2) == 0)
	if err != nil {
		t.Fatal(err)
	}
	for range q.rows {
		for k := range row {
			row[k] = max(0, 2*q.Float64()-0.5)
		}
		if err := w.WriteRow64(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	q.add("--gating", "fixed:"+file)
	q.verify, q.predict = append(q.verify, "--gates", file), append(q.predict, "--gates", file)
}

// landmarks draws a kernel whose values gates look at, which letters have to have.
func (q *posed) landmarks() string {
	count := 1 + q.IntN(6)
	if q.kind == sequenceClasses {
		return fmt.Sprintf("kernel:%s*%d", anyOf(q.Rand, "spectrum:2", "wd:3", "spectrum:3:1"), count)
	}
	return fmt.Sprintf("kernel:%s*%d", anyOf(q.Rand, "linear", "gauss:auto", "gauss:1", "poly:2", "laplace:0.1", "gauss:mean"), count)
}

// drawGating draws the form of gates, what they look at, a floor and a decay.
func (q *posed) drawGating() {
	q.add("--gating", anyOf(q.Rand, "softmax", "softmax", "sigmoid", "gauss"))
	if q.kind == sequenceClasses {
		q.add("--gate-on", q.landmarks())
	} else if q.IntN(3) == 0 {
		if on := anyOf(q.Rand, "1", "pca:1", q.landmarks(), q.landmarks()); on == "1" || !q.projected {
			q.add("--gate-on", on)
		}
	}
	if q.IntN(3) == 0 {
		q.add("--gate-floor", anyOf(q.Rand, "1e-6", "0.01", "0.3"))
	}
	if q.IntN(3) == 0 {
		q.add("--gate-decay", anyOf(q.Rand, "1e-4", "1e-2", "1"))
	}
}

// drawLearned draws gates that are learned, with copies of kernels.
func (q *posed) drawLearned() {
	q.gates = "learned"
	q.drawGating()
	q.add("--gate-steps", anyOf(q.Rand, "1", "4", "20"), "--gate-tol", anyOf(q.Rand, "1e-2", "1e-3"))
	if q.IntN(4) == 0 {
		q.add("--starts", "2")
	}
	if q.several != "" && q.several != "single" && q.several != "quantiles" && !q.once && q.kind != sequenceClasses && q.IntN(2) == 0 {
		q.shared = true
		q.add("--one-gate")
	}
	for i := range q.banks.specs {
		switch q.IntN(4) {
		case 0:
			copies := 1 + q.IntN(3)
			q.banks.specs[i] += fmt.Sprintf(" copies=%d", copies)
			q.banks.counts[i] *= copies
		case 1:
			q.banks.specs[i] += " gate=" + anyOf(q.Rand, "a", "b")
		}
	}
}

// addPrecomputed adds a kernel as a matrix that the program has made.
func (q *posed) addPrecomputed(t testing.TB) {
	kernel := "gauss:auto"
	if q.kind == sequenceClasses {
		kernel = "spectrum:3"
	}
	file := filepath.Join(q.folder, "K.npy")
	e := launch(q.folder, small, nil, "gram", "--quiet", "--kernels", kernel, "-o", file, q.data)
	if e.Code != contract.ExitFine {
		return // for example, distances that are all 0
	}
	// The matrix lacks k(x,x) of unseen rows, which spherical normalisation asks for.
	spec := "precomputed:" + file + " norm=" + anyOf(q.Rand, "none", "multiplicative")
	q.banks.specs, q.banks.counts = append(q.banks.specs, spec), append(q.banks.counts, 1)
	q.verify = append(q.verify, "--gram", file)
	q.predict = append(q.predict, "--gram-test", file)
}

// drawNorm draws one of the norms, and finishes the kernels, of which some norms ask for more than
// their specification.
func (q *posed) drawNorm(t testing.TB) {
	norm := anyOf(q.Rand, "1", "1.01", "1.0667", "4/3", "2", "3", "8", "50", "inf")
	m := q.banks.kernels()
	weighted := q.IntN(6) == 0
	if q.joint {
		q.p = 1
		q.add("--norm", "1", "--kernels", strings.Join(q.banks.specs, ","))
		return
	}
	if q.mixture {
		q.drawComponents(m)
		return
	}
	if q.projected {
		q.add("--norm", norm, "--kernels", strings.Join(q.banks.specs, ","))
		return
	}
	kind := q.IntN(17)
	if q.gates == "learned" {
		kind = 7 + q.IntN(9) // a block norm
	} else if q.family == "rules" {
		kind = 16
	}
	switch {
	case q.columns && q.gates != "learned":
		if q.several == "single" && q.IntN(3) == 0 {
			norm = anyOf(q.Rand, "3", "8", "inf")
		} else {
			norm = anyOf(q.Rand, "", "1", "1.01", "1.0667", "4/3", "2")
		}
		if norm != "" {
			q.p = normOf(norm)
			q.add("--norm", norm)
		}
		weighted = weighted && q.several == "single"
	case kind == 0:
		q.add("--theta-norm", anyOf(q.Rand, "1", "1.5", "2", "4", "inf"))
	case kind == 1 || q.gates == "regions" && kind < 8:
		q.add("--norm", norm, "--group-norm", anyOf(q.Rand, "1", "4/3", "2", "3", "inf"))
		for i := range q.banks.specs {
			if q.gates != "regions" && (i == 0 || q.IntN(4) > 0) {
				q.banks.specs[i] += fmt.Sprintf(" group=g%d", q.IntN(3))
			}
		}
	case kind == 2:
		q.add("--elastic-net", anyOf(q.Rand, "0", "0.01", "0.3", "0.9", "1"))
	case kind == 3:
		q.add("--theta-norm", anyOf(q.Rand, "1.5", "2", "4"), "--squared-norm", between(q.Rand, -2, 2))
	case kind == 4 && m <= 60:
		near := func(i, j int) float64 { return 1 / float64(1+(i-j)*(i-j)) }
		q.add("--norm-matrix", q.matrix(t, "E.npy", m, near))
	case kind == 5 && m <= 60:
		graph := q.matrix(t, "G.npy", m, func(i, j int) float64 { return float64((i*j + i + j) % 3) })
		q.add("--norm-laplacian", graph+":"+between(q.Rand, -2, 1))
	case kind == 6:
		var b strings.Builder
		for i := range m {
			x := between(q.Rand, -2, 1)
			if i > 0 && q.IntN(4) == 0 {
				x = "0"
			}
			b.WriteString(x + " ")
		}
		q.add("--weights", q.write(t, "weights", b.String()))
		weighted = false
	case kind == 16 && m <= 60 && q.gates == "" && q.several != "labels" && q.several != "quantiles" && !slices.Contains(q.train, "oneclass") && !slices.Contains(q.train, "survival") && q.solver != "newton":
		q.add("--weights", "rule:"+q.rule())
		weighted = false
	default:
		q.p = normOf(norm)
		if q.several == "" && !q.once && q.IntN(14) == 0 && !slices.Contains(q.train, "oneclass") {
			q.drawPath(norm)
			break
		}
		q.add("--norm", norm)
		if (q.several == "ovr" || q.several == "labels" || q.several == "quantiles") && q.p <= 2 && !q.once && q.gates == "" && q.IntN(3) == 0 {
			q.add("--one-theta")
			q.once, weighted = true, false
		}
	}
	for i := range q.banks.specs {
		if weighted && q.IntN(2) == 0 {
			q.banks.specs[i] += " " + anyOf(q.Rand, "prior", "cost") + "=" + between(q.Rand, -2, 2)
		}
	}
	costs := slices.ContainsFunc(q.banks.specs, func(s string) bool { return strings.Contains(s, " cost=") })
	if costs && q.out == "m" && q.IntN(2) == 0 {
		q.add("--cost-power", anyOf(q.Rand, "0", "0.5", "1", "2"))
	} else if costs && q.out != "m" && q.IntN(2) == 0 {
		q.add("--path-cost", anyOf(q.Rand, "0,1", "1,0.5", "0..1/3"))
		q.out += "-%G"
	}
	q.add("--kernels", strings.Join(q.banks.specs, ","))
}

// drawComponents draws the components of two classes from m kernels.
func (q *posed) drawComponents(m int) {
	var sides []string
	for range 2 {
		var list []string
		for range 1 + q.IntN(3) {
			list = append(list, strconv.Itoa(1+q.IntN(m)))
		}
		sides = append(sides, strings.Join(list, ","))
	}
	q.add("--components", strings.Join(sides, "/"), "--kernels", strings.Join(q.banks.specs, ","))
	if slices.Contains(q.train, "med") {
		switch q.IntN(6) {
		case 0, 1:
			q.add("--entropy", "drop")
		case 2:
			q.add("--entropy", "drop", "--solver", "smo")
			q.pairs = true
		case 3:
			q.add("--entropy", "exact")
		}
	}
}

// regressions lists the tasks whose labels are numbers.
var regressions = []string{"svr", "square", "quantile", "huber", "expectile"}

// rule draws a rule for weights that goes with the task.
func (q *posed) rule() string {
	for _, task := range regressions {
		if slices.Contains(q.train, task) {
			return anyOf(q.Rand, "correlation", "mse")
		}
	}
	if q.IntN(2) == 0 {
		q.add("--rule-sample", anyOf(q.Rand, "0", "30", "100"))
		if q.several == "" && q.IntN(5) == 0 {
			return "fsm"
		}
		return anyOf(q.Rand, "align", "alignf", "kandola:0", "kandola:1000", "frobenius")
	}
	return anyOf(q.Rand, "align", "alignf", "frobenius", "accuracy:0", "accuracy:0.4")
}

// drawPath draws several costs, or norms too.
func (q *posed) drawPath(norm string) {
	q.out, q.once, q.p = "m-%p-%C", true, 0
	q.add("--path-C", anyOf(q.Rand, "0.1,10", "0.01..100/3", "1,1000"))
	if q.IntN(2) == 0 {
		norm = anyOf(q.Rand, "1,2", "2,1", "inf,4/3")
		q.add("--path-norm", norm)
	} else {
		q.add("--norm", norm)
	}
}

// matrix writes a symmetric one.
func (q *posed) matrix(t testing.TB, name string, n int, entry func(i, j int) float64) string {
	t.Helper()
	path, row := filepath.Join(q.folder, name), make([]float64, n)
	w, err := npy.Create(path, n, n, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range n {
			row[j] = entry(i, j)
		}
		if err := w.WriteRow64(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// drawSolver draws one of those that have the norm.
func (q *posed) drawSolver() {
	if q.solver == "" && !q.columns && !q.joint && q.p > 0 && q.gates == "" && q.IntN(5) == 0 {
		q.solver = "wrapper"
		if q.p <= 2 {
			q.solver = anyOf(q.Rand, "wrapper", "cpm", "cpm-wrapper")
		}
		q.once = true
	}
	if q.columns && q.several != "single" && q.p <= 1 && q.IntN(4) == 0 {
		q.solver, q.once = "cpm-wrapper", true
		if len(q.rows) <= 60 {
			q.solver = anyOf(q.Rand, "cpm-wrapper", "qcqp", "sdp")
		}
	}
	if (q.solver == "lbfgs" || q.solver == "newton") && q.out != "m" {
		q.solver = "" // paths have no other
	}
	if q.solver != "" {
		q.add("--solver", q.solver)
	}
}

// drawRest draws cost, gap, precision and limits.
func (q *posed) drawRest(t testing.TB) {
	if q.joint && q.columns {
		q.add("--lambda", "joint")
	} else if q.joint {
		q.add("-C", "joint")
	} else if q.out == "m" && !q.columns && !slices.Contains(q.train, "oneclass") && !slices.Contains(q.train, "mixture") {
		q.add("-C", anyOf(q.Rand, "1", between(q.Rand, -3, 6), between(q.Rand, -1, 2)))
	}
	text := anyOf(q.Rand, "1e-2", "3e-3", "1e-3", "1e-4", "1e-5", "1e-6")
	q.gap, _ = strconv.ParseFloat(text, 64)
	precision := anyOf(q.Rand, "auto", "auto", "auto", "32", "64")
	if q.columns && q.solver != "" && precision == "32" {
		precision = "64" // programs have no other
	}
	if (q.centred || q.pairs) && precision == "32" {
		precision = "auto"
	}
	q.add("--gap", text, "--precision", precision)
	if q.IntN(3) > 0 { // what a limit leaves is compared as well
		q.limit = anyOf(q.Rand, 1, 3, 10+q.IntN(30), 100, 300)
		q.add("--max-iter", strconv.Itoa(q.limit))
	}
	if q.IntN(10) == 0 && !slices.Contains(q.verify, "--gram") && q.gates != "fixed" { // a matrix has all rows
		n := min(len(q.rows), len(q.rows)/2+q.IntN(len(q.rows)))
		q.add("--limit", strconv.Itoa(n))
		q.known = q.write(t, "known", q.text(q.rows[:n]))
	}
}

// drawStart draws a model to start from: that of few iterations at another cost.
func (q *posed) drawStart() {
	if q.several != "" || q.columns || q.mixture || q.projected || q.missing || q.centred || slices.Contains(q.train, "cox") || slices.Contains(q.train, "ranking") || q.IntN(10) > 0 {
		return
	}
	file := filepath.Join(q.folder, "start")
	few := []string{"--max-iter", strconv.Itoa(1 + q.IntN(5))}
	args := slices.Concat([]string{"train", "--quiet", "-o", file}, q.train, few)
	if q.out != "m" || !launch(q.folder, small, nil, append(args, q.data)...).finished() {
		return
	}
	q.add("--init", file)
}

// drawPosteriors makes labels uncertain: labels of two classes by a file, with some numbers at the ends and in the
// middle, or by the nearest rows, and labels of one classifier for all by the latter.
func (q *posed) drawPosteriors(t testing.TB) {
	two := q.several == "" && !q.columns && !q.mixture && !q.projected && (q.kind == twoClasses || q.kind == manyClasses || q.kind == sequenceClasses)
	for _, other := range append(slices.Clip(regressions), "oneclass", "squared-hinge", "logistic") {
		two = two && !slices.Contains(q.train, other)
	}
	single := q.several == "single" && q.kind != sequenceClasses
	if !two && !single || q.missing || !q.oneIn(5, "posteriors") {
		return
	}
	if single || q.kind != sequenceClasses && q.IntN(2) == 0 {
		text := "knn:" + strconv.Itoa(1+q.IntN(15))
		if q.features > 1 && q.IntN(3) == 0 {
			text += "@1-2"
		}
		q.add("--posteriors", text)
		return
	}
	rows := len(q.rows)
	if at := slices.Index(q.train, "--limit"); at >= 0 {
		n, _ := strconv.Atoi(q.train[at+1])
		rows = min(rows, n)
	}
	var b strings.Builder
	for range rows {
		b.WriteString(anyOf(q.Rand, "0", "1", "0.5", "0.5011", strconv.FormatFloat(q.Float64(), 'g', -1, 64), strconv.FormatFloat(q.Float64(), 'g', 3, 64)) + "\n")
	}
	q.add("--posteriors", q.write(t, "posteriors", b.String()))
}

// drawGroups gives folds groups of rows in one case of two.
func (q *posed) drawGroups(t testing.TB) {
	if slices.Contains(q.train, "--groups-file") || q.IntN(2) == 0 {
		return
	}
	var b strings.Builder
	most := 2 + q.IntN(len(q.rows))
	for range q.rows {
		fmt.Fprintf(&b, "group %d\n", q.IntN(most))
	}
	q.add("--groups-file", q.write(t, "groups", b.String()))
}

// drawCalibration keeps calibration scores, where rows can be held out.
func (q *posed) drawCalibration(t testing.TB) {
	has := func(text string) bool {
		return slices.ContainsFunc(q.train, func(arg string) bool { return strings.Contains(arg, text) })
	}
	times := slices.Contains(q.train, "survival")
	if times && (len(q.rows) < 40 || has("--limit") || slices.ContainsFunc(q.rows, func(r line) bool { return strings.Contains(r.label, "..") })) {
		return // Few rows without a fold may have no event, and upper bounds have no residuals.
	}
	classes := !times && !slices.ContainsFunc(regressions, func(task string) bool { return slices.Contains(q.train, task) })
	if classes && (q.kind == realNumbers || q.several == "labels") || slices.Contains(q.train, "oneclass") || slices.Contains(q.train, "rkda") || q.out != "m" || q.missing || q.gates == "fixed" || has("precomputed:") || has("--init") ||
		slices.Contains(q.train, filepath.Join(q.folder, "posteriors")) || q.IntN(4) > 0 {
		return
	}
	how := anyOf(q.Rand, "split:0.2", "split:0.5", "split:0.05", "folds:2", "folds:3")
	if classes && q.IntN(2) == 0 {
		how = anyOf(q.Rand, "by-class", how+",by-class")
	}
	q.add("--conformal", how)
	if strings.HasPrefix(how, "folds") && !times {
		q.drawGroups(t)
	}
	if times {
		q.predict = append(q.predict, "--survival-at", anyOf(q.Rand, "1", "0.1,0.5,2", "1e-300,1e300"))
		return
	}
	q.predict = append(q.predict, "--coverage", anyOf(q.Rand, "0.5", "0.9"))
}

// normOf is the number that a text of --norm means.
func normOf(text string) float64 {
	if text == "4/3" {
		return 4.0 / 3
	}
	p, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return p
}
