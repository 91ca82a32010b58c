package arrays

import (
	"slices"

	"bigmkl/internal/fail"
)

// isSparse reports whether an archive is a sparse matrix. SciPy writes no other mark into it than
// the names of its arrays.
func (f *file) isSparse() bool {
	for _, names := range [][]string{{"indptr"}, {"format", "shape", "data"}} {
		if !slices.ContainsFunc(names, func(name string) bool { return f.members[name] == nil }) {
			return true
		}
	}
	return false
}

// openSparse opens the members of a sparse matrix. An error leaves none of them open.
func openSparse(f *file) (matrix, error) {
	s := &form{file: f}
	if err := s.readFormat(); err != nil {
		return nil, err
	}
	if err := s.readShape(); err != nil {
		return nil, err
	}
	// A further array would be features that nobody asked for, or labels by another name.
	known := slices.Concat(sparseParts[s.format], sparseCommon, []string{"y"})
	for _, name := range f.names {
		if !slices.Contains(known, name) {
			return nil, f.fault("the array %s beside a sparse matrix", fail.Quote(name))
		}
	}
	if s.format == "csr" {
		return newCompressedRows(s)
	}
	return newScattered(s)
}
