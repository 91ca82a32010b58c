package packed_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/convert"
	"bigmkl/internal/dataset/packed"
	"bigmkl/internal/heaptest"
)

// mended returns a store with correct checksums. So the claims of a store are checked, and not its damage
// alone.
func mended(data []byte) []byte {
	const foot, block = 40, 1 << 20
	n := len(data)
	if n < 16+foot {
		return data
	}
	at := binary.LittleEndian.Uint64(data[n-foot:])
	if at < 16 || at > uint64(n-foot) {
		return data
	}
	table := data[at : n-foot]
	for k, left := 8, table; k+24 <= len(table); {
		offset, length := binary.LittleEndian.Uint64(table[k+8:]), binary.LittleEndian.Uint64(table[k+16:])
		k += 24
		for from := uint64(0); from < length && k+8 <= len(left); from += block {
			if offset+from < uint64(n) && offset+min(from+block, length) <= uint64(n) && offset < uint64(n) && length < uint64(n) {
				binary.LittleEndian.PutUint64(table[k:], xxhash.Sum64(data[offset+from:offset+min(from+block, length)]))
			}
			k += 8
		}
	}
	d := xxhash.New()
	d.Write(data[:16])
	d.Write(table)
	d.Write(data[n-foot : n-16])
	binary.LittleEndian.PutUint64(data[n-16:], d.Sum64())
	return data
}

// FuzzPacked: a store of any bytes gives rows that are well formed, or one error of a class with the name of the file; it is
// read within memory that its bytes justify; rows that are read can be packed again and are the same then; a store that is
// made of it holds those rows.
func FuzzPacked(f *testing.F) {
	for _, s := range samples(1) {
		if len(s.text) < 1<<16 {
			f.Add(pack(f, parse(f, s.text, s.kind), s.kind), uint32(0), byte(0), uint32(4100), byte(1))
		}
	}
	f.Add([]byte(packed.Magic), uint32(0), byte(0), uint32(0), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, at uint32, flip byte, other uint32, more byte) {
		if len(data) > 0 {
			data = bytes.Clone(data)
			data[int(at)%len(data)] ^= flip
			data[int(other)%len(data)] ^= more
			data = mended(data)
		}
		path := write(t, data)
		var rows []dataset.Row
		var err error
		used := heaptest.Allocated(func() { rows, err = read(path, "") })
		for _, r := range rows {
			used -= int64(200 + 24*len(r.Index))
			last := int32(-1)
			for k, j := range r.Index {
				if j <= last || r.Value[k]-r.Value[k] != 0 {
					t.Fatalf("row %v", r)
				}
				last = j
			}
		}
		if used > 4*int64(len(data))+64<<20 {
			t.Fatalf("%d bytes allocated for %d", used, len(data))
		}
		if err != nil {
			classOf(t, err, path)
		}
		src, openErr := packed.Open(path, packed.Options{})
		if openErr != nil {
			return
		}
		defer src.Close()
		if src.Width(len(rows)) > 1<<20 {
			return
		}
		store, storeErr := build(t, src, dataset.Ignored)
		if storeErr == nil {
			dst := make([]float32, store.Dim())
			for i := range store.Len() {
				store.Row(i, dst)
			}
			storeErr = store.Changed()
			store.Close()
		}
		if err != nil || storeErr != nil {
			return
		}
		var b bytes.Buffer
		_, err = convert.Write(context.Background(), &list{rows: rows}, &b, convert.Options{Format: "pack", Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := read(path, "")
		if err != nil || describe(again) != describe(rows) {
			t.Fatalf("packed again: %v, or other rows", err)
		}
	})
}
