//go:build !mpi || !linux

package main

// openRanks does nothing: this program knows of no MPI.
func openRanks(*app) (close func(), err error) { return func() {}, nil }
