package command

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/model"
)

// writeTheta writes the weights of a model as a vector, or as a matrix with a row for each of
// several classifiers.
// Column m has the weight of kernel m.
func writeTheta(path string, m *model.Model) error {
	if !m.Several() {
		return writeVector(path, m.Theta)
	}
	rows := make([][]float64, len(m.Classifiers))
	for k := range rows {
		rows[k] = m.Classifiers[k].Theta
	}
	return writeMatrix(path, rows)
}

// writeMatrix writes rows of equal length as a .npy file of float64. The file is written completely
// or not at all.
// There must be at least one row, from which the number of columns comes.
func writeMatrix(path string, rows [][]float64) error { return writeTable(path, rows, len(rows[0])) }

// writeTable is writeMatrix for a table that may be empty.
func writeTable(path string, rows [][]float64, columns int) error {
	w, err := npy.Create(path, len(rows), columns, true)
	if err != nil {
		return err
	}
	// The number of rows is in the head already, so rows follow without a buffer.
	for _, row := range rows {
		if err := w.WriteRow64(row); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}

// writeVector writes a one-dimensional .npy file of float64. The file is written completely or not
// at all. NumPy and R read .npy without text conversion, so all digits survive.
func writeVector(path string, x []float64) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	// NumPy wants the numbers to start at a multiple of 64 bytes, after a preamble of 10 bytes.
	dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", len(x))
	dict += strings.Repeat(" ", 63-(10+len(dict))%64) + "\n"
	// Version 1.0 has a length of two bytes, little-endian.
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	b = append(b, dict...)
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Commit()
}
