package arrays

import (
	"cmp"
	"io"
)

// blocks is a matrix of columns (CSC), or of rows (BSR) of blocks: line i has the blocks of the
// places indptr[i] to indptr[i+1]-1 of indices. A block of columns is a single value.
type blocks struct {
	*values
	indptr, indices *elements
	byRows          bool
	high, wide      int   // high and wide are the rows and columns of a block.
	line            int   // line counts the lines that were begun.
	at, until       int64 // at counts the blocks that were begun, and until the blocks of the lines.
	across          int64 // across is the index of the block in its line.
	inside          int   // inside counts the values of the block that were taken.
	lines, most     int   // lines is the number of lines, and most that of blocks in one of them.
}

// newBlocks returns the stream of a matrix in either format.
func newBlocks(v *values, indptr, indices *elements, byRows bool) (stream, error) {
	b := &blocks{values: v, indptr: indptr, indices: indices, byRows: byRows, high: 1, wide: 1,
		lines: v.cols, most: v.rows}
	if byRows {
		b.high, b.wide = v.data.Cols, v.data.Deep
		switch {
		case b.high < 1 || b.wide < 1 || v.rows%b.high != 0 || v.cols%b.wide != 0:
			return nil, v.file.fault("blocks of %d x %d in a matrix of %d x %d", b.high, b.wide, v.rows,
				v.cols)
		case v.data.Fortran:
			return nil, v.file.fault("the blocks of the sparse matrix lie in Fortran order").
				WithHint("scipy.sparse.save_npz(file, X.tocsr())")
		}
		b.lines, b.most = v.rows/b.high, v.cols/b.wide
	}
	if indptr.Rows != b.lines+1 {
		return nil, v.file.fault("%d numbers in indptr for %d lines of format %s", indptr.Rows, b.lines,
			v.format)
	}
	first, err := indptr.int()
	if err == nil && first != 0 {
		err = v.file.fault("the first line begins at value %d and not at 0", first)
	}
	b.inside = b.high * b.wide
	return b, err
}

// next implements stream.
func (b *blocks) next() (value, error) {
	for b.inside == b.high*b.wide {
		if more, err := b.begin(); err != nil || !more {
			return value{}, cmp.Or(err, io.EOF)
		}
	}
	x, err := b.number()
	if err != nil {
		return value{}, err
	}
	i, j := b.across, int64(b.line-1)
	if b.byRows {
		i = int64(b.line-1)*int64(b.high) + int64(b.inside/b.wide)
		j = b.across*int64(b.wide) + int64(b.inside%b.wide)
	}
	b.inside++
	return value{int32(i), int32(j), x}, nil
}

// begin begins a block or a line. After the last line it returns false.
func (b *blocks) begin() (more bool, err error) {
	if b.at < b.until {
		b.at++
		if b.across, err = b.indices.int(); err != nil {
			return false, err
		}
		if b.across < 0 || b.across >= int64(b.most) {
			return false, b.file.fault("index %d of %d in line %d of format %s, counted from 0", b.across,
				b.most, b.line-1, b.format)
		}
		b.inside = 0
		return true, nil
	}
	if b.line == b.lines {
		// Values behind the last line would belong to lines that indptr does not know.
		if b.at != int64(b.data.Rows) {
			return false, b.file.fault("%d values, of which the lines take %d", b.data.Rows, b.at)
		}
		return false, nil
	}
	b.line++
	end, err := b.indptr.int()
	if err != nil {
		return false, err
	}
	if end < b.at || end > int64(b.data.Rows) {
		return false, b.file.fault("indptr goes from %d to %d, of %d values", b.at, end, b.data.Rows)
	}
	b.until = end
	return true, nil
}
