// Package faulty makes operations on files fail in tests: one after the other (At and AtOf), now and then
// (Random), by changing what is read (Flip), and by a loss of power (Disk). Each of these is a
// files.Injector that many goroutines may use.
//
// References. See errorfs and the crash clones of pebble's memory file system; for what a crash
// leaves, see T. S. Pillai et al., All file systems are not created equal, OSDI 2014.
package faulty

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"

	"bigmkl/internal/files"
)

// Fault is a way in which file systems fail.
type Fault struct {
	Name string
	Err  error
	// Kinds lists the operations that fail in this way. If it is nil, any may.
	Kinds []files.Kind
	// Lasting is true if the fault stays once it has begun.
	Lasting bool
	// Folder is the place of the fault, with everything below. If it is empty, the fault is
	// everywhere.
	Folder string
}

// Faults lists the faults that every command has to withstand.
var Faults = []Fault{
	{Name: "a device that fails once", Err: syscall.EIO},
	FullDisk,
	{Name: "no descriptors", Err: syscall.EMFILE,
		Kinds: []files.Kind{files.OpOpen, files.OpCreate, files.OpList, files.OpSyncFolder}},
	{Name: "a write cut short", Err: &files.Short{N: 100, Err: syscall.ENOSPC},
		Kinds: []files.Kind{files.OpWrite}},
	{Name: "a sync that fails", Err: syscall.EIO,
		Kinds: []files.Kind{files.OpSync, files.OpSyncFolder}},
}

// FullDisk is a disk that has no space left.
var FullDisk = Fault{Name: "a full disk", Err: syscall.ENOSPC, Lasting: true,
	Kinds: []files.Kind{files.OpCreate, files.OpWrite, files.OpSync,
		files.OpAllocate, files.OpMkdir, files.OpRename, files.OpSyncFolder}}

func (f *Fault) concerns(op files.Op) bool {
	return (f.Kinds == nil || slices.Contains(f.Kinds, op.Kind)) &&
		(f.Folder == "" || strings.HasPrefix(op.Path, f.Folder+"/"))
}

// Strike fails chosen operations.
type Strike struct {
	fault Fault
	// chosen selects among the operations that the fault concerns, counted from 0.
	chosen func(op files.Op, n int) bool

	mu     sync.Mutex
	n      int
	struck []files.Op
}

var _ files.Injector = (*Strike)(nil)

// At fails the i-th operation that the fault concerns and, if the fault is lasting, those after it.
func At(i int, f Fault) *Strike {
	return &Strike{fault: f, chosen: func(_ files.Op, n int) bool { return n == i || f.Lasting && n > i }}
}

// Random fails each operation that the fault concerns with the given probability.
func Random(f Fault, probability float64, seed uint64) *Strike {
	rng := rand.New(rand.NewPCG(seed, 0))
	return &Strike{fault: f, chosen: func(files.Op, int) bool { return rng.Float64() < probability }}
}

// Before counts the operation and may fail it.
func (s *Strike) Before(op files.Op) error {
	if !s.fault.concerns(op) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.n
	s.n++
	if !s.chosen(op, n) {
		return nil
	}
	s.struck = append(s.struck, op)
	return s.fault.Err
}

// Read changes nothing.
func (s *Strike) Read(files.Op, []byte) {}

// Struck lists the operations that failed.
func (s *Strike) Struck() []files.Op {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.struck)
}

// Flip changes one bit of what is read from a file.
type Flip struct {
	path string
	left int64 // left is the number of bytes before the one to change.

	mu   sync.Mutex
	done bool
}

var _ files.Injector = (*Flip)(nil)

// NewFlip changes the k-th byte that is read from path, counted from 0 over all reads.
func NewFlip(path string, k int64) *Flip { return &Flip{path: path, left: k} }

// Before lets every operation happen.
func (f *Flip) Before(files.Op) error { return nil }

// Read changes the byte if it is among these.
func (f *Flip) Read(op files.Op, p []byte) {
	if op.Path != f.path {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.done && f.left < int64(len(p)) {
		p[f.left] ^= 1 << (f.left % 8)
		f.done = true
	}
	f.left -= int64(len(p))
}

// Done reports whether the byte was read.
func (f *Flip) Done() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}
