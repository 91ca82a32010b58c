// Package arrays reads rows from arrays that NumPy and SciPy have written: .npy files of two
// dimensions, and .npz archives of such arrays or of one sparse matrix as scipy.sparse.save_npz
// writes it.
//
// Purpose. Open joins the columns of all arrays of all files, in order. Each array is a view of its
// own, named by its file or by its key in the archive. An array y of an archive holds the labels:
// numbers, truth values or text. Zeros are not entries of a row, as in libsvm text, and all numbers
// become float64, so the same numbers give the same rows.
//
// Invariants. Whatever the bytes are, rows have ascending indices and finite values, and an error
// of class fail.Input names the file; line and column are the row and the column of the array, from
// 1. Nothing is allocated by sizes in headers that the bytes behind them do not confirm.
//
// Memory. Arrays are read row by row. That takes a few buffers for each array, and 12 bytes for
// each entry of a row, of which there are MaxEntries at most. Columns of an array in Fortran order
// are read in blocks of 4 MiB, or of one row. Of a sparse matrix that is not in compressed rows the
// values of some rows are held, 16 bytes each, up to 32 MiB, and twice the longest row if that is
// more; the file is read again for later rows.
//
// References. For the format of .npy see package npy; an .npz file is a zip archive of such files.
package arrays
