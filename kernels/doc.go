// Package kernels evaluates banks of kernels tile by tile.
//
// Kernels that can be had from the same products or distances share a base: all Gaussians on one feature set follow from
// one tile of squared distances. A Bank arranges its kernels in such groups; an Evaluator computes the base of a group for
// row points against a panel of 32 points and adds the weighted values of all its kernels to sums. Kernels whose gamma is
// twice another's are its squares (Group.plan).
//
// Invariants. A value k(x, z) has the same bits wherever the two points stand in their tiles, and k(x, z) = k(z, x) bit
// for bit, for one element type and one instruction set; products of sparse points are summed in the order of the row's
// non-zeros and keep the second promise to rounding only. Features of distances and of linear kernels are centred by a
// shift that both sides share, but for those of sparse points; for linear kernels that leaves the problem unchanged as long
// as the dual variables sum to zero, and Bank.Offset gives the constant by which decision values move.
//
// Memory. Sparse points cost what their non-zeros do where the kernels are functions of products or squared distances on all
// features or on a long range; a panel has a table of d places besides. Other groups lay their features out. Normalize takes
// what NormalizeBytes says.
//
// Concurrency. A Bank is immutable after its normalisation is set; every goroutine has an Evaluator of its own.
//
// References. Kloft (2011), section 3.3.2: equations 3.6 (multiplicative) and 3.7 (spherical normalisation).
package kernels
