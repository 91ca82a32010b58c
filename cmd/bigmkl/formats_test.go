package main

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// table holds the rows of a test in all formats.
type table struct {
	rows, cols int
	values     []float64 // values holds rows x cols numbers, of which some are zero.
	labels     []string
}

// newTable draws rows of two classes. The last column is nowhere zero, so that every format says how many there are.
func newTable(seed uint64, rows, cols int) *table {
	r := rand.New(rand.NewPCG(seed, 0))
	t := &table{rows: rows, cols: cols}
	for i := range rows {
		sign := float64(2*(i%2) - 1)
		t.labels = append(t.labels, []string{"no", "yes"}[i%2])
		for j := range cols {
			v := sign*0.5 + r.NormFloat64()
			if j < cols-1 && r.IntN(4) == 0 {
				v = 0
			}
			t.values = append(t.values, v)
		}
	}
	return t
}

func (t *table) libsvm() string {
	var b strings.Builder
	for i := range t.rows {
		b.WriteString(t.labels[i])
		for j, v := range t.values[i*t.cols : (i+1)*t.cols] {
			if v != 0 {
				fmt.Fprintf(&b, " %d:%v", j+1, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// columns returns the columns from first to last-1 as an array.
func (t *table) columns(first, last int, fortran bool) string {
	var values []float64
	add := func(i, j int) { values = append(values, t.values[i*t.cols+j]) }
	if fortran {
		for j := first; j < last; j++ {
			for i := range t.rows {
				add(i, j)
			}
		}
	} else {
		for i := range t.rows {
			for j := first; j < last; j++ {
				add(i, j)
			}
		}
	}
	return array("<f8", fmt.Sprintf("(%d, %d)", t.rows, last-first), fortran, values)
}

// words returns the labels as an array of text.
func (t *table) words() string {
	letters := make([]uint32, 0, 3*t.rows)
	for _, l := range t.labels {
		word := [3]uint32{}
		for k, c := range []byte(l) {
			word[k] = uint32(c)
		}
		letters = append(letters, word[:]...)
	}
	return array("<U3", fmt.Sprintf("(%d,)", t.rows), false, letters)
}

// sparse returns the members of a matrix in compressed sparse rows, with labels.
func (t *table) sparse() map[string]string {
	var data []float64
	var indices []int32
	indptr := []int32{0}
	for i := range t.rows {
		for j, v := range t.values[i*t.cols : (i+1)*t.cols] {
			if v != 0 {
				data, indices = append(data, v), append(indices, int32(j))
			}
		}
		indptr = append(indptr, int32(len(data)))
	}
	list := func(descr string, n int, elements any) string {
		return array(descr, fmt.Sprintf("(%d,)", n), false, elements)
	}
	return map[string]string{"data": list("<f8", len(data), data), "indices": list("<i4", len(data), indices),
		"indptr": list("<i4", len(indptr), indptr), "shape": list("<i8", 2, []int64{int64(t.rows), int64(t.cols)}),
		"format": array("|S3", "()", false, []byte("csr")), "y": t.words()}
}

// array returns a .npy file.
func array(descr, shape string, fortran bool, elements any) string {
	order := map[bool]string{false: "False", true: "True"}[fortran]
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	b, err := binary.Append(append([]byte("\x93NUMPY\x01\x00"), append([]byte{byte(len(dict)), 0}, dict...)...), binary.LittleEndian, elements)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// archive returns a .npz file.
func archive(members map[string]string) string {
	var b strings.Builder
	z := zip.NewWriter(&b)
	for name, data := range members {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write([]byte(data))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// TestFormatsGiveTheSameModel trains on the same rows in every format. The models have the same bytes, each verifies on the
// rows in another format, and predictions of any format are the same.
func TestFormatsGiveTheSameModel(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	f, d := newFolder(t), newTable(seed, 80, 5)
	text := f.file("d.txt", d.libsvm())
	y := f.file("y.npy", d.words())
	train := func(args ...string) string {
		t.Helper()
		must(t, append([]string{"train", "--quiet", "--kernels", "gauss:auto/3,linear@1-3", "--scale", "standard", "-o", f.at("m")}, args...)...)
		return f.read("m")
	}
	want := train(text)
	inputs := map[string][]string{
		"npy":          {f.file("c.npy", d.columns(0, d.cols, false)), "--labels", y},
		"Fortran":      {f.file("f.npy", d.columns(0, d.cols, true)), "--labels", y},
		"name":         {f.file("array", d.columns(0, d.cols, false)), "--labels", y},
		"npz":          {f.file("d.npz", archive(map[string]string{"X": d.columns(0, d.cols, false), "y": d.words()}))},
		"sparse":       {f.file("s.npz", archive(d.sparse()))},
		"text, labels": {f.file("bare", unlabelled(d.libsvm())), "--labels", y},
	}
	for name, args := range inputs {
		if got := train(args...); got != want {
			t.Errorf("%s: the model has other bytes", name)
		}
		must(t, append([]string{"verify", "--quiet", f.at("m")}, args...)...)
		a, b := must(t, "predict", "--quiet", f.at("m"), text), must(t, append([]string{"predict", "--quiet", f.at("m")}, args...)...)
		if a.stdout != b.stdout {
			t.Errorf("%s: other predictions", name)
		}
		for _, command := range []string{"gram", "align", "plan"} {
			more := []string{command, "--quiet", "--kernels", "linear"}
			if command != "plan" {
				more = append(more, "-o", f.at(command))
			}
			must(t, append(more, args...)...)
		}
	}
	must(t, "verify", "--quiet", f.at("m"), text)
}

// unlabelled removes the first word of each line.
func unlabelled(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, " ")
		b.WriteString(rest)
	}
	return b.String()
}

// TestArraysAreViews trains on several arrays, which kernels name by their files, and compares with --views.
func TestArraysAreViews(t *testing.T) {
	const seed = 2
	t.Logf("seed %d", seed)
	f, d := newFolder(t), newTable(seed, 60, 5)
	left, right := f.file("left.npy", d.columns(0, 2, false)), f.file("right.npy", d.columns(2, 5, false))
	y := f.file("y.npy", d.words())
	kernels := []string{"--quiet", "--kernels", "gauss:1@left,linear@right,gauss:0.5@each-view"}
	views := f.file("views", "left 1 2\nright 3 5\n")
	must(t, append([]string{"train", "-o", f.at("want"), "--views", views, f.file("d.txt", d.libsvm())}, kernels...)...)
	must(t, append([]string{"train", "-o", f.at("m"), "--labels", y, left, right}, kernels...)...)
	if f.read("m") != f.read("want") {
		t.Error("two arrays give another model than two views")
	}
	must(t, append([]string{"train", "-o", f.at("named"), "--labels", y, "left=" + f.file("1.npy", d.columns(0, 2, false)), "right=" + right}, kernels...)...)
	if f.read("named") != f.read("want") {
		t.Error("names of views give another model")
	}
	both := f.file("both.npz", archive(map[string]string{"right": d.columns(2, 5, false), "left": d.columns(0, 2, false), "y": d.words()}))
	for _, args := range [][]string{{right, left}, {"right=" + right, "left=" + left}, {both}} {
		if len(args) > 1 {
			args = append(args, "--labels", y)
		}
		must(t, append([]string{"verify", "--quiet", f.at("m")}, args...)...)
	}
}

// TestFormatsThatDoNotFit has a command line for each way in which formats do not go together.
func TestFormatsThatDoNotFit(t *testing.T) {
	f, d := newFolder(t), newTable(3, 20, 4)
	text, x := f.file("d.txt", d.libsvm()), f.file("x.npy", d.columns(0, 4, false))
	y, short := f.file("y.npy", d.words()), f.file("short.npy", newTable(3, 19, 4).words())
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "is an array and", []string{text, x}},
		{exitUsage, "only arrays are views", []string{"left=" + text}},
		{exitUsage, "--views with data", []string{"left=" + x, "--labels", y, "--views", f.file("views", "a 1 2\n")}},
		{exitInput, "the row has no label", []string{x}},
		{exitInput, "short.npy: only 19 labels for more rows", []string{x, "--labels", short}},
		{exitInput, "y.npy: more labels than the 19 rows", []string{f.file("x19.npy", newTable(3, 19, 4).columns(0, 4, false)), "--labels", y}},
		{exitInput, "labels have a file of their own", []string{text, "--labels", y}},
		{exitInput, "neither an .npy nor an .npz", []string{f.file("d.npy", d.libsvm())}},
		{exitInput, "no list", []string{x, "--labels", x}},
		{exitInput, "sequences are text", []string{x, "--labels", y, "--kernels", "wd:3"}},
	} {
		o := try(append([]string{"train", "--quiet", "-o", f.at("m")}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.want) || strings.Count(o.stderr, "\n") != 1 || f.exists("m") {
			t.Errorf("%q: exit code %d\n%s", c.args, o.code, o.stderr)
		}
	}
}
