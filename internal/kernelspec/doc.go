// Package kernelspec turns the text that names kernels into a bank, which states what each kernel
// is and over which features. It does not compute kernels.
//
// # Grammar
//
// A specification is kind[:arguments][@features]. Attributes of all its kernels may follow after
// blanks:
//
//	norm=NAME                     their normalisation, one of Normalizers; without
//	                              it, that of the run
//	missing=FILL                  the kernel is one of a view that rows may lack: none, self or all state
//	                              what it is for two rows that lack it (see Missing)
//	group=NAME                    the group of all its kernels, for hierarchical norms
//	copies=R                      R times each of its kernels, with gates of their own
//	gate=NAME                     the gate that its kernels share with others of that name
//	prior=V                       a priori importance
//	cost=D                        what the kernel costs: its ||w_m|| counts D times in the norm,
//	                              which divides the importance by D^2 (see Bank.Importance)
//
//	gauss:V  laplace:V  chi2:V    exp(-gamma distance) of the squared Euclidean, the L1 and the
//	                              chi-square distance
//	matern:1.5:V  matern:2.5:V    (1 + s) exp(-s) with s = (3 gamma)^(1/2) |x-z|, and (1 + s + s^2/3) exp(-s)
//	                              with s = (5 gamma)^(1/2) |x-z| (Rasmussen and Williams 2006, section 4.2):
//	                              gamma is 1 / length^2
//	linear                        <x,z>
//	poly:D                        (<x,z>+1)^D, D an integer or a range such as 2..4
//	poly:D:GAMMA:COEF             (GAMMA <x,z> + COEF)^D
//	sigmoid:V[:COEF]              tanh(gamma <x,z> + COEF), COEF 0 if not given
//	intersection, hist            sum min(x,z)
//	precomputed:FILE              rows of a matrix; all that follows the colon is the name
//	spectrum:K                    sequences: <c(x),c(z)>, where c counts how often each word of K
//	                              letters occurs (Leslie et al. 2002)
//	spectrum:K:M                  the same, where a word counts for all words that differ from it
//	                              in at most M letters
//	wd:D                          sum over k = 1..D of 2(D-k+1)/(D(D+1)) times the number of places
//	                              where x and z have the same word of k letters (weighted degree,
//	                              Raetsch and Sonnenburg 2004)
//	wd:D:shift=S                  the same plus, times 1/(2(s+1)), the number of places where one
//	                              has the word s letters later than the other, for s <= S
//
//	prod(A,B,..)                  the product of kernels, each with features of its own, such as
//	                              prod(gauss:0.1@1-76,poly:2@77-292)
//	pow(A,D)                      the power of a kernel, by itself or as a factor
//
//	user:NAME                     code of a program that uses the library; NAME consists of
//	                              letters, digits, and any of ._-
//
// A factor is one kernel: ranges and families of sets are rejected, for a product of theirs could
// mean the pairs side by side as well as all combinations. It may take its width from the data
// (gauss:auto). A matrix cannot be a factor.
//
// V is one number; a range A..B that doubles from A while it does not exceed B; a range A..B/N of N
// values in geometric steps, both ends exact; or auto/N (auto = auto/1): gamma_k = 2^(k-(N-1)/2) /
// med, k = 0..N-1, where med is the median distance over the features in question and is had from
// Context.Median; or mean/N, the same around the mean distance (for chi2 the width of Zhang,
// Marszalek, Lazebnik and Schmid, IJCV 73, 2007); for gauss and matern also nn/N, around the square of the
// mean distance of nearest neighbours (Goenen 2010, eq. 2.10). A number is written 0.5, 5e-1, 1/2, B^k with an
// integer k (2^-10, 1.2^3), or 1/features. In a range the last slash counts values: 1/8..1/2/5 ends
// at 1/2.
//
//	pair(KERNEL,SET,SET) and antipair(KERNEL,SET,SET) compare pairs of objects: see Pair
//
//	@1-76  @3+17+44  @1-4+9       features, 1-based
//	@NAME                         the features of a view
//	@each-view  @each-feature     the kernels once for every view or feature
//	@random:K*COUNT               the kernels once for each of COUNT sets of K distinct features
//
// Positions of sequences are features: spectrum:6@1-197 compares what stands before the 198th
// letter. Words do not reach over gaps of a set, nor over letters that are not known, and K and D
// may be ranges. Sequences have string kernels and precomputed ones alone, numbers all others.
//
// A list of specifications is separated by commas, or it is @FILE with one a line. A line of
// SMO-MKL, such as "-t 2 -g 0.5", is translated.
//
// # Invariants
//
// Feature sets are the outer loop of an expansion and values the inner one. Equal sets that were
// not drawn at random share one entry of Bank.Sets; a set of all features is -1, however it was
// written. The same text, Context and medians give the same bank in every release: random sets are
// drawn by the algorithm documented at sampler.
//
// # Memory and concurrency
//
// O(M) for M kernels plus the features of the distinct sets. Functions are pure and safe for
// concurrent use as far as Context.Median is.
package kernelspec
