// Package probability turns decision values into probabilities of classes.
//
// A Sigmoid is P(y = 1 | f) = 1 / (1 + exp(A f + B)). Fit finds A <= 0 and B by maximum likelihood of targets that are drawn a little
// from 0 and 1 towards the middle, so that they exist however well the values tell the classes apart. Normalise and Couple make
// probabilities of several classes out of those of machines that set each against the rest, or one against one.
//
// The functions are pure; sums run in the order of the values, so that equal values give equal bits.
//
// # References
//
// Platt, Probabilistic outputs for support vector machines, 1999. Lin, Lin and Weng, A note on Platt's probabilistic outputs for
// support vector machines, Machine Learning 68, 2007. Wu, Lin and Weng, Probability estimates for multi-class classification by
// pairwise coupling, JMLR 5, 2004.
package probability
