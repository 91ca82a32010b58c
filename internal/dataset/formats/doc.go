// Package formats finds out in which format data are and opens them: libsvm text and sequences by
// package dataset, arrays by package arrays, tables by package table. A format is told by the name
// of a file and by its first bytes. Errors are of class fail.Usage if the command line makes no
// sense and else of fail.Input.
package formats
