package payload

import (
	"bytes"
	"io"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// Npy returns the rows of an array of float16, float32 or float64, rows x features, in either order.
func (f *Form) Npy(body []byte) (*Rows, error) {
	r := bytes.NewReader(body)
	a, err := npy.ReadHeader(r)
	if err != nil {
		return nil, npy.Fault(err, "", "")
	}
	d, data := f.Features, body[len(body)-r.Len():]
	if a.Kind != 'f' || a.Dims != 2 || a.Cols != d || f.Sequences != dataset.Numbers {
		return nil, fail.New(fail.Input, "an array of %v, and the model takes rows x %d of "+
			"floating-point numbers", a, d).WithHint("%s", f.remedy(a))
	}
	return f.array(a, data)
}

// remedy states what to send in place of an array whose type or shape is not one of rows.
func (f *Form) remedy(a *npy.Array) string {
	switch {
	case f.Sequences != dataset.Numbers:
		return "sequences are rows of JSON"
	case a.Kind != 'f':
		return "X.astype('float64') converts the type"
	case a.Dims == 1 && a.Rows == f.Features:
		return "X.reshape(1, -1) is one row"
	}
	return "a row has a value for each feature of the model"
}

// array returns the rows of an array with as many columns as the model has features.
func (f *Form) array(a *npy.Array, data []byte) (*Rows, error) {
	d := f.Features
	if a.Bytes != int64(len(data)) {
		return nil, fail.New(fail.Input, "the array has %d bytes, and its shape %d", len(data), a.Bytes)
	}
	s := &Rows{form: f, row: dataset.Row{File: File}, values: make([]float64, d)}
	s.next = func() error {
		i := s.row.Line - 1
		if i == a.Rows {
			return io.EOF
		}
		for j := range s.values {
			at := i*d + j
			if a.Fortran {
				at = j*a.Rows + i
			}
			a.Float64s(s.values[j:j+1], data[at*a.Size:])
			if !float.Finite(s.values[j]) && !(f.Imputes && math.IsNaN(s.values[j])) {
				return s.fault("value %d is %g", j+1, s.values[j])
			}
		}
		return s.addDense()
	}
	return s, nil
}
