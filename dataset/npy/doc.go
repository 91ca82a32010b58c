// Package npy reads and writes square and rectangular matrices of floating-point numbers as files: NumPy's .npy format, and
// raw files that hold nothing but the numbers.
//
// Reading maps the file, so a matrix may be larger than memory; pages come and go as the system likes. The header is
// checked against the size of the file before anything is mapped or allocated. Element types are float32 and float64 of
// either byte order, in C or Fortran order; objects, structures, integers and halves are refused with fail.Input. The numbers
// themselves are not looked at: NaN is for the consumer to find.
//
// A Matrix may be read by many goroutines until Close. A file that someone else cuts short or writes to while it is mapped
// gives NaN or mixed numbers, never a fault of the process: whoever has finished reading, or has met a NaN, asks Err. A Writer
// belongs to one goroutine.
//
// Reference: NumPy Enhancement Proposal 1, and numpy.lib.format for versions 1 to 3.
package npy
