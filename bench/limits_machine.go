package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"bigmkl/internal/files"
	"bigmkl/internal/host"
	"bigmkl/internal/simd"
)

const giga = 1e9

// machineLimits fills the table of the machine.
func (s *session) machineLimits(ctx context.Context, t *table) error {
	s.progress.now("peak of multiply-adds")
	t.add(s.peakRow("float32", peakWork[float32]()))
	t.add(s.peakRow("float64", peakWork[float64]()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.progress.now("memory")
	read, copied := s.memoryRows()
	t.add(read)
	t.add(copied)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.progress.now("disk")
	rows, err := diskRows(s.scratch, s.quick)
	for _, row := range rows {
		t.add(row)
	}
	return err
}

func (s *session) peakRow(kind string, f work) limitRow {
	one := s.sampler().alone(f)
	all := s.sampler().together(s.threads, func(int) work { return f })
	return limitRow{
		What: "multiply-adds, " + kind, One: one.cpu / giga, Wall: one.wall / giga, All: all.wall / giga, Unit: "GFLOP/s",
		How: "independent chains at level " + simd.Level(),
	}
}

// streamBytes is what no cache holds: four times the last-level cache, at least 256 MiB, but not more than a sixteenth of
// the memory.
func streamBytes() int64 {
	n := max(256<<20, 4*cacheBytes(3))
	if m := host.Memory() / 16; m > 0 {
		n = min(n, m)
	}
	return n
}

// twins are two equal halves of so many bytes.
func twins(n int) (a, b []byte) {
	both := make([]byte, n/128*128)
	for i := range both {
		both[i] = byte(i % 64)
	}
	return both[:len(both)/2], both[len(both)/2:]
}

// readWork reads two equal arrays by comparing them, which the runtime does with vectors whatever the level.
func readWork(a, b []byte) work {
	return func() float64 {
		if !bytes.Equal(a, b) {
			panic("the halves differ")
		}
		return float64(len(a) + len(b))
	}
}

func copyWork(to, from []byte) work {
	return func() float64 { return float64(2 * copy(to, from)) }
}

// memoryRows streams through memory, each thread through a part of its own.
func (s *session) memoryRows() (read, copied limitRow) {
	size := streamBytes()
	how := fmt.Sprintf("%d MiB", size>>20)
	p := s.sampler()
	p.samples = min(p.samples, 7) // a pass takes tens of milliseconds
	a, b := twins(int(size))
	part := func(x []byte, i int) []byte { return x[i*len(x)/s.threads : (i+1)*len(x)/s.threads] }

	one := p.alone(readWork(a, b))
	all := p.together(s.threads, func(i int) work { return readWork(part(a, i), part(b, i)) })
	read = limitRow{What: "memory, read", One: one.wall / giga, All: all.wall / giga, Unit: "GB/s", How: how + ", two halves compared"}
	one = p.alone(copyWork(a, b))
	all = p.together(s.threads, func(i int) work { return copyWork(part(a, i), part(b, i)) })
	copied = limitRow{What: "memory, copy", One: one.wall / giga, All: all.wall / giga, Unit: "GB/s", How: how + ", bytes read and written"}
	return read, copied
}

// cacheBytes is the size of the first processor's cache of that level, 0 if unknown.
func cacheBytes(level int) int64 {
	folders, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, f := range folders {
		text := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(f, name))
			return strings.TrimSpace(string(b))
		}
		if text("level") == strconv.Itoa(level) && text("type") != "Instruction" {
			size, _ := strings.CutSuffix(text("size"), "K")
			k, _ := strconv.ParseInt(size, 10, 64)
			return k << 10
		}
	}
	return 0
}

// diskRows writes a file, makes it durable, drops it from the page cache and reads it.
func diskRows(dir string, quick bool) (rows []limitRow, err error) {
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
	how := fmt.Sprintf("%d MiB in the scratch folder%s, buffered, pieces of 1 MiB", size>>20, fileSystem(dir))
	piece := make([]byte, 1<<20)
	for i := range piece {
		piece[i] = byte(i * i >> 3)
	}
	row := func(what string, start time.Time) limitRow {
		return limitRow{What: what, One: float64(size) / time.Since(start).Seconds() / 1e6, Unit: "MB/s", How: how}
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
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
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

// fileSystem tells when a folder is on no disk.
func fileSystem(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) == nil && s.Type == unix.TMPFS_MAGIC {
		return ", which lies in memory (tmpfs)"
	}
	return ""
}
