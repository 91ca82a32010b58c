package cache

import "time"

// admission decides whether memory, reading and writing of a row pay. It goes by the time that computing the row takes
// and by how often the row comes back.
type admission struct {
	mode    Mode
	threads int // that compute a row together
	history *history
	// declined counts the reads from disk that did not pay (see probeEvery).
	declined int
}

// ramRate is the time to read a row from memory, in ns per byte. It represents 10 GB/s.
const ramRate = 0.1

// worthReading reports whether reading a row at the given rate, in ns per byte, takes less time
// than computing it. The cost of computing is in ns, and 0 if it is unknown, in which case reading
// is worth it.
func worthReading(cost float64, rowBytes int64, rate float64) bool {
	return cost == 0 || cost > float64(rowBytes)*rate
}

// elapsed returns the time in ns by which computing a row makes a pass longer.
func (a *admission) elapsed(cost float64) float64 { return cost / float64(max(a.threads, 1)) }

// probeEvery is the share of rows that are read back although it does not seem to pay: one in 16.
// Otherwise the speed would never be measured again, and one slow moment would count for ever.
const probeEvery = 16

// readingPays reports whether a row on disk should be read, at the given rate, and not computed.
func (a *admission) readingPays(cost float64, rowBytes int64, rate float64) bool {
	if a.mode == Always {
		return true
	}
	if worthReading(a.elapsed(cost), rowBytes, rate) {
		return true
	}
	a.declined++
	return a.declined%probeEvery == 0
}

// spillingPays reports whether a row should be written to disk, which is so if writing it once and
// reading it as often as it will come back is faster than computing it each time. A row that came
// back within a few rounds is expected to do so twice more. Any other row is expected once more,
// because it most likely belongs to a support vector, whose row is needed when its dual variable
// changes and when shrunken points are restored. Rates are in ns per byte.
func (a *admission) spillingPays(e *slot, rowBytes int64, reading, writing float64) bool {
	if a.mode == Always {
		return true
	}
	returns := 1.0
	if a.history.recurs(e.key) {
		returns = 2
	}
	bytes := float64(rowBytes)
	saved := a.elapsed(e.cost) - bytes*reading
	return returns*saved > bytes*writing
}

// rate is a measured speed in ns per byte. It starts with an assumption and then follows an average
// in which fast moments count more than slow ones, because the cost of rows is measured at its
// best, too.
type rate struct {
	ns    float64
	bytes int64 // bytes and spent are the sample that is being collected.
	spent time.Duration
}

// rateSample is the least number of bytes of a sample. Smaller samples measure the clock and the
// scheduler.
const rateSample = 4 << 20

func (r *rate) observe(bytes int64, spent time.Duration) {
	r.bytes += bytes
	r.spent += spent
	if r.bytes < rateSample {
		return
	}
	change := float64(r.spent)/float64(r.bytes) - r.ns
	if change < 0 {
		r.ns += change / 2
	} else {
		r.ns += change / 8
	}
	r.bytes, r.spent = 0, 0
}
