package kernelspec

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// errMatrixFactor is the error for a product with a matrix between rows.
var errMatrixFactor = errors.New("a matrix is no factor: multiply the matrices themselves")

// addFile returns the index of a file among the files of a bank, and adds it if it is new.
func addFile(files *[]string, file string) int32 {
	i := slices.Index(*files, file)
	if i < 0 {
		i = len(*files)
		*files = append(*files, file)
	}
	return int32(i)
}

// cutMatrix cuts the view of the objects off the name of a matrix, where rows name objects. The name may contain @
// itself, so the last one counts.
func cutMatrix(file string, c *Context) (name, view string, err error) {
	at := strings.LastIndexByte(file, '@')
	if !c.Objects || at < 0 {
		return file, "", nil
	}
	if name, view = file[:at], file[at+1:]; name == "" || view == "" {
		return name, view, errors.New("write precomputed:FILE@NAME for the matrix of the objects NAME")
	}
	return name, view, nil
}

// NumberMatrices returns a specification with the matrices of objects by their numbers among files, from 1, as a model
// has them.
func NumberMatrices(spec string, files []string) string {
	var out strings.Builder
	for {
		at := strings.Index(spec, matrixPrefix)
		if at < 0 {
			return out.String() + spec
		}
		at += len(matrixPrefix)
		out.WriteString(spec[:at])
		spec = spec[at:]
		best := -1
		for k, f := range files {
			if strings.HasPrefix(spec, f) && (best < 0 || len(f) > len(files[best])) {
				best = k
			}
		}
		if best >= 0 {
			out.WriteString(strconv.Itoa(best + 1))
			spec = spec[len(files[best]):]
		}
	}
}
