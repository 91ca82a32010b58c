// Package verify recomputes the certificate of a model: primal value, dual value and relative duality gap, from the model file
// and the training data alone, in float64 and with formulas of its own.
//
// With the training rows x_i, labels y_i in {-1, 1}, bounds C_i = C * class weight * row weight, and signed alpha_s on the
// support vectors x_s,
//
//	g_m(x) = sum_s alpha_s k_m(x_s, x)      k_m normalised as the model says
//	f(x)   = sum_m theta_m g_m(x) + b
//	V_m    = sum_s alpha_s g_m(x_s)         ||w_m|| = theta_m sqrt(V_m)
//	primal = 1/2 (sum_m ||w_m||^p)^(2/p) + sum_i C_i max(0, 1 - y_i f(x_i))
//	dual   = sum_s |alpha_s| - 1/2 (sum_m V_m^(p*/2))^(2/p*)      1/p + 1/p* = 1
//
// The primal is an upper bound of the optimum for any theta >= 0 and b, the dual a lower bound for any alpha within its box
// and with sum 0; so their gap bounds the error of the model, whoever trained it. What makes the bounds invalid is listed in
// Report.Faults.
//
// # Invariants
//
// It shares no code with the solver: of this module it imports data, model, specifications, matrix files and error classes
// (a test asks go list). The result does not depend on the number of threads. Exponentials are math.Exp, never approximations.
//
// # Memory and concurrency
//
// The data streams through in batches, each against tiles of support vectors: O(D) per row of a batch and some megabytes
// a thread besides the model. Run starts Options.Threads goroutines and leaves none behind.
//
// # References
//
// Kloft, l_p-norm multiple kernel learning, 2011, problem II.3 and its dual; Neumaier, ZAMM 54, 1974, for the summation.
package verify
