// Package simd holds the inner loops of bigmkl: tiles of pairwise sums between points, and
// elementwise kernel functions on such tiles, in AVX-512, AVX2 and plain Go.
//
// A tile is 8 rows of 32 columns in row-major order (Rows, Width). Its rows are 8 points packed
// feature by feature (a[f*8+r]), and its columns are one panel of 32 points packed in the same way
// (x[f*32+j]). Panels need no alignment, though 64 bytes saves split loads.
//
// # Invariants
//
//   - The value for a pair of points depends on these two points only. There is one accumulator for
//     each row and column, features are taken in ascending order, and every lane and every tail use
//     the same instructions. So the value depends neither on the place in the tile nor on the
//     length of a slice.
//   - The tile routines are symmetric to the bit: exchanging the two points does not change the
//     value. A product and an absolute difference are symmetric, and so is the rounding of a fused
//     multiply-add.
//   - At every level and to the bit, ExpRows equals Exp into a buffer followed by AddRows, ExpSum
//     equals Exp followed by AddScaled, both likewise for Expm1, Product equals Dot, and the sums
//     of squares equal the products of points with themselves.
//   - Sparse products sum the entries of the row point in four partial sums, so their values
//     depend on which of the two points is the row.
//   - A function in pieces (Pieces) has the same bits for an argument wherever it lies in a slice.
//   - Values may differ in the last bits between levels, because plain Go does not fuse
//     multiply-adds and vectors do. The level never changes within one process, so a
//     computation can be repeated on one machine.
//
// If an argument is NaN, the elementwise routines return NaN. Infinite features are outside of the
// contract of the tile routines.
//
// # Concurrency and memory
//
// Any number of goroutines may call the routines on disjoint destinations. Nothing is allocated and
// no slice is retained. Assembly cannot be preempted, so elementwise routines work in pieces of
// some tens of microseconds. A tile takes about 8 clock cycles for each feature.
//
// # Choice of the instruction set
//
// At start the best level that the processor and the operating system support is chosen. The
// environment variable BIGMKL_SIMD (avx512, avx2 or go) asks for a lower one. See Level.
//
// A generator in the folder asm writes the assembly. It is a module of its own, so bigmkl does
// not depend on its library.
//
// References. K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", ACM
// TOMS 34 (2008), describe the register tile. W. J. Cody, W. Waite, "Software manual for the
// elementary functions" (1980), describe the reduction in two steps. The polynomials are Remez
// approximations of 2^f on [-1/2, 1/2] and of exp(x)-1 on [-1,0], which are exact at 0.
package simd
