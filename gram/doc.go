// Package gram writes matrices of kernels and computes how much kernels are alike. Both begin as a
// training does, with a train.Workspace, and end before there is a problem to solve.
package gram
