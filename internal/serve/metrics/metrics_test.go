package metrics

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestBucket: tokens come back with time, up to the tokens of one second.
func TestBucket(t *testing.T) {
	now := time.Unix(1000, 0)
	b := NewBucket(2, now)
	for i, c := range []struct{ after, wait time.Duration }{
		{0, 0}, {0, 0}, {0, time.Second / 2}, {time.Second / 4, time.Second / 4}, {time.Second / 4, 0}, {time.Hour, 0}, {0, 0}, {0, time.Second / 2},
	} {
		now = now.Add(c.after)
		if wait := b.Take(now); wait != c.wait {
			t.Errorf("%d: wait %v, want %v", i, wait, c.wait)
		}
	}
	none := NewBucket(0, now)
	for range 3 {
		if none.Take(now) != 0 {
			t.Error("a rate of 0 limits")
		}
	}
}

// TestText: counters, and a histogram whose buckets add up, bounds included.
func TestText(t *testing.T) {
	m := &Metrics{}
	for _, took := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, time.Hour} {
		m.Count(200, true, took)
	}
	m.Count(404, false, time.Hour)
	m.Count(503, true, time.Minute)
	m.CountRows(7, 1, 2, 3)
	text := string(m.Text(3, 5, []Model{{"a\"b\\", 2, "abc", time.Unix(5, 0)}}, Build{Version: "1.2"}))
	for _, line := range []string{
		`bigmkl_requests_total{code="200"} 4`, `bigmkl_requests_total{code="404"} 1`, `bigmkl_predict_seconds_bucket{code="200",le="0.001"} 2`,
		`bigmkl_predict_seconds_bucket{code="200",le="0.0025"} 3`, `bigmkl_predict_seconds_bucket{code="200",le="30"} 3`, `bigmkl_predict_seconds_bucket{code="200",le="+Inf"} 4`,
		`bigmkl_predict_seconds_count{code="200"} 4`, `bigmkl_predict_seconds_sum{code="200"} 3600.003`, `bigmkl_predict_seconds_count{code="503"} 1`, `bigmkl_waiting 5`,
		`bigmkl_unknown_words_total 1`, `bigmkl_unknown_sequences_total 2`, `bigmkl_ignored_values_total 3`, `bigmkl_rows_total 7`, `bigmkl_in_flight 3`, `bigmkl_model_info{model="a\"b\\",version="2",digest="abc"} 1`, `bigmkl_models 1`,
		`bigmkl_model_loaded_timestamp_seconds{model="a\"b\\",version="2"} 5`, `# TYPE bigmkl_predict_seconds histogram`,
		`bigmkl_build_info{version="1.2",commit="",go="` + runtime.Version() + `"} 1`, `# TYPE process_cpu_seconds_total counter`, `# TYPE go_goroutines gauge`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}
