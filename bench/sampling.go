package main

import (
	"runtime"
	"sync"
	"time"
)

// workRate is the work done per second of wall clock and per second of the CPU time of the thread.
// On a computer that others use too, wall clock is a poor measure of a routine; CPU time is
// disturbed only by shared caches and memory. The peak is therefore measured before and after each
// sample of a routine, and the median of the ratios is reported.
type workRate struct{ wall, cpu float64 }

// workload does a piece of work and returns its amount.
type workload func() float64

// measureRate repeats f and returns the rate. The goroutine must be locked to its thread.
func measureRate(f workload, repeat int) workRate {
	start, cpu := time.Now(), threadTime()
	sum := 0.0
	for range repeat {
		sum += f()
	}
	used, passed := threadTime()-cpu, time.Since(start)
	return workRate{wall: sum / max(passed, 1).Seconds(), cpu: sum / max(used, 1).Seconds()}
}

// sampler measures workloads on a thread of their own.
type sampler struct {
	samples int
	// length is the approximate duration of one sample.
	length time.Duration
}

// newSampler returns a sampler, which takes few and short samples in a quick run.
func (s *session) newSampler() sampler {
	if s.quick {
		return sampler{samples: 3, length: time.Millisecond}
	}
	return sampler{samples: 21, length: 10 * time.Millisecond}
}

// warmUp is the time that a thread works before its first sample, because the clock of a processor
// adapts to the kind of instructions with a delay.
const warmUp = 20 * time.Millisecond

// countRepeats returns how often f has to run to take as long as one sample.
func (s sampler) countRepeats(f workload) int {
	for start := time.Now(); time.Since(start) < warmUp; {
		f()
	}
	for n := 1; ; n *= 2 {
		cpu := threadTime()
		for range n {
			f()
		}
		if used := threadTime() - cpu; used >= s.length/2 || n >= 1<<30 {
			return max(1, int(float64(n)*float64(s.length)/float64(max(used, 1))))
		}
	}
}

// measureAgainst measures f, and the peak before and after each sample of f. The share is the
// median over the samples of the ratio of their CPU rates.
func (s sampler) measureAgainst(peak, f workload) (median, of workRate, share float64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	many, few := s.countRepeats(f), s.countRepeats(peak)
	var rates, peaks []workRate
	var shares []float64
	before := measureRate(peak, few)
	for range s.samples {
		r := measureRate(f, many)
		after := measureRate(peak, few)
		bound := workRate{(before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2}
		rates, peaks, shares = append(rates, r), append(peaks, bound), append(shares,
			r.cpu/bound.cpu)
		before = after
	}
	return medianRate(rates), medianRate(peaks), medianOf(shares)
}

// measureAlone measures f on one thread.
func (s sampler) measureAlone(f workload) workRate {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	many := s.countRepeats(f)
	var rates []workRate
	for range s.samples {
		rates = append(rates, measureRate(f, many))
	}
	return medianRate(rates)
}

// measureTogether measures several threads at once, each with a workload of its own, and adds up
// their rates.
func (s sampler) measureTogether(threads int, prepare func(thread int) workload) workRate {
	rates := make([]workRate, threads)
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
			for range s.samples {
				list = append(list, measureRate(f, many))
			}
			rates[i] = medianRate(list)
		})
	}
	all.Wait()
	var sum workRate
	for _, r := range rates {
		sum.wall += r.wall
		sum.cpu += r.cpu
	}
	return sum
}

// medianRate returns the medians of the two rates.
func medianRate(list []workRate) workRate {
	var wall, cpu []float64
	for _, r := range list {
		wall, cpu = append(wall, r.wall), append(cpu, r.cpu)
	}
	return workRate{medianOf(wall), medianOf(cpu)}
}
