// Package kernels evaluates banks of kernels tile by tile.
//
// Kernels that can be had from the same products or distances share a base: all Gaussians on one
// feature set follow from one tile of squared distances. A Bank arranges its kernels in such
// groups; an Evaluator computes the base of a group for row points against a panel of 32 points and
// adds the weighted values of all its kernels to sums. Kernels whose gamma is twice another's are
// its squares (Group.plan).
//
// String kernels see the features as letters (dataset.Alphabet). A group of them has several bases
// that are made in one pass: the weighted degree kernels of all degrees at one shift, the spectra
// of all lengths of words. Each base is the kernel itself.
//
// A product of kernels is a group whose base is the product; its factors are groups within it.
//
// Invariants. A value k(x, z) has the same bits wherever the two points stand in their tiles, and
// k(x, z) = k(z, x) bit for bit, for one element type and one instruction set; products of sparse
// points are summed in the order of the row's non-zeros and keep the second promise to rounding
// only. Features of distances and of linear kernels are centred by a shift that both sides share,
// but for those of sparse points; for linear kernels that leaves the problem unchanged as long as
// the dual variables sum to zero, and Bank.Offset gives the constant by which decision values move.
//
// Memory. Sparse points cost what their non-zeros do where the kernels are functions of products or
// squared distances on all features or on a long range; a panel has a table of d places besides.
// Other groups lay their features out. Normalize takes what NormalizeBytes says.
//
// Concurrency. A Bank is immutable after its normalisation is set; every goroutine has an Evaluator
// of its own.
//
// String kernels are sums of whole numbers, divided once: they have the same bits in every order of
// summation and on every instruction set as long as these stay below 2^24 in single and 2^53 in
// double precision.
//
// References. Kloft (2011), section 3.3.2: equations 3.6 (multiplicative) and 3.7 (spherical
// normalisation). Leslie, Eskin and Noble, PSB 2002, and Leslie et al., Bioinformatics 20, 2004
// (spectrum, mismatches); Raetsch and Sonnenburg 2004, and Raetsch, Sonnenburg and Schoelkopf,
// Bioinformatics 21, 2005 (weighted degree, with shifts). The latter is positive semi-definite
// because 1/2 + sum_(s=1..S) cos(s x)/(s+1) >= 0 for every S (Rogosinski and Szegoe, 1928).
package kernels
