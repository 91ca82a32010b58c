package cache

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestBestRanksAndKeepsOrder(t *testing.T) {
	list := []candidate{{index: 0}, {index: 1, seen: 3}, {index: 2, cost: 5}, {index: 3, onDisk: true}, {index: 4, seen: 3}, {index: 5}}
	for n, want := range [][]int{{}, {3}, {2, 3}, {1, 2, 3}, {1, 2, 3, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 5}} {
		var got []int
		for _, c := range best(slices.Clone(list), n) {
			got = append(got, c.index)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}

func TestCostClass(t *testing.T) {
	for _, c := range []struct {
		cost float64
		want int
	}{{0, 0}, {-1, 0}, {math.NaN(), 0}, {3.9, 0}, {4, 1}, {15.9, 1}, {16, 2}, {math.Inf(1), 512}} {
		if got := costClass(c.cost); got != c.want {
			t.Errorf("%v: %d, want %d", c.cost, got, c.want)
		}
	}
}

func TestHistoryForgets(t *testing.T) {
	h := newHistory(1)
	h.next()
	h.touch(Key{0, 0})
	h.touch(Key{0, 0})
	if h.recurs(Key{0, 0}) {
		t.Error("a duplicate is no return")
	}
	h.next()
	h.touch(Key{0, 0})
	if !h.recurs(Key{0, 0}) {
		t.Error("a row that returned does not recur")
	}
	for range memoryRounds + 1 {
		h.next()
	}
	if h.touch(Key{0, 0}); h.recurs(Key{0, 0}) {
		t.Error("a row that was away long is remembered")
	}
	for r := range int32(50) {
		h.next()
		for _, k := range span(r, 0, 300) {
			h.touch(k)
		}
		if len(h.rows) > historyFloor+300 {
			t.Fatalf("%d rows remembered", len(h.rows))
		}
	}
}

func TestRateLearns(t *testing.T) {
	r := rate{ns: 2}
	r.observe(rateSample/2, time.Second)
	if r.ns != 2 {
		t.Error("learnt from too little")
	}
	for range 80 {
		r.observe(rateSample, rateSample*6*time.Nanosecond)
	}
	if math.Abs(r.ns-6) > 0.1 {
		t.Error(r.ns)
	}
	r.observe(rateSample, rateSample*2*time.Nanosecond)
	if math.Abs(r.ns-4) > 0.1 {
		t.Error("a fast moment counts for too little:", r.ns)
	}
}
