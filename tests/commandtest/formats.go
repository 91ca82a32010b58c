package commandtest

import (
	"archive/zip"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// rowsOfTest holds the rows of a test in all formats.
type rowsOfTest struct {
	rows, Cols int
	values     []float64 // values holds rows x cols numbers, of which some are zero.
	Labels     []string
}

// NewRows draws rows of two classes. The last column is nowhere zero, so every format shows how many columns there are.
func NewRows(seed uint64, rows, cols int) *rowsOfTest {
	r := rand.New(rand.NewPCG(seed, 0))
	t := &rowsOfTest{rows: rows, Cols: cols}
	for i := range rows {
		sign := float64(2*(i%2) - 1)
		t.Labels = append(t.Labels, []string{"no", "yes"}[i%2])
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

func (t *rowsOfTest) Libsvm() string {
	var b strings.Builder
	for i := range t.rows {
		b.WriteString(t.Labels[i])
		for j, v := range t.values[i*t.Cols : (i+1)*t.Cols] {
			if v != 0 {
				fmt.Fprintf(&b, " %d:%v", j+1, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Columns returns the columns from first to last-1 as an array.
func (t *rowsOfTest) Columns(first, last int, fortran bool) string {
	var values []float64
	add := func(i, j int) { values = append(values, t.values[i*t.Cols+j]) }
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

// Csv returns the rows as a table with the label in the third place. The order, if it is not nil, is the order of the columns.
func (t *rowsOfTest) Csv(separator string, order []int) string {
	var b strings.Builder
	for i := -1; i < t.rows; i++ {
		fields := make([]string, 0, t.Cols+1)
		for j := range t.Cols {
			if order != nil {
				j = order[j]
			}
			if i < 0 {
				fields = append(fields, fmt.Sprintf("part%d.c%d", j/2, j))
			} else {
				fields = append(fields, fmt.Sprint(t.values[i*t.Cols+j]))
			}
		}
		label := "Class"
		if i >= 0 {
			label = t.Labels[i]
		}
		b.WriteString(strings.Join(slices.Insert(fields, 2, label), separator) + "\r\n")
	}
	return b.String()
}

func Gzipped(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

// Words returns the labels as an array of text.
func (t *rowsOfTest) Words() string {
	letters := make([]uint32, 0, 3*t.rows)
	for _, l := range t.Labels {
		word := [3]uint32{}
		for k, c := range []byte(l) {
			word[k] = uint32(c)
		}
		letters = append(letters, word[:]...)
	}
	return array("<U3", fmt.Sprintf("(%d,)", t.rows), false, letters)
}

// Sparse returns the members of a matrix in compressed sparse rows, with labels.
func (t *rowsOfTest) Sparse() map[string]string {
	var data []float64
	var indices []int32
	indptr := []int32{0}
	for i := range t.rows {
		for j, v := range t.values[i*t.Cols : (i+1)*t.Cols] {
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
		"indptr": list("<i4", len(indptr), indptr), "shape": list("<i8", 2, []int64{int64(t.rows), int64(t.Cols)}),
		"format": array("|S3", "()", false, []byte("csr")), "y": t.Words()}
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

// Archive returns a .npz file.
func Archive(members map[string]string) string {
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
