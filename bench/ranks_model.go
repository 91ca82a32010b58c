package main

import (
	"context"
	"math"
	"sync"

	"bigmkl"
	"bigmkl/cluster"
	"bigmkl/cluster/shards"
)

// The time of an iteration of n rows on r ranks is modelled as
//
//	n/n0 (serial + shared ceil(U/r)/U) + rounds latency log2(r) + down log2(r) / bandwidth + up / bandwidth
//
// where serial and shared are seconds of one thread on n0 rows, and U = n/1024 is the number of units that are
// dealt out. Rank 0 sends the working set down a tree, and takes in what all others send through one
// link: of that a part grows with n, which is the combined gradient and the sums by unit.

// exchange is what ranks have said to each other in a recorded training.
type exchange struct {
	points, iterations int
	rounds             int   // operations in which all ranks take part
	down, up           int64 // bytes that rank 0 has sent to each rank, and has got from all others
}

// recordExchange trains on two ranks of this process and counts what they say.
func recordExchange(ctx context.Context, u training) (exchange, error) {
	ranks := cluster.Local(2)
	e := exchange{}
	var running sync.WaitGroup
	errs := make([]error, len(ranks))
	for rank := range ranks {
		var c cluster.Collective = ranks[rank]
		if rank == 0 {
			c = &counter{Collective: c, exchange: &e}
		}
		running.Go(func() {
			o := u.Options
			o.Norm, _ = parseNorm(u.Norm)
			o.Team, o.Threads = shards.NewTeam(c), 1
			errs[rank] = func() error {
				src, err := u.Data.open(o.Task)
				if err != nil {
					return err
				}
				defer src.Close()
				m, r, err := bigmkl.Train(ctx, src, o)
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

// counter counts what rank 0 says and hears.
type counter struct {
	cluster.Collective
	exchange *exchange
}

func (c *counter) Broadcast(frame []byte) ([]byte, error) {
	c.exchange.rounds++
	c.exchange.down += int64(len(frame))
	return c.Collective.Broadcast(frame)
}

func (c *counter) Gather(frame []byte) ([][]byte, error) {
	frames, err := c.Collective.Gather(frame)
	c.exchange.rounds++
	for _, f := range frames[min(1, len(frames)):] {
		// Rank 1 of two has one half of what travels up where all rows are shared out.
		c.exchange.up += 2 * int64(len(f))
	}
	return frames, err
}

func (c *counter) Scatter(frames [][]byte) ([]byte, error) {
	c.exchange.rounds++
	for _, f := range frames[min(1, len(frames)):] {
		c.exchange.down += int64(len(f))
	}
	return c.Collective.Scatter(frames)
}

// clusterModel has the figures of an iteration of one process with one thread.
type clusterModel struct {
	points           float64
	serial, shared   float64 // seconds; what rank 0 does alone, and the rest
	rounds, down, up float64 // operations, and bytes
}

// newClusterModel takes them from a training and its exchange on two ranks.
func newClusterModel(one outcome, e exchange) *clusterModel {
	of, all := math.Max(1, float64(one.Iterations)), math.Max(1, float64(e.iterations))
	share := serialShare(one)
	return &clusterModel{
		points: float64(one.Points),
		serial: share * one.Seconds / of, shared: (1 - share) * one.Seconds / of,
		rounds: float64(e.rounds) / all, down: float64(e.down) / all, up: float64(e.up) / all,
	}
}

// network is what ranks are connected by.
type network struct {
	name      string
	bandwidth float64 // bytes a second
	latency   float64 // seconds
}

// networks are those of the table.
var networks = []network{
	{"1 Gb/s, 0.5 ms", 1e9 / 8, 5e-4}, {"10 Gb/s, 0.1 ms", 1e10 / 8, 1e-4}, {"100 Gb/s, 5 us", 1e11 / 8, 5e-6},
}

// unitRows is the number of rows that are dealt out together, where there are many.
const unitRows = 1024

// iteration returns the seconds of an iteration of n rows. The bytes that go up grow with n; a working set
// and what is told of it are the same.
func (c *clusterModel) iteration(n float64, ranks int, w network) float64 {
	size, units := n/c.points, math.Max(32, n/unitRows)
	t := size * (c.serial + c.shared*math.Ceil(units/float64(ranks))/units)
	if ranks == 1 {
		return t
	}
	depth := math.Ceil(math.Log2(float64(ranks)))
	return t + depth*(c.rounds*w.latency+c.down/w.bandwidth) + c.up*size/w.bandwidth
}

// clusterRow is an iteration on a cluster.
type clusterRow struct {
	Network string  `json:"network" table:"network"`
	Points  float64 `json:"n" table:"n|%.0e"`
	Ranks   int     `json:"ranks" table:"ranks"`
	Seconds float64 `json:"iteration_seconds" table:"seconds an iteration|%.3g"`
	Faster  float64 `json:"times_faster" table:"against one|%.1f x"`
	// Messages is the share of the time in which nothing is computed.
	Messages float64 `json:"messages_percent" table:"of it messages|%.0f %%"`
}

// tabulate shows clusters.
func (c *clusterModel) tabulate(r *experimentReport, name string) {
	t := r.table("Modelled clusters, ranks of one thread, %s", name)
	t.note("An iteration has %.1f rounds; it sends %.0f kB down to each rank and %.0f kB up to rank 0 at n = %.0f, where one thread takes %.3g s "+
		"alone and %.3g s of work that is shared out.", c.rounds, c.down/1e3, c.up/1e3, c.points, c.serial, c.shared)
	t.note("Nothing hides behind anything else: messages and work come one after the other, as they do. What rank 0 does alone " +
		"grows with n and bounds every cluster.")
	silent := network{bandwidth: math.Inf(1)}
	for _, w := range networks {
		for _, n := range []float64{1e6, 1e9} {
			alone := c.iteration(n, 1, w)
			for _, ranks := range []int{2, 8, 32, 128, 1024} {
				all := c.iteration(n, ranks, w)
				t.add(clusterRow{w.name, n, ranks, all, ratio(alone, all), 100 * (1 - ratio(c.iteration(n, ranks, silent), all))})
			}
		}
	}
}
