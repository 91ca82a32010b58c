package ranks

import (
	"io"

	"github.com/spf13/cobra"
)

// wireName is the hidden command that measures the exchange of the ranks of an MPI job. It is there in a
// program that was built with the tag mpi.
// The ranks start this program under mpirun.
const wireName = "measure-wire"

// wire has the times of the exchange between ranks, in seconds.
type wire struct {
	Round float64 `json:"round_seconds"`    // a small frame from rank 0 to all, and one from each back
	Down  float64 `json:"seconds_byte"`     // more for each byte that rank 0 sends to all
	Up    float64 `json:"seconds_byte_sum"` // more for each byte that rank 0 gets from the others together
}

// NewWireCommand returns that command, which prints the exchange as JSON.
// Without the tag the command reports that it is missing.
func NewWireCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: wireName, Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return measureWire(stdout) },
	}
}
