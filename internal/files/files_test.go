package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bigmkl/internal/fail"
)

// script fails the operations of one kind.
type script struct {
	kind Kind
	err  error
	seen []Op
}

func (s *script) Before(op Op) error {
	s.seen = append(s.seen, op)
	if op.Kind == s.kind {
		return s.err
	}
	return nil
}

func (s *script) Read(_ Op, p []byte) { p[0] ^= 1 }

// operations does each once, on a file of its own, and gives the errors of those that gave one.
func operations(t *testing.T) (failed []error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(_ any, err error) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	open := func(f *File, err error) {
		check(f, err)
		if err == nil {
			check(0, f.Close())
		}
	}
	real, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := &File{f: real}
	p := make([]byte, 2)
	check(f.Read(p))
	check(f.Write(p))
	check(0, f.Sync())
	check(0, f.Truncate(1))
	check(f.Stat())
	check(0, f.Reserve(10_000))
	check(f.WriteAt(p, 4))
	check(f.ReadAt(p, 4))
	if data, err := f.Map(4, true); err != nil {
		check(0, err)
	} else {
		check(0, Unmap(data))
	}
	check(0, f.Lock())
	check(0, f.Close())
	if err := real.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Close left the file open: %v", err)
	}
	open(Open(path))
	open(OpenFile(filepath.Join(dir, "new"), os.O_CREATE|os.O_WRONLY, 0o600))
	open(CreateTemp(dir, "x-*"))
	check(Stat(path))
	check(Lstat(path))
	check(EvalSymlinks(path))
	check(ReadDir(dir))
	check(0, MkdirAll(filepath.Join(dir, "a", "b"), 0o700))
	check(MkdirTemp(dir, "y-*"))
	check(0, Rename(path, path+"2"))
	os.WriteFile(path, nil, 0o600) // wherever the renaming left it
	check(0, Remove(path))
	check(0, RemoveAll(filepath.Join(dir, "a")))
	check(0, SyncFolder(dir))
	_, _, err = Space(dir)
	check(0, err)
	return failed
}

// TestEveryOperationFails: what is injected reaches the caller as the system's own error would, and nothing else fails.
func TestEveryOperationFails(t *testing.T) {
	if failed := operations(t); len(failed) > 0 {
		t.Fatalf("without an injector: %v", failed)
	}
	count := map[Kind]int{OpStat: 4, OpRead: 2, OpWrite: 2, OpMkdir: 2, OpCreate: 2, OpRemove: 2, OpClose: 4}
	for _, kind := range []Kind{OpOpen, OpCreate, OpRead, OpWrite, OpSync, OpTruncate, OpClose, OpStat, OpAllocate, OpMap, OpLock, OpMkdir, OpList,
		OpRename, OpRemove, OpSyncFolder, OpSpace} {
		s := &script{kind: kind, err: syscall.EDQUOT}
		restore := Inject(s)
		failed := operations(t)
		restore()
		if len(failed) != max(count[kind], 1) {
			t.Errorf("%s: %d operations failed: %v", kind, len(failed), failed)
		}
		for _, err := range failed {
			var pe *fs.PathError
			var le *os.LinkError
			if !errors.As(err, &pe) && !errors.As(err, &le) || !errors.Is(err, syscall.EDQUOT) || !strings.HasPrefix(err.Error(), string(kind)+" ") {
				t.Errorf("%s: %#v", kind, err)
			}
		}
	}
}

func TestShortWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer Inject(&script{kind: OpWrite, err: &Short{N: 3, Err: syscall.ENOSPC}})()
	n, err := f.Write([]byte("0123456789"))
	var pe *fs.PathError
	if n != 3 || !errors.As(err, &pe) || pe.Err != syscall.ENOSPC || pe.Path != path {
		t.Errorf("%d bytes, %v", n, err)
	}
	if b, _ := os.ReadFile(path); string(b) != "012" {
		t.Errorf("the file holds %q", b)
	}
	if n, _ := f.Write([]byte("ab")); n != 2 {
		t.Errorf("%d of fewer bytes than are let through", n)
	}
}

func TestReadIsChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	os.WriteFile(path, []byte("abc"), 0o600)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	restore := Inject(&script{})
	var b [2]byte
	f.Read(b[:])
	restore()
	if string(b[:]) != "`b" {
		t.Errorf("read %q", b)
	}
	f.Read(b[:])
	if b[0] != 'c' {
		t.Errorf("read %q after the injector was gone", b[:1])
	}
	defer Inject(&script{})()
	defer func() {
		if recover() == nil {
			t.Error("two injectors at a time")
		}
	}()
	Inject(&script{})
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	take := func() (*File, error) {
		f, err := OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f, f.Lock()
	}
	first, err := take()
	if err != nil {
		t.Fatal(err)
	}
	second, err := take()
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("a second lock: %v", err)
	}
	second.Close()
	first.Close()
	third, err := take()
	if err != nil {
		t.Errorf("the lock was not given back: %v", err)
	}
	third.Close()
}

func TestReserveTooMuch(t *testing.T) {
	f, err := CreateTemp(t.TempDir(), "x-*")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Reserve(1 << 60); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if info, _ := f.Stat(); info.Size() != 0 {
		t.Errorf("%d bytes were taken", info.Size())
	}
}

func TestWriteZeros(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "zeros"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int64{1, 1 << 20, 2<<20 + 1} {
		if err := writeZeros(f, size); err != nil {
			t.Fatal(err)
		}
		if info, _ := f.Stat(); info.Size() != size {
			t.Errorf("%d bytes, want %d", info.Size(), size)
		}
	}
}

func TestFaults(t *testing.T) {
	wrap := func(err error) error { return &fs.PathError{Op: "open", Path: "/somewhere/else", Err: err} }
	for _, c := range []struct {
		err        error
		own, input error
	}{
		{wrap(syscall.ENOSPC), fail.Budget, fail.Budget},
		{wrap(syscall.EMFILE), fail.Budget, fail.Budget},
		{wrap(syscall.EFBIG), fail.Budget, fail.Budget},
		{&os.LinkError{Op: "rename", Old: "/somewhere/else", New: "x", Err: syscall.EDQUOT}, fail.Budget, fail.Budget},
		{wrap(syscall.EIO), fail.Budget, fail.Input},
		{wrap(syscall.ENOENT), fail.Input, fail.Input},
		{wrap(syscall.EROFS), fail.Input, fail.Input},
		{errors.New("unexpected"), fail.Budget, fail.Input},
	} {
		own, input := OwnFault("cannot write", "file", c.err), InputFault("cannot read", "file", c.err)
		if own.Class != c.own || input.Class != c.input {
			t.Errorf("%v: %v for our own files, %v for those of others", c.err, own.Class, input.Class)
		}
		if text := own.Error(); strings.Contains(text, "else") || !strings.HasPrefix(text, "file: cannot write: ") {
			t.Errorf("%q", text)
		}
		if cause := errors.Unwrap(c.err); cause != nil && (!errors.Is(own, cause) || !errors.Is(input, cause)) {
			t.Errorf("%v: the cause is lost", c.err)
		}
	}
}
