package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"bigmkl/tests/commandtest"
)

// docFiles makes the files that commands of the documents read and no command before them has made.
func docFiles(t *testing.T, f commandtest.Folder) {
	f.File("train.libsvm.gz", commandtest.Gzipped(commandtest.Text(80, 1)))
	f.File("test.libsvm", commandtest.Text(50, 2))
	f.File("views.txt", "early 1 4\nlate 5 9\n")
	f.File("huge.gz", commandtest.Gzipped(commandtest.Text(200, 3)))
	f.File("a9a.gz", commandtest.Gzipped(commandtest.Text(80, 4)))
	f.File("bank.txt", "gauss:auto/3\nlinear\n")
	f.File("pendigits.libsvm.gz", commandtest.Gzipped(commandtest.Clusters(120, 10)))
	f.File("digits.libsvm", commandtest.Clusters(40, 10))
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	f.File("huge.libsvm.zst", string(w.EncodeAll([]byte(commandtest.Text(200, 5)), nil)))
	f.File("sites.tsv.gz", commandtest.Gzipped(sites(60, 1)))
	f.File("rest.tsv", sites(30, 2))
	f.File("digits.libsvm.gz", commandtest.Gzipped(commandtest.Clusters(120, 10)))
	f.File("digits.views.txt", "FAC 1 2\nFOU 3 3\n")
	f.File("adverts.libsvm.gz", commandtest.Gzipped(commandtest.Text(40, 6)))
	f.File("adverts.views.txt", "GEOM 1 4\nURL 5 9\n")
	f.File("wine.libsvm.gz", commandtest.Gzipped(grades(80)))
	f.File("promoters.csv", promoters(60, 1))
	f.File("more_promoters.csv", promoters(20, 2))
	f.File("patients.csv", tumours(60, 1, "name", "class"))
	f.File("more.csv", tumours(20, 2, "name", "class"))
	f.File("train.csv", tumours(60, 1, "", "class"))
	f.File("huge.csv.gz", commandtest.Gzipped(tumours(60, 1, "", "outcome")))
	f.File("wdbc.csv", tumours(60, 1, "", "diagnosis"))
	f.File("new.csv", tumours(40, 2, "", "diagnosis"))
	a, b := commandtest.NewRows(1, 60, 8), commandtest.NewRows(2, 20, 8)
	f.File("X.npy", a.Columns(0, 8, false))
	f.File("X_test.npy", b.Columns(0, 8, false))
	f.File("y.npy", a.Words())
	f.File("expression.npy", a.Columns(0, 5, false))
	f.File("test1.npy", b.Columns(0, 5, false))
	f.File("mutations.npz", commandtest.Archive(map[string]string{"x": a.Columns(5, 8, false)}))
	f.File("test2.npz", commandtest.Archive(map[string]string{"x": b.Columns(5, 8, false)}))
}

// grades are rows of a regression.
func grades(n int) string {
	r := rand.New(rand.NewPCG(7, 3))
	var b strings.Builder
	for range n {
		x, y := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&b, "%d 1:%.3f 2:%.3f\n", 6+int(math.Round(x-y*y/2)), x, y)
	}
	return b.String()
}

// promoters is a table with a sequence beside two numbers.
func promoters(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("class,site,gc,height\n")
	for i := range n {
		letters := make([]byte, 20)
		for j := range letters {
			letters[j] = "ACGT"[r.IntN(4)]
		}
		if i%2 == 0 {
			copy(letters[8:], "TATA")
		}
		fmt.Fprintf(&b, "%d,%s,%.3f,%.3f\n", i%2, letters, r.Float64(), r.NormFloat64()+float64(i%2))
	}
	return b.String()
}

// tumours is a table like that of the README: a column of names if there is to be one, labels and three views of numbers.
func tumours(n int, seed uint64, name, label string) string {
	var b strings.Builder
	if name != "" {
		b.WriteString(name + ",")
	}
	b.WriteString(label)
	for _, view := range []string{"mean", "error", "worst"} {
		fmt.Fprintf(&b, ",%s.radius,%s.area,%s.concave points", view, view, view)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		b.WriteByte('\n')
		if name != "" {
			fmt.Fprintf(&b, "patient %d,", i)
		}
		b.WriteString([]string{"malignant", "benign"}[i%2])
		for j := range 9 {
			fmt.Fprintf(&b, ",%.4f", 10+float64(j)+float64(2*(i%2)-1)*float64(j%3)/2+r.NormFloat64())
		}
	}
	return b.String() + "\n"
}

// sites is n rows of a label and a sequence, with a word in the middle of those of the first class.
func sites(n int, seed uint64) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(seed, 4))
	for i := range n {
		letters := make([]byte, 60)
		for k := range letters {
			letters[k] = "ACGT"[r.IntN(4)]
		}
		if i%3 == 0 {
			copy(letters[25:], "GATTACA")
		}
		fmt.Fprintf(&b, "%+d\t%s\n", 1-2*min(i%3, 1), letters)
	}
	return b.String()
}
