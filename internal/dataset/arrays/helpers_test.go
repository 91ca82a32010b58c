package arrays

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"bigmkl/dataset"
)

// npyOf returns a .npy array of little-endian elements, as numpy.save writes it.
func npyOf(descr, shape string, fortran bool, elements any) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	for (10+len(dict))%64 != 63 {
		dict += " "
	}
	dict += "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	b, err := binary.Append(append(b, dict...), binary.LittleEndian, elements)
	if err != nil {
		panic(err)
	}
	return b
}

// member is a member of an archive.
type archived struct {
	name string
	data []byte
}

// npzOf returns an archive, stored or deflated.
func npzOf(method uint16, members ...archived) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name + ".npy", Method: method})
		if err == nil {
			_, err = w.Write(m.data)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// put writes a file and returns its path.
func put(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll copies the rows of files.
func readAll(o Options, inputs ...Input) (rows []dataset.Row, views []dataset.View, err error) {
	s, err := Open(inputs, o)
	if err != nil {
		return nil, nil, err
	}
	views = s.Views()
	rows, err = drain(s)
	return rows, views, err
}

// drain copies the rows of a source and closes it.
func drain(s *Source) (rows []dataset.Row, err error) {
	defer s.Close()
	for {
		r, err := s.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		r.Index, r.Value = append([]int32(nil), r.Index...), append([]float64(nil), r.Value...)
		rows = append(rows, r)
	}
}

// text prints rows as libsvm text.
func text(rows []dataset.Row) string {
	var b bytes.Buffer
	for _, r := range rows {
		b.WriteString(r.Label)
		for k, j := range r.Index {
			fmt.Fprintf(&b, " %d:%v", j+1, r.Value[k])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
