// Package simd holds the inner loops of bigmkl: tiles of pairwise sums between points, and elementwise kernel
// functions on such tiles, in AVX-512, AVX2 and plain Go.
//
// A tile is 8 rows of 32 columns in row-major order (Rows, Width). Its rows are 8 points packed feature by feature
// (a[f*8+r]), its columns one panel of 32 points packed likewise (x[f*32+j]). Panels need no alignment, though 64 bytes
// saves split loads.
//
// # Invariants
//
//   - The value for a pair of points is a function of the two points only. One accumulator per (row, column), features
//     in ascending order, and the same instructions in every lane and in every tail: it depends neither on the place in
//     the tile nor on the length of a slice.
//   - The tile routines are symmetric to the bit: exchanging the two points does not change the value. A product and an
//     absolute difference do not mind the exchange, and neither does the rounding of a fused multiply-add.
//   - ExpRows equals Exp into a buffer followed by AddRows, ExpSum Exp followed by AddScaled, Product Dot by Dot, and the
//     sums of squares the products of points with themselves, to the bit, at every level.
//   - Sparse products sum the entries of the row point in four turns: their values depend on which point is the row.
//   - Values may differ in the last bits between levels, because plain Go does not fuse multiply-adds and vectors do.
//     Within one process the level never changes, so a computation is reproducible on one machine.
//
// Arguments that are not numbers come out as not-a-number from the elementwise routines; infinite features are outside
// the contract of the tile routines.
//
// # Concurrency and memory
//
// All routines may be called from any number of goroutines on disjoint destinations. Nothing is allocated and no slice
// is retained. Assembly is not preemptible; elementwise routines therefore work in pieces of some tens of
// microseconds. A tile takes about 8 clock cycles per feature.
//
// # Choice of the instruction set
//
// The best level the processor and the operating system support is taken at start. The environment variable
// BIGMKL_SIMD (avx512, avx2 or go) asks for a lower one; see Level.
//
// The assembly is written by the generator in the folder asm, a module of its own, so that the generator's library is
// no dependency of bigmkl.
//
// References: K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34 (2008), for
// the register tile; W. J. Cody, W. Waite, "Software manual for the elementary functions" (1980), for the reduction in
// two steps; the polynomials are Remez approximations of 2^f on [-1/2, 1/2] that are exact at 0.
package simd
