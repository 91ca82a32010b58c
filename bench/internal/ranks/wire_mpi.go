//go:build mpi && linux

package ranks

import (
	"encoding/json"
	"io"
	"time"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/cluster/mpi"
)

// The median of many small frames is the latency. A large frame takes long against it, so few are
// enough.
const (
	wireRounds = 300       // of small frames
	wireFrame  = 4 << 10   // bytes of such a frame down, as the frames of an iteration are
	wirePieces = 20        // large frames
	wireBytes  = 512 << 10 // bytes of one
)

// measureWire measures the time of messages between the ranks of an MPI job. Rank 0 writes it as
// JSON: Round is the time of a small message down and up again, Down and Up the seconds for each
// further byte. Small and large messages separate the latency from the rate.
func measureWire(out io.Writer) error {
	// A lost rank ends the measurement, so the first function returns the exit code 1.
	ranks, err := mpi.Open(func(error) int { return 1 }, func() {})
	if err != nil {
		return err
	}
	defer ranks.Close()
	// median returns the seconds of an operation, which all ranks do so many times.
	median := func(times int, operation func() error) (seconds float64, err error) {
		var list []float64
		for range times {
			begin := time.Now()
			if err := operation(); err != nil {
				return 0, err
			}
			list = append(list, time.Since(begin).Seconds())
		}
		return harness.MedianOf(list), nil
	}
	// A frame up has 64 bytes where only the way down is measured.
	small, large := make([]byte, wireFrame), make([]byte, wireBytes)
	// One round is a broadcast and a gather, which every rank calls.
	told := func(down, up []byte) func() error {
		return func() error {
			if _, err := ranks.Broadcast(down); err != nil {
				return err
			}
			_, err := ranks.Gather(up)
			return err
		}
	}
	var w wire
	if w.Round, err = median(wireRounds, told(small, small[:64])); err != nil {
		return err
	}
	down, err := median(wirePieces, told(large, small[:64]))
	if err != nil {
		return err
	}
	up, err := median(wirePieces, told(small, large))
	if err != nil {
		return err
	}
	// The round is subtracted from a large one, which leaves the time of its further bytes.
	w.Down = max(0, down-w.Round) / wireBytes
	// Rank 0 receives the frames of all other ranks, so their bytes add up.
	w.Up = max(0, up-w.Round) / float64(wireBytes*max(1, ranks.Size()-1))
	if ranks.Rank() > 0 {
		return nil
	}
	return json.NewEncoder(out).Encode(w)
}
