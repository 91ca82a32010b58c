// Package kernels evaluates banks of kernels tile by tile.
//
// Multiple kernel learning evaluates many kernels on the same pairs of points. Kernels that are
// functions of the same products or distances share these as their base: all Gaussians on one set
// of features follow from one tile of squared distances. A Bank arranges its kernels in groups with
// a base each. An Evaluator computes the base of a group for row points against a panel of 32
// points, and adds the weighted values of all its kernels to sums. A kernel whose gamma is twice
// another's is that one's square (Group.plan). The weighted sum of all exponential kernels of a
// group is one function of their base as well (Profile).
//
// String kernels see the features as letters (dataset.Alphabet). A group of them has several bases
// that are made in one pass: the weighted degree kernels of all degrees at one shift, or the
// spectra of all lengths of words. A product of kernels is a group whose base is the product; its
// factors are groups within it.
//
// A bank may have gates, which are weights of kernels that depend on the point (Bank.Gated). They
// and the spherical normalisation are factors of points, by which values are multiplied where they
// are added up.
//
// # Invariants
//
// A value k(x, z) has the same bits wherever the two points lie in their tiles, and k(x, z) = k(z,
// x) bit for bit, for one element type and one instruction set. Products of sparse points are
// summed in the order of the row's non-zeros, and keep the second promise to rounding only.
//
// Features of distances and of linear kernels are centred by a shift that both sides share, unless
// points are sparse. For linear kernels that leaves the problem unchanged as long as the dual
// variables sum to zero; Bank.Offset is the constant by which decision values move.
//
// Exponential kernels that are wide beside the points are summed as k - 1 in training, where the
// dual variables sum to zero (Bank.FindWide). That is the same problem too, with more digits.
//
// String kernels are sums of whole numbers that are divided once. They have the same bits in every
// order of summation and on every instruction set, as long as the sums stay below 2^24 in single
// and 2^53 in double precision.
//
// # Memory
//
// Sparse points cost what their non-zeros do if the kernels are functions of products or squared
// distances on all features or on a long range of them; a panel has a table of d places besides.
// Other groups lay their features out. The normalisation takes what Memory.Normalize states.
//
// # Concurrency
//
// A Bank does not change once its normalisation is set. Every goroutine needs an Evaluator of its
// own.
//
// # References
//
// M. Kloft, l_p-norm multiple kernel learning, 2011, section 3.3.2: equations 3.6 (multiplicative)
// and 3.7 (spherical normalisation), and equation 5.1 (alignment).
//
// M. Gönen, Localized multiple kernel algorithms for machine learning, 2010: equation 3.9 (gates).
//
// D. Comaniciu and P. Meer, Mean shift: a robust approach toward feature space analysis, 2002: the
// profile of a kernel.
//
// C. Leslie, E. Eskin and W. Noble, PSB 2002, and C. Leslie et al., Bioinformatics 20, 2004:
// spectrum kernels and mismatches.
//
// G. Raetsch and S. Sonnenburg, 2004, and G. Raetsch, S. Sonnenburg and B. Schoelkopf,
// Bioinformatics 21, 2005: weighted degree kernels, with shifts. The latter are positive
// semi-definite because 1/2 + sum_(s=1..S) cos(s x)/(s+1) >= 0 for every S (Rogosinski and Szegoe,
// 1928).
package kernels
