package faulty

import (
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"bigmkl/internal/files"
)

// Disk watches one folder whose power fails at some operation. From then on every operation fails.
// Crash then puts the folder into a state in which the machine may come up again. What exists when
// the Disk is made is durable. Later the content of a file is durable as of its last Sync, and its
// name as of the last SyncFolder. Folders inside are not watched.
type Disk struct {
	testing.TB
	folder string
	at     int

	mu    sync.Mutex
	n     int
	files []*inode          // files lists all files that were ever at least partly durable.
	names map[string]*inode // names maps the durable names.
}

var _ files.Injector = (*Disk)(nil)

// inode is a file whatever its name. It is held open, so no other file gets its number.
type inode struct {
	held    *os.File
	info    fs.FileInfo
	durable []byte
}

// NewDisk makes the power of a folder fail at the given operation, counted from 0.
func NewDisk(t testing.TB, folder string, at int) *Disk {
	d := &Disk{TB: t, folder: folder, at: at}
	d.names = d.present()
	for _, f := range d.files {
		f.durable = f.content(t)
	}
	t.Cleanup(func() {
		for _, f := range d.files {
			f.held.Close()
		}
	})
	return d
}

// Before fails operations after the loss of power, and notes what becomes durable before it.
func (d *Disk) Before(op files.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.n >= d.at {
		d.n++
		return syscall.EIO
	}
	d.n++
	switch {
	case op.Kind == files.OpSync && filepath.Dir(op.Path) == d.folder:
		if f := d.inode(filepath.Base(op.Path)); f != nil { // The file may have no name any more.
			f.durable = f.content(d)
		}
	case op.Kind == files.OpSyncFolder && op.Path == d.folder:
		d.names = d.present()
	}
	return nil
}

// Read changes nothing.
func (d *Disk) Read(files.Op, []byte) {}

// Down reports whether the power has failed.
func (d *Disk) Down() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n > d.at
}

// After describes a state that a crash may leave.
type After struct {
	// Names is true if names are as they were at the crash, and not as last synced.
	Names bool
	// Keep is the probability that a file has all of its content, and not only what was synced.
	Keep float64
	Seed uint64
}

// Crash puts the folder into the state after the crash. The Disk must not be in use any more.
func (d *Disk) Crash(a After) {
	d.Helper()
	rng := rand.New(rand.NewPCG(a.Seed, 1))
	now := d.present()
	names := d.names
	if a.Names {
		names = now
	}
	for name := range now {
		if err := os.Remove(filepath.Join(d.folder, name)); err != nil {
			d.Fatal(err)
		}
	}
	for name, f := range names {
		content := f.durable
		if rng.Float64() < a.Keep {
			content = f.content(d)
		}
		if err := os.WriteFile(filepath.Join(d.folder, name), content, f.info.Mode().
			Perm()); err != nil {
			d.Fatal(err)
		}
	}
}

// present maps the names in the folder to its files.
func (d *Disk) present() map[string]*inode {
	d.Helper()
	entries, err := os.ReadDir(d.folder)
	if err != nil {
		d.Fatal(err)
	}
	names := map[string]*inode{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			names[e.Name()] = d.inode(e.Name())
		}
	}
	return names
}

// inode returns the file that has the name now, or nil if there is none.
func (d *Disk) inode(name string) *inode {
	d.Helper()
	held, err := os.Open(filepath.Join(d.folder, name))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		d.Fatal(err)
	}
	info, err := held.Stat()
	if err != nil {
		d.Fatal(err)
	}
	for _, f := range d.files {
		if os.SameFile(f.info, info) {
			held.Close()
			return f
		}
	}
	f := &inode{held: held, info: info}
	d.files = append(d.files, f)
	return f
}

// content returns everything that was written.
func (f *inode) content(t testing.TB) []byte {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(f.held, 0, 1<<62))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
