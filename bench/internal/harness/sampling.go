package harness

import (
	"runtime"
	"sync"
	"time"
)

// workRate is the work done per second of wall clock and per second of the CPU time of the thread.
// On a computer that others use too, wall clock is a poor measure of a routine; CPU time is
// disturbed only by shared caches and memory. The peak is therefore measured before and after each
// sample of a routine, and the median of the ratios is reported.
type workRate struct{ Wall, CPU float64 }

// Workload does a piece of work and returns its amount. The amount is in the unit of the experiment,
// such as bytes or multiplications.
type Workload func() float64

// measureRate repeats f and returns the rate. The goroutine must be locked to its thread. Both clocks
// are read once for all repetitions, as a reading takes longer than some routines.
func measureRate(f Workload, repeat int) workRate {
	start, cpu := time.Now(), threadTime()
	sum := 0.0
	for range repeat {
		sum += f()
	}
	used, passed := threadTime()-cpu, time.Since(start)
	return workRate{Wall: sum / max(passed, 1).Seconds(), CPU: sum / max(used, 1).Seconds()}
}

// Sampler measures workloads on a thread of their own.
type Sampler struct {
	Samples int
	// Length is the approximate duration of one sample.
	Length time.Duration
}

// NewSampler returns a sampler, which takes few and short samples in a quick run. An odd number of
// samples makes the median one of them.
func (s *Session) NewSampler() Sampler {
	if s.Quick {
		return Sampler{Samples: 3, Length: time.Millisecond}
	}
	return Sampler{Samples: 21, Length: 10 * time.Millisecond}
}

// warmUp is the time that a thread works before its first sample, because the clock of a processor
// adapts to the kind of instructions with a delay.
const warmUp = 20 * time.Millisecond

// countRepeats returns how often f has to run to take as long as one sample. The number doubles until
// the time is long against the resolution of the clock, and is then scaled to one sample.
func (s Sampler) countRepeats(f Workload) int {
	for start := time.Now(); time.Since(start) < warmUp; {
		f()
	}
	for n := 1; ; n *= 2 {
		cpu := threadTime()
		for range n {
			f()
		}
		if used := threadTime() - cpu; used >= s.Length/2 || n >= 1<<30 {
			return max(1, int(float64(n)*float64(s.Length)/float64(max(used, 1))))
		}
	}
}

// MeasureAgainst measures f, and the peak before and after each sample of f. The share is the
// median over the samples of the ratio of their CPU rates. The peak next to a sample is the best
// estimate of what the processor could have done at that moment.
func (s Sampler) MeasureAgainst(peak, f Workload) (median, of workRate, share float64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Samples of both take equally long, so both see the same disturbances.
	many, few := s.countRepeats(f), s.countRepeats(peak)
	var rates, peaks []workRate
	var shares []float64
	before := measureRate(peak, few)
	for range s.Samples {
		r := measureRate(f, many)
		after := measureRate(peak, few)
		// The mean of the peaks around a sample follows a drift of the clock.
		bound := workRate{(before.Wall + after.Wall) / 2, (before.CPU + after.CPU) / 2}
		rates, peaks, shares = append(rates, r), append(peaks, bound), append(shares,
			r.CPU/bound.CPU)
		before = after
	}
	return medianRate(rates), medianRate(peaks), MedianOf(shares)
}

// MeasureAlone measures f on one thread.
func (s Sampler) MeasureAlone(f Workload) workRate {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	many := s.countRepeats(f)
	var rates []workRate
	for range s.Samples {
		rates = append(rates, measureRate(f, many))
	}
	return medianRate(rates)
}

// MeasureTogether measures several threads at once, each with a workload of its own, and adds up
// their rates. All threads prepare first and then start together. A thread that began early would have
// the memory bandwidth to itself.
func (s Sampler) MeasureTogether(threads int, prepare func(thread int) Workload) workRate {
	rates := make([]workRate, threads)
	// ready holds all threads back until the last one is prepared.
	var ready, all sync.WaitGroup
	ready.Add(threads)
	for i := range threads {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			f := prepare(i)
			many := s.countRepeats(f)
			ready.Done()
			ready.Wait()
			var list []workRate
			for range s.Samples {
				list = append(list, measureRate(f, many))
			}
			rates[i] = medianRate(list)
		})
	}
	all.Wait()
	var sum workRate
	for _, r := range rates {
		sum.Wall += r.Wall
		sum.CPU += r.CPU
	}
	return sum
}

// medianRate returns the medians of the two rates.
func medianRate(list []workRate) workRate {
	var wall, cpu []float64
	for _, r := range list {
		wall, cpu = append(wall, r.Wall), append(cpu, r.CPU)
	}
	return workRate{MedianOf(wall), MedianOf(cpu)}
}
