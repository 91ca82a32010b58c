package models

import (
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestExportedProbabilities: formats that hold probabilities give those of predict, and others are rejected, unless the probabilities are left out.
func TestExportedProbabilities(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	svm, _ := exec.LookPath("svm-predict")
	for i, c := range []struct{ data, flags, formats string }{
		{"two", "--kernels gauss:0.05", "libsvm onnx"}, {"two", "--kernels gauss:0.05 --positive -1", "libsvm onnx"}, {"classes", "--multiclass ovo --kernels gauss:0.5", "libsvm"},
		{"classes", "--multiclass ovr --kernels gauss:0.5,linear", "onnx"}, {"sets", "--multiclass labels --kernels gauss:0.5", "onnx"},
	} {
		m, data := f.At(fmt.Sprint("p", i)), f.At(c.data)
		commandtest.Must(t, append(append([]string{"train", "--quiet", "--scale", "none", "--probability", "-o", m}, strings.Fields(c.flags)...), data)...)
		names, want := probabilitiesOf(commandtest.Must(t, "predict", "--quiet", "--probability", m, data).Stdout)
		commandtest.Must(t, "export", "-o", f.At("p.json"), m)
		j := commandtest.Decode(t, f.Read("p.json"))
		rows := numbersOf(f.Read(c.data), int(j["settings"].(map[string]any)["features"].(float64)))
		for _, format := range []string{"libsvm", "onnx"} {
			name, out := fmt.Sprintf("%s %s as %s", c.data, c.flags, format), f.At(fmt.Sprintf("p%d.%s", i, format))
			if !strings.Contains(c.formats, format) {
				o := commandtest.Try("export", "-o", out, m)
				hint := "--to json has all"
				if format == "onnx" {
					hint = "--without-probability exports it without them"
				}
				if o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, hint) {
					t.Errorf("%s: exit code %d, %s", name, o.Code, o.Stderr)
				}
				continue
			}
			commandtest.Must(t, "export", "-o", out, m)
			if format == "onnx" {
				_, _, got := evaluateONNX(t, f.Read(fmt.Sprintf("p%d.onnx", i)), rows)
				near(t, name, got, want)
				listed := `["` + strings.Join(names, `","`) + `"]`
				if !strings.Contains(f.Read(fmt.Sprintf("p%d.onnx", i)), listed) {
					t.Errorf("%s: no property %s", name, listed)
				}
				continue
			}
			text := f.Read(fmt.Sprintf("p%d.libsvm", i))
			for k, classifier := range j["machines"].([]any) {
				s := classifier.(map[string]any)["sigmoid"].(map[string]any)
				if a, b := headNumbers(text, "probA"), headNumbers(text, "probB"); len(a) <= k || len(b) <= k || a[k] != s["a"] || b[k] != s["b"] {
					t.Fatalf("%s: sigmoids %v and %v, not %v of classifier %d", name, a, b, s, k+1)
				}
			}
			order := headWords(text, "label")
			if len(order) == 2 {
				// sigmoid_predict of svm.cpp, which is the probability of the first class.
				values := readSVM(text).evaluate(rows, nil)
				for r, v := range values {
					p := 1 / (1 + math.Exp(headNumbers(text, "probA")[0]*v[0]+headNumbers(text, "probB")[0]))
					at := columnOf(names, order[0])
					values[r] = []float64{1 - p, 1 - p}
					values[r][at] = p
				}
				near(t, name+" by the formula", values, want)
			}
			if svm != "" {
				compareSVMProbabilities(t, svm, f, name, out, data, names, want)
			} else {
				t.Log("no svm-predict is installed")
			}
		}
		// Without probabilities every format that holds the kernels holds the model.
		for _, format := range []string{"json", "libsvm", "onnx"} {
			out := f.At("without." + format)
			if o := commandtest.Try("export", "--without-probability", "-o", out, m); o.Code != contract.ExitFine {
				if format == "libsvm" && strings.Contains(o.Stderr, "tells classes apart by pairs") || strings.Contains(o.Stderr, "has one kernel") {
					continue
				}
				t.Errorf("%s %s as %s without probabilities: %s", c.data, c.flags, format, o.Stderr)
				continue
			}
			text := f.Read("without." + format)
			switch format {
			case "json":
				if strings.Contains(text, `"sigmoid":`) {
					t.Error("JSON with sigmoids")
				}
			case "libsvm":
				if strings.Contains(text, "prob") {
					t.Error("LIBSVM with sigmoids")
				}
			case "onnx":
				if _, _, p := evaluateONNX(t, text, rows); p != nil {
					t.Error("ONNX with probabilities")
				}
			}
		}
	}
}

// probabilitiesOf reads what predict --probability writes: the names of the columns, and the last columns of each row.
func probabilitiesOf(text string) (names []string, p [][]float64) {
	first, rest, _ := strings.Cut(text, "\n")
	names = strings.Fields(first)[1:]
	for line := range strings.Lines(rest) {
		words := strings.Fields(line)
		var row []float64
		for _, w := range words[len(words)-len(names):] {
			x, _ := strconv.ParseFloat(w, 64)
			row = append(row, x)
		}
		p = append(p, row)
	}
	return names, p
}

// headWords returns the words of a line of the head of a LIBSVM model.
func headWords(text, key string) []string {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == key {
			return words[1:]
		}
	}
	return nil
}

func headNumbers(text, key string) (list []float64) {
	for _, w := range headWords(text, key) {
		x, _ := strconv.ParseFloat(w, 64)
		list = append(list, x)
	}
	return list
}

// columnOf returns the column of a label, which LIBSVM writes without a plus.
func columnOf(names []string, label string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.TrimPrefix(n, "+") == label })
}

// compareSVMProbabilities runs svm-predict -b 1. It couples pairs to 0.005 / classes alone.
func compareSVMProbabilities(t *testing.T, svm string, f commandtest.Folder, name, model, data string, names []string, want [][]float64) {
	t.Helper()
	numbered := f.File("svm.data", integerLabels(f.Read(data[strings.LastIndex(data, "/")+1:])))
	if b, err := exec.Command(svm, "-q", "-b", "1", numbered, model, f.At("svm.out")).CombinedOutput(); err != nil {
		t.Errorf("%s: svm-predict: %v, %s", name, err, b)
		return
	}
	order, got := probabilitiesOf(f.Read("svm.out"))
	if len(got) != len(want) || len(order) != len(names) {
		t.Fatalf("%s: svm-predict writes %d rows of %v", name, len(got), order)
	}
	bound := 1e-4
	if len(order) > 2 {
		bound = 1e-2
	}
	for i, row := range got {
		for k, p := range row {
			if w := want[i][columnOf(names, order[k])]; math.Abs(p-w) > bound {
				t.Errorf("%s: svm-predict gives class %s of row %d %v, not %v", name, order[k], i+1, p, w)
				return
			}
		}
	}
}
