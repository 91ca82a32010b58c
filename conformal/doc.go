// Package conformal makes intervals and sets of classes whose coverage is known: of rows that are exchangeable with those of the
// training, a share of at least the coverage has its target in the interval, or its class in the set.
//
// A model predicts rows that were held out of its training, and how badly each agrees with what is known of it is its
// nonconformity. For a new row the interval, or the set, has all targets whose nonconformity is at most the
//
//	ceil((n + 1) coverage)-th smallest of n scores                 (Vovk, Gammerman and Shafer 2005)
//
// Rows are held out in one of two ways. Share keeps a part of the rows from the training (split conformal, Papadopoulos et al.
// 2002): the coverage is proven for any data. Folds trains once more without each fold and predicts it, and the model is that of all
// rows (Vovk 2015): no row is lost, and the coverage is that of the scores if the model without a fold predicts as the one of all
// rows does. It is a little above where fewer rows make worse predictions.
//
// The nonconformity of a target y is |y - f(x)|, and that of a class c with the decision values g of the classes is
//
//	max_{c' != c} g_c' - g_c                                           (least ambiguous sets, Sadinle, Lei and Wasserman 2019)
//
// With ByClass each class has scores of its own, and the coverage holds for the rows of each class by itself.
//
// A Regions may be used by several goroutines at once. It keeps a threshold for each class.
package conformal
