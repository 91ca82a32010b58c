// Package calibration trains models with calibration scores: the nonconformity of rows that were held out, from which package
// conformal makes intervals and sets.
//
// Rows are held out in one of two ways. Share keeps a part of the rows from the training (split conformal, Papadopoulos et al.
// 2002): the coverage is at least what was asked for, whatever the data and the model are. Folds trains once more without each
// fold and predicts it, and applies the scores to the model of all rows: no row is lost, and nothing is proven. The coverage equals
// the coverage of the scores if models without a fold predict as the model of all rows does. It is far below where that model is
// unstable, as a least-squares fit of as many features as rows is: models without a fold are then better than it.
//
// All rows are read once into a scratch file and stay there until the end. Their labels, targets and weights are in memory.
package calibration
