package main

import (
	"math"
	"testing"
)

// TestClusterModel: one rank has no messages, many ranks leave what rank 0 does alone and the messages, and units
// that cannot be dealt out evenly count as those of the rank with the most.
func TestClusterModel(t *testing.T) {
	c := &clusterModel{points: 1024, serial: 0.01, shared: 1, rounds: 8, down: 1000, up: 1e6}
	silent, w := network{bandwidth: math.Inf(1)}, network{bandwidth: 1e6, latency: 0.5}
	for name, v := range map[string]struct{ got, want float64 }{
		"one rank":          {c.iteration(32*1024, 1, w), 32 * 1.01},
		"two ranks":         {c.iteration(32*1024, 2, silent), 32 * (0.01 + 0.5)},
		"three of 32 units": {c.iteration(32*1024, 3, silent), 32 * (0.01 + 11./32)},
		"more than units":   {c.iteration(32*1024, 64, silent), 32 * (0.01 + 1./32)},
		"messages":          {c.iteration(32*1024, 32, w) - c.iteration(32*1024, 32, silent), 5*(8*0.5+1e-3) + 32},
	} {
		if math.Abs(v.got-v.want) > 1e-12*v.want {
			t.Errorf("%s: %v, want %v", name, v.got, v.want)
		}
	}
}

// TestRecordExchange: what ranks say to each other in a training is counted, and the parts that grow with the rows do.
func TestRecordExchange(t *testing.T) {
	images := dataSet{Name: "images", Synthetic: &synthetic{Kind: "images", Points: 800, Features: 64, Seed: 1}}
	record := func(n int) exchange {
		u := thesisTraining(images, nil, "gauss:auto/3", "4/3", n)
		u.Options.MaxIterations = 3
		e, err := recordExchange(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	few, many := record(200), record(800)
	if few.points != 200 || few.iterations == 0 || few.rounds < few.iterations || few.down == 0 {
		t.Errorf("recorded %+v", few)
	}
	if a, b := few.up/int64(few.iterations), many.up/int64(many.iterations); b <= a {
		t.Errorf("%d bytes go up with 200 rows, and %d with 800", a, b)
	}
}
