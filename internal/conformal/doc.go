// Package conformal makes intervals and sets of classes of a coverage: of rows that are exchangeable with the training rows, so
// many have their target in the interval, or their class in the set.
//
// A model predicts rows that were held out of its training, and how badly each agrees with what is known of it is its
// nonconformity. For a new row the interval, or the set, has all targets whose nonconformity is at most the
//
//	ceil((n + 1) coverage)-th smallest of n scores                 (Vovk, Gammerman and Shafer 2005)
//
// The nonconformity of a target y is |y - f(x)|, and the nonconformity of a class c with the decision values g of
// the classes is
//
//	max_{c' != c} g_c' - g_c                                           (least ambiguous sets, Sadinle, Lei and Wasserman 2019)
//
// A class may have scores of its own, and then the coverage holds for the rows of each class by itself. Package calibration makes the
// scores.
//
// A Regions may be used by several goroutines at once. It keeps a threshold for each class.
package conformal
