package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"syscall"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

const (
	magic   = "bigmklcp"
	version = 1

	headBytes = 8 + 4 + 4 + 8 + 8
	nameBytes = 24
	// entryBytes is the size of what stands before the contents of a section.
	entryBytes = nameBytes + 8 + 8
	// sumBytes is the size of the hash behind them.
	sumBytes = 8

	// piece is the number of bytes that are hashed and written, or read, at a time.
	piece = 1 << 20
)

// Section is a part of a checkpoint. Its name has at most 24 bytes and differs from all others.
type Section struct {
	Name string
	Data []byte
}

// encode writes a checkpoint.
func encode(w io.Writer, sections []Section) error {
	size := uint64(headBytes)
	for _, s := range sections {
		if len(s.Name) == 0 || len(s.Name) > nameBytes {
			panic("checkpoint: a name of no or too many bytes")
		}
		size += entryBytes + uint64(len(s.Data)) + sumBytes
	}
	head := append(make([]byte, 0, headBytes), magic...)
	head = binary.LittleEndian.AppendUint32(head, version)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(sections)))
	head = binary.LittleEndian.AppendUint64(head, size)
	if _, err := w.Write(sealed(head)); err != nil {
		return err
	}
	for _, s := range sections {
		entry := make([]byte, nameBytes, entryBytes)
		copy(entry, s.Name)
		entry = binary.LittleEndian.AppendUint64(entry, uint64(len(s.Data)))
		if _, err := w.Write(sealed(entry)); err != nil {
			return err
		}
		var sum xxhash.Digest
		sum.Reset()
		for at := 0; at < len(s.Data); at += piece {
			part := s.Data[at:min(at+piece, len(s.Data))]
			sum.Write(part)
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, sum.Sum64())); err != nil {
			return err
		}
	}
	return nil
}

// sealed appends the hash of b to b.
func sealed(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

// unsealed returns b without its hash, and whether the hash is right.
func unsealed(b []byte) ([]byte, bool) {
	body := b[:len(b)-sumBytes]
	return body, xxhash.Sum64(body) == binary.LittleEndian.Uint64(b[len(body):])
}

// Reader reads the sections of a checkpoint.
type Reader struct {
	from    io.ReadSeeker
	names   []string
	entries map[string]extent
}

// extent states where the contents of a section lie.
type extent struct{ first, length int64 }

var errDamaged = errors.New("the file is damaged")

// NewReader reads the directory of a checkpoint of size bytes and checks all of the checkpoint. It
// returns an error of class fail.Version if a newer release wrote it, of class fail.Budget if the
// system cannot read it, and of class fail.Corrupt for anything else.
func NewReader(from io.ReadSeeker, size int64) (*Reader, error) {
	r := &Reader{from: from, entries: make(map[string]extent)}
	err := r.index(size)
	for i := 0; err == nil && i < len(r.names); i++ {
		err = r.check(r.names[i])
	}
	if err != nil {
		return nil, unsound(err)
	}
	return r, nil
}

// unsound gives an error of reading its class. If the system could not read, that reports nothing
// about the checkpoint.
func unsound(err error) error {
	var known *fail.Error
	var errno syscall.Errno
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &errno):
		return files.OwnFault("cannot read the checkpoint", "", err)
	}
	return fail.New(fail.Corrupt, "not a sound checkpoint: %w", err)
}

func (r *Reader) index(size int64) error {
	var b [headBytes]byte
	if size < headBytes {
		return errors.New("the file is too short")
	}
	if err := r.read(b[:], 0); err != nil {
		return err
	}
	head, ok := unsealed(b[:])
	if !ok || string(head[:8]) != magic {
		return errors.New("this is no checkpoint, or its first bytes are damaged")
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v > version {
		return fail.New(fail.Version, "the checkpoint has format version %d, this release reads "+
			"up to %d", v, version)
	}
	count := binary.LittleEndian.Uint32(head[12:])
	if binary.LittleEndian.Uint64(head[16:]) != uint64(size) {
		return errors.New("the file has another size than it says")
	}
	at := int64(headBytes)
	for range count {
		var b [entryBytes]byte
		if size-at < entryBytes+sumBytes {
			return errDamaged
		}
		if err := r.read(b[:], at); err != nil {
			return err
		}
		entry, ok := unsealed(b[:])
		length := binary.LittleEndian.Uint64(entry[nameBytes:])
		at += entryBytes
		if !ok || length > uint64(size-at-sumBytes) {
			return errDamaged
		}
		padded := entry[:nameBytes]
		name := string(bytes.TrimRight(padded, "\x00"))
		if _, twice := r.entries[name]; twice || name == "" {
			return errDamaged
		}
		r.names = append(r.names, name)
		r.entries[name] = extent{at, int64(length)}
		at += int64(length) + sumBytes
	}
	if at != size {
		return errDamaged
	}
	return nil
}

// check compares the checksum of a section with its contents.
func (r *Reader) check(name string) error {
	e := r.entries[name]
	buffer := make([]byte, min(e.length, piece))
	var sum xxhash.Digest
	sum.Reset()
	for at := int64(0); at < e.length; at += piece {
		part := buffer[:min(e.length-at, piece)]
		if err := r.read(part, e.first+at); err != nil {
			return err
		}
		sum.Write(part)
	}
	return r.compare(name, sum.Sum64())
}

func (r *Reader) compare(name string, sum uint64) error {
	e := r.entries[name]
	var b [sumBytes]byte
	if err := r.read(b[:], e.first+e.length); err != nil {
		return err
	}
	if binary.LittleEndian.Uint64(b[:]) != sum {
		return fmt.Errorf("the checksum of section %s does not match", name)
	}
	return nil
}

func (r *Reader) read(b []byte, at int64) error {
	_, err := r.from.Seek(at, io.SeekStart)
	if err == nil {
		_, err = io.ReadFull(r.from, b)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is shorter than it was")
	}
	return err
}

// Length returns the size of a section, and whether there is one of that name.
func (r *Reader) Length(name string) (int64, bool) {
	e, ok := r.entries[name]
	return e.length, ok
}

// Into reads a section into dst, which must have its length. The contents are checked at every
// call, so a later call may fail where an earlier one did not.
func (r *Reader) Into(name string, dst []byte) error {
	e, ok := r.entries[name]
	if !ok || e.length != int64(len(dst)) {
		return fail.New(fail.Corrupt, "the checkpoint has no section %s of %d bytes", name,
			len(dst))
	}
	err := r.read(dst, e.first)
	if err == nil {
		err = r.compare(name, xxhash.Sum64(dst))
	}
	if err != nil {
		return unsound(err)
	}
	return nil
}

// Read returns the contents of a section.
func (r *Reader) Read(name string) ([]byte, error) {
	length, ok := r.Length(name)
	if !ok || length > math.MaxInt {
		return nil, fail.New(fail.Corrupt, "the checkpoint has no section %s", name)
	}
	data := make([]byte, length)
	return data, r.Into(name, data)
}
