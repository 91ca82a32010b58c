package arrays

import (
	"archive/zip"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// TestTypesOfNumbers reads the same small numbers from arrays of every type and order.
func TestTypesOfNumbers(t *testing.T) {
	const want = " 1:1 3:2\n 2:3\n"
	for _, c := range []struct {
		descr    string
		elements any
		fortran  any
	}{
		{"<f8", []float64{1, 0, 2, 0, 3, 0}, []float64{1, 0, 0, 3, 2, 0}},
		{"<f4", []float32{1, 0, 2, 0, 3, 0}, []float32{1, 0, 0, 3, 2, 0}},
		{"<f2", []uint16{0x3c00, 0, 0x4000, 0x8000, 0x4200, 0}, []uint16{0x3c00, 0x8000, 0, 0x4200, 0x4000, 0}},
		{"<i8", []int64{1, 0, 2, 0, 3, 0}, []int64{1, 0, 0, 3, 2, 0}},
		{"<u8", []uint64{1, 0, 2, 0, 3, 0}, []uint64{1, 0, 0, 3, 2, 0}},
		{"<i4", []int32{1, 0, 2, 0, 3, 0}, []int32{1, 0, 0, 3, 2, 0}},
		{"<u4", []uint32{1, 0, 2, 0, 3, 0}, []uint32{1, 0, 0, 3, 2, 0}},
		{"<i2", []int16{1, 0, 2, 0, 3, 0}, []int16{1, 0, 0, 3, 2, 0}},
		{"<u2", []uint16{1, 0, 2, 0, 3, 0}, []uint16{1, 0, 0, 3, 2, 0}},
		{"|i1", []int8{1, 0, 2, 0, 3, 0}, []int8{1, 0, 0, 3, 2, 0}},
		{"|u1", []uint8{1, 0, 2, 0, 3, 0}, []uint8{1, 0, 0, 3, 2, 0}},
	} {
		for _, fortran := range []bool{false, true} {
			elements := c.elements
			if fortran {
				elements = c.fortran
			}
			array := npyOf(c.descr, "(2, 3)", fortran, elements)
			for name, data := range map[string][]byte{"x.npy": array, "x.npz": npzOf(zip.Store, archived{"X", array})} {
				rows, views, err := readAll(Options{}, Input{Path: put(t, name, data)})
				if err != nil || text(rows) != want || views != nil {
					t.Errorf("%s of %s, Fortran %v: %v, %v, %q", name, c.descr, fortran, err, views, text(rows))
				}
			}
		}
	}
	rows, _, err := readAll(Options{}, Input{Path: put(t, "x", npyOf("|b1", "(1, 3)", false, []bool{true, false, true}))})
	if err != nil || text(rows) != " 1:1 3:1\n" {
		t.Errorf("truth values: %v, %q", err, text(rows))
	}
}

// TestBlocksOfFortranOrder: rows of an array in Fortran order that takes several blocks equal the rows of the same array in C order.
func TestBlocksOfFortranOrder(t *testing.T) {
	const rows, cols = 3001, 700 // a block has 749 rows, and the last begins within another
	c, f := make([]float64, rows*cols), make([]float64, rows*cols)
	for i := range rows {
		for j := range cols {
			v := float64(i*cols + j)
			c[i*cols+j], f[j*rows+i] = v, v
		}
	}
	shape := fmt.Sprintf("(%d, %d)", rows, cols)
	want, _, err := readAll(Options{}, Input{Path: put(t, "c.npy", npyOf("<f8", shape, false, c))})
	if err != nil {
		t.Fatal(err)
	}
	fortran := npyOf("<f8", shape, true, f)
	for name, data := range map[string][]byte{"f.npy": fortran, "stored.npz": npzOf(zip.Store, archived{"X", fortran}),
		"deflated.npz": npzOf(zip.Deflate, archived{"X", npyOf("<f8", shape, false, c)})} {
		if !testlevel.Tried(t, name, 2, 1) {
			continue
		}
		got, _, err := readAll(Options{}, Input{Path: put(t, name, data)})
		if err != nil || len(got) != rows || text(got) != text(want) {
			t.Fatalf("%s: %v, or the rows differ", name, err)
		}
	}
}

// TestLabels: an array y holds labels of any type, and a list of them can be read alone.
func TestLabels(t *testing.T) {
	x := archived{"X", npyOf("<f8", "(3, 1)", false, []float64{1, 2, 3})}
	unicode := []uint32{'a', 0, 'ü', 'b', 'c', 0}
	for _, c := range []struct {
		y    []byte
		want string
	}{
		{npyOf("<f8", "(3,)", false, []float64{1, -1, 1e3}), "1 -1 1000"},
		{npyOf("<i4", "(3, 1)", false, []int32{1, -1, 7}), "1 -1 7"},
		{npyOf("<u8", "(3,)", false, []uint64{0, 1, 1 << 60}), "0 1 1152921504606846976"},
		{npyOf("|b1", "(3,)", false, []bool{true, false, true}), "1 0 1"},
		{npyOf("<U2", "(3,)", false, unicode), "a üb c"},
		{npyOf("|S2", "(3,)", false, []byte("a\x00bcd\x00")), "a bc d"},
	} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			rows, _, err := readAll(Options{}, Input{Path: put(t, "d.npz", npzOf(method, x, archived{"y", c.y}))})
			var labels []string
			for _, r := range rows {
				labels = append(labels, r.Label)
			}
			if got := strings.Join(labels, " "); err != nil || got != c.want {
				t.Errorf("%v, %q and not %q", err, got, c.want)
			}
		}
		v, err := OpenVector(put(t, "y.npy", c.y))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if word, err := v.Next(); err != nil || len(word) == 0 {
				t.Errorf("%q, %v", word, err)
			}
		}
		v.Close()
	}
	targets := archived{"y", npyOf("<f8", "(3,)", false, []float64{0.1, -2.5, 1e-300})}
	rows, _, err := readAll(Options{Labels: dataset.Targets}, Input{Path: put(t, "d.npz", npzOf(zip.Deflate, x, targets))})
	if err != nil || rows[0].Target != 0.1 || rows[2].Target != 1e-300 {
		t.Errorf("targets: %v, %v", rows, err)
	}
	rows, _, err = readAll(Options{Labels: dataset.Ignored}, Input{Path: put(t, "d.npz", npzOf(zip.Deflate, x, targets))})
	if err != nil || rows[0].Label != "" {
		t.Errorf("labels that are not looked at: %v, %v", rows, err)
	}
}

// sparseOf is a matrix [[0 2 0] [] [3 0 4]] as SciPy writes it, whose last row is not sorted.
func sparseOf(change map[string][]byte) []archived {
	members := []archived{
		{"indices", npyOf("<i4", "(3,)", false, []int32{1, 2, 0})},
		{"indptr", npyOf("<i4", "(4,)", false, []int32{0, 1, 1, 3})},
		{"format", npyOf("|S3", "()", false, []byte("csr"))},
		{"shape", npyOf("<i8", "(2,)", false, []int64{3, 3})},
		{"data", npyOf("<f8", "(3,)", false, []float64{2, 4, 3})},
	}
	for name, data := range change {
		i := slices.IndexFunc(members, func(m archived) bool { return m.name == name })
		if i < 0 {
			members = append(members, archived{name, data})
		} else {
			members[i].data = data
		}
	}
	return members
}

// TestSparse reads a sparse matrix with labels.
func TestSparse(t *testing.T) {
	y := map[string][]byte{"y": npyOf("<i8", "(3,)", false, []int64{1, 2, 1})}
	rows, views, err := readAll(Options{}, Input{Path: put(t, "d.npz", npzOf(zip.Deflate, sparseOf(y)...))})
	if err != nil || text(rows) != "1 2:2\n2\n1 1:3 3:4\n" || views != nil {
		t.Errorf("%v, %v, %q", err, views, text(rows))
	}
}

// TestViews joins the columns of several arrays, and puts them in the order of a model.
func TestViews(t *testing.T) {
	a := put(t, "a.npy", npyOf("<f8", "(2, 2)", false, []float64{1, 2, 3, 4}))
	b := put(t, "b.npz", npzOf(zip.Deflate, sparseOf(nil)...))
	b2 := put(t, "b.npy", npyOf("<f8", "(2, 1)", false, []float64{5, 6}))
	rows, views, err := readAll(Options{}, Input{Path: a}, Input{Path: b2, View: "other"})
	want := []dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "other", First: 3, Last: 3}}
	if err != nil || text(rows) != " 1:1 2:2 3:5\n 1:3 2:4 3:6\n" || !slices.Equal(views, want) {
		t.Errorf("%v, %v, %q", err, views, text(rows))
	}
	both := put(t, "both.npz", npzOf(zip.Store, archived{"other", npyOf("<f8", "(2, 1)", false, []float64{5, 6})},
		archived{"a", npyOf("<f8", "(2, 2)", false, []float64{1, 2, 3, 4})}))
	rows, views, err = readAll(Options{Trained: true, Views: want}, Input{Path: both})
	if err != nil || text(rows) != " 1:1 2:2 3:5\n 1:3 2:4 3:6\n" || !slices.Equal(views, want) {
		t.Errorf("keys of an archive in another order: %v, %v, %q", err, views, text(rows))
	}
	if rows, _, err = readAll(Options{Trained: true, Views: want}, Input{Path: a}, Input{Path: b2}); err != nil || len(rows) != 2 {
		t.Errorf("views in the order of the model: %v", err)
	}
	for message, inputs := range map[string][]Input{
		"3 rows of view b and 2 of view a":         {{Path: a}, {Path: b}},
		"a second view a":                          {{Path: a}, {Path: a}},
		"1 columns of view a, which has 2":         {{Path: b2}, {Path: a}},
		"view new is none of the model's, which a": {{Path: a}, {Path: b2, View: "new"}},
		"3 arrays, and the model has the views a":  {{Path: a}, {Path: b2}, {Path: a, View: "c"}},
	} {
		_, _, err := readAll(Options{Trained: true, Views: want}, inputs...)
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), message) {
			t.Errorf("%v, and not %s", err, message)
		}
	}
}

// TestColumnsOfTheModel: a dense array has a column for each feature of the model; more of them are rejected where the rows are
// read. A sparse one has those that its rows needed.
func TestColumnsOfTheModel(t *testing.T) {
	a := put(t, "a.npy", npyOf("<f8", "(2, 2)", false, []float64{1, 2, 3, 4}))
	sparse := put(t, "b.npz", npzOf(zip.Deflate, sparseOf(nil)...))
	for features := range 5 {
		for _, trained := range []bool{false, true} {
			_, _, err := readAll(Options{Trained: trained, Features: features}, Input{Path: a})
			if want := trained && features > 2; want != errors.Is(err, fail.Input) {
				t.Errorf("2 columns, %d features, trained %t: %v", features, trained, err)
			}
		}
		if _, _, err := readAll(Options{Trained: true, Features: 100}, Input{Path: sparse}); err != nil {
			t.Error(err)
		}
	}
}

// manyMembers returns an archive of n empty members.
func manyMembers(n int) []byte {
	var members []archived
	for i := range n {
		members = append(members, archived{fmt.Sprintf("member%d", i), nil})
	}
	return npzOf(zip.Store, members...)
}

// TestFaults has a file for each way in which arrays cannot be rows.
func TestFaults(t *testing.T) {
	x := npyOf("<f8", "(2, 2)", false, []float64{1, 2, 3, 4})
	one := func(data []byte) []byte { return npzOf(zip.Deflate, archived{"X", data}) }
	changed := func(key string, data []byte) []byte {
		return npzOf(zip.Deflate, sparseOf(map[string][]byte{key: data})...)
	}
	damaged := npzOf(zip.Store, archived{"X", x})
	damaged[200]++ // within the numbers: the checksum is then wrong
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"text", "neither an .npy nor an .npz", []byte("1 1:1\n")},
		{"cut", "do not make", x[:len(x)-1]},
		{"longer", "do not make", append(slices.Clone(x), 0)},
		{"NaN", ":1:2: a value of the array is NaN", npyOf("<f8", "(1, 2)", false, []float64{1, math.NaN()})},
		{"infinite", ":2:1: a value of the array is infinite", npyOf("<f4", "(2, 1)", false, []float32{1, float32(math.Inf(-1))})},
		{"vector", "has 1 dimensions", npyOf("<f8", "(2,)", false, []float64{1, 2})},
		{"huge", "do not make", npyOf("<f8", "(2147483647, 2147483647)", false, []float64{1})},
		{"no rows", "no rows", npyOf("<f8", "(0, 2)", false, []float64{})},
		{"no columns", "no columns", npyOf("<f8", "(2, 0)", false, []float64{})},
		{"text array", "is text and not numbers", npyOf("<U1", "(1, 1)", false, []uint32{'a'})},
		{"complex", "numbers of type complex128 are not read (X.real", npyOf("<c16", "(1, 1)", false, []float64{1, 2})},
		{"many members", "a list of members of more than", manyMembers(20000)},
		{"objects", "the array: an object array is not read, as its elements are pickled objects of Python (numpy.save(FILE, X.astype(float)), or labels.astype(str)", npyOf("|O", "(1, 1)", false, []float64{1})},
		{"objects as labels", "array y: an object array is not read", npzOf(zip.Store, archived{"X", x}, archived{"y", npyOf("|O", "(2,)", false, []byte("\x80\x04"))})},
		{"three dimensions", "has 3 dimensions, and rows of features have 2", npyOf("<f8", "(1, 2, 2)", false, []float64{1, 2, 3, 4})},
		{"empty archive", "", npzOf(zip.Store)},
		{"only y", "no array of features", npzOf(zip.Store, archived{"y", npyOf("<i8", "(1,)", false, []int64{1})})},
		{"twice", "two members", npzOf(zip.Store, archived{"X", x}, archived{"X", x})},
		{"in columns", "compressed column by column", one(npyOf("<f8", "(2, 2)", true, []float64{1, 2, 3, 4}))},
		{"checksum", "damaged", damaged},
		{"labels", "1 labels for 2 rows", npzOf(zip.Store, archived{"X", x}, archived{"y", npyOf("<i8", "(1,)", false, []int64{1})})},
		{"label", `:1: label "1.5" is not an integer`, npzOf(zip.Store, archived{"X", x}, archived{"y", npyOf("<f8", "(2,)", false, []float64{1.5, 1})})},
		{"label without text", "is no text", npzOf(zip.Store, archived{"X", x}, archived{"y", npyOf("<U1", "(2,)", false, []uint32{0xffffffff, 'a'})})},
		{"shape", "do not make", changed("shape", npyOf("<i8", "(2,)", false, []int64{3}))},
		{"rows", "4 numbers in indptr for 4 rows", changed("shape", npyOf("<i8", "(2,)", false, []int64{4, 3}))},
		{"columns", "index 2 of a matrix of 2 columns", changed("shape", npyOf("<i8", "(2,)", false, []int64{3, 2}))},
		{"first", "begins at value 1", changed("indptr", npyOf("<i4", "(4,)", false, []int32{1, 1, 1, 3}))},
		{"backwards", "goes from 3 to 2", changed("indptr", npyOf("<i4", "(4,)", false, []int32{0, 3, 2, 3}))},
		{"values left", "of which the rows take 2", changed("indptr", npyOf("<i4", "(4,)", false, []int32{0, 1, 1, 2}))},
		{"repeated", "column 1 occurs twice", changed("indices", npyOf("<i4", "(3,)", false, []int32{1, 0, 0}))},
		{"NaN of a sparse matrix", ":1:2: a value of array data is NaN", changed("data", npyOf("<f8", "(3,)", false, []float64{math.NaN(), 1, 2}))},
		{"beside", "beside a sparse matrix", changed("X", x)},
	} {
		_, _, err := readAll(Options{}, Input{Path: put(t, "in", c.data)})
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, and not %s", c.name, err, c.want)
		}
	}
}

// TestChange: a file that is written to while it is read is an error, and not a mixture of both.
func TestChange(t *testing.T) {
	path := put(t, "x.npy", npyOf("<f8", "(2, 1)", false, []float64{1, 2}))
	s, err := Open([]Input{{Path: path}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.WriteFile(path, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = s.Next()
	}
	if !errors.Is(err, fail.Input) {
		t.Errorf("the error is %v", err)
	}
}
