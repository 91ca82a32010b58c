//go:build !mpi || !linux

package command

// openRanks does nothing: this program is built without MPI.
func openRanks(*app) (close func(), err error) { return func() {}, nil }

// watchLaunched does nothing either.
func watchLaunched() {}

// tellWatcher does nothing: this program is watched by nobody.
func tellWatcher(string) {}
