package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
)

// bounded demands that a file is rejected as corrupt and takes at most 4 times its size and 64 MiB.
func bounded(t *testing.T, name string, b []byte) {
	t.Helper()
	var err error
	used := heaptest.Allocated(func() { _, err = decoded(b) })
	if most := int64(4*len(b) + 64<<20); used > most {
		t.Errorf("%s: %d MiB of file, %d MiB allocated, at most %d allowed", name, len(b)>>20, used>>20, most>>20)
	}
	if !errors.Is(err, fail.Corrupt) {
		t.Errorf("%s: %v", name, err)
	}
	if err != nil && len(err.Error()) > 2000 {
		t.Errorf("%s: a message of %d bytes", name, len(err.Error()))
	}
}

// withSettings is a file of the tensors of b in which the settings are a tensor.
func settingsTensor(text []byte) []byte {
	return forged("1", `""`, fmt.Sprintf(`,"settings":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}`, len(text), len(text)), text)
}

// TestDecodingIsBounded: claims of a file cost nothing before their bytes are found.
func TestDecodingIsBounded(t *testing.T) {
	const large = 16 << 20
	list := func(before, item string) []byte {
		n := large / len(item)
		return []byte(before + "[" + strings.Repeat(item, n-1) + strings.TrimSuffix(item, ",") + "]}")
	}
	for name, text := range map[string][]byte{
		"labels": list(`{"positive_labels":`, `"",`), "short labels": list(`{"positive_labels":`, `"a",`), "kernels": list(`{"kernels":`, `"linear",`),
		"views": list(`{"views":`, `{},`), "named views": list(`{"views":`, `{"name":"a","first":1,"last":1},`),
		"deep": []byte(`{"kernels":` + strings.Repeat("[", large)), "objects": []byte(strings.Repeat(`{"views":`, large/9)),
		"a string": []byte(`{"task":"` + strings.Repeat("x", large) + `"}`), "escapes": []byte(`{"task":"` + strings.Repeat(`\u0041`, large/6) + `"}`),
		"a number": []byte(`{"points":` + strings.Repeat("9", large) + `}`), "keys": []byte("{" + strings.Repeat(`"points":1,`, large/11) + `"c":1}`),
		"blanks": bytes.Repeat([]byte(" "), large), "strange bytes": bytes.Repeat([]byte{0xff}, large), "kernel of ranges": list(`{"kernels":`, `"gauss:1..2/1048576",`),
	} {
		if testlevel.Tried(t, name, 3, 1) {
			bounded(t, name, settingsTensor(text))
		}
	}
	zeros := make([]byte, large)
	for name, tensors := range map[string]string{
		"weights": `,"theta":{"dtype":"F64","shape":[%d],"data_offsets":[0,%d]}`,
	} {
		bounded(t, name, forged("1", `"{}"`, fmt.Sprintf(tensors, large/8, large), zeros))
	}
	shape := strings.TrimSuffix(strings.Repeat("0,", 500_000), ",")
	bounded(t, "dimensions", forged("1", `"{}"`, `,"theta":{"dtype":"F64","shape":[`+shape+`],"data_offsets":[0,0]}`, nil))
	var names strings.Builder
	for i := 0; names.Len() < maxHeader-1000; i++ {
		fmt.Fprintf(&names, `,"%x":0`, i)
	}
	bounded(t, "names", forged("1", `"{}"`, names.String(), nil))
	bounded(t, "length", binary.LittleEndian.AppendUint64(nil, math.MaxUint64))
}
