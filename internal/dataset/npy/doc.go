// Package npy reads and writes matrices of floating-point numbers as files: in NumPy's .npy format,
// and as raw files that hold only the numbers.
//
// Reading maps the file, so a matrix may be larger than memory and the system may reclaim its pages. The
// header is compared with the size of the file before anything is mapped or allocated. Elements may be
// float16, float32 or float64 of either byte order, in C or Fortran order. Objects, structures and
// integers are rejected with an error of class fail.Input that names them. The numbers are not checked,
// so the caller has to look for NaN.
//
// Many goroutines may read a Matrix until Close. If somebody cuts a mapped file short or writes to
// it, numbers become NaN or a mixture of old and new, but the process never faults. A caller that
// has finished reading, or has met a NaN, asks Err. A Writer belongs to one goroutine.
//
// References. See NumPy Enhancement Proposal 1, and numpy.lib.format for versions 1 to 3.
package npy
