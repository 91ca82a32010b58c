// Package bigmkl trains classifiers and regressors by l_p-norm multiple kernel learning. Given several kernels, which
// compare the same objects in different ways, it learns the classifier and the weight of each
// kernel together. It solves
//
//	min over w, b of  1/2 (sum_m ||w_m||^p)^(2/p) + C sum_i loss(f(x_i), y_i)
//
// with f(x) = sum_m <w_m, phi_m(x)> + b (Kloft 2011, Problem II.3). A norm p of 1 selects few
// kernels, and p of 2 weights them all alike.
//
//	options := bigmkl.Options{Kernels: "gauss:auto/10", Norm: 4.0 / 3}
//	model, result, err := bigmkl.Train(ctx, source, options)
//
// Features of unequal variances are standardised unless Options.Scale is set otherwise, and of task
// svr the cost C and the tube are set by the deviation of the targets unless they are given.
//
// Rows come from a dataset.Source: files, a stream or a Go iterator. They are packed into a scratch
// file, so data larger than memory can be trained on. The model records the duality gap that it was
// trained to, which package verify recomputes independently.
//
// A model is a function of the data and of the options that are stored in it. The number of
// threads, the budgets and the cache change how long training takes, and never a bit of the result.
//
// A kernel of your own is a UserKernel: Options.UserKernels has its code by name, and Options.Kernels lists it as
// user:NAME, or user:NAME@features for some of the features. Options.Task and Options.Loss select the losses.
//
// Reference: M. Kloft, l_p-norm multiple kernel learning (2011), Problem II.3 and Algorithm 3.2.
package bigmkl
