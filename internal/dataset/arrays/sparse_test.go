package arrays

import (
	"archive/zip"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// list returns an array of one dimension of n elements.
func list(descr string, n int, elements any) []byte {
	return npyOf(descr, fmt.Sprintf("(%d,)", n), false, elements)
}

// savedAs returns the members of a sparse matrix in a format of SciPy.
func savedAs(format string, rows, cols int, more ...archived) []archived {
	return append(more, archived{"format", npyOf(fmt.Sprintf("|S%d", len(format)), "()", false, []byte(format))},
		archived{"shape", list("<i8", 2, []int64{int64(rows), int64(cols)})})
}

// coo returns a matrix of coordinates.
func coo(rows, cols int, row, col []int32, data []float64) []archived {
	return savedAs("coo", rows, cols, archived{"row", list("<i4", len(row), row)},
		archived{"col", list("<i4", len(col), col)}, archived{"data", list("<f8", len(data), data)})
}

// lines returns a matrix of format csc, or of bsr if blocks have a size.
func lines(rows, cols int, indptr, indices []int32, data []float64, high, wide int) []archived {
	format, array := "csc", list("<f8", len(data), data)
	if high > 0 {
		format = "bsr"
		array = npyOf("<f8", fmt.Sprintf("(%d, %d, %d)", len(data)/(high*wide), high, wide), false, data)
	}
	return savedAs(format, rows, cols, archived{"indptr", list("<i4", len(indptr), indptr)},
		archived{"indices", list("<i4", len(indices), indices)}, archived{"data", array})
}

// dia returns a matrix of diagonals.
func dia(rows, cols int, offsets []int32, long int, fortran bool, data []float64) []archived {
	return savedAs("dia", rows, cols, archived{"offsets", list("<i4", len(offsets), offsets)},
		archived{"data", npyOf("<f8", fmt.Sprintf("(%d, %d)", len(offsets), long), fortran, data)})
}

// readSparse returns the rows of an archive as text.
func readSparse(t *testing.T, members []archived) (string, error) {
	t.Helper()
	rows, _, err := readAll(Options{}, Input{Path: put(t, "d.npz", npzOf(zip.Deflate, members...))})
	return text(rows), err
}

// TestSparseFormats reads matrices as SciPy saves them.
func TestSparseFormats(t *testing.T) {
	t.Parallel()
	const want = " 2:2\n\n 1:3 3:4\n 4:0.5\n" // [[0 2 0 0] [0 0 0 0] [3 0 4 0] [0 0 0 0.5]]
	y := archived{"y", list("<i8", 4, []int64{1, 2, 1, 2})}
	mark := archived{"_is_array", npyOf("|b1", "()", false, []bool{true})}
	for name, members := range map[string][]archived{
		"coo":              coo(4, 4, []int32{3, 2, 0, 2}, []int32{3, 2, 1, 0}, []float64{.5, 4, 2, 3}),
		"coo in order":     coo(4, 4, []int32{0, 2, 2, 3}, []int32{1, 0, 2, 3}, []float64{2, 3, 4, .5}),
		"coo, same places": coo(4, 4, []int32{3, 2, 0, 2, 3, 1, 1}, []int32{3, 2, 1, 0, 3, 2, 2}, []float64{.25, 4, 2, 3, .25, 7, -7}),
		"csc":              lines(4, 4, []int32{0, 1, 2, 3, 4}, []int32{2, 0, 2, 3}, []float64{3, 2, 4, .5}, 0, 0),
		"bsr of 2 x 2":     lines(4, 4, []int32{0, 1, 3}, []int32{0, 1, 0}, []float64{0, 2, 0, 0, 4, 0, 0, .5, 3, 0, 0, 0}, 2, 2),
		"bsr of 1 x 4":     lines(4, 4, []int32{0, 1, 1, 2, 3}, []int32{0, 0, 0}, []float64{0, 2, 0, 0, 3, 0, 4, 0, 0, 0, 0, .5}, 1, 4),
		"bsr of 4 x 1":     lines(4, 4, []int32{0, 4}, []int32{0, 1, 2, 3}, []float64{0, 0, 3, 0, 2, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, .5}, 4, 1),
		"dia":              dia(4, 4, []int32{0, 1, -2}, 4, false, []float64{0, 0, 4, .5, 9, 2, 0, 0, 3, 0, 9, 9}),
		"dia, short":       dia(4, 4, []int32{-2, 1, 0}, 4, true, []float64{3, 9, 0, 0, 2, 0, 9, 0, 4, 9, 0, .5}),
	} {
		if got, err := readSparse(t, members); err != nil || got != want {
			t.Errorf("%s: %v, %q", name, err, got)
		}
		labelled := append(members, y, mark)
		if got, err := readSparse(t, labelled); err != nil || got != "1 2:2\n2\n1 1:3 3:4\n2 4:0.5\n" {
			t.Errorf("%s with labels: %v, %q", name, err, got)
		}
	}
	// A matrix of more columns than its diagonals are long, and one of more values a diagonal than columns.
	for name, c := range map[string]struct {
		members []archived
		want    string
	}{
		"short diagonals": {dia(2, 5, []int32{0, 3}, 4, false, []float64{1, 2, 9, 9, 9, 9, 9, 3}), " 1:1 4:3\n 2:2\n"},
		"long diagonals":  {dia(3, 2, []int32{-1}, 4, false, []float64{1, 2, 9, 9}), "\n 1:1\n 2:2\n"},
		"float16":         {savedAs("coo", 1, 2, archived{"row", list("<i8", 1, []int64{0})}, archived{"col", list("<u2", 1, []uint16{1})}, archived{"data", list("<f2", 1, []uint16{0x3555})}), " 2:0.333251953125\n"},
		"no values":       {coo(2, 3, nil, nil, nil), "\n\n"},
	} {
		if got, err := readSparse(t, c.members); err != nil || got != c.want {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}

// TestScatteredInParts: a matrix of which few values are held at once has the same rows, in whatever order and format
// they are.
func TestScatteredInParts(t *testing.T) {
	t.Parallel()
	const seed = 35
	random := rand.New(rand.NewPCG(seed, 2))
	for trial := range 200 {
		rows, cols := 2*random.IntN(15)+2, 3*random.IntN(6)+3
		matrix := make([]float64, rows*cols)
		var row, col []int32
		var data []float64
		for range random.IntN(3 * rows) {
			i, j, x := random.IntN(rows), random.IntN(cols), float64(random.IntN(9)-4)
			matrix[i*cols+j] += x
			row, col, data = append(row, int32(i)), append(col, int32(j)), append(data, x)
		}
		if trial%3 == 0 { // in the order of rows
			order := make([]int, len(row))
			for k := range order {
				order[k] = k
			}
			slices.SortStableFunc(order, func(a, b int) int { return int(row[a] - row[b]) })
			pick := func(from []int32) (to []int32) {
				for _, k := range order {
					to = append(to, from[k])
				}
				return to
			}
			sorted := make([]float64, len(data))
			for k, o := range order {
				sorted[k] = data[o]
			}
			row, col, data = pick(row), pick(col), sorted
		}
		members := coo(rows, cols, row, col, data)
		switch trial % 4 {
		case 1:
			members = cscOf(matrix, rows, cols)
		case 2:
			members = bsrOf(matrix, rows, cols)
		}
		var want strings.Builder
		for i := range rows {
			for j := range cols {
				if x := matrix[i*cols+j]; x != 0 {
					fmt.Fprintf(&want, " %d:%v", j+1, x)
				}
			}
			want.WriteByte('\n')
		}
		s, err := Open([]Input{{Path: put(t, "d.npz", npzOf(zip.Deflate, members...))}}, Options{})
		if err != nil {
			t.Fatalf("seed %d, trial %d: %v", seed, trial, err)
		}
		s.parts[0].matrix.(*scattered).most = 1 + random.IntN(12)
		got, err := drain(s)
		if err != nil || text(got) != want.String() {
			t.Fatalf("seed %d, trial %d: %v, %q and not %q", seed, trial, err, text(got), want.String())
		}
	}
}

// cscOf returns a matrix in compressed columns, with some zeros.
func cscOf(matrix []float64, rows, cols int) []archived {
	indptr, indices, data := []int32{0}, []int32{}, []float64{}
	for j := range cols {
		for i := range rows {
			if x := matrix[i*cols+j]; x != 0 || i == j {
				indices, data = append(indices, int32(i)), append(data, x)
			}
		}
		indptr = append(indptr, int32(len(data)))
	}
	return lines(rows, cols, indptr, indices, data, 0, 0)
}

// bsrOf returns a matrix of blocks of 2 x 3.
func bsrOf(matrix []float64, rows, cols int) []archived {
	indptr, indices, data := []int32{0}, []int32{}, []float64{}
	for i := 0; i < rows; i += 2 {
		for j := cols - 3; j >= 0; j -= 3 {
			block := append(slices.Clone(matrix[i*cols+j:i*cols+j+3]), matrix[(i+1)*cols+j:(i+1)*cols+j+3]...)
			if slices.ContainsFunc(block, func(x float64) bool { return x != 0 }) {
				indices, data = append(indices, int32(j/3)), append(data, block...)
			}
		}
		indptr = append(indptr, int32(len(indices)))
	}
	return lines(rows, cols, indptr, indices, data, 2, 3)
}

// TestSparseFaults has a file for each way in which the arrays of a sparse matrix do not hold together.
func TestSparseFaults(t *testing.T) {
	t.Parallel()
	one, huge := []float64{1}, math.MaxInt32-1
	for name, c := range map[string]struct {
		want    string
		members []archived
	}{
		"row":               {"value 1 has row 2 and column 0, counted from 0, in a matrix of 2 x 2", coo(2, 2, []int32{2}, []int32{0}, one)},
		"column":            {"has row 0 and column -1", coo(2, 2, []int32{0}, []int32{-1}, one)},
		"rows":              {"2 elements in array row for 1 in data", coo(2, 2, []int32{0, 0}, []int32{0}, one)},
		"columns":           {"2 elements in array col for 1 in data", coo(2, 2, []int32{0}, []int32{0, 1}, one)},
		"NaN":               {":2:1: a value of the sparse matrix is NaN", coo(2, 2, []int32{1}, []int32{0}, []float64{math.NaN()})},
		"sum":               {":1:2: a value of the sparse matrix is infinite", coo(2, 2, []int32{0, 0}, []int32{1, 1}, []float64{1e308, 1e308})},
		"no columns":        {"no columns", coo(2, 0, nil, nil, nil)},
		"no rows":           {"no rows", coo(0, 2, nil, nil, nil)},
		"floating places":   {"no list of numbers of its kind", savedAs("coo", 1, 1, archived{"row", list("<f8", 1, one)}, archived{"col", list("<i4", 1, []int32{0})}, archived{"data", list("<f8", 1, one)})},
		"none":              {"no array col of a sparse matrix in format coo", savedAs("coo", 1, 1, archived{"row", list("<i4", 1, []int32{0})}, archived{"data", list("<f8", 1, one)})},
		"of another format": {`the array "row" beside a sparse matrix`, append(lines(1, 1, []int32{0, 1}, []int32{0}, one, 0, 0), archived{"row", list("<i4", 1, []int32{0})})},
		"lil":               {`format "lil", and csr, csc, coo, bsr and dia`, savedAs("lil", 1, 1, archived{"data", list("<f8", 1, one)})},
		"csc, rows":         {"index 2 of 2 in line 0", lines(2, 1, []int32{0, 1}, []int32{2}, one, 0, 0)},
		"csc, columns":      {"2 numbers in indptr for 2 lines", lines(1, 2, []int32{0, 1}, []int32{0}, one, 0, 0)},
		"csc, first":        {"begins at value 1", lines(1, 1, []int32{1, 1}, []int32{0}, one, 0, 0)},
		"csc, backwards":    {"goes from 1 to 0", lines(1, 2, []int32{0, 1, 0}, []int32{0}, one, 0, 0)},
		"csc, too far":      {"goes from 0 to 9, of 1 values", lines(1, 1, []int32{0, 9}, []int32{0}, one, 0, 0)},
		"csc, left":         {"1 values, of which the lines take 0", lines(1, 1, []int32{0, 0}, []int32{0}, one, 0, 0)},
		"csc, twice":        {":1: column 1 occurs twice", lines(1, 1, []int32{0, 2}, []int32{0, 0}, []float64{1, 1}, 0, 0)},
		"bsr, blocks":       {"blocks of 2 x 1 in a matrix of 3 x 1", lines(3, 1, []int32{0, 1}, []int32{0}, []float64{1, 2}, 2, 1)},
		"bsr, index":        {"index 1 of 1 in line 0", lines(2, 2, []int32{0, 1}, []int32{1}, []float64{1, 2, 3, 4}, 2, 2)},
		"bsr, order": {"Fortran order", savedAs("bsr", 2, 2, archived{"indptr", list("<i4", 2, []int32{0, 1})}, archived{"indices", list("<i4", 1, []int32{0})},
			archived{"data", npyOf("<f8", "(1, 2, 2)", true, []float64{1, 2, 3, 4})})},
		"bsr, no blocks": {"blocks of 0 x 2", savedAs("bsr", 2, 2, archived{"indptr", list("<i4", 2, []int32{0, 1})}, archived{"indices", list("<i4", 1, []int32{0})},
			archived{"data", npyOf("<f8", "(1, 0, 2)", false, []float64{})})},
		"bsr, flat":         {"no list of numbers of its kind", savedAs("bsr", 1, 1, archived{"indptr", list("<i4", 2, []int32{0, 1})}, archived{"indices", list("<i4", 1, []int32{0})}, archived{"data", list("<f8", 1, one)})},
		"dia, offset":       {"offset 2 in a matrix of 2 x 2", dia(2, 2, []int32{2}, 2, false, []float64{1, 2})},
		"dia, below":        {"offset -2 in a matrix of 2 x 2", dia(2, 2, []int32{-2}, 2, false, []float64{1, 2})},
		"dia, least":        {"offset -2147483648 in", dia(huge, huge, []int32{math.MinInt32}, 1, false, one)},
		"dia, twice":        {"two diagonals of offset 1", dia(2, 2, []int32{1, 1}, 1, false, []float64{1, 2})},
		"dia, count":        {"2 offsets for 1 diagonals", savedAs("dia", 2, 2, archived{"offsets", list("<i4", 2, []int32{0, 1})}, archived{"data", npyOf("<f8", "(1, 2)", false, []float64{1, 2})})},
		"dia, flat":         {"no list of numbers of its kind", savedAs("dia", 2, 2, archived{"offsets", list("<i4", 1, []int32{0})}, archived{"data", list("<f8", 1, one)})},
		"one dimension":     {"not two integers", append(coo(1, 1, []int32{0}, []int32{0}, one)[:4], archived{"shape", list("<i8", 1, []int64{1})})},
		"claims":            {"do not make", savedAs("coo", huge, huge, archived{"row", list("<i4", huge, []int32{0})}, archived{"col", list("<i4", huge, []int32{0})}, archived{"data", list("<f8", huge, one)})},
		"claims of a block": {"do not make", savedAs("bsr", huge, huge, archived{"indptr", list("<i4", 2, []int32{0, 1})}, archived{"indices", list("<i4", 1, []int32{0})}, archived{"data", npyOf("<f8", "(2147483646, 2147483646, 2147483646)", false, one)})},
	} {
		_, err := readSparse(t, c.members)
		var e *fail.Error
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), c.want) || !errors.As(err, &e) || !strings.HasSuffix(e.File, "d.npz") {
			t.Errorf("%s: %v, and not %s", name, err, c.want)
		}
	}
}

// TestManyEmptyRows: a small file may claim many rows, and costs no memory. The allocations of the whole
// process are counted. No other test may run beside this one.
func TestManyEmptyRows(t *testing.T) {
	const many = 1 << 30
	rows, err := readFuzzed(t, npzOf(zip.Deflate, coo(many, many, []int32{many - 1, 5}, []int32{7, many - 1}, []float64{1, 2})...))
	if err != nil || len(rows) != 1000 || len(rows[5].Index) != 1 || rows[5].Index[0] != many-1 {
		t.Errorf("%v, %d rows", err, len(rows))
	}
}
