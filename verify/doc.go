// Package verify recomputes the certificate of a model, its primal value, dual value and relative
// duality gap, from the model file and the training data alone: in float64, with formulas of its
// own, and without a line of the solver's code.
//
// The training rows are x_i with labels y_i in {-1, 1} and bounds C_i = C * class weight * row
// weight. With the signed dual variables alpha_s of the support vectors x_s,
//
//	g_m(x) = sum_s alpha_s k_m(x_s, x)      k_m normalised as in the model
//	f(x)   = sum_m theta_m g_m(x) + b
//	V_m    = sum_s alpha_s g_m(x_s)         ||v_m|| = sqrt(V_m), ||w_m|| = theta_m ||v_m||
//	primal = 1/2 (sum_m ||w_m||^p)^(2/p) + sum_i C_i max(0, 1 - y_i f(x_i))
//	dual   = sum_s |alpha_s| - 1/2 (sum_m ||v_m||^p*)^(2/p*)         1/p + 1/p* = 1
//
// This is problem II.3 of Kloft (2011) and its dual. Other tasks have other losses (task.go), and
// other norms take the place of the p-norm (regularizer.go): groups of kernels, the elastic net,
// the squared norm of theta, and interactions of kernels.
//
// The primal value is an upper bound of the optimum for any theta >= 0 and b. The dual value is a
// lower bound for any alpha within its bounds whose sum is 0. Their gap therefore bounds the
// error of the model, whoever trained it and however. What makes the bounds invalid is listed in
// Report.Faults.
//
// # What is found
//
// All claims of a model are checked:
//
//   - each alpha lies within its bounds, has the right sign, and the sum of alpha is 0;
//   - theta has the norm that its regulariser asks for;
//   - support vectors equal the rows that they are said to be, bit for bit;
//   - the data, as the model scales, labels and weights them, have the fingerprint of the model;
//   - primal value, dual value, gap and every ||w_m|| equal the values found here;
//   - the factors of the multiplicative normalisation are the inverse variances of the kernels,
//     unless the model is one of a stream, whose factors may belong to rows that are gone;
//   - the kind of the certificate and the precision are what kernels and options imply.
//
// Each of several classifiers is checked as if it were alone (decomposition.go has the rows that
// are used, and their costs). All together have to cover the classes of the data, and every
// support vector has to belong to some classifier.
//
// Values may differ from the values found here by what rounding can have done to the solver
// (rounding.go). On data of usual scale, faults of these relative sizes and above are found
// (TestSmallestFault):
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
// Where terms cancel by many digits, and for p > 2 in the norms of kernels that nearly vanish,
// only larger faults are found. Models that do the same cannot be distinguished: models of
// another C where no point has a loss, of another p of a single kernel, or of other options of
// the solver.
//
// A sample (Options.Sample) checks all of that but the values, which it estimates and compares
// within six standard errors. A fault that is smaller than that passes, and so does a gap that is
// too small. The factors of normalisation are recomputed for some kernels, chosen at random,
// within some seconds.
//
// # Invariants
//
// The package shares no code with the solver: of this module it imports the data, the model, the
// specifications of kernels, the files of matrices, and what words errors and sizes (a test asks
// go list). The result does not depend on the number of threads or on the budget. Exponentials are
// math.Exp, and never approximations.
//
// # Memory and concurrency
//
// The data are read once, in batches of rows, each of which is evaluated against tiles of support
// vectors. In memory are the model, for each row of a batch its d features, for each row of the
// data its label and weight, and some megabytes for each thread. Where kernels are divided by
// their variance, the rows whose pairs count are kept: at most 10,000, without their zeros if
// that takes less.
//
// Several classifiers share the base of a row with a support vector, which is computed once, and
// the value of a kernel, which is computed once if any classifier needs it. With linear kernels
// each classifier has six numbers for each feature; each thread has three for each kernel of each
// classifier.
//
// Run starts as many goroutines as Options.Threads and the budget allow, and leaves none behind. Several
// processes may share the batches out (Options.Ranks); the report is the same as of one process.
//
// # Reading order
//
// A file uses only files below it in this list. Run (verify.go) prepares the problem that the
// model claims to have solved (setup.go), recomputes the evidence (evidence.go), and judges the
// model by it (judge.go, claims.go). A wing (wing.go) has what depends on the
// kind of the problem: plain.go with joint.go, single.go, discriminant.go with classmeans.go, and the files mixture*.go
// with responsibilities.go and likelihood.go. An extension (extension.go) has the checks of kernels that are learned: the
// files gate*.go with landmarks.go, and projection.go with projectionslope.go.
//
// For the evidence, a reader turns the data into batches of rows with roles (reader.go,
// support.go, rolesofrow.go, decomposition.go); workers evaluate them in parallel (stream.go, worker.go,
// values.go), on several ranks if there are any (ranks.go), from bases of kernels (base.go and the files that it uses); the sums (totals.go)
// become the finding on each classifier (certificate.go), and rounding.go bounds by how much a claim may be off. The factors of
// normalisation are recomputed beside that (variance.go, variancecheck.go, pairs.go, factor.go). The ground is formulas: kernels (kernel.go, strings.go),
// losses (task.go), norms (norm.go, and regularizer.go with a
// file for each norm).
//
// # References
//
// M. Kloft, l_p-norm multiple kernel learning, 2011. A. Neumaier, ZAMM 54, 1974, for the summation.
package verify
