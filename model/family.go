package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"bigmkl/internal/fail"
)

// Family says that a model is one of a family beyond l_p-norm multiple kernel learning, and holds
// what that family adds. The decision function is then the family's own: whoever does not know the
// family must not evaluate the model.
type Family struct {
	// Name consists of lower-case letters and underscores, a letter first, 32 at most.
	Name string
	// Settings is a JSON object without blanks of at most 1 MiB. Its fields are the family's own.
	Settings json.RawMessage
	// Arrays holds at most 64 arrays of finite numbers by name. A name has the form of Name. A nil
	// array is written as one of no numbers.
	Arrays map[string][]float64
}

const (
	// familyPrefix begins the names of the tensors of a family.
	familyPrefix = "family."
	// maxFamilyArrays is the largest number of arrays of a family.
	maxFamilyArrays = 64
	// maxFamilySettings is the largest size of the settings of a family in bytes.
	maxFamilySettings = 1 << 20
)

// familyName matches the names of families and of their arrays.
var familyName = regexp.MustCompile(`^[a-z][a-z_]{0,31}$`)

// jsonFamily is a family in the settings. Its arrays are tensors.
type jsonFamily struct {
	Name     string          `json:"name"`
	Settings json.RawMessage `json:"settings"`
}

// scalars returns what is recorded as text.
func (f *Family) scalars() *jsonFamily {
	if f == nil {
		return nil
	}
	return &jsonFamily{f.Name, f.Settings}
}

// familyArray is an array of a family as a tensor.
type familyArray struct {
	// name is that of the tensor, with the prefix.
	name   string
	values []float64
}

// familyArrays returns the arrays of a model's family in the order in which they are written.
func familyArrays(m *Model) []familyArray {
	if m.Family == nil {
		return nil
	}
	var list []familyArray
	for _, name := range slices.Sorted(maps.Keys(m.Family.Arrays)) {
		values := m.Family.Arrays[name]
		if values == nil {
			values = []float64{}
		}
		list = append(list, familyArray{familyPrefix + name, values})
	}
	return list
}

// applyFamily puts the arrays that were read in the family of a model.
func applyFamily(m *Model, arrays []familyArray) error {
	if len(arrays) == 0 {
		return nil
	}
	if m.Family == nil {
		return fail.New(fail.Corrupt, "tensor %s in a model of no family", arrays[0].name)
	}
	m.Family.Arrays = map[string][]float64{}
	for _, a := range arrays {
		m.Family.Arrays[strings.TrimPrefix(a.name, familyPrefix)] = a.values
	}
	return nil
}

// dtypeOf returns the type of the elements of a tensor, and whether the format knows its name.
func dtypeOf(name string) (string, bool) {
	if array, ok := strings.CutPrefix(name, familyPrefix); ok {
		return "F64", familyName.MatchString(array)
	}
	dtype, ok := dtypes[name]
	return dtype, ok
}

// checkFamily checks what can be checked without knowing the family.
func checkFamily(m *Model, f *faults) {
	a := m.Family
	if a == nil {
		return
	}
	f.check(familyName.MatchString(a.Name), "%s is no name of a family", clip(a.Name))
	var b bytes.Buffer
	sound := len(a.Settings) <= maxFamilySettings && utf8.Valid(a.Settings) &&
		bytes.HasPrefix(a.Settings, []byte("{")) && json.Compact(&b, a.Settings) == nil &&
		bytes.Equal(b.Bytes(), a.Settings)
	f.check(sound, "the settings of family %s are no JSON object without blanks of at most %d bytes",
		clip(a.Name), maxFamilySettings)
	f.check(len(a.Arrays) <= maxFamilyArrays, "%d arrays of a family", len(a.Arrays))
	for _, name := range slices.Sorted(maps.Keys(a.Arrays)) {
		before := len(*f)
		f.check(familyName.MatchString(name), "%s is no name of an array", clip(name))
		f.each(familyPrefix+clip(name), a.Arrays[name], finite, "finite")
		if len(*f) > before {
			break // There may be as many faults as arrays.
		}
	}
}

// checkKnown refuses a model of a family that the reader does not know: the rest of the file says
// nothing true without it.
func checkKnown(m *Model, families []string) error {
	if m.Family == nil || slices.Contains(families, m.Family.Name) {
		return nil
	}
	return fail.New(fail.Version, "a model of the family %s, which this reader does not know",
		clip(m.Family.Name)).
		WithHint("it needs a release or a program that knows this family")
}
