package export

import (
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/kernelspec"
)

// jsonObjects is the objects that some columns of rows name, with their scaled features.
type jsonObjects struct {
	Columns  []string     `json:"columns"`
	Names    []string     `json:"names"`
	Scaling  jsonScaling  `json:"scaling"`
	Values   [][]float32  `json:"values"`
	Matrices []jsonMatrix `json:"matrices"`
}

// jsonMatrix is the values of a precomputed kernel between all objects. Number is the one that kernels have.
type jsonMatrix struct {
	Number int         `json:"number"`
	Values [][]float64 `json:"values"`
}

// newJSONObjects converts the objects of a model, nil if its rows have features.
func newJSONObjects(s *objects.Set) []jsonObjects {
	if s == nil {
		return nil
	}
	list := make([]jsonObjects, len(s.Kinds))
	for i, k := range s.Kinds {
		list[i] = jsonObjects{Names: k.Names, Scaling: jsonScaling(k.Scaling), Values: rowsOf(k.Values, k.Count, k.Dim),
			Columns: s.ColumnsOf(i), Matrices: []jsonMatrix{}}
		for _, number := range s.MatricesOf(i) {
			list[i].Matrices = append(list[i].Matrices,
				jsonMatrix{number, rowsOf(s.Matrices[number-1].Values, k.Count, k.Count)})
		}
	}
	return list
}

// matrixOf returns the number of the matrix of a precomputed kernel between objects, or 0.
func matrixOf(s *objects.Set, k *kernelspec.Kernel) int {
	if s == nil || k.Kind != kernelspec.Precomputed {
		return 0
	}
	return int(k.Index) + 1
}

// rowsOf cuts values into rows of so many.
func rowsOf[T any](values []T, count, columns int) [][]T {
	rows := make([][]T, count)
	for i := range rows {
		rows[i] = values[i*columns : (i+1)*columns]
	}
	return rows
}
