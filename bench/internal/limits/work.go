package limits

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/host"
	"bigmkl/internal/simd"
)

// Giga converts rates to billions per second.
const Giga = 1e9

// PeakWork runs multiply-adds for some ten microseconds. The chains of multiply-adds are independent
// and stay in registers, so nothing but the arithmetic units bounds them.
func PeakWork[T simd.Real]() harness.Workload {
	return func() float64 { return float64(simd.MultiplyAdds[T](500)) }
}

// readWork reads two equal arrays by comparing them. The runtime compares with vector instructions
// at every level. A panic shows an error of the experiment: an early difference would end the
// comparison, and the rate would be too high.
func readWork(a, b []byte) harness.Workload {
	return func() float64 {
		if !bytes.Equal(a, b) {
			panic("the halves differ")
		}
		return float64(len(a) + len(b))
	}
}

// copyWork copies an array. Each byte counts twice, as it is read and written.
func copyWork(to, from []byte) harness.Workload {
	return func() float64 { return float64(2 * copy(to, from)) }
}

// equalHalves returns two equal arrays of n bytes in all. The length is a multiple of 128, so both
// halves begin at a multiple of a cache line.
func equalHalves(n int) (a, b []byte) {
	both := make([]byte, n/128*128)
	for i := range both {
		both[i] = byte(i % 64)
	}
	return both[:len(both)/2], both[len(both)/2:]
}

// streamBytes returns a size that no cache holds. It is four times the last-level cache and at
// least 256 MiB, but not more than a sixteenth of the memory.
func streamBytes() int64 {
	n := max(256<<20, 4*cacheBytes(3))
	if m := host.Memory() / 16; m > 0 {
		n = min(n, m)
	}
	return n
}

// cacheBytes returns the size of a cache of the first processor, or 0 if it is unknown.
func cacheBytes(level int) int64 {
	// Other systems than Linux have no such folders, and the size is then 0.
	folders, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, f := range folders {
		text := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(f, name))
			return strings.TrimSpace(string(b))
		}
		if text("level") == strconv.Itoa(level) && text("type") != "Instruction" {
			// The kernel writes sizes such as 32K.
			size, _ := strings.CutSuffix(text("size"), "K")
			k, _ := strconv.ParseInt(size, 10, 64)
			return k << 10
		}
	}
	return 0
}

// workingRows is the number of rows that products multiply with a panel. Their values stay in the
// second-level cache while panels stream through it.
// The number is a multiple of simd.Rows.
const workingRows = 64

// drawNumbers returns n random numbers between lo and hi. The seed depends on the length alone, so each
// run measures the same numbers.
func drawNumbers[T simd.Real](n int, lo, hi float64) []T {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	list := make([]T, n)
	for i := range list {
		list[i] = T(lo + (hi-lo)*rng.Float64())
	}
	return list
}

// repeatNumbers returns n random numbers. It repeats a short sequence, which takes less time for a
// long array.
func repeatNumbers[T simd.Real](n int) []T {
	list := make([]T, n)
	for done := copy(list, drawNumbers[T](min(n, 1<<16), 0, 1)); done < n; {
		done += copy(list[done:], list[:done])
	}
	return list
}

// makeOnes returns n ones, which do not change when they are squared again and again.
func makeOnes[T simd.Real](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// bytesOf returns the size of the element type in bytes.
func bytesOf[T simd.Real]() int {
	if _, double := any(T(0)).(float64); double {
		return 8
	}
	return 4
}
