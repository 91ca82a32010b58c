package ranks

import (
	"math"
	"testing"

	"bigmkl/bench/internal/harness"
)

// TestClusterModel: one rank has no messages, many ranks leave the work of rank 0 alone, the work of each for itself and the
// messages, and units that cannot be dealt out evenly count as the units of the rank with the most.
func TestClusterModel(t *testing.T) {
	c := &clusterModel{
		points: 1024, whole: 10, serial: 1, each: 2, iterations: 10, blocks: 0.3, grows: 1e-6, prepared: 1e-6, rounds: 3, down: 1000, up: 1e6, upRow: 8,
	}
	silent := clusterNetwork{bandwidth: math.Inf(1)}
	const n = 32 * 1024
	serial := 0.1 + 1e-6*(n-1024) + 0.2 + 1e-6*(n-1024)
	passes := 32 * (1 - 0.1 - 0.2 - 0.3)
	for name, v := range map[string]struct{ got, want float64 }{
		"one rank":          {c.iteration(n, 1, silent), serial + passes + 0.3},
		"two ranks":         {c.iteration(n, 2, silent), serial + passes/2 + 0.15 + 3*messageSeconds},
		"three of 32 units": {c.iteration(n, 3, silent), serial + passes*11/32 + 0.3*6/16 + 6*messageSeconds},
		"more than units":   {c.iteration(n, 64, silent), serial + passes/32 + 0.3/16 + 3*63*messageSeconds},
		"messages": {c.iteration(n, 32, clusterNetwork{bandwidth: 1e6, latency: 0.5}) - c.iteration(n, 32, silent),
			3*6*0.5 + 5*1e-3 + (1e6+8*n)/1e6*31/32},
	} {
		if math.Abs(v.got-v.want) > 1e-12*v.want {
			t.Errorf("%s: %v, want %v", name, v.got, v.want)
		}
	}
}

// TestClusterFit: trainings that follow the model give its figures back, and none of these is negative.
func TestClusterFit(t *testing.T) {
	truth := clusterModel{points: 1e4, whole: 5, iterations: 100, rounds: 3, down: 2e4, up: 4e5, upRow: 8}
	w := wire{Round: 1e-4, Down: 1e-9, Up: 2e-9}
	for _, want := range [][2]float64{{0.4, 0.3}, {0, 0.5}, {0.7, 0}} {
		truth.serial, truth.each = want[0], want[1]
		var rows []rankRow
		for ranks := 1; ranks <= 4; ranks++ {
			seconds, messages := truth.training(ranks, 2, w)
			if ranks == 1 && (math.Abs(seconds-5) > 1e-12 || messages != 0) {
				t.Errorf("one rank takes %v s, of them %v for messages", seconds, messages)
			}
			rows = append(rows, rankRow{Ranks: ranks, Seconds: seconds, wire: w})
		}
		c := truth
		c.serial, c.each = 0, 0
		c.fit(rows, 2)
		if math.Abs(c.serial-want[0]) > 1e-9 || math.Abs(c.each-want[1]) > 1e-9 {
			t.Errorf("serial %v and each %v, want %v", c.serial, c.each, want)
		}
		// Ranks that are faster than the work allows.
		for k := range rows {
			rows[k].Seconds /= 3
		}
		if c.fit(rows, 2); c.serial < 0 || c.each < 0 {
			t.Errorf("serial %v and each %v", c.serial, c.each)
		}
	}
}

// TestRecordExchange: the messages of ranks in a training are counted, and the parts that grow with the rows do.
func TestRecordExchange(t *testing.T) {
	images := harness.DataSet{Name: "images", Synthetic: &harness.Synthetic{Kind: "images", Points: 800, Features: 64, Seed: 1}}
	record := func(n int) exchange {
		u := harness.ThesisTraining(images, nil, "gauss:auto/3", "4/3", n)
		u.Options.MaxIterations = 3
		e, err := recordExchange(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	few, many := record(200), record(800)
	if e := few; e.points != 200 || e.iterations == 0 || e.rounds < e.iterations || e.down == 0 {
		t.Errorf("recorded %+v", e)
	}
	c := newClusterModel(side{exchange: few}, side{harness.Outcome{Points: 800, Seconds: 1, Certificate: harness.Certificate{TrainedFigures: harness.TrainedFigures{Iterations: 3}}}, many}, 1)
	if c.upRow <= 0 || c.up <= 0 {
		t.Errorf("%v bytes go up for each row, and %v whatever the rows", c.upRow, c.up)
	}
}
