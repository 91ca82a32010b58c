package payload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// read reads all rows of a source, and copies them.
func read(s *Rows, err error) (rows []dataset.Row, _ error) {
	for err == nil {
		var r dataset.Row
		if r, err = s.Next(); err == nil {
			r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
			rows = append(rows, r)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return rows, err
}

// people are the columns of a table: a number, three words and a number.
var people = &dataset.Columns{Features: []dataset.Column{
	{Name: "age"}, {Name: "job", Categories: []string{"clerk", "cook", "7"}}, {Name: "height"},
}}

// TestForms: every form of a row, with the row that is read, index and value in turn.
func TestForms(t *testing.T) {
	numbers := NewForm(3, dataset.Numbers, nil, 100)
	table := NewForm(5, dataset.Numbers, people, 100)
	letters := NewForm(4, dataset.DNA, nil, 100)
	gaps, gapsTable := NewForm(3, dataset.Numbers, nil, 100), NewForm(6, dataset.Numbers, &dataset.Columns{Features: []dataset.Column{
		{Name: "age", Missing: true}, {Name: "job", Categories: []string{"clerk", "cook"}, Missing: true}, {Name: "height"},
	}}, 100)
	gaps.Imputes, gapsTable.Imputes = true, true
	nan := math.NaN()
	for _, c := range []struct {
		form *Form
		row  string
		want []float64
	}{
		{numbers, `[1, 0, -2.5e-1]`, []float64{0, 1, 2, -0.25}},
		{numbers, "[\n0\t,0 , 0]", nil},
		{numbers, `[0.1, 5e-324, 1E5]`, []float64{0, 0.1, 1, 5e-324, 2, 1e5}},
		{numbers, `{"index": [2], "value": [7]}`, []float64{1, 7}},
		{numbers, `{"value": [7, 0, 1], "index": [1, 2, 3]}`, []float64{0, 7, 1, 0, 2, 1}},
		{numbers, `{"index": [], "value": []}`, nil},
		{numbers, `{"index": [9], "value": [1]}`, []float64{8, 1}}, // Predictions reject it.
		{table, `[1, 0, 1, 0, 2]`, []float64{0, 1, 2, 1, 4, 2}},
		{table, `{"columns": {"age": 30, "job": "cook", "height": 1.75}}`, []float64{0, 30, 2, 1, 4, 1.75}},
		{table, `{"columns": {"height": 0, "job": 7, "age": 1}}`, []float64{0, 1, 3, 1}},
		{table, `{"columns": {"height": 0, "job": " clerk ", "age": 0}}`, []float64{1, 1}},
		{table, `{"columns": {"height": 0, "job": "pilot", "age": 0}}`, nil},
		{gaps, `[null, 2, null]`, []float64{0, nan, 1, 2, 2, nan}},
		{gaps, `{"index": [2], "value": [null]}`, []float64{1, nan}},
		{gapsTable, `{"columns": {"age": null, "job": null, "height": null}}`, []float64{0, nan, 1, 1, 4, 1, 5, nan}},
		{gapsTable, `{"columns": {"age": 3, "job": "", "height": ""}}`, []float64{0, 3, 4, 1, 5, nan}},
		{letters, `"ACgNT"`, []float64{0, 1, 1, 2, 2, 3, 3, 0, 4, 4}},
	} {
		s, err := c.form.JSON([]byte(`{"rows":[` + c.row + `]}`))
		rows, err := read(s, err)
		if err != nil || len(rows) != 1 {
			t.Errorf("%s: %v, %d rows", c.row, err, len(rows))
			continue
		}
		var got []float64
		for k, j := range rows[0].Index {
			got = append(got, float64(j), rows[0].Value[k])
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || rows[0].Line != 1 || (s.Unknown() == 1) != strings.Contains(c.row, "pilot") {
			t.Errorf("%s: %v, want %v; %d unknown", c.row, got, c.want, s.Unknown())
		}
	}
}

// TestFaults: every fault has a message, and the row that it is about.
func TestFaults(t *testing.T) {
	numbers := NewForm(3, dataset.Numbers, nil, 2)
	table := NewForm(5, dataset.Numbers, people, 2)
	letters := NewForm(4, dataset.DNA, nil, 2)
	fine := `{"columns":{"age":1,"job":"cook","height":1}}`
	for _, c := range []struct {
		form *Form
		body string
		row  int
		want string
	}{
		{numbers, ``, 0, "no object"}, {numbers, `[[1,2,3]]`, 0, "no object"}, {numbers, `{"rows":[]`, 0, "unexpected EOF"},
		{numbers, `{"rows":[]} x`, 0, "something follows"}, {numbers, `{"rows":[],"x":1}`, 0, "unknown field"}, {numbers, `{}`, 0, "missing or no array"},
		{numbers, `{"rows":null}`, 0, "missing or no array"}, {numbers, `{"rows":{}}`, 0, "missing or no array"},
		{numbers, `{"rows":[[1,2,3],[1,2]]}`, 2, "2 values"}, {numbers, `{"rows":[[1,2,3,4]]}`, 1, "4 values"}, {numbers, `{"rows":[[1,2,null]]}`, 1, `"null"`},
		{numbers, `{"rows":[[1,2,"3"]]}`, 1, "no finite number"}, {numbers, `{"rows":[[1,2,1e400]]}`, 1, `"1e400"`}, {numbers, `{"rows":[[[1],2,3]]}`, 1, "no finite number"},
		{numbers, `{"rows":[null]}`, 1, "a row is"}, {numbers, `{"rows":["ACGT"]}`, 1, "a row is"}, {numbers, `{"rows":[true]}`, 1, "a row is"}, {numbers, `{"rows":[{}]}`, 1, "index and value"},
		{numbers, `{"rows":[{"index":[1]}]}`, 1, "index and value"}, {numbers, `{"rows":[{"index":[1],"value":null}]}`, 1, "index and value"}, {numbers, `{"rows":[{"index":[1],"value":[]}]}`, 1, "1 indices but 0 values"},
		{numbers, `{"rows":[{"index":[0],"value":[1]}]}`, 1, "index has 0"}, {numbers, `{"rows":[{"index":[1,1],"value":[1,1]}]}`, 1, "index has 1"}, {numbers, `{"rows":[{"index":[2,1],"value":[1,1]}]}`, 1, "index has 1"},
		{numbers, `{"rows":[{"index":[1.5],"value":[1]}]}`, 1, "index has 1.5"}, {numbers, `{"rows":[{"index":[1e300],"value":[1]}]}`, 1, "index has 1e+300"}, {numbers, `{"rows":[{"index":[1],"value":[1],"x":1}]}`, 1, "unknown field"},
		{numbers, `{"rows":[{"columns":{"age":1}}]}`, 1, "no columns"}, {numbers, `{"rows":[[1,2,3],[1,2,3],[1,2,3]]}`, 0, "at most 2 rows"}, {numbers, strings.Repeat(`{"rows":[`, 20000), 0, "exceeded max depth"},
		{table, `{"rows":[{"columns":null}]}`, 1, "no object"}, {table, `{"rows":[{"columns":{}}]}`, 1, "column age is missing"}, {table, strings.Replace(`{"rows":[`+fine+`]}`, `"age":1`, `"age":"1"`, 1), 1, "the value of column age"},
		{table, strings.Replace(`{"rows":[`+fine+`]}`, `"age":1`, `"age":[1]`, 1), 1, "the value of column age"}, {table, strings.Replace(`{"rows":[`+fine+`]}`, `"cook"`, `null`, 1), 1, "the value of column job"},
		{table, strings.Replace(`{"rows":[`+fine+`]}`, `"cook"`, `" "`, 1), 1, "the value of column job"}, {table, strings.Replace(`{"rows":[`+fine+`]}`, `"cook"`, `{"a":1}`, 1), 1, "the value of column job"},
		{table, strings.Replace(`{"rows":[`+fine+`]}`, `"height"`, `"age"`, 1), 1, "comes twice"}, {table, strings.Replace(`{"rows":[`+fine+`]}`, `"height"`, `"weight"`, 1), 1, "column weight is unknown"},
		{letters, `{"rows":[""]}`, 1, "no text with letters"}, {letters, `{"rows":["AC!"]}`, 1, "no letter"}, {letters, `{"rows":[[1,2]]}`, 1, "no text"}, {letters, `{"rows":["` + strings.Repeat("A", dataset.MaxSequence+1) + `"]}`, 1, "more than"},
	} {
		_, err := read(c.form.JSON([]byte(c.body)))
		var e *fail.Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), c.want) || e.Line != c.row || (e.File == File) != (c.row > 0) {
			t.Errorf("%.60s: %v, want row %d, %s", c.body, err, c.row, c.want)
		}
	}
}

// array returns a .npy file of float64.
func array(rows, cols int, values ...float64) []byte {
	b := npy.FormatMatrix(rows, cols)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// TestArrays: arrays of all types and both orders, and what is none.
func TestArrays(t *testing.T) {
	f := NewForm(2, dataset.Numbers, nil, 3)
	whole := array(2, 2, 1, 0, 3, 4)
	for name, body := range map[string][]byte{
		"float64": whole, "fortran": bytes.Replace(array(2, 2, 1, 3, 0, 4), []byte("False,"), []byte("True, "), 1),
		"float32": binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(bytes.Replace(npy.FormatMatrix(2, 2), []byte("f8"), []byte("f4"), 1),
			uint64(math.Float32bits(1))), uint64(math.Float32bits(3))|uint64(math.Float32bits(4))<<32),
		"float16": append(bytes.Replace(npy.FormatMatrix(2, 2), []byte("f8"), []byte("f2"), 1), 0, 0x3c, 0, 0, 0, 0x42, 0, 0x44),
	} {
		rows, err := read(f.Npy(body))
		if err != nil || len(rows) != 2 || !slices.Equal(rows[0].Index, []int32{0}) || !slices.Equal(rows[1].Value, []float64{3, 4}) {
			t.Errorf("%s: %v, %v", name, err, rows)
		}
	}
	if rows, err := read(f.Npy(array(0, 2))); err != nil || rows != nil {
		t.Errorf("no rows: %v", err)
	}
	for name, c := range map[string]struct {
		form *Form
		body []byte
		want string
	}{
		"empty": {f, nil, "cut off"}, "text": {f, []byte(`{"rows": [[1, 2]]}`), "no .npy"}, "too short": {f, whole[:len(whole)-1], "has 31 bytes, and its shape 32"},
		"too long": {f, append(slices.Clone(whole), 0), "has 33 bytes"}, "columns": {f, array(1, 3, 1, 2, 3), "rows x 2"}, "NaN": {f, array(1, 2, 1, math.NaN()), "value 2 is NaN"},
		"infinite": {f, array(1, 2, math.Inf(-1), 1), "value 1 is -Inf"}, "too many": {f, array(4, 2, 1, 2, 3, 4, 5, 6, 7, 8), "at most 3 rows"}, "one dimension": {f, bytes.Replace(whole, []byte("(2, 2)"), []byte("(4,)  "), 1), "rows x 2"},
		"objects": {f, bytes.Replace(whole, []byte("'<f8'"), []byte("'|O' "), 1), "an object array is not read"}, "complex": {f, bytes.Replace(whole, []byte("<f8"), []byte("<c8"), 1), "complex64 are not read (X.real"},
		"whole numbers": {f, bytes.Replace(whole, []byte("f8"), []byte("i8"), 1), "(X.astype('float64') converts the type)"}, "huge": {f, bytes.Replace(whole, []byte("(2, 2),"), []byte("(2147483647, 2)"), 1), ""},
		"sequences": {NewForm(2, dataset.DNA, nil, 3), whole, "sequences are rows of JSON"}, "one row": {f, bytes.Replace(array(1, 2, 1, 2), []byte("(1, 2)"), []byte("(2,)  "), 1), "(X.reshape(1, -1) is one row)"},
		"no features": {NewForm(0, dataset.Numbers, nil, 3), array(1<<30, 0), "at most 3 rows"},
	} {
		if _, err := read(c.form.Npy(c.body)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// FuzzPayload: whatever the bytes are, rows are what the package promises, and errors have a class.
func FuzzPayload(f *testing.F) {
	for _, body := range []string{`{"rows":[[1,2,3,4,5]]}`, `{"rows":[{"index":[1,4],"value":[1,2e5]}]}`, `{"rows":[{"columns":{"age":1,"job":"cook","height":2}}]}`, `{"rows":["ACGT"]}`, string(array(1, 5, 1, 2, 3, 4, 5))} {
		for kind := range byte(4) {
			f.Add([]byte(body), kind)
		}
	}
	forms := []*Form{NewForm(5, dataset.Numbers, nil, 4), NewForm(5, dataset.Numbers, people, 4), NewForm(5, dataset.DNA, nil, 4)}
	f.Fuzz(func(t *testing.T, body []byte, kind byte) {
		form := forms[int(kind/2)%len(forms)]
		open := form.JSON
		if kind%2 == 1 {
			open = form.Npy
		}
		rows, err := read(open(body))
		var e *fail.Error
		if err != nil && (!errors.As(err, &e) || e.Class != fail.Input && e.Class != fail.Budget) {
			t.Fatalf("%v has no class", err)
		}
		if len(rows) > form.Most {
			t.Fatalf("%d rows", len(rows))
		}
		for i, r := range rows {
			if r.Line != i+1 || len(r.Index) != len(r.Value) || !slices.IsSorted(r.Index) {
				t.Fatalf("row %d: %v", i, r)
			}
			for k, v := range r.Value {
				if !float.Finite(v) || k > 0 && r.Index[k] == r.Index[k-1] || r.Index[k] < 0 {
					t.Fatalf("row %d: %v", i, r)
				}
			}
		}
	})
}

// TestRowsTakeNoMemory: no row allocates once there were some.
func TestRowsTakeNoMemory(t *testing.T) {
	f := NewForm(3, dataset.Numbers, nil, 1<<30)
	for name, c := range map[string]struct {
		row  string
		most float64
	}{"dense": {`[1.5,0,-3],`, 0.1}, "sparse": {`{"index":[2],"value":[7]},`, 12}} {
		s, err := f.JSON([]byte(`{"rows":[` + strings.Repeat(c.row, 3000) + `[1,2,3]]}`))
		if err != nil {
			t.Fatal(err)
		}
		for range 500 {
			s.Next()
		}
		if n := testing.AllocsPerRun(2000, func() { s.Next() }); n > c.most {
			t.Errorf("%s: %v allocations a row", name, n)
		}
	}
}
