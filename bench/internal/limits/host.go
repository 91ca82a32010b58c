package limits

import (
	"context"
	"fmt"
	"os"
	"time"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/files"
	"bigmkl/internal/simd"
)

// A training cannot be faster than the multiply-adds of its kernel values, the memory that its passes stream through,
// and the disk behind mapped gradients and spilled rows. These limits are measured by the shortest code that has
// nothing else to wait for. Other experiments state their speed as a share of them.

// measureHost fills the table of the limits of the host.
// An interrupt between two measurements ends it. Rows that were added stay in the report.
func measureHost(ctx context.Context, s *harness.Session, t *harness.Table) error {
	s.Progress.ShowNow("peak of multiply-adds")
	t.Add(measurePeak(s, "float32", PeakWork[float32]()))
	t.Add(measurePeak(s, "float64", PeakWork[float64]()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.Progress.ShowNow("memory")
	read, copied := measureMemory(s)
	t.Add(read)
	t.Add(copied)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.Progress.ShowNow("disk")
	// Rows before a fault are kept.
	rows, err := measureDisk(s.Scratch, s.Quick)
	for _, row := range rows {
		t.Add(row)
	}
	return err
}

// measurePeak measures the peak rate of multiply-adds: on one thread by processor time, and on
// all threads by wall clock. Processors lower their clock when all cores compute, so the second
// is less than a multiple of the first.
func measurePeak(s *harness.Session, kind string, f harness.Workload) limitRow {
	// Rates are in operations per second, so Giga makes them GFLOP/s.
	one := s.NewSampler().MeasureAlone(f)
	all := s.NewSampler().MeasureTogether(s.Threads, func(int) harness.Workload { return f })
	return limitRow{
		What: "multiply-adds, " + kind, One: one.CPU / Giga, Wall: one.Wall / Giga,
		All: all.Wall / Giga, Unit: "GFLOP/s",
		How: "independent chains at level " + simd.Level(),
	}
}

// measureMemory streams through memory that is larger than all caches. Each thread has a part of
// its own.
func measureMemory(s *harness.Session) (read, copied limitRow) {
	// The size is a multiple of the caches, so every pass comes from memory.
	size := streamBytes()
	how := fmt.Sprintf("%d MiB", size>>20)
	p := s.NewSampler()
	// A pass takes tens of milliseconds, so few samples are enough.
	p.Samples = min(p.Samples, 7)
	a, b := equalHalves(int(size))
	// Parts of different threads do not overlap.
	part := func(x []byte, i int) []byte { return x[i*len(x)/s.Threads : (i+1)*len(x)/s.Threads] }

	one := p.MeasureAlone(readWork(a, b))
	all := p.MeasureTogether(s.Threads,
		func(i int) harness.Workload { return readWork(part(a, i), part(b, i)) })
	// Two halves are compared, which reads both and writes nothing.
	read = limitRow{What: "memory, read", One: one.Wall / Giga, All: all.Wall / Giga, Unit: "GB/s",
		How: how + ", two halves compared"}
	one = p.MeasureAlone(copyWork(a, b))
	all = p.MeasureTogether(s.Threads,
		func(i int) harness.Workload { return copyWork(part(a, i), part(b, i)) })
	copied = limitRow{What: "memory, copy", One: one.Wall / Giga, All: all.Wall / Giga,
		Unit: "GB/s", How: how + ", bytes read and written"}
	return read, copied
}

// measureDisk writes a file, syncs it, drops it from the page cache and reads it back. A quick run has
// a file of 64 MiB, which may still lie in a cache of the disk.
func measureDisk(dir string, quick bool) (rows []limitRow, err error) {
	// Two GiB outlast the caches of usual disks.
	size := 2 << 30
	if quick {
		size = 64 << 20
	}
	// A full disk would measure the search for free blocks, and disturb other programs.
	if free, _, err := files.Space(dir); err == nil {
		size = int(min(int64(size), free/4))
	}
	f, err := os.CreateTemp(dir, "bigmkl-bench-*")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	how := fmt.Sprintf("%d MiB in the scratch folder%s, buffered, pieces of 1 MiB", size>>20,
		harness.DescribeFileSystem(dir))
	// The file has no name from here on, so nothing is left if the program is killed.
	// The bytes vary, because some file systems store equal blocks once, or none of zeros.
	piece := make([]byte, 1<<20)
	for i := range piece {
		piece[i] = byte(i * i >> 3)
	}
	// Rates are in decimal megabytes, as makers of disks state them.
	row := func(what string, start time.Time) limitRow {
		return limitRow{What: what, One: float64(size) / time.Since(start).Seconds() / 1e6,
			Unit: "MB/s", How: how}
	}
	start := time.Now()
	for written := 0; written < size; written += len(piece) {
		if _, err := f.Write(piece); err != nil {
			return nil, err
		}
	}
	// Without a sync the bytes would still be in the page cache.
	if err := f.Sync(); err != nil {
		return nil, err
	}
	rows = append(rows, row("disk, sequential write and sync", start))
	// Without this the file would be read from memory.
	if err := harness.ForgetPages(f); err != nil {
		return rows, err
	}
	start = time.Now()
	for read := 0; read < size; read += len(piece) {
		if _, err := f.ReadAt(piece, int64(read)); err != nil {
			return rows, err
		}
	}
	return append(rows, row("disk, sequential read", start)), nil
}
