package mpi

import (
	"os"
	"strconv"
)

// Launched reports whether a launcher of MPI has started this process.
func Launched() bool {
	for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// RanksHere is the number of ranks on this computer, as the launcher reports it, and otherwise 1.
func RanksHere() int {
	for _, name := range []string{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
			return n
		}
	}
	return 1
}
