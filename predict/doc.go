// Package predict evaluates models on rows that stream by.
//
// The decision function of a classifier is
//
//	f(x) = sum_i alpha_i sum_m theta_m k_m(x_i, x) + b
//
// over its support vectors x_i. Exponential kernels of one distance are evaluated as one function
// of it, see gradient.Function.PrepareProfiles. Rows are read in batches of some thousands, as many
// as the memory budget allows, and divided among threads. No decision depends on either. The values
// of several classifiers are combined by a vote (vote.go), and sigmoids turn them into
// probabilities (probability.go).
package predict
