package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
)

// sample is a checkpoint of sections of odd sizes, one of them longer than a piece.
func sample(t testing.TB, large bool) ([]Section, []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 8, 77}
	if large {
		sizes = append(sizes, 2*piece+5, piece)
	}
	var list []Section
	for i, n := range sizes {
		s := Section{Name: "section-" + string(rune('a'+i)), Data: make([]byte, n)}
		for k := range s.Data {
			s.Data[k] = byte(rng.Uint32())
		}
		list = append(list, s)
	}
	list = append(list, Section{Name: "twenty-four bytes of name", Data: []byte("x")})
	list[len(list)-1].Name = list[len(list)-1].Name[:nameBytes]
	var b bytes.Buffer
	if err := encode(&b, list); err != nil {
		t.Fatal(err)
	}
	return list, b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	list, file := sample(t, true)
	r, err := NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		got, err := r.Read(s.Name)
		if err != nil || !bytes.Equal(got, s.Data) {
			t.Errorf("section %q of %d bytes: %v", s.Name, len(s.Data), err)
		}
		if err := r.Into(s.Name, make([]byte, len(s.Data)+1)); !errors.Is(err, fail.Corrupt) {
			t.Errorf("section %q as a longer one: %v", s.Name, err)
		}
	}
	if _, err := r.Read("none"); !errors.Is(err, fail.Corrupt) {
		t.Errorf("a section that is not there: %v", err)
	}
}

// TestEveryByteCounts changes every byte, cuts the file at every length and adds bytes.
func TestEveryByteCounts(t *testing.T) {
	_, file := sample(t, false)
	reject := func(what string, at int, b []byte) {
		t.Helper()
		if _, err := NewReader(bytes.NewReader(b), int64(len(b))); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for i := range file {
		for _, bit := range []byte{1, 0x80, 0xff} {
			b := slices.Clone(file)
			b[i] ^= bit
			reject("changed byte", i, b)
		}
		reject("cut at byte", i, file[:i])
	}
	reject("added byte", len(file), append(slices.Clone(file), 0))
	if _, err := NewReader(bytes.NewReader(file[:len(file)-3]), int64(len(file))); !errors.Is(err, fail.Corrupt) {
		t.Errorf("a file that got shorter: %v", err)
	}
}

func TestNewerVersion(t *testing.T) {
	_, file := sample(t, false)
	binary.LittleEndian.PutUint32(file[8:], version+1)
	binary.LittleEndian.PutUint64(file[headBytes-sumBytes:], xxhash.Sum64(file[:headBytes-sumBytes]))
	if _, err := NewReader(bytes.NewReader(file), int64(len(file))); !errors.Is(err, fail.Version) {
		t.Error(err)
	}
}

// TestChangeAfterOpening changes a section once the file has been checked.
func TestChangeAfterOpening(t *testing.T) {
	list, file := sample(t, true)
	r, err := NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	s := list[4]
	file[bytes.Index(file, s.Data)+piece] ^= 4
	if _, err := r.Read(s.Name); !errors.Is(err, fail.Corrupt) {
		t.Errorf("a damaged section was read: %v", err)
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestEncodeReportsEveryFault(t *testing.T) {
	list, _ := sample(t, true)
	for i := 0; ; i++ {
		err := encode(&failing{i}, list)
		if err == nil {
			if i < 3*len(list) {
				t.Errorf("only %d writes", i)
			}
			return
		}
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Fatal(err)
		}
	}
}

// TestHostile: sizes and names that make no sense, under checksums that are right.
func TestHostile(t *testing.T) {
	head := func(count uint32, size int) []byte {
		b := binary.LittleEndian.AppendUint32([]byte(magic), version)
		b = binary.LittleEndian.AppendUint32(b, count)
		return sealed(binary.LittleEndian.AppendUint64(b, uint64(size)))
	}
	entry := func(name string, length uint64) []byte {
		b := make([]byte, nameBytes)
		copy(b, name)
		return sealed(binary.LittleEndian.AppendUint64(b, length))
	}
	empty := binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(nil))
	for name, sections := range map[string][]byte{
		"a section of 2^63 bytes":    append(entry("a", 1<<63), empty...),
		"a section of 2^64-1 bytes":  append(entry("a", 1<<64-1), empty...),
		"a section beyond the end":   append(entry("a", 1), empty...),
		"a section without a name":   append(entry("", 0), empty...),
		"a section without its hash": entry("a", 0),
		"two sections of one name":   slices.Concat(entry("a", 0), empty, entry("a", 0), empty),
	} {
		count := uint32(1 + len(sections)/(entryBytes+sumBytes+1))
		b := append(head(count, headBytes+len(sections)), sections...)
		if _, err := NewReader(bytes.NewReader(b), int64(len(b))); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := head(1<<32-1, headBytes)
	if _, err := NewReader(bytes.NewReader(b), int64(len(b))); !errors.Is(err, fail.Corrupt) {
		t.Errorf("four thousand million sections: %v", err)
	}
}

// FuzzReader: what is read can be written again to the same bytes, and a change of one byte makes it unreadable. The bytes
// are used as a file, and as the contents of a section.
func FuzzReader(f *testing.F) {
	_, file := sample(f, false)
	f.Add(file, uint32(0), byte(1))
	f.Add(file[:40], uint32(3), byte(0))
	f.Add([]byte(magic), uint32(3), byte(7))
	f.Fuzz(func(t *testing.T, b []byte, at uint32, change byte) {
		var whole bytes.Buffer
		cut := int(at) % (len(b) + 1)
		if err := encode(&whole, []Section{{"first", b[:cut]}, {"second", b[cut:]}}); err != nil {
			t.Fatal(err)
		}
		again(t, whole.Bytes(), at, change)
		again(t, b, at, change)
	})
}

func again(t *testing.T, b []byte, at uint32, change byte) {
	r, err := NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		if !errors.Is(err, fail.Corrupt) && !errors.Is(err, fail.Version) {
			t.Fatalf("an error of no class: %v", err)
		}
		return
	}
	var list []Section
	for _, name := range r.names {
		data, err := r.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Section{name, data})
	}
	var written bytes.Buffer
	if err := encode(&written, list); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written.Bytes(), b) {
		t.Fatal("written again it has other bytes")
	}
	if change == 0 {
		return
	}
	damaged := slices.Clone(b)
	damaged[int(at)%len(b)] ^= change
	if _, err := NewReader(bytes.NewReader(damaged), int64(len(b))); err == nil {
		t.Fatalf("byte %d changed by %#x: not noticed", int(at)%len(b), change)
	}
}
