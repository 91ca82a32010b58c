package main

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// On a machine that others use too, wall clock says little about a routine; the CPU time of its thread does, up to what
// shared caches and memory cost. Ratios are of neighbours in time: the peak is measured before and after each sample of a
// routine, and what is reported is the median of the ratios.

// rate is work per second of wall clock and of the thread's CPU time.
type workRate struct{ wall, cpu float64 }

// work does a piece of work and says how much that was.
type workload func() float64

// threadTime is the CPU time of the calling thread.
func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime is the CPU time of this process.
func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err) // the clocks are there on every Linux
	}
	return time.Duration(t.Nano())
}

// timed repeats f and gives the rate. The goroutine must keep to its thread.
func measureRate(f workload, repeat int) workRate {
	start, cpu := time.Now(), threadTime()
	sum := 0.0
	for range repeat {
		sum += f()
	}
	used, passed := threadTime()-cpu, time.Since(start)
	return workRate{wall: sum / max(passed, 1).Seconds(), cpu: sum / max(used, 1).Seconds()}
}

// sampler measures on a thread of its own.
type sampler struct {
	samples int
	length  time.Duration // of one sample, about
}

func (s *session) newSampler() sampler {
	if s.quick {
		return sampler{samples: 3, length: time.Millisecond}
	}
	return sampler{samples: 21, length: 10 * time.Millisecond}
}

// warm is how long a thread works before its first sample: the clock of a processor follows the kind of instructions late.
const warmUp = 20 * time.Millisecond

// repeats is how often f has to run to take as long as a sample.
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

// against measures f and, before and after each of its samples, the peak. share is the median over the samples of the
// ratio of their CPU rates.
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
		rates, peaks, shares = append(rates, r), append(peaks, bound), append(shares, r.cpu/bound.cpu)
		before = after
	}
	return medianRate(rates), medianRate(peaks), medianOf(shares)
}

// alone measures f.
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

// together measures threads at once, each with work of its own, and adds up their rates.
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

func medianRate(list []workRate) workRate {
	var wall, cpu []float64
	for _, r := range list {
		wall, cpu = append(wall, r.wall), append(cpu, r.cpu)
	}
	return workRate{medianOf(wall), medianOf(cpu)}
}
