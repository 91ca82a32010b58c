package commandtest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Forgery is a model file taken apart, to be put together again with a checksum that is right: who writes hostile files can
// compute one as well.
type Forgery struct {
	t        testing.TB
	Raw      string         // the settings as they are in the file
	Settings map[string]any // numbers are json.Number
	Names    []string       // tensors in file order
	Shape    map[string][]int64
	Dtype    map[string]string
	Body     map[string][]byte
	Text     string // instead of settings, if not ""
	Extra    string // behind the tensors
	Version  string // of the format
}

// tensor is an entry of the header.
type tensor struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

func TakeApart(t testing.TB, file string) *Forgery {
	t.Helper()
	n := binary.LittleEndian.Uint64([]byte(file))
	head, body := file[8:8+n], file[8+n:]
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(head), &all); err != nil {
		t.Fatal(err)
	}
	var meta map[string]string
	if err := json.Unmarshal(all["__metadata__"], &meta); err != nil {
		t.Fatal(err)
	}
	f := &Forgery{t: t, Raw: meta["model"], Version: meta["version"], Shape: map[string][]int64{}, Dtype: map[string]string{}, Body: map[string][]byte{}}
	d := json.NewDecoder(strings.NewReader(meta["model"]))
	d.UseNumber()
	if err := d.Decode(&f.Settings); err != nil {
		t.Fatal(err)
	}
	entries := map[string]tensor{}
	for name, raw := range all {
		var e tensor
		if name == "__metadata__" {
			continue
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		entries[name] = e
		f.Names = append(f.Names, name)
		f.Shape[name], f.Dtype[name], f.Body[name] = e.Shape, e.Dtype, []byte(body[e.Offsets[0]:e.Offsets[1]])
	}
	slices.SortFunc(f.Names, func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
	})
	return f
}

// Build gives the file.
func (f *Forgery) Build() string {
	text := f.Text
	if text == "" {
		b, err := json.Marshal(f.Settings)
		if err != nil {
			f.t.Fatal(err)
		}
		text = string(b)
	}
	quoted, _ := json.Marshal(text)
	var head, body bytes.Buffer
	fmt.Fprintf(&head, `{"__metadata__":{"format":"bigmkl","version":"%s","sha256":"%064d","model":%s}`, f.Version, 0, quoted)
	for _, name := range f.Names {
		at := int64(body.Len())
		body.Write(f.Body[name])
		entry, _ := json.Marshal(tensor{f.Dtype[name], f.Shape[name], [2]int64{at, int64(body.Len())}})
		fmt.Fprintf(&head, `,"%s":%s`, name, entry)
	}
	head.WriteByte('}')
	b := binary.LittleEndian.AppendUint64(nil, uint64(head.Len()))
	b = append(append(append(b, head.Bytes()...), body.Bytes()...), f.Extra...)
	sum := sha256.Sum256(b)
	hex.Encode(b[bytes.Index(b, []byte(strings.Repeat("0", 64))):], sum[:])
	return string(b)
}

// Double sets element i of a tensor of F64.
func (f *Forgery) Double(name string, i int, v float64) {
	binary.LittleEndian.PutUint64(f.Body[name][8*i:], math.Float64bits(v))
}

// Zeros makes a tensor one of so many elements, all zero.
func (f *Forgery) Zeros(name string, dims ...int64) {
	n := map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4}[f.Dtype[name]]
	for _, d := range dims {
		n *= d
	}
	f.Shape[name], f.Body[name] = dims, make([]byte, n)
}

func (f *Forgery) Drop(name string) {
	for i, n := range f.Names {
		if n == name {
			f.Names = append(f.Names[:i:i], f.Names[i+1:]...)
			return
		}
	}
	f.t.Fatalf("no tensor %s", name)
}

// Without leaves the model without support vectors. Then nothing in the file shows how many features there are.
func (f *Forgery) Without() {
	f.Zeros("alpha", 0)
	f.Zeros("support", 0)
	f.Zeros("vectors", 0, 1)
}
