package command

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/commandtest"
)

// TestLabelsAlone: with precomputed matrices a file of labels is enough, as an array, as text and as a column, and the model equals the model of rows without
// features. Matrices are called by the names of their files. Other kernels still need data.
func TestLabelsAlone(t *testing.T) {
	f := commandtest.NewFolder(t)
	rng := datasettest.Random(t, 3)
	const n = 40
	var matrix, rows [][]float64
	var lines, column, labels []string
	for i := range n {
		rows = append(rows, []float64{rng.NormFloat64(), rng.NormFloat64()})
		label := fmt.Sprint(1 - 2*(i%2))
		rows[i][0] += float64(1 - 2*(i%2))
		labels, lines, column = append(labels, label), append(lines, label+"\n"), append(column, fmt.Sprintf("r%d %s\n", i, label))
	}
	for _, x := range rows {
		var values []float64
		for _, y := range rows {
			values = append(values, x[0]*y[0]+x[1]*y[1])
		}
		matrix = append(matrix, values)
	}
	if err := commandtest.WriteArray(f.At("similarity.npy"), matrix); err != nil {
		t.Fatal(err)
	}
	var vector []float64
	for _, l := range labels {
		vector = append(vector, map[string]float64{"1": 1, "-1": -1}[l])
	}
	if err := writeVector(f.At("y.npy"), vector); err != nil {
		t.Fatal(err)
	}
	text := f.File("y.txt", strings.Join(lines, ""))
	table := f.File("t.txt", "name class\n"+strings.Join(column, ""))
	train := func(out string, more ...string) []string {
		return append([]string{"train", "--quiet", "--kernels", "precomputed:" + f.At("similarity.npy"), "-o", f.At(out)}, more...)
	}
	commandtest.Must(t, train("rows", text)...)
	want, err := os.ReadFile(f.At("rows"))
	if err != nil {
		t.Fatal(err)
	}
	for name, labels := range map[string]string{"array": f.At("y.npy"), "text": text, "column": table + ":class"} {
		o := commandtest.Must(t, train(name, "--labels", labels)...)
		if !strings.Contains(o.Stdout, "precomputed:similarity.npy") {
			t.Errorf("%s: the matrix has no name in %s", name, o.Stdout)
		}
		if got, err := os.ReadFile(f.At(name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: another model than of rows without features, %v", name, err)
		}
		commandtest.Must(t, "verify", "--labels", labels, "--gram", f.At("similarity.npy"), f.At(name))
	}
	for _, args := range [][]string{
		train("m"), {"train", "-o", f.At("m"), "--labels", text}, {"train", "-o", f.At("m"), "--labels", text, "--kernels", "linear,precomputed:" + f.At("similarity.npy")},
		{"verify", f.At("rows")},
	} {
		if o := commandtest.Try(args...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "no data file is named") {
			t.Errorf("%q: exit code %d, %s", args, o.Code, o.Stderr)
		}
	}
	for labels, code := range map[string]int{f.At("nowhere"): contract.ExitInput, f.File("empty.txt", ""): contract.ExitInput, text + ":7": contract.ExitInput} {
		if o := commandtest.Try(train("m", "--labels", labels)...); o.Code != code {
			t.Errorf("%s: exit code %d, %s", labels, o.Code, o.Stderr)
		}
	}
}

// TestMatricesAlone: predictions of matrices need neither data nor labels, and are those with labels. --test takes an array of labels. A
// model with kernels of features still needs data.
func TestMatricesAlone(t *testing.T) {
	f := commandtest.NewFolder(t)
	rng := datasettest.Random(t, 5)
	const n, held = 30, 12
	x, y := make([]float64, n+held), make([]float64, n+held)
	for i := range x {
		y[i] = float64(1 - 2*(i%2))
		x[i] = y[i] + rng.NormFloat64()
	}
	products := func(rows []float64) (matrix [][]float64) {
		for _, a := range rows {
			var values []float64
			for _, b := range x[:n] {
				values = append(values, a*b+a*a*b*b)
			}
			matrix = append(matrix, values)
		}
		return matrix
	}
	for name, rows := range map[string][]float64{"k.npy": x[:n], "l.npy": x[n:]} {
		if err := commandtest.WriteArray(f.At(name), products(rows)); err != nil {
			t.Fatal(err)
		}
	}
	for name, labels := range map[string][]float64{"y.npy": y[:n], "z.npy": y[n:]} {
		if err := writeVector(f.At(name), labels); err != nil {
			t.Fatal(err)
		}
	}
	o := commandtest.Must(t, "train", "--quiet", "--kernels", "precomputed:"+f.At("k.npy"), "--labels", f.At("y.npy"), "-o", f.At("m"), "--test", f.At("z.npy"), "--gram-test", f.At("l.npy"))
	labelled := commandtest.Must(t, "predict", "--labels", f.At("z.npy"), "--gram-test", f.At("l.npy"), f.At("m"))
	accuracy := regexp.MustCompile(`accuracy [0-9.]+`).FindString(labelled.Stderr)
	if accuracy == "" || !strings.Contains(o.Stdout, accuracy) {
		t.Errorf("%q is not in %s", accuracy, o.Stdout)
	}
	bare := commandtest.Must(t, "predict", "--gram-test", f.At("l.npy"), f.At("m"))
	if bare.Stdout != labelled.Stdout || strings.Count(bare.Stdout, "\n") != held {
		t.Errorf("%q, and with labels %q", bare.Stdout, labelled.Stdout)
	}
	f.File("rows", "1 1:1\n-1 1:2\n1 1:0.5\n-1 1:3\n")
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "-o", f.At("features"), f.At("rows"))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--gram-test", f.At("l.npy"), f.At("features")}, contract.ExitUsage, "the model has kernels of features"},
		{[]string{f.At("m")}, contract.ExitUsage, "no data file is named"},
		{[]string{"--gram-test", f.At("nowhere"), f.At("m")}, contract.ExitInput, "nowhere"},
		{[]string{"--gram-test", f.At("rows"), f.At("m")}, contract.ExitInput, "rows"},
		{[]string{"--gram-test", f.At("z.npy"), f.At("m")}, contract.ExitInput, "z.npy"},
	} {
		if o := commandtest.Try(append([]string{"predict"}, c.args...)...); o.Code != c.code || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, o.Code, o.Stderr)
		}
	}
}
