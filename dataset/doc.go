// Package dataset reads labelled points from text and packs them for the solver.
//
// Purpose. A Source yields rows one at a time. Open and NewReader read libsvm and svmlight text,
// plain or compressed. With an alphabet they read sequences instead, in FASTA or in two columns,
// and the letters become the features (see Alphabet). Build turns a source into a Store: it scales
// the values, rounds them to float32, and packs them in panels of 32 points or, where most values
// are zero, as the non-zeros of each point.
//
// Invariants. A Reader checks everything it reads. Whatever the bytes were, a row that it yields
// has strictly ascending indices and finite values, and an error of class fail.Input names file,
// line and column. Numbers are correctly rounded. Scaling computes in float64 and rounds once, so
// Scaling.Dense applied to a fresh row gives exactly the bits of the store. A store depends on the
// rows and the options alone, and Fingerprint summarises it. Both layouts hold the same numbers bit
// for bit; layout.go decides which of them LayoutAuto takes.
//
// Concurrency. A Source belongs to one goroutine. A Store is read-only and may be shared, but
// nobody may use it after Close.
//
// Memory. Reading needs memory for the longest line, and never more than 4 times its input plus 64
// MiB. Build needs O(n + d) bytes of memory for n rows and d features: a label and, if given, a
// weight for each row, and a few numbers for each feature. The rows go through an unlinked scratch
// file and the points lie in a mapped one. Both files are in StoreOptions.Dir. They take 12 bytes
// for each value read, and then 4 bytes for each point and feature, or 8 for each point and each
// non-zero. Points that a file holds packed (PointSource) are mapped where they are.
//
// References. The format comes from svm-train in LIBSVM (Chang and Lin, ACM TIST 2011) and from
// SVMlight (Joachims 1999). Mean and variance follow Welford (1962); the zeros that rows leave
// out are merged in as described by Chan, Golub and LeVeque (1983).
package dataset
