// Package gram writes kernel matrices and computes alignments, which measure how similar kernels
// are. Both begin as a training does, with a train.Workspace, and end before there is a problem
// to solve. Both compute a few rows of a matrix at a time, so no matrix has to fit the memory.
package gram
