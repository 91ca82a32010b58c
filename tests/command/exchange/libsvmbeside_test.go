package exchange

import (
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bigmkl/internal/libsvm"
	"bigmkl/tests/commandtest"
)

// theirs runs a program of LIBSVM in a folder. Tests are skipped without it.
func theirs(t *testing.T, f commandtest.Folder, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s of LIBSVM is not installed", program)
	}
	c := exec.Command(path, args...)
	c.Dir = f.Path
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", program, args, err)
	}
	return string(out)
}

// ours runs the same program of this command, with names of files in the folder.
func ours(t *testing.T, program string, args ...string) string {
	t.Helper()
	return commandtest.Must(t, append([]string{program}, args...)...).Stdout
}

// set is a data set: rows to train on and rows to predict, scaled by svm-scale of this command.
type set struct{ train, test string }

// newSet takes rows of a file of real data, every so many of which is one to predict.
func newSet(t *testing.T, f commandtest.Folder, name string, rows int, scaled bool) set {
	t.Helper()
	lines := commandtest.RealLines(t, name+"/"+name+".libsvm.gz", rows)
	var train, test []string
	for i, l := range lines {
		if i%3 == 2 {
			test = append(test, l)
		} else {
			train = append(train, l)
		}
	}
	s := set{f.Lines(name+".train", train), f.Lines(name+".test", test)}
	if scaled {
		range1 := f.At(name + ".range")
		a, b := ours(t, "svm-scale", "-s", range1, s.train), ours(t, "svm-scale", "-r", range1, s.test)
		s = set{f.File(name+".train", a), f.File(name+".test", b)}
	}
	return s
}

// numbers are what a line of a program has: name = number.
var numbers = regexp.MustCompile(`([A-Za-z#][A-Za-z ]*?) = (-?[0-9.e+-]+|nan)`)

// said lists the numbers of a name in a text.
func said(t *testing.T, text, name string) (list []float64) {
	t.Helper()
	for _, m := range numbers.FindAllStringSubmatch(text, -1) {
		if strings.TrimSpace(m[1]) == name {
			x, err := strconv.ParseFloat(strings.TrimSuffix(m[2], "."), 64)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, x)
		}
	}
	return list
}

// TestBesideSvmTrain: models have the objective of svm-train of LIBSVM and, except for ties, the labels of its models, and each
// svm-predict reads the models of the other.
func TestBesideSvmTrain(t *testing.T) {
	for _, c := range []struct {
		name, options string
		rows          int
		scaled        bool
	}{
		{"heart", "-c 1", 0, true}, {"heart", "-t 0 -c 2", 0, true}, {"heart", "-t 1 -g 0.2 -r 1 -d 2", 0, true}, {"heart", "-t 3 -g 0.01", 0, true},
		{"heart", "-c 3 -w1 2 -w-1 0.5", 0, true}, {"a9a", "-c 4 -g 0.03", 1800, false}, {"letter", "-c 8 -g 0.2", 900, true},
		{"concrete", "-s 3 -c 20 -g 0.5", 600, true}, {"concrete", "-s 3 -p 2 -t 0", 300, true}, {"concrete", "-s 2 -n 0.1 -g 0.5", 600, true},
	} {
		t.Run(c.name+c.options, func(t *testing.T) {
			f := commandtest.NewFolder(t)
			s, options := newSet(t, f, c.name, c.rows, c.scaled), strings.Fields(c.options)
			want := theirs(t, f, "svm-train", append(options, s.train, f.At("their.model"))...)
			got := ours(t, "svm-train", append(options, s.train, f.At("our.model"))...)
			their, our := said(t, want, "obj"), said(t, got, "obj")
			if len(their) == 0 || len(their) != len(our) {
				t.Fatalf("%d objectives, and LIBSVM has %d\n%s", len(our), len(their), got)
			}
			for k := range our {
				if math.Abs(our[k]-their[k]) > 1e-3*math.Abs(their[k]) {
					t.Errorf("objective %d is %g, of LIBSVM %g", k, our[k], their[k])
				}
			}
			for _, line := range []string{"optimization finished, #iter = ", ", rho = ", "nSV = ", ", nBSV = "} {
				if strings.Count(got, line) != strings.Count(want, line) {
					t.Errorf("%q is %d times in\n%s", line, strings.Count(got, line), got)
				}
			}
			theirs(t, f, "svm-predict", s.test, "their.model", "tt")
			theirs(t, f, "svm-predict", s.test, "our.model", "to")
			a, b := ours(t, "svm-predict", s.test, f.At("their.model"), f.At("ot")), ours(t, "svm-predict", s.test, f.At("our.model"), f.At("oo"))
			sameLabels(t, f, s, "their.model", "tt", "ot", 1e-5)
			sameLabels(t, f, s, "our.model", "to", "oo", 1e-5)
			sameLabels(t, f, s, "their.model", "tt", "oo", 2e-2)
			if !strings.Contains(a, "(") || !strings.Contains(b, "(") {
				t.Errorf("svm-predict says %q", b)
			}
		})
	}
}

// sameLabels compares two files of predictions of the test rows. They may differ where a decision function of the model is as
// small as the tolerance, and numbers of a regression by the tolerance times the deviation of targets, which is about 16.
func sameLabels(t *testing.T, f commandtest.Folder, s set, model, first, second string, tolerance float64) {
	t.Helper()
	m, err := libsvm.Load(f.At(model))
	if err != nil {
		t.Fatal(err)
	}
	rows, a, b := strings.Split(strings.TrimSpace(f.Read(s.test[len(f.Path)+1:])), "\n"), strings.Fields(f.Read(first)), strings.Fields(f.Read(second))
	if len(a) != len(rows) || len(b) != len(rows) {
		t.Fatalf("%d and %d predictions of %d rows", len(a), len(b), len(rows))
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if m.IsRegression() {
			x, _ := strconv.ParseFloat(a[i], 64)
			y, _ := strconv.ParseFloat(b[i], 64)
			if math.Abs(x-y) > 16*tolerance {
				t.Errorf("%s and %s: row %d is %g and %g", first, second, i+1, x, y)
			}
			continue
		}
		if least := smallest(m, rows[i]); least > tolerance*scale(m) {
			t.Errorf("%s and %s: row %d is %s and %s, and no decision is smaller than %g", first, second, i+1, a[i], b[i], least)
		}
	}
}

// scale is the size of decision values. Decision values of one class are sums of nu n dual variables.
func scale(m *libsvm.Model) float64 {
	if m.Type == libsvm.OneClass {
		return math.Abs(m.Rho[0])
	}
	return 1
}

// smallest is the least magnitude of a decision function at a row, by the definition of the kernel.
func smallest(m *libsvm.Model, row string) float64 {
	x := map[int32]float64{}
	for _, word := range strings.Fields(row)[1:] {
		name, text, _ := strings.Cut(word, ":")
		j, _ := strconv.Atoi(name)
		x[int32(j)], _ = strconv.ParseFloat(text, 64)
	}
	square := 0.0
	for _, v := range x {
		square += v * v
	}
	values := make([]float64, m.Vectors)
	for s := range values {
		index, value := m.Row(s)
		product, own := 0.0, 0.0
		for k, j := range index {
			product += x[j] * float64(value[k])
			own += float64(value[k]) * float64(value[k])
		}
		k := &m.Kernel
		switch k.Kind {
		case libsvm.Linear:
			values[s] = product
		case libsvm.Polynomial:
			values[s] = math.Pow(k.Gamma*product+k.Coef0, float64(k.Degree))
		case libsvm.Sigmoid:
			values[s] = math.Tanh(k.Gamma*product + k.Coef0)
		default:
			values[s] = math.Exp(-k.Gamma * (square + own - 2*product))
		}
	}
	start := make([]int, m.Classes+1)
	for k, n := range m.Counts {
		start[k+1] = start[k] + n
	}
	least, pair := math.Inf(1), 0
	if m.Labels == nil {
		sum := -m.Rho[0]
		for s, v := range values {
			sum += m.Coefs[0][s] * v
		}
		return math.Abs(sum)
	}
	for i := range m.Classes {
		for j := i + 1; j < m.Classes; j++ {
			sum := -m.Rho[pair]
			for s := start[i]; s < start[i+1]; s++ {
				sum += m.Coefs[j-1][s] * values[s]
			}
			for s := start[j]; s < start[j+1]; s++ {
				sum += m.Coefs[i][s] * values[s]
			}
			least, pair = min(least, math.Abs(sum)), pair+1
		}
	}
	return least
}

// TestBesideCrossValidation: folds equal the folds of svm-train of LIBSVM on Linux. So the objectives of each fold are the same, and the
// accuracy differs by a row in 500 at most.
func TestBesideCrossValidation(t *testing.T) {
	for _, c := range []struct {
		name, options string
		rows          int
		scaled        bool
	}{
		{"heart", "-v 5", 0, true}, {"heart", "-v 7 -t 0 -w1 2", 0, true}, {"a9a", "-v 5 -c 16 -g 0.03", 3000, false}, {"a9a", "-v 3 -c 2048 -g 0.03", 4200, false},
		{"letter", "-v 3 -c 8 -g 0.2", 750, true},
		{"concrete", "-v 4 -s 3 -c 20", 600, true}, {"concrete", "-v 3 -s 2 -n 0.1", 300, true}, {"satimage", "-v 5", 1500, false},
	} {
		t.Run(c.name+c.options, func(t *testing.T) {
			f := commandtest.NewFolder(t)
			s, options := newSet(t, f, c.name, c.rows, c.scaled), strings.Fields(c.options)
			want := theirs(t, f, "svm-train", append(options, s.train)...)
			got := ours(t, "svm-train", append(options, s.train)...)
			their, our := said(t, want, "obj"), said(t, got, "obj")
			if len(their) != len(our) || len(our) == 0 {
				t.Fatalf("%d objectives, and LIBSVM has %d", len(our), len(their))
			}
			for k := range our {
				if math.Abs(our[k]-their[k]) > 1e-3*math.Abs(their[k]) {
					t.Errorf("objective %d is %g, of LIBSVM %g", k, our[k], their[k])
				}
			}
			for name, tolerance := range map[string]float64{"Cross Validation Accuracy": 0.2, "Cross Validation Mean squared error": 0.5, "Cross Validation Squared correlation coefficient": 1e-3} {
				a, b := said(t, want, name), said(t, got, name)
				if len(a) != len(b) || len(a) == 1 && math.Abs(a[0]-b[0]) > tolerance {
					t.Errorf("%s: %v, of LIBSVM %v", name, b, a)
				}
			}
		})
	}
}

// TestBesidePrecomputed: rows that have the values of their kernel, some of them held out, give what the kernel itself gives.
func TestBesidePrecomputed(t *testing.T) {
	f := commandtest.NewFolder(t)
	newSet(t, f, "heart", 0, true)
	train, test := kernelRows(f.Read("heart.train"), f.Read("heart.train")), kernelRows(f.Read("heart.train"), f.Read("heart.test"))
	f.File("k.train", train)
	f.File("k.test", test)
	for _, options := range [][]string{{"-c", "3"}, {"-s", "2"}} {
		want := theirs(t, f, "svm-train", append(append([]string{"-t", "4"}, options...), "k.train", "t.model")...)
		got := ours(t, "svm-train", append(append([]string{"-t", "4"}, options...), f.At("k.train"), f.At("o.model"))...)
		a, b := said(t, want, "obj"), said(t, got, "obj")
		if len(a) != 1 || len(b) != 1 || math.Abs(a[0]-b[0]) > 1e-3*math.Abs(a[0]) {
			t.Errorf("%q: objective %v, of LIBSVM %v", options, b, a)
		}
		theirs(t, f, "svm-predict", "k.test", "t.model", "tt")
		theirs(t, f, "svm-predict", "k.test", "o.model", "to")
		ours(t, "svm-predict", f.At("k.test"), f.At("t.model"), f.At("ot"))
		ours(t, "svm-predict", f.At("k.test"), f.At("o.model"), f.At("oo"))
		if f.Read("tt") != f.Read("ot") || f.Read("to") != f.Read("oo") {
			t.Errorf("%q: labels of precomputed kernels differ", options)
		}
	}
	want, got := theirs(t, f, "svm-train", "-t", "4", "-v", "5", "k.train"), ours(t, "svm-train", "-t", "4", "-v", "5", f.At("k.train"))
	if a, b := said(t, want, "Cross Validation Accuracy"), said(t, got, "Cross Validation Accuracy"); len(b) != 1 || math.Abs(a[0]-b[0]) > 0.2 {
		t.Errorf("accuracy %v, of LIBSVM %v", b, a)
	}
}

// kernelRows has a row for each row of a text, with its products with the rows of a training.
func kernelRows(training, text string) string {
	var b strings.Builder
	parse := func(line string) (label string, x map[string]float64) {
		x = map[string]float64{}
		words := strings.Fields(line)
		for _, w := range words[1:] {
			name, v, _ := strings.Cut(w, ":")
			x[name], _ = strconv.ParseFloat(v, 64)
		}
		return words[0], x
	}
	others := strings.Split(strings.TrimSpace(training), "\n")
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		label, x := parse(line)
		b.WriteString(label + " 0:" + strconv.Itoa(i+1))
		for j, other := range others {
			_, z := parse(other)
			distance := 0.0
			for name := range union(x, z) {
				distance += (x[name] - z[name]) * (x[name] - z[name])
			}
			b.WriteString(" " + strconv.Itoa(j+1) + ":" + strconv.FormatFloat(math.Exp(-0.1*distance), 'g', 8, 64))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// union has the names of two rows.
func union(a, b map[string]float64) map[string]bool {
	all := map[string]bool{}
	for _, m := range []map[string]float64{a, b} {
		for name := range m {
			all[name] = true
		}
	}
	return all
}

// TestBesideProbabilities: probabilities of each program's models are the same in the other. Probabilities of the two trainings differ
// because their folds differ.
func TestBesideProbabilities(t *testing.T) {
	for _, c := range []struct {
		name, options string
		rows          int
	}{{"heart", "-b 1", 0}, {"letter", "-b 1 -c 8 -g 0.2", 450}, {"concrete", "-b 1 -s 3 -c 20", 300}} {
		f := commandtest.NewFolder(t)
		s, options := newSet(t, f, c.name, c.rows, true), strings.Fields(c.options)
		theirs(t, f, "svm-train", append(options, s.train, "t.model")...)
		ours(t, "svm-train", append(options, s.train, f.At("o.model"))...)
		theirs(t, f, "svm-predict", "-b", "1", s.test, "t.model", "tt")
		theirs(t, f, "svm-predict", "-b", "1", s.test, "o.model", "to")
		said := ours(t, "svm-predict", "-b", "1", s.test, f.At("t.model"), f.At("ot"))
		ours(t, "svm-predict", "-b", "1", s.test, f.At("o.model"), f.At("oo"))
		if c.name == "concrete" {
			if !strings.Contains(said, "Laplace distribution") {
				t.Errorf("%q", said)
			}
			continue
		}
		// LIBSVM stops the coupling of pairs at 0.005 / classes.
		for _, p := range []struct {
			a, b      string
			tolerance float64
		}{{"tt", "ot", 0.01}, {"to", "oo", 0.01}, {"tt", "oo", 0.25}} {
			a, b := strings.Split(f.Read(p.a), "\n"), strings.Split(f.Read(p.b), "\n")
			if a[0] != b[0] || len(a) != len(b) {
				t.Fatalf("%s: %q and %q", c.name, a[0], b[0])
			}
			for i := 1; i < len(a)-1; i++ {
				x, y := strings.Fields(a[i]), strings.Fields(b[i])
				for k := 1; k < len(x); k++ {
					u, _ := strconv.ParseFloat(x[k], 64)
					v, _ := strconv.ParseFloat(y[k], 64)
					if math.Abs(u-v) > p.tolerance {
						t.Errorf("%s, %s and %s: row %d has %g and %g", c.name, p.a, p.b, i, u, v)
					}
				}
			}
		}
	}
}
