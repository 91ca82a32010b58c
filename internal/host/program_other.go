//go:build !linux

package host

import "os"

// openProgram opens the file from which the program was started. If it was replaced meanwhile, that
// is another program, and a run that continues from a checkpoint is rejected or not as if it were
// the one.
func openProgram() (*os.File, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
