package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"bigmkl/internal/files"
	"bigmkl/internal/simd"
)

// measureHost fills the table of the limits of the host.
func measureHost(ctx context.Context, s *session, t *reportTable) error {
	s.progress.showNow("peak of multiply-adds")
	t.add(measurePeak(s, "float32", peakWork[float32]()))
	t.add(measurePeak(s, "float64", peakWork[float64]()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.progress.showNow("memory")
	read, copied := measureMemory(s)
	t.add(read)
	t.add(copied)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.progress.showNow("disk")
	rows, err := measureDisk(s.scratch, s.quick)
	for _, row := range rows {
		t.add(row)
	}
	return err
}

// measurePeak measures the peak rate of multiply-adds.
func measurePeak(s *session, kind string, f workload) limitRow {
	one := s.newSampler().measureAlone(f)
	all := s.newSampler().measureTogether(s.threads, func(int) workload { return f })
	return limitRow{
		What: "multiply-adds, " + kind, One: one.cpu / giga, Wall: one.wall / giga,
		All: all.wall / giga, Unit: "GFLOP/s",
		How: "independent chains at level " + simd.Level(),
	}
}

// measureMemory streams through memory. Each thread has a part of its own.
func measureMemory(s *session) (read, copied limitRow) {
	size := streamBytes()
	how := fmt.Sprintf("%d MiB", size>>20)
	p := s.newSampler()
	// A pass takes tens of milliseconds, so few samples are enough.
	p.samples = min(p.samples, 7)
	a, b := equalHalves(int(size))
	part := func(x []byte, i int) []byte { return x[i*len(x)/s.threads : (i+1)*len(x)/s.threads] }

	one := p.measureAlone(readWork(a, b))
	all := p.measureTogether(s.threads,
		func(i int) workload { return readWork(part(a, i), part(b, i)) })
	read = limitRow{What: "memory, read", One: one.wall / giga, All: all.wall / giga, Unit: "GB/s",
		How: how + ", two halves compared"}
	one = p.measureAlone(copyWork(a, b))
	all = p.measureTogether(s.threads,
		func(i int) workload { return copyWork(part(a, i), part(b, i)) })
	copied = limitRow{What: "memory, copy", One: one.wall / giga, All: all.wall / giga,
		Unit: "GB/s", How: how + ", bytes read and written"}
	return read, copied
}

// measureDisk writes a file, syncs it, drops it from the page cache and reads it back.
func measureDisk(dir string, quick bool) (rows []limitRow, err error) {
	size := 2 << 30
	if quick {
		size = 64 << 20
	}
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
		describeFileSystem(dir))
	piece := make([]byte, 1<<20)
	for i := range piece {
		piece[i] = byte(i * i >> 3)
	}
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
	if err := f.Sync(); err != nil {
		return nil, err
	}
	rows = append(rows, row("disk, sequential write and sync", start))
	if err := forgetPages(f); err != nil {
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
