// Package conformal makes intervals and sets of classes of a coverage: of rows that are exchangeable with those of the training, so
// many have their target in the interval, or their class in the set.
//
// A model predicts rows that were held out of its training, and how badly each agrees with what is known of it is its
// nonconformity. For a new row the interval, or the set, has all targets whose nonconformity is at most the
//
//	ceil((n + 1) coverage)-th smallest of n scores                 (Vovk, Gammerman and Shafer 2005)
//
// Rows are held out in one of two ways. Share keeps a part of the rows from the training (split conformal, Papadopoulos et al.
// 2002): the coverage is at least what was asked for, whatever the data and the model are. Folds trains once more without each
// fold and predicts it, and applies the scores to the model of all rows: no row is lost, and nothing is proven. The coverage is that
// of the scores if models without a fold predict as the one of all rows does. It is far below where that one is unstable, as a
// least-squares fit of as many features as rows is: models without a fold are then better than it.
//
// The nonconformity of a target y is |y - f(x)|, and that of a class c with the decision values g of the classes is
//
//	max_{c' != c} g_c' - g_c                                           (least ambiguous sets, Sadinle, Lei and Wasserman 2019)
//
// With ByClass each class has scores of its own, and the coverage holds for the rows of each class by itself.
//
// A Regions may be used by several goroutines at once. It keeps a threshold for each class.
package conformal
