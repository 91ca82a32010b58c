package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// regional makes m a model of a family, with every part in it.
func regional(m *Model) *Model {
	m.Family = &Family{
		Name: "regions", Settings: json.RawMessage(`{"gate":"<é>","of":[1,2.5],"text":"\u0041"}`),
		Arrays: map[string][]float64{"centres": {1, -2, 1e-300}, "b": {}, "spreads_of_all": {math.MaxFloat64}},
	}
	return m
}

// families are models of a family: of one classifier, of several, of sparse points, and without
// arrays.
func families() map[string]*Model {
	bare := regional(small())
	bare.Family.Settings, bare.Family.Arrays = json.RawMessage("{}"), nil
	long := regional(small())
	long.Family.Settings = json.RawMessage(`{"a":"` + strings.Repeat("x", maxInline) + `"}`)
	many := regional(small())
	for i := range maxFamilyArrays - 3 {
		many.Family.Arrays["x"+strings.Repeat("_", i%26)+string(rune('a'+i/26))] = []float64{float64(i)}
	}
	return map[string]*Model{
		"one": regional(small()), "several": regional(trio(OneVsOne)), "sparse": regional(sparse(small())), "sparse, several": regional(sparse(trio(OneVsRest))),
		"bare": bare, "long": long, "many": many,
	}
}

// TestFamilies: a model of a family is read by who knows the family, as it was written, and by nobody else.
func TestFamilies(t *testing.T) {
	for name, m := range families() {
		b := encoded(t, m)
		got, err := decoded(b)
		if err != nil || !reflect.DeepEqual(got, m) || !bytes.Equal(encoded(t, got), b) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, m)
			continue
		}
		if !bytes.Contains(b, []byte(`"version":"3"`)) {
			t.Errorf("%s: header %s", name, b[:100])
		}
		path := filepath.Join(t.TempDir(), "m")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := Open(path, "other", "regions")
		if err != nil || !reflect.DeepEqual(opened.Family, m.Family) {
			t.Errorf("%s: %v, %+v", name, err, opened)
		} else if err := opened.Close(); err != nil {
			t.Error(err)
		}
		if read, err := Read(path, "regions"); err != nil || !reflect.DeepEqual(read, m) {
			t.Errorf("%s: %v", name, err)
		}
		for way, read := range map[string]func(families ...string) (*Model, error){
			"Read": func(known ...string) (*Model, error) { return Read(path, known...) },
			"Open": func(known ...string) (*Model, error) { return Open(path, known...) },
			"Decode": func(known ...string) (*Model, error) {
				return Decode(bytes.NewReader(b), int64(len(b)), path, known...)
			},
		} {
			for _, known := range [][]string{nil, {"other"}, {"region", "regions_"}} {
				m, err := read(known...)
				if m != nil || !errors.Is(err, fail.Version) || err.Error() != path+`: a model of the family "regions", which this reader does not know `+
					`(it needs a release or a program that knows this family)` {
					t.Errorf("%s, %s with %q: %v", name, way, known, err)
				}
			}
		}
		for k := range m.Classifiers {
			if one := m.Classifier(k); one.Family != m.Family {
				t.Errorf("%s: classifier %d has the family %v", name, k, one.Family)
			}
		}
	}
}

// TestFamilyChangesNothingElse: without its family a model has the bytes that it had before there were families.
func TestFamilyChangesNothingElse(t *testing.T) {
	want := encoded(t, small())
	m := regional(small())
	b := encoded(t, m)
	m.Family = nil
	if !bytes.Equal(encoded(t, m), want) || bytes.Contains(want, []byte("family")) || bytes.Equal(b, want) {
		t.Errorf("header %s", want[:300])
	}
	// A tensor of no numbers takes none of the nil that represents it.
	m = regional(small())
	m.Family.Arrays["b"] = nil
	if !bytes.Equal(encoded(t, m), b) {
		t.Error("an array of no numbers that is nil has other bytes")
	}
}

func TestEveryByteOfFamiliesCounts(t *testing.T) {
	b := encoded(t, regional(sparse(small())))
	for i := range b {
		for _, flip := range testlevel.Some(t, strconv.Itoa(i), 1, []byte{1, 0x20, 0x80}) {
			b[i] ^= flip
			mustFail(t, fmt.Sprintf("byte %d ^ %#x", i, flip), b)
			b[i] ^= flip
		}
	}
	for n := range b {
		mustFail(t, fmt.Sprintf("%d bytes", n), b[:n])
	}
}

// brokenFamilies are families that cannot be.
var brokenFamilies = map[string]func(a *Family){
	"no name":             func(a *Family) { a.Name = "" },
	"a name of capitals":  func(a *Family) { a.Name = "Regions" },
	"a name of two lines": func(a *Family) { a.Name = "a\nb" },
	"a long name":         func(a *Family) { a.Name = strings.Repeat("a", 33) },
	"a name behind _":     func(a *Family) { a.Name = "_a" },
	"settings null":       func(a *Family) { a.Settings = json.RawMessage("null") },
	"settings no object":  func(a *Family) { a.Settings = json.RawMessage("[{}]") },
	"settings too long": func(a *Family) {
		a.Settings = json.RawMessage(`{"a":"` + strings.Repeat("x", maxFamilySettings) + `"}`)
	},
	"NaN":                   func(a *Family) { a.Arrays["centres"][1] = math.NaN() },
	"infinity":              func(a *Family) { a.Arrays["centres"][2] = math.Inf(-1) },
	"an array of no name":   func(a *Family) { a.Arrays[""] = []float64{1} },
	"an array of capitals":  func(a *Family) { a.Arrays["A"] = []float64{1} },
	"an array of two lines": func(a *Family) { a.Arrays["a\n"] = []float64{1} },
	"an array of digits":    func(a *Family) { a.Arrays["a1"] = []float64{1} },
	"a long array":          func(a *Family) { a.Arrays[strings.Repeat("a", 33)] = []float64{1} },
	"too many arrays": func(a *Family) {
		for i := range maxFamilyArrays {
			a.Arrays[fmt.Sprintf("x%c%c", 'a'+i/26, 'a'+i%26)] = []float64{1}
		}
	},
}

// TestBrokenFamilies: they are neither written nor read, and neither are settings that Go does not write so.
func TestBrokenFamilies(t *testing.T) {
	for name, change := range brokenFamilies {
		m := regional(small())
		change(m.Family)
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s is valid: %v", name, err)
		}
		b := unchecked(m)
		_, err := Decode(bytes.NewReader(b), int64(len(b)), "test", "regions", m.Family.Name)
		if !errors.Is(err, fail.Corrupt) || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "{", "{} ", `{"a": 1}`, "{}{}", "{\"a\":\"\xff\"}", "{\"a\":\"\n\"}", "{a:1}"} {
		m := regional(small())
		m.Family.Settings = json.RawMessage(text)
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("settings %q: %v", text, err)
		}
	}
	b := encoded(t, regional(small()))
	quoted := func(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }
	for name, claim := range map[string][2]string{
		"version 1":          {`"version":"3"`, `"version":"1"`},
		"version 2":          {`"version":"3"`, `"version":"2"`},
		"blanks":             {quoted(`"of":[1,2.5]`), quoted(`"of":[1 ,25]`)},
		"no family":          {quoted(`,"family":{"name":"regions"`), quoted(`,"surprise":{"name":"regn"`)},
		"an unknown field":   {quoted(`{"name":"regions"`), quoted(`{"game":"regions"`)},
		"more numbers":       {`"family.centres":{"dtype":"F64","shape":[3]`, `"family.centres":{"dtype":"F64","shape":[9]`},
		"an overflow":        {`"shape":[3],"data_offsets"`, `"shape":[2305843009213693952],"data_offsets"`},
		"numbers of float32": {`"family.centres":{"dtype":"F64"`, `"family.centres":{"dtype":"F32"`},
		"a capital":          {`"family.centres"`, `"family.Centres"`},
		"no name":            {`"family.b"`, `"family."`},
		"another dot":        {`"family.centres"`, `"family.cent.es"`},
		"the same twice":     {`"family.spreads_of_all"`, `"family.centres"`},
	} {
		forged := bytes.Replace(b, []byte(claim[0]), []byte(claim[1]), 1)
		if bytes.Equal(forged, b) {
			t.Fatalf("%s: nothing to replace", name)
		}
		if n := len(forged) - len(b); n != 0 {
			head := int(binary.LittleEndian.Uint64(b))
			binary.LittleEndian.PutUint64(forged, uint64(head+n))
		}
		if _, err := decoded(signed(forged)); !errors.Is(err, fail.Corrupt) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The arrays of a family in a file of none.
	plain := small()
	var text []byte
	fields := newSections(nil).fields(plain, &text)
	for _, a := range regional(small()).Family.arrays() {
		fields = append(fields, field{name: a.name, f64: &a.values})
	}
	fields = inOrder(fields)
	head, err := newSections(nil).header(plain, &text, fields)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	file.Write(head)
	if err := writeBody(&file, fields); err != nil {
		t.Fatal(err)
	}
	if _, err := decoded(signed(file.Bytes())); !errors.Is(err, fail.Corrupt) || !strings.Contains(err.Error(), "tensor family.b in a model of no family") {
		t.Errorf("arrays of no family: %v", err)
	}
}

// TestFamiliesAreBounded: claims of a file about a family cost nothing before their bytes are found.
func TestFamiliesAreBounded(t *testing.T) {
	const large = 16 << 20
	for name, text := range map[string]string{
		"text": `{"family":{"name":"regions","settings":{"a":"` + strings.Repeat("x", large) + `"}}}`,
		"deep": `{"family":{"name":"regions","settings":` + strings.Repeat(`{"a":`, large/5) + `}}`,
		"list": `{"family":{"name":"regions","settings":{"a":[` + strings.Repeat("0,", large/2) + `0]}}}`,
		"name": `{"family":{"name":"` + strings.Repeat("a", large) + `","settings":{}}}`,
	} {
		bounded(t, name, settingsTensor([]byte(text)))
	}
	bounded(t, "an array", forged("3", `"{}"`, `,"family.a":{"dtype":"F64","shape":[2147483647],"data_offsets":[0,17179869176]}`, make([]byte, 8)))
	bounded(t, "an array of all", forged("3", `"{}"`, fmt.Sprintf(`,"family.a":{"dtype":"F64","shape":[%d],"data_offsets":[0,%d]}`, large/8, large), make([]byte, large)))
	var names strings.Builder
	for i := 0; names.Len() < maxHeader-1000; i++ {
		fmt.Fprintf(&names, `,"family.%s":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}`, strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)))
	}
	bounded(t, "names", forged("3", `"{}"`, names.String(), nil))
}
