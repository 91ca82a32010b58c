package ranks

import (
	"context"
	"sync"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/internal/cluster"
	"bigmkl/internal/cluster/shards"
)

// exchange counts the messages of ranks in a recorded training. The model of a cluster
// multiplies them with the times of a network.
type exchange struct {
	points, iterations int
	rounds             int   // operations of all ranks, either way
	down, up           int64 // bytes that rank 0 has sent to each rank, and would get from very many others
}

// recordExchange trains on two ranks of this process and counts their messages. Their number and
// size follow from the algorithm, and not from the network, so no MPI is needed for it.
func recordExchange(ctx context.Context, u harness.Training) (exchange, error) {
	// Two ranks suffice, because the model extends the counts to any number.
	ranks := cluster.Local(2)
	e := exchange{}
	var running sync.WaitGroup
	// Each goroutine writes to its own place of the list.
	errs := make([]error, len(ranks))
	for rank := range ranks {
		var c cluster.Collective = ranks[rank]
		if rank == 0 {
			c = &counter{Collective: c, exchange: &e}
		}
		running.Go(func() {
			o := u.Options
			o.Norm, _ = harness.ParseNorm(u.Norm)
			// Both ranks read the whole data, and keep a half of the rows.
			o.Team, o.Threads = shards.NewTeam(c), 1
			errs[rank] = func() error {
				src, err := u.Data.Open(o.Task)
				if err != nil {
					return err
				}
				defer src.Close()
				m, r, err := bigmkl.Train(ctx, src, harness.AsPosed(o))
				if rank == 0 && err == nil {
					e.points, e.iterations = m.Points, r.Iterations
				}
				return err
			}()
		})
	}
	running.Wait()
	return e, errs[0]
}

// counter counts the bytes that rank 0 sends and receives. It is the Collective of rank 0 and counts
// before it passes a call on. A call is one round, whatever its size.
type counter struct {
	cluster.Collective
	exchange *exchange
}

// Broadcast counts the frame that each rank gets.
func (c *counter) Broadcast(frame []byte) ([]byte, error) {
	c.exchange.rounds++
	c.exchange.down += int64(len(frame))
	return c.Collective.Broadcast(frame)
}

// Gather counts the frames that rank 0 gets. The first frame is its own, which no wire carries.
func (c *counter) Gather(frame []byte) ([][]byte, error) {
	frames, err := c.Collective.Gather(frame)
	c.exchange.rounds++
	for _, f := range frames[min(1, len(frames)):] {
		// Rank 1 of two ranks sends up its half of the rows. Many ranks together send up all of
		// them, twice as much.
		c.exchange.up += 2 * int64(len(f))
	}
	return frames, err
}

// Scatter counts the frame of rank 1.
func (c *counter) Scatter(frames [][]byte) ([]byte, error) {
	c.exchange.rounds++
	for _, f := range frames[min(1, len(frames)):] {
		c.exchange.down += int64(len(f))
	}
	return c.Collective.Scatter(frames)
}
