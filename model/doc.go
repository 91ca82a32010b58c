// Package model is the trained classifier as a value and as a file.
//
// # Format
//
// The file is legal safetensors: an 8-byte little-endian header length, a JSON header, the tensors without holes, nothing
// after them. Any safetensors reader lists
//
//	theta, w_norms       F64 [M]       weight and ||w_m|| of each kernel
//	alpha                F64 [nSV]     signed dual variables
//	support              I32 [nSV]     0-based rows of the training data, ascending
//	vectors              F32 [nSV, d]  those rows, scaled; absent if every kernel is precomputed
//	vector_start         I64 [nSV + 1] or, where points were stored sparsely: where the values of each row begin, and where they end
//	vector_index         I32           0-based features of the values, ascending in each row
//	vector_value         F32           scaled, none of them 0
//	normalizer           F64 [M]       factors of multiplicative normalisation
//	normalizer_error     F64 [M]       their relative standard errors, if they were estimated
//	medians              F64           medians of gauss:auto and its like, means of chi2:mean, in order of expansion
//	scaling_factor       F64           see dataset.Scaling
//	scaling_offset       F64
//	sigmoids             F64 [k, 2]    A and B of each machine, P(y = 1 | f) = 1 / (1 + exp(A f + B)); absent without probabilities
//	settings             U8            only if the JSON text named below is long
//
// In a model of K machines for more than two classes theta and w_norms are K M long, machine by machine, and alpha has the dual
// variables of one machine behind those of the other; there are also
//
//	machine_support      I32           the support vector of each dual variable, as a place in support
//	machine_classes      I32 [4 K]     positive and negative class (-1: all others), whether in float64, number of support vectors
//	machine_numbers      F64 [4 K]     bias, primal, dual and relative gap
//	class_weights        F64           factors of C of the classes, if any is not 1
//
// The header's __metadata__ holds format ("bigmkl"), version, model (JSON text of all that is scalar or short: kernel
// specifications unexpanded, norm, C, labels, certificate; empty if the tensor settings has it) and sha256, the digest of the
// whole file with its own 64 digits replaced by zeros.
//
// # Invariants
//
// A file with vector_start has version 2, any other version 1. A file of version 1 may have the vectors of sparse points laid out.
//
// Equal models are equal files, byte for byte. Each single-byte change of a file is found by Decode. A model holds only what
// determines the result: no times, paths of its own, threads, budgets or counters. No NaN or infinity is in the file; p =
// infinity is the word "inf".
//
// # Memory and concurrency
//
// Decode checks every length against the size of the file before it allocates, so that no header makes it take more memory
// than a small multiple of the file. A Model is plain data: concurrent reads are safe. Write is atomic.
//
// # References
//
// safetensors: https://github.com/huggingface/safetensors#format
package model
