// Package probability turns decision values into probabilities of classes.
//
// A Sigmoid is P(y = 1 | f) = 1 / (1 + exp(A f + B)). Fit finds A <= 0 and B by maximum likelihood.
// The targets lie slightly inside of [0, 1], so A and B exist however well the values separate the
// classes. Normalise and Couple compute probabilities of several classes from those of classifiers
// that separate each class from the rest, or each pair of classes.
//
// The functions depend on their arguments alone. Sums run in the order of the values, so equal
// values give equal bits.
//
// # References
//
// Platt, Probabilistic outputs for support vector machines, 1999. Lin, Lin and Weng, A note on
// Platt's probabilistic outputs for support vector machines, Machine Learning 68, 2007. Wu, Lin and
// Weng, Probability estimates for multi-class classification by pairwise coupling, JMLR 5, 2004.
package probability
