// Package dataset reads labelled points and packs them for the solver.
//
// Purpose. A Source yields rows one at a time; Open and NewReader read libsvm and svmlight text, plain or compressed.
// A Reader with an alphabet reads sequences instead, in FASTA or in a column, whose letters are the features (see Alphabet).
// Build turns a source into a Store: scaled, rounded to float32 and packed in panels of 32 points or, where most values are
// zero, as the non-zeros of each point.
//
// Invariants. A Reader checks all that it reads: a row that it yields has strictly ascending indices and finite values,
// whatever the bytes were, and an error of class fail.Input names file, line and column. Numbers are correctly rounded.
// Scaling computes in float64 and rounds once, so that Scaling.Dense on a fresh row gives the very bits the store has.
// A store is a function of the rows and the options alone; Fingerprint sums it up. Both layouts hold the same numbers bit for
// bit; which of them LayoutAuto takes is decided in layout.go.
//
// Concurrency. Sources are for one goroutine. A Store is read-only and may be shared; Close must come last.
//
// Memory. Reading takes the longest line, and never more than 4 times its input and 64 MiB. Build keeps O(n + d) in RAM: a
// label (and, where given, a weight) per row and a few numbers per feature; the rows go through an unlinked scratch file and the points live in a mapped one. Both are in
// StoreOptions.Dir: 12 bytes per value read, then 4 bytes per point and feature or 8 per point and per non-zero.
//
// References: the format is that of svm-train in LIBSVM (Chang and Lin, ACM TIST 2011) and of SVMlight (Joachims 1999);
// mean and variance are Welford's, merged with the implicit zeros as in Chan, Golub and LeVeque (1983).
package dataset
