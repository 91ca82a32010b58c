package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/probability"
)

// A reader that knows safetensors and nothing of models finds the arrays.
func TestSafetensors(t *testing.T) {
	b := encoded(t, small())
	n := binary.LittleEndian.Uint64(b)
	head, body := b[8:8+n], b[8+n:]
	if head[0] != '{' || n%8 != 0 {
		t.Errorf("header of %d bytes starting with %q", n, head[0])
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(head, &all); err != nil {
		t.Fatal(err)
	}
	var meta map[string]string
	if err := json.Unmarshal(all["__metadata__"], &meta); err != nil {
		t.Fatalf("metadata must map strings to strings: %v", err)
	}
	delete(all, "__metadata__")
	type entry struct {
		Dtype   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	size := map[string]int{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U8": 1}
	var list []entry
	tensors := map[string]entry{}
	for name, raw := range all {
		var e entry
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		bytes := size[e.Dtype]
		for _, k := range e.Shape {
			bytes *= k
		}
		if bytes != e.Offsets[1]-e.Offsets[0] || e.Offsets[0]%size[e.Dtype] != 0 {
			t.Errorf("%s: %+v", name, e)
		}
		list, tensors[name] = append(list, e), e
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Offsets[0] < list[j].Offsets[0] })
	at := 0
	for _, e := range list {
		if e.Offsets[0] != at {
			t.Errorf("a hole at %d", at)
		}
		at = e.Offsets[1]
	}
	if at != len(body) {
		t.Errorf("tensors end at %d of %d", at, len(body))
	}
	alpha := body[tensors["alpha"].Offsets[0]:]
	if got := math.Float64frombits(binary.LittleEndian.Uint64(alpha[8:])); got != -1.25 {
		t.Errorf("alpha[1] is %v", got)
	}
	if s := tensors["vectors"].Shape; len(s) != 2 || s[0] != 3 || s[1] != 3 {
		t.Errorf("vectors are %v", s)
	}
	var settings struct {
		Norm    any      `json:"norm"`
		Kernels []string `json:"kernels"`
	}
	if err := json.Unmarshal([]byte(meta["model"]), &settings); err != nil || len(settings.Kernels) != 2 {
		t.Errorf("settings %q: %v", meta["model"], err)
	}
	digest := meta["sha256"]
	plain := bytes.Replace(b, []byte(digest), []byte(strings.Repeat("0", 64)), 1)
	if got := sha256.Sum256(plain); hex.EncodeToString(got[:]) != digest {
		t.Errorf("the digest is not what the documentation says")
	}
	if meta["format"] != "bigmkl" || meta["version"] != "1" {
		t.Errorf("metadata %q", meta)
	}
}

func mustFail(t *testing.T, what string, b []byte) {
	t.Helper()
	_, err := decoded(b)
	if !errors.Is(err, fail.Corrupt) && !errors.Is(err, fail.Version) || !strings.HasPrefix(err.Error(), "test: ") {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestEveryByteCounts(t *testing.T) {
	b := encoded(t, small())
	for i := range b {
		for _, flip := range []byte{1, 0x20, 0x80, 0xff} {
			b[i] ^= flip
			mustFail(t, fmt.Sprintf("byte %d ^ %#x", i, flip), b)
			b[i] ^= flip
		}
	}
	for n := range b {
		mustFail(t, fmt.Sprintf("%d bytes", n), b[:n])
		// A correct size, and then a wrong stream.
		if _, err := Decode(bytes.NewReader(b[:n]), int64(len(b)), "test"); !errors.Is(err, fail.Corrupt) {
			t.Fatalf("%d bytes of %d: %v", n, len(b), err)
		}
	}
	mustFail(t, "a byte too many", append(bytes.Clone(b), 0))
	if _, err := Decode(bytes.NewReader(append(bytes.Clone(b), 0)), int64(len(b)), "test"); !errors.Is(err, fail.Corrupt) {
		t.Errorf("a byte after the size: %v", err)
	}
}

// forge makes a file of a header, with a digest that is right.
func forge(head string, body []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	b = append(append(b, head...), body...)
	if at := bytes.Index(b, []byte(strings.Repeat("0", 64))); at >= 0 {
		sum := sha256.Sum256(b)
		hex.Encode(b[at:], sum[:])
	}
	return b
}

func forged(version, model, tensors string, body []byte) []byte {
	return forge(prefix+version+prefixDigest+strings.Repeat("0", 64)+`","model":`+model+`}`+tensors+`}`, body)
}

func TestForged(t *testing.T) {
	for what, b := range map[string][]byte{
		"no settings":       forged("1", `""`, "", nil),
		"settings no JSON":  forged("1", `"{"`, "", nil),
		"unknown setting":   forged("1", `"{\"x\":1}"`, "", nil),
		"no weights":        forged("1", `"{}"`, "", nil),
		"unknown tensor":    forged("1", `"{}"`, `,"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}`, make([]byte, 8)),
		"other type":        forged("1", `"{}"`, `,"theta":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`, make([]byte, 8)),
		"hole":              forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}`, make([]byte, 16)),
		"overlap":           forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},"alpha":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}`, make([]byte, 16)),
		"rest":              forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}`, make([]byte, 9)),
		"beyond":            forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, make([]byte, 8)),
		"negative":          forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[-1],"data_offsets":[8,0]}`, make([]byte, 8)),
		"overflow":          forged("1", `"{}"`, `,"vectors":{"dtype":"F32","shape":[2147483647,2147483647],"data_offsets":[0,8]}`, make([]byte, 8)),
		"shape and offsets": forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[3],"data_offsets":[0,8]}`, make([]byte, 8)),
		"dimensions":        forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]}`, make([]byte, 8)),
		"version 0":         forged("0", `"{}"`, "", nil),
		"version x":         forged("x", `"{}"`, "", nil),
		"other format":      forge(`{"__metadata__":{"format":"pt"}}`, nil),
		"no JSON":           forge(prefix+"1"+prefixDigest+strings.Repeat("0", 64)+`"`, nil),
		"short":             forge(prefix+"1"+prefixDigest, nil),
	} {
		if _, err := decoded(b); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, v := range []string{fmt.Sprint(formatVersion + 1), "17.3"} {
		_, err := decoded(forged(v, `{"anything": 1}`, "", nil))
		if !errors.Is(err, fail.Version) || !strings.Contains(err.Error(), v) {
			t.Errorf("version %s: %v", v, err)
		}
	}
}

// Headers that promise terabytes cost nothing.
func TestHostileSizes(t *testing.T) {
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	files := [][]byte{
		huge,
		append(binary.LittleEndian.AppendUint64(nil, 1<<20), '{'),
		append(binary.LittleEndian.AppendUint64(nil, 1<<40), make([]byte, 100)...),
		forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[2147483647],"data_offsets":[0,17179869176]}`, make([]byte, 8)),
		forged("1", `"{}"`, `,"vectors":{"dtype":"F32","shape":[0,2147483647],"data_offsets":[0,0]}`, nil),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, b := range files {
		mustFail(t, "hostile", b)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	if _, err := Decode(io.LimitReader(strings.NewReader(""), 0), math.MaxInt64, "test"); !errors.Is(err, fail.Corrupt) {
		t.Errorf("an empty stream: %v", err)
	}
}

// signed gives the file a correct digest, which lets fuzzing get past it.
func signed(data []byte) []byte {
	b := bytes.Clone(data)
	if len(b) < digestAt+64 {
		return b
	}
	copy(b[digestAt:], strings.Repeat("0", 64))
	sum := sha256.Sum256(b)
	hex.Encode(b[digestAt:], sum[:])
	return b
}

// For any bytes the result is an error of a class, or a model that is written and read again to the same model and the same
// bytes, and whose file is rejected when it is cut or any byte of it is another. Memory follows the file, not its claims.
func FuzzDecode(f *testing.F) {
	plain, gram, empty := small(), small(), small()
	gram.Kernels, gram.Views, gram.Medians = []string{"precomputed:a", "precomputed:b", "precomputed:a"}, nil, nil
	gram.Vectors, gram.Features, gram.Scaling = nil, 0, dataset.Scaling{Kind: "none"}
	empty.Support, empty.Alpha, empty.Vectors = []int32{}, []float64{}, []float32{}
	likely, pairs := small(), trio(OneVsOne)
	likely.Folds, likely.Sigmoids = 5, []probability.Sigmoid{{A: -1.5, B: 0.1}}
	pairs.Folds, pairs.Sigmoids = 3, []probability.Sigmoid{{A: -1}, {B: 2}, {A: -0.5, B: -1}}
	for i, m := range []*Model{plain, gram, empty, trio(OneVsRest), trio(OneVsOne), trio(MultiLabel), likely, pairs, sparse(small()), sparse(empty), sparse(trio(OneVsOne))} {
		f.Add(encoded(f, m), uint16(100*i), byte(1))
	}
	f.Add(forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}`, make([]byte, 8)), uint16(3), byte(0))
	f.Add(forged("3", `"{}"`, "", nil), uint16(3), byte(0))
	f.Add(forged("4", `"{}"`, "", nil), uint16(3), byte(0))
	f.Add(forged("1"+strings.Repeat("\x97", 6000), `"{}"`, "", nil), uint16(3), byte(0)) // was quoted whole
	f.Add(forged("1", `""`, `,"settings":{"dtype":"U8","shape":[24],"data_offsets":[0,24]}`, []byte(`{"positive_labels":["",]}`)), uint16(3), byte(0))
	f.Add(forged("1", `"{\"features\":2147483647,\"kernels\":[\"linear@1-2000000000\"]}"`, "", nil), uint16(3), byte(0))
	for name := range brokenSparse {
		m := sparse(small())
		brokenSparse[name](m.Sparse)
		f.Add(unchecked(m), uint16(3), byte(0))
	}
	for name, m := range families() {
		if name != "long" {
			f.Add(encoded(f, m), uint16(300), byte(1))
		}
	}
	for name, change := range brokenFamilies {
		if name != "settings too long" {
			m := regional(small())
			change(m.Family)
			f.Add(unchecked(m), uint16(3), byte(0))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint16, flip byte) {
		for _, b := range [][]byte{bytes.Clone(data), signed(data)} {
			var m *Model
			var err error
			if used := heaptest.Allocated(func() { m, err = decoded(b) }); used > int64(4*len(b)+8<<20) {
				t.Fatalf("%d bytes allocated for %d", used, len(b))
			}
			if err != nil {
				if !errors.Is(err, fail.Corrupt) && !errors.Is(err, fail.Version) || len(err.Error()) > 4000 {
					t.Fatal(err)
				}
				continue
			}
			canonical := encoded(t, m)
			again, err := decoded(canonical)
			if err != nil || !reflect.DeepEqual(again, m) || !bytes.Equal(encoded(t, again), canonical) {
				t.Fatalf("written and read: %+v, %v, was %+v", again, err, m)
			}
			if m.Sparse != nil && m.Features > 1<<16 {
				continue // tables of features that nothing shows to be there are held against a budget
			}
			if _, err := m.Bank(); err != nil && !errors.Is(err, fail.Corrupt) {
				t.Fatal(err)
			}
			if _, err := decoded(b[:int(at)%len(b)]); !errors.Is(err, fail.Corrupt) {
				t.Fatalf("cut: %v", err)
			}
			if flip != 0 {
				b[int(at)%len(b)] ^= flip
				if _, err := decoded(b); !errors.Is(err, fail.Corrupt) && !errors.Is(err, fail.Version) {
					t.Fatalf("byte %d changed: %v", int(at)%len(b), err)
				}
			}
		}
	})
}
