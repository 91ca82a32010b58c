package main

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// On a machine that others use too, wall clock says little about a routine; the CPU time of its thread does, up to what
// shared caches and memory cost. Ratios are of neighbours in time: the peak is measured before and after each sample of a
// routine, and what is reported is the median of the ratios.

// rate is work per second of wall clock and of the thread's CPU time.
type rate struct{ wall, cpu float64 }

// work does a piece of work and says how much that was.
type work func() float64

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
func timed(f work, repeat int) rate {
	start, cpu := time.Now(), threadTime()
	sum := 0.0
	for range repeat {
		sum += f()
	}
	used, passed := threadTime()-cpu, time.Since(start)
	return rate{wall: sum / max(passed, 1).Seconds(), cpu: sum / max(used, 1).Seconds()}
}

// sampler measures on a thread of its own.
type sampler struct {
	samples int
	length  time.Duration // of one sample, about
}

func (s *session) sampler() sampler {
	if s.quick {
		return sampler{samples: 3, length: time.Millisecond}
	}
	return sampler{samples: 21, length: 10 * time.Millisecond}
}

// warm is how long a thread works before its first sample: the clock of a processor follows the kind of instructions late.
const warm = 20 * time.Millisecond

// repeats is how often f has to run to take as long as a sample.
func (s sampler) repeats(f work) int {
	for start := time.Now(); time.Since(start) < warm; {
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
func (s sampler) against(peak, f work) (median, of rate, share float64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	many, few := s.repeats(f), s.repeats(peak)
	var rates, peaks []rate
	var shares []float64
	before := timed(peak, few)
	for range s.samples {
		r := timed(f, many)
		after := timed(peak, few)
		bound := rate{(before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2}
		rates, peaks, shares = append(rates, r), append(peaks, bound), append(shares, r.cpu/bound.cpu)
		before = after
	}
	return medianRate(rates), medianRate(peaks), medianOf(shares)
}

// alone measures f.
func (s sampler) alone(f work) rate {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	many := s.repeats(f)
	var rates []rate
	for range s.samples {
		rates = append(rates, timed(f, many))
	}
	return medianRate(rates)
}

// together measures threads at once, each with work of its own, and adds up their rates.
func (s sampler) together(threads int, prepare func(thread int) work) rate {
	rates := make([]rate, threads)
	var ready, all sync.WaitGroup
	ready.Add(threads)
	for i := range threads {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			f := prepare(i)
			many := s.repeats(f)
			ready.Done()
			ready.Wait()
			var list []rate
			for range s.samples {
				list = append(list, timed(f, many))
			}
			rates[i] = medianRate(list)
		})
	}
	all.Wait()
	var sum rate
	for _, r := range rates {
		sum.wall += r.wall
		sum.cpu += r.cpu
	}
	return sum
}

func medianRate(list []rate) rate {
	var wall, cpu []float64
	for _, r := range list {
		wall, cpu = append(wall, r.wall), append(cpu, r.cpu)
	}
	return rate{medianOf(wall), medianOf(cpu)}
}

// medianOf sorts the list. It is 0 for none.
func medianOf(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
