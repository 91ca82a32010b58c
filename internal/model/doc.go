// Package model holds a trained model, as a value and as a file.
//
// # Format
//
// The file is legal safetensors: an 8-byte little-endian length of the header, a JSON header, and
// the tensors without holes or anything behind them. Any reader of safetensors lists
//
//	theta, w_norms       F64 [M]       weight and ||w_m|| of each kernel
//	alpha                F64 [nSV]     signed dual variables
//	support              I32 [nSV]     0-based rows of the training data, ascending
//	vectors              F32 [nSV, d]  those rows, scaled; absent if every kernel is precomputed
//	vector_start         I64 [nSV + 1] for sparse points: where the values of each row begin, and
//	                                   where the last ones end
//	vector_index         I32           0-based features of the values, ascending in each row
//	vector_value         F32           scaled, none of them 0
//	normalizer           F64 [M]       factors of multiplicative normalisation
//	normalizer_error     F64 [M]       their relative standard errors, if they were estimated
//	medians              F64           medians of gauss:auto and its like, means of chi2:mean, in
//	                                   the order of expansion
//	scaling_factor       F64           see dataset.Scaling
//	scaling_offset       F64
//	imputed              F64           the replacement of a missing value of each feature
//	sigmoids             F64 [k, 2]    A and B of each classifier in P(y = 1 | f) = 1/(1 + exp(A f + B));
//	                                   absent without probabilities
//	conformal_scores     F64           calibration scores, see Model.Conformal; absent without any
//	censoring_times      F64           Model.Censoring; absent without censored rows
//	censoring_shares     F64           alike
//	pair_beta            F64 [P]       dual variables of ordered pairs of training rows, see
//	                                   Model.RowPairs; absent for tasks without pairs
//	pair_above           I32 [P]       0-based rows of each pair: whose function is to be larger
//	pair_below           I32 [P]       and whose is to be smaller
//	baseline_times       F64           Model.Baseline; absent unless the task has relative hazards
//	baseline_log_hazards F64           alike
//	conformal_shares     F64           shares of residuals, in the place of scores of times; absent for other tasks
//	conformal_counts     I32 [k]       number of these of each class; absent unless by class
//	rule_sums            F64           what a rule has made the fixed weights from, as package train
//	                                   states; absent without such a rule
//	posteriors           F64 [n]       Pr(+1|x) of each training row, in [0, 1], or [n k] of all
//	                                   classes for one classifier of all; absent if labels are certain
//	fill                 F64 [M]       see Model.Fill; absent if no row may lack a view
//	centre_rows          I32 [s]       see Model.Centre: training rows at whose mean kernels are
//	                                   centred, ascending; absent if none is
//	centre_means         F64 [M]       mean of each such kernel over pairs of them, 0 of others
//	centre_vectors       F32 [s, d]    those rows, scaled; for sparse points there are
//	centre_start         I64 [s + 1]   these three in its place, as of the support vectors
//	centre_index         I32
//	centre_value         F32
//	settings             U8            only if the JSON text named below is long
//
// In a model of K classifiers for more than two classes, theta and w_norms have K M elements,
// classifier by classifier, and alpha has the dual variables of all classifiers one after the
// other. There are also
//
//	machine_support      I32           the support vector of each dual variable, an index in support
//	machine_classes      I32 [4 K]     positive and negative class (-1: all others), whether in
//	                                   float64, number of support vectors
//	machine_numbers      F64 [4 K]     bias, primal, dual and relative gap
//	class_weights        F64           factors of C of the classes, if any is not 1
//
// A model of a family beyond l_p-norm multiple kernel learning names it in the settings, as
// "family":{"name":..,"settings":{..}}, and may have
//
//	family.NAME          F64 [N]       arrays of the family, 64 at most, in ascending order
//
// where names consist of lower-case letters and underscores. Readers reject families that they do
// not know: theta, alpha and the vectors do not give the decision function by themselves.
//
// The entry __metadata__ of the header holds format ("bigmkl"), version, model and sha256. The
// entry model is the JSON text of everything scalar or short: the specifications of the kernels,
// norm, C, labels and certificate. It is empty if the tensor settings has the text. The entry
// sha256 is the digest of the whole file with its own 64 digits replaced by zeros.
//
// # Invariants
//
// A file of task quantile, huber, expectile, survival, logistic or rank has version 9, and so has one with a Matern or sigmoid
// kernel that is centred. Of the others, one with calibration scores has version 8. Of the others, one with features that occur has version 7, another one with fill, a
// centre or landmarks of gates version 6, another one with costs of kernels, a rule for weights, posteriors, another loss than the loss of
// its task, or rows of a stream version 5, another one whose training data were a table version 4, a file
// of a family version 3, another file with vector_start version 2, and any other file version 1.
// Below version 5 cost=D divides the importance of a kernel by D, which is a power of 1/2. A file of
// version 1 may hold the support vectors of sparse points with all their features. Files without a
// family have the bytes that releases before families gave them.
//
// Equal models give equal files, byte for byte. Decode detects every change of a single byte. A
// model holds only what determines the result, and no times, paths of its own, threads, budgets or
// counters. The file contains neither NaN nor infinity; p = infinity is the word "inf".
//
// # Memory and concurrency
//
// Decode compares every length with the size of the file before it allocates, so no header makes
// it take more memory than a small multiple of the file. A Model is plain data, and concurrent
// reads are safe. Write is atomic.
//
// # References
//
// safetensors: https://github.com/huggingface/safetensors#format
package model
