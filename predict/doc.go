// Package predict evaluates models on rows that stream by.
//
// The decision function of a machine is
//
//	f(x) = sum_i alpha_i sum_m theta_m k_m(x_i, x) + b
//
// over its support vectors x_i. Rows are taken some thousands at a time, as many as the memory budget
// allows, and divided among threads; no decision depends on either. The values of several machines
// are combined by a vote (vote.go) and become probabilities by sigmoids (probability.go).
package predict
