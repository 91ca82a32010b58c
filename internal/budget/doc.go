// Package budget shares the memory and the disk of a run out before the run needs them.
//
// What a run takes is counted by formulas over the points n, their features d, the kernels M, their
// groups and the working set q. Memory is counted by stages, because the kernels are normalised
// before there are gradients, and gradients in double precision follow those in single precision.
// The least budget is the need of the busiest stage. What the budgets leave goes to the gradients,
// and what these leave goes to the cache of kernel rows. A budget that is too small is rejected,
// with the least one that does.
//
// All figures are bytes unless their names state otherwise. They are upper bounds: a run that was
// let in must not end for want of memory or disk.
//
// No value of a model depends on anything here.
package budget
