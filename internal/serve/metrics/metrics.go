// Package metrics counts requests and limits their rate.
//
// Purpose. Metrics holds what GET /metrics shows, and its Text is that in the text format of
// Prometheus, version 0.0.4. Bucket is a token bucket.
//
// Invariants. Counters only grow, and the count of a histogram is the sum of its buckets.
//
// Concurrency. All methods may be called at the same time.
//
// Memory. There is a number for each code that has occurred, and nothing for a client or a request.
package metrics

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// bounds lists the upper ends of the histogram of seconds, without the infinite one.
var bounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// Metrics counts what has happened so far. Its zero value has counted nothing.
type Metrics struct {
	// Loads counts models put into service, Failures models that could not be loaded, and Panics requests
	// that met a bug.
	Loads, Failures, Panics atomic.Int64
	// Connections counts those that are open.
	Connections atomic.Int64

	// Rows that were predicted, and what in them the model does not know.
	rows, words, sequences, ignored atomic.Int64

	mu    sync.Mutex
	codes map[int]int64
	times map[int]*histogram // of predictions, by their code
}

// histogram counts seconds by the first bound that they do not exceed, the last number being that of those
// beyond all bounds.
type histogram struct {
	buckets [len(bounds) + 1]int64
	seconds float64
}

// Count counts a request by its code. Only predictions have seconds: rejections take none, and would pass for
// fast answers in one histogram with them.
func (m *Metrics) Count(code int, prediction bool, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.codes == nil {
		m.codes, m.times = map[int]int64{}, map[int]*histogram{}
	}
	m.codes[code]++
	if prediction {
		h := m.times[code]
		if h == nil {
			h = new(histogram)
			m.times[code] = h
		}
		at, _ := slices.BinarySearch(bounds[:], took.Seconds())
		h.buckets[at]++
		h.seconds += took.Seconds()
	}
}

// CountRows counts the rows of an answer, the words and sequences in them that the model does not know, and
// the values of features that were ignored.
func (m *Metrics) CountRows(rows, words, sequences int, ignored int64) {
	m.rows.Add(int64(rows))
	m.words.Add(int64(words))
	m.sequences.Add(int64(sequences))
	m.ignored.Add(ignored)
}

// Text returns all numbers, with the numbers of the models in service and of the build.
func (m *Metrics) Text(inFlight, waiting int, models []Model, build Build) []byte {
	var b strings.Builder
	write := func(name, kind, help string, value any) {
		name = "bigmkl_" + name
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
		if value != nil {
			fmt.Fprintf(&b, "%s %v\n", name, value)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	write("requests_total", "counter", "Requests by the code of their answer.", nil)
	for _, code := range slices.Sorted(maps.Keys(m.codes)) {
		fmt.Fprintf(&b, "bigmkl_requests_total{code=\"%d\"} %d\n", code, m.codes[code])
	}
	write("predict_seconds", "histogram", "Seconds of requests for predictions by the code of their answer.", nil)
	for _, code := range slices.Sorted(maps.Keys(m.times)) {
		h, sum := m.times[code], int64(0)
		for i, n := range h.buckets {
			bound := "+Inf"
			if sum += n; i < len(bounds) {
				bound = fmt.Sprint(bounds[i])
			}
			fmt.Fprintf(&b, "bigmkl_predict_seconds_bucket{code=\"%d\",le=\"%s\"} %d\n", code, bound, sum)
		}
		fmt.Fprintf(&b, "bigmkl_predict_seconds_sum{code=\"%d\"} %v\nbigmkl_predict_seconds_count{code=\"%[1]d\"} %[3]d\n", code, h.seconds, sum)
	}
	write("rows_total", "counter", "Rows that were predicted.", m.rows.Load())
	write("unknown_words_total", "counter", "Words of these rows that are none of the categories of the model.", m.words.Load())
	write("unknown_sequences_total", "counter", "Sequences of these rows that have no word in common with the training.",
		m.sequences.Load())
	write("ignored_values_total", "counter", "Values of these rows for features that no training row had.", m.ignored.Load())
	write("in_flight", "gauge", "Requests for predictions in progress.", inFlight)
	write("waiting", "gauge", "Requests for predictions that wait for others to end.", waiting)
	write("connections", "gauge", "Open connections.", m.Connections.Load())
	write("panics_total", "counter", "Requests that met a bug.", m.Panics.Load())
	write("model_loads_total", "counter", "Models put into service.", m.Loads.Load())
	write("model_failures_total", "counter", "Models that could not be loaded.", m.Failures.Load())
	write("models", "gauge", "Models in service.", len(models))
	write("model_loaded_timestamp_seconds", "gauge", "When the model was put into service.", nil)
	for _, l := range models {
		fmt.Fprintf(&b, "bigmkl_model_loaded_timestamp_seconds{model=%s,version=\"%d\"} %d\n", quote(l.Name), l.Version, l.Since.Unix())
	}
	write("model_info", "gauge", "The SHA-256 of the model file.", nil)
	for _, l := range models {
		fmt.Fprintf(&b, "bigmkl_model_info{model=%s,version=\"%d\",digest=\"%s\"} 1\n", quote(l.Name), l.Version, l.Digest)
	}
	write("build_info", "gauge", "The version of the program, the commit of its sources and the compiler.", nil)
	fmt.Fprintf(&b, "bigmkl_build_info{version=%s,commit=%s,go=%s} 1\n", quote(build.Version), quote(build.Commit), quote(runtime.Version()))
	writeProcess(&b)
	return []byte(b.String())
}

// escapes are the escapes of values of labels.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// quote returns the value of a label.
func quote(text string) string {
	return `"` + escapes.Replace(strings.ToValidUTF8(text, "\ufffd")) + `"`
}

// Bucket limits the rate of requests. It holds up to the tokens of one second, and at least one. A
// request takes a token, and rate tokens come back in a second.
type Bucket struct {
	mu           sync.Mutex
	rate, tokens float64
	at           time.Time // when the tokens were counted last
}

// NewBucket returns a full bucket.
func NewBucket(rate float64, now time.Time) *Bucket {
	return &Bucket{rate: rate, tokens: max(1, rate), at: now}
}

// Take takes a token, or returns the time until there is one. A rate of 0 sets no limit.
func (b *Bucket) Take(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rate == 0 {
		return 0
	}
	b.tokens = min(max(1, b.rate), b.tokens+b.rate*now.Sub(b.at).Seconds())
	b.at = now
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / b.rate * float64(time.Second))
	}
	b.tokens--
	return 0
}
