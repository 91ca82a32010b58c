// Package verify recomputes the certificate of a model: primal value, dual value and relative
// duality gap, from the model file and the training data alone, in float64 and with formulas of
// its own.
//
// With the training rows x_i, labels y_i in {-1, 1}, bounds C_i = C * class weight * row weight,
// and signed alpha_s on the support vectors x_s,
//
//	g_m(x) = sum_s alpha_s k_m(x_s, x)      k_m normalised as the model says
//	f(x)   = sum_m theta_m g_m(x) + b
//	V_m    = sum_s alpha_s g_m(x_s)         ||w_m|| = theta_m sqrt(V_m)
//	primal = 1/2 (sum_m ||w_m||^p)^(2/p) + sum_i C_i max(0, 1 - y_i f(x_i))
//	dual   = sum_s |alpha_s| - 1/2 (sum_m V_m^(p*/2))^(2/p*)      1/p + 1/p* = 1
//
// or, in the place of the p-norms, the two sides of another norm that the model names
// (regularizer.go): p over groups of q, the elastic net, the squared norm of theta, interactions
// of the kernels; with importances e_m, ||w_m|| / e_m^(1/2) and e_m V_m.
//
// The primal is an upper bound of the optimum for any theta >= 0 and b, the dual a lower bound
// for any alpha within its box and with sum 0; so their gap bounds the error of the model,
// whoever trained it. What makes the bounds invalid is listed in Report.Faults.
//
// # What is found
//
// The model is held to all that it claims: alpha in its box, of the right sign and with sum 0,
// the norm of theta as its regulariser has it, support vectors equal to the rows they are said to
// be, bit for bit, the fingerprint of the data as the model scales, labels and weights them,
// primal value, dual value, gap, every ||w_m||, the factors of the multiplicative normalisation,
// the kind of the certificate and the precision. Of several machines each is held to that as if
// it were alone (contest.go says which rows take part, and at what cost), all of them to the
// classes of the data, and every support vector to be one of some machine. Values may differ from
// those found here by what rounding can have done to the solver, for which the absolute values of
// all terms are summed along (certificate.go). On data of usual scale faults of these relative
// sizes and above are found (TestSmallestFault):
//
//	                                       double    single precision
//	theta                                  1e-7      1e-7
//	the sum of alpha                       1e-6      1e-6
//	primal and dual value                  1e-7      1e-3
//	||w_m||                                1e-7      1e-2
//	all alpha, bias                        1e-6      1e-2
//	one alpha, the sum kept                1e-5      1e-1
//	the factor of a kernel                 1e-10     1e-4
//
// Where terms cancel by many digits, and for p > 2 in the norms of kernels that nearly vanish, it
// is less. Nothing tells apart models that do the same: another C where no point costs anything,
// another p of a single kernel, what was asked for and how the solver was tuned, sets of one
// label each for classes. Factors of normalisation are recomputed from the pairs of rows that
// training took: all of up to 10,000 rows, and of more those of the 2,048 that its seed draws.
//
// A sample sees all of it but the values, which it estimates and compares within six standard
// errors: what is wrong by less than a share of the loss or of V_m that the sample can tell
// passes, and so does a gap that is too small. Of the factors of normalisation it recomputes as
// many, chosen at random, as some seconds allow.
//
// # Invariants
//
// It shares no code with the solver: of this module it imports data, model, specifications,
// matrix files and error classes (a test asks go list). The result does not depend on the number
// of threads. Exponentials are math.Exp, never approximations.
//
// # Memory and concurrency
//
// The data streams through once, in batches, each against tiles of support vectors: O(D) per row
// of a batch, a label (and, where given, a weight) per row, and some megabytes a thread besides
// the model. Where kernels are divided by their variance the rows whose pairs count are kept, at
// most 10,000, by their non-zeros if that takes less. Several machines share all that: the base
// of a row with a support vector is computed once, and the value of a kernel once if any machine
// wants it. With linear kernels each has five numbers for a feature, and each thread three for a
// kernel of each machine. Run starts Options.Threads goroutines and leaves none behind.
//
// # References
//
// Kloft, l_p-norm multiple kernel learning, 2011, problem II.3 and its dual; Neumaier, ZAMM 54,
// 1974, for the summation.
package verify
