package command

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// readNumbers reads a vector of numbers. The file is a .npy array of one dimension, of one row or
// of one column, or text with numbers that are separated by blanks. The content decides about the
// format, not the name. Weights, observed components and posteriors are such vectors.
// Text numbers may be on any number of lines. The caller compares their count with its own.
func readNumbers(path string) ([]float64, error) {
	array, err := npy.IsArray(path)
	if err != nil {
		return nil, err
	}
	if !array {
		return readTextNumbers(path)
	}
	m, err := npy.OpenVector(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	// A matrix here is mostly a wrong file.
	if min(m.Rows, m.Cols) != 1 {
		return nil, fail.New(fail.Input, "the array is %d x %d, not a row of numbers", m.Rows,
			m.Cols).At(path, 0, 0)
	}
	return readMatrix(m)
}

// readTable reads rows of numbers, one after the other, from a text file or a .npy array of one or two
// dimensions.
// The caller knows the width of a row, and checks the count.
func readTable(path string) ([]float64, error) {
	array, err := npy.IsArray(path)
	if err != nil {
		return nil, err
	}
	if !array {
		return readTextNumbers(path)
	}
	m, err := npy.OpenVector(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return readMatrix(m)
}

// readTextNumbers reads numbers from a text file.
func readTextNumbers(path string) ([]float64, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot read the numbers", path, err)
	}
	defer f.Close()
	likely := int64(0)
	// The size of a pipe is unknown, so its list grows as it is read.
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		likely = (info.Size() + 1) / 2 // A number has at least one digit and a blank.
	}
	return parseNumbers(bufio.NewReader(f), path, int(likely))
}

// longestNumber is the number of bytes that a number may have as text. A float64 needs 24. Longer words
// are not numbers, and a file of one endless word must not fill the memory.
const longestNumber = 64

// parseNumbers parses numbers that are separated by blanks; # starts a comment. The argument likely
// is the expected number of values, for which memory is allocated at once. The parser reads byte by
// byte, so its memory is the result alone. Errors have the line of the word.
func parseNumbers(r io.ByteReader, path string, likely int) ([]float64, error) {
	out, word := make([]float64, 0, likely), make([]byte, 0, longestNumber+1)
	// A comment ends with its line. word keeps one byte more than is permitted, so a longer word is
	// noticed.
	line, comment := 1, false
	for {
		c, err := r.ReadByte()
		if err != nil && err != io.EOF {
			return nil, files.InputFault("cannot read the numbers", path, err)
		}
		// The end of the file also ends the last word.
		blank := err == io.EOF || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#'
		if !blank && !comment && len(word) <= longestNumber {
			word = append(word, c)
		}
		if blank && len(word) > 0 {
			x, err := strconv.ParseFloat(string(word), 64)
			if err != nil || len(word) > longestNumber ||
				// ParseFloat also accepts hexadecimal numbers, inf and nan.
				strings.Trim(string(word), "0123456789+-.eE") != "" {
				return nil, fail.New(fail.Input, "%s is not a number", fail.Word(word)).At(path,
					line, 0)
			}
			out, word = append(out, x), word[:0]
		}
		switch {
		case err == io.EOF && len(out) == 0:
			return nil, fail.New(fail.Input, "the file has no numbers").At(path, 0, 0)
		case err == io.EOF:
			return out, nil
		case c == '#':
			comment = true
		case c == '\n':
			line, comment = line+1, false
		}
	}
}

// readSquare reads a square matrix from a .npy file, row after row. Its callers check symmetry and
// signs, which depend on the meaning of the matrix.
func readSquare(path string) ([]float64, error) {
	m, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if m.Rows != m.Cols || m.Rows == 0 {
		return nil, fail.New(fail.Input, "the matrix is %d x %d, not square", m.Rows,
			m.Cols).At(path, 0, 0)
	}
	return readMatrix(m)
}

// readMatrix reads all values of an open matrix, row after row.
// An error of any row is kept in the matrix, so it is checked once at the end.
func readMatrix(m *npy.Matrix) ([]float64, error) {
	out := make([]float64, m.Rows*m.Cols)
	for i := range m.Rows {
		m.Row64(i, 0, out[i*m.Cols:(i+1)*m.Cols])
	}
	return out, m.Err()
}
