package ranks

import (
	"fmt"
	"math"

	"bigmkl/bench/internal/harness"
)

// The time of a training on r ranks, of which p have a processor of their own, is modelled as
//
//	serial + each r/p + (W - serial - each) / p + messages,
//
// where W is the time of one process with one thread. In the time serial, rank 0 works and all others
// wait. In the time each, every rank does the same work for any number of ranks: it receives the
// working set and packs its rows. Both are fitted to measured trainings, and their sum is at most W.
// Messages are rounds of small frames and bytes in both directions. Their times are measured between
// ranks that compute nothing.
//
// For clusters, the time of an iteration is modelled. Four parts grow with the number n of rows: the
// passes, which are divided in units of 1,024 rows; the solver's loops over rows, which are serial; a
// part of the preparation, which each rank does; and a part of the bytes to rank 0. Trainings on two
// numbers of rows determine the last two. The rest of serial and each depends on the working set alone.
// The quadratic model is divided in blocks of 32 columns.

// clusterModel has the figures of a training.
type clusterModel struct {
	points, whole float64 // rows, and the seconds of one process with one thread
	serial, each  float64 // seconds of the training, see above; 0 before they are fitted
	iterations    float64
	rounds        float64 // an iteration: a frame down and one up from each
	down          float64 // bytes to each rank, an iteration
	up, upRow     float64 // bytes to rank 0 from very many ranks in an iteration: a constant part, and a part for each row
	grows         float64 // seconds of the solver's loops over rows, which rank 0 makes alone, for each row of an iteration
	prepared      float64 // seconds before the first step for each row, in proportion to an iteration
	blocks        float64 // seconds of the quadratic model, an iteration
}

// side is a training by one process with one thread, and the data that two ranks exchange in it.
type side struct {
	one harness.Outcome
	exchange
}

// newClusterModel computes the figures from a training on few rows, from a training on all rows, and
// from the seconds of one rank on all rows. serial and each are left to fit.
func newClusterModel(few, all side, whole float64) *clusterModel {
	one, of := &all.one, math.Max(1, float64(all.one.Iterations))
	// sent is the bytes to rank 0 in an iteration.
	sent := func(e *exchange) float64 { return float64(e.up) / math.Max(1, float64(e.iterations)) }
	told := math.Max(1, float64(all.iterations))
	c := &clusterModel{
		points: float64(one.Points), whole: whole, iterations: of,
		rounds: float64(all.rounds) / 2 / told, down: float64(all.down) / told,
		blocks: one.ModelSeconds / of, grows: one.LoopSeconds / of / float64(one.Points),
	}
	// Two sizes separate the part of each row from the constant part.
	if more := float64(all.points - few.points); more > 0 {
		c.upRow = math.Max(0, (sent(&all.exchange)-sent(&few.exchange))/more)
		c.prepared = math.Max(0, (one.PrepareSeconds-few.one.PrepareSeconds)/more) / of
	}
	c.up = math.Max(0, sent(&all.exchange)-c.upRow*c.points)
	return c
}

// messages is the seconds that ranks exchange in a training. With r ranks, rank 0 gets (r-1)/r of all
// bytes that are sent up: its own part stays in its memory.
func (c *clusterModel) messages(ranks int, w wire) float64 {
	if ranks == 1 {
		return 0
	}
	up := (c.up + c.upRow*c.points) * float64(ranks-1) / float64(ranks)
	return c.iterations * (c.rounds*w.Round + c.down*w.Down + up*w.Up)
}

// training is the seconds of a training by ranks of one thread on so many processors.
// With more ranks than processors, ranks share processors, so each p-th of the work takes r/p as long.
func (c *clusterModel) training(ranks, processors int, w wire) (seconds, messages float64) {
	p := float64(min(ranks, processors))
	messages = c.messages(ranks, w)
	return c.serial + c.each*float64(ranks)/p + (c.whole-c.serial-c.each)/p + messages, messages
}

// fit finds serial and each by least squares of relative errors. They are not negative. Errors are
// relative, or the rows of slow networks would decide alone.
func (c *clusterModel) fit(rows []rankRow, processors int) {
	// The seconds beyond (W / p + messages) are serial (1 - 1/p) + each (r - 1)/p.
	var a11, a12, a22, b1, b2 float64
	for _, row := range rows {
		if row.Ranks == 1 {
			continue
		}
		p := float64(min(row.Ranks, processors))
		x, y := (1-1/p)/row.Seconds, float64(row.Ranks-1)/p/row.Seconds
		z := (row.Seconds - c.whole/p - c.messages(row.Ranks, row.wire)) / row.Seconds
		a11, a12, a22, b1, b2 = a11+x*x, a12+x*y, a22+y*y, b1+x*z, b2+y*z
	}
	// These are the normal equations of two unknowns.
	if det := a11*a22 - a12*a12; det > 1e-9*a11*a22 {
		c.serial, c.each = (b1*a22-b2*a12)/det, (b2*a11-b1*a12)/det
	} else if a11 > 0 {
		c.serial = b1 / a11 // A single number of ranks does not separate them.
	}
	switch {
	case c.serial < 0:
		c.serial, c.each = 0, math.Max(0, harness.Ratio(b2, a22))
	case c.each < 0:
		c.serial, c.each = math.Max(0, harness.Ratio(b1, a11)), 0
	}
	// In a training that is too short for its ranks, both times together can exceed the whole.
	if more := (c.serial + c.each) / c.whole; more > 1 {
		c.serial, c.each = c.serial/more, c.each/more
	}
}

// describe states what was fitted.
func (c *clusterModel) describe() string {
	return fmt.Sprintf("Of %.2f s rank 0 does %.2f s while the others wait, and %.2f s every rank does for itself. An iteration has %.1f rounds, and sends "+
		"%.0f kB down to each rank and up to rank 0 %.0f kB and %.1f bytes for each row.", c.whole, c.serial, c.each, c.rounds, c.down/1e3, c.up/1e3, c.upRow)
}

// clusterNetwork is what ranks of a modelled cluster are connected by.
type clusterNetwork struct {
	name      string
	bandwidth float64 // bytes a second
	latency   float64 // seconds, one way
}

// clusterNetworks are the networks of the table.
var clusterNetworks = []clusterNetwork{
	{"1 Gb/s, 0.5 ms", 1e9 / 8, 5e-4}, {"10 Gb/s, 0.1 ms", 1e10 / 8, 1e-4}, {"100 Gb/s, 5 us", 1e11 / 8, 5e-6},
}

const (
	unitRows     = 1024 // that are dealt out together, where there are many
	modelColumns = 16   // blocks of columns of the quadratic model, with 512 points in the working set

	// messageSeconds is what rank 0 takes to receive a frame from one rank, beside the network.
	messageSeconds = 2e-6
)

// iteration returns the seconds of an iteration of n rows on ranks of one thread, which all have a
// processor. A broadcast goes through a tree, so its latency grows with the logarithm of the ranks.
// Rank 0 receives the frames of all others one by one.
func (c *clusterModel) iteration(n float64, ranks int, w clusterNetwork) float64 {
	serial, each, whole := c.serial/c.iterations, c.each/c.iterations, c.whole/c.iterations
	// What does not grow is of the working set. Every rank prepares the kernels for itself.
	serial += c.grows * (n - c.points)
	each += c.prepared * (n - c.points)
	passes := math.Max(0, whole-(c.serial+c.each)/c.iterations-c.blocks) * n / c.points
	r, units := float64(ranks), math.Max(32, n/unitRows)
	t := serial + each + passes*math.Ceil(units/r)/units + c.blocks*math.Ceil(modelColumns/r)/modelColumns
	if ranks == 1 {
		return t
	}
	depth := math.Ceil(math.Log2(r))
	up := (c.up + c.upRow*n) * (r - 1) / r
	return t + c.rounds*((depth+1)*w.latency+(r-1)*messageSeconds) + depth*c.down/w.bandwidth + up/w.bandwidth
}

// clusterRow is an iteration on a cluster.
type clusterRow struct {
	Network string  `json:"network" table:"network"`
	Points  float64 `json:"n" table:"n|%.0e"`
	Ranks   int     `json:"ranks" table:"ranks"`
	Seconds float64 `json:"iteration_seconds" table:"seconds an iteration|%.3g"`
	Faster  float64 `json:"times_faster" table:"against one|%.1f x"`
	// Messages is the share of the time in which nothing is computed.
	Messages float64 `json:"messages_percent" table:"time of messages|%.0f %%"`
}

// tabulate shows clusters.
func (c *clusterModel) tabulate(r *harness.Report, name string) {
	t := r.Table("Modelled clusters, ranks of one thread, %s", name)
	t.Note("Nothing hides behind anything else: messages and work come one after the other, as they do. What rank 0 does alone takes %.3g s an "+
		"iteration, of it %.2g s for each million rows. The preparation before the first step takes every rank %.2g s an iteration for each "+
		"million rows.", c.serial/c.iterations, c.grows*1e6, c.prepared*1e6)
	// The table varies the network, the rows and the ranks.
	for _, w := range clusterNetworks {
		for _, n := range []float64{1e6, 1e9} {
			alone := c.iteration(n, 1, w)
			for _, ranks := range []int{2, 8, 32, 128, 1024} {
				all := c.iteration(n, ranks, w)
				// Without latency and at an infinite rate only the work is left.
				silent := c.iteration(n, ranks, clusterNetwork{bandwidth: math.Inf(1)})
				t.Add(clusterRow{w.name, n, ranks, all, harness.Ratio(alone, all), 100 * (1 - harness.Ratio(silent, all))})
			}
		}
	}
}
