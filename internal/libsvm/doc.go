// Package libsvm reads and writes models as the programs of LIBSVM do (Chang and Lin 2011).
//
// A model is text: lines of a name and its values, a line SV, and a line for each support vector with
// its coefficients and its features that are not zero. The decision function of the pair of classes i
// and j, i < j, is
//
//	f(x) = sum_s coef_s k(x_s, x) - rho
//
// over the vectors of both classes, and f > 0 is a vote for class i. A vector of class i has its
// coefficient of the pair in place j-1, and one of class j in place i. Regressions and models of one
// class have two classes in name and one coefficient.
//
// A file is material from anywhere: a number in it is a claim, and memory is only allocated for what the
// text itself has. Faults are errors of class fail.Input with their line.
package libsvm
