// Package bigmkl trains l_p-norm multiple kernel learning machines: given several sources of data about the same objects it
// learns how much each should count together with the classifier.
//
//	model, result, err := bigmkl.Train(ctx, source, bigmkl.Options{Kernels: "gauss:auto/10", Norm: 4.0 / 3})
//
// Rows come from a dataset.Source: files, a stream or a Go iterator. They are packed into a scratch file, so that data
// larger than memory train. The result carries the duality gap of the very model that is returned, which package verify
// recomputes independently.
//
// A model is a function of the data and of the options that are stored in it: the number of threads, the budgets and
// the cache change how long training takes, never a bit of the result.
//
// References. Kloft, l_p-norm multiple kernel learning (2011): Problem II.3 and Algorithm 3.2.
package bigmkl
