package kernelspec

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// errMatrixFactor is the error for a product with a matrix between rows.
var errMatrixFactor = errors.New("a matrix is no factor: multiply the matrices themselves")

// placeMatrix cuts the view of the objects off the name of a matrix, where rows name objects. The name may contain @
// itself, so the last one counts.
func (it *item) placeMatrix(c *Context) error {
	at := strings.LastIndexByte(it.file, '@')
	if !c.Objects || at < 0 {
		return nil
	}
	it.file, it.features = it.file[:at], it.file[at+1:]
	if it.file == "" || it.features == "" {
		return errors.New("write precomputed:FILE@NAME for the matrix of the objects NAME")
	}
	return nil
}

// fileIn returns the index of the matrix in the bank and adds it if it is new.
func (it *item) fileIn(b *Bank) int32 {
	i := slices.Index(b.Files, it.file)
	if i < 0 {
		i = len(b.Files)
		b.Files = append(b.Files, it.file)
	}
	return int32(i)
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
