package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// Family means that a model is one of a family beyond l_p-norm multiple kernel learning, and
// holds what that family adds. The decision function is then the family's own: whoever does not
// know the family must not evaluate the model.
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
var familyName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z_]{0,31}$`) })

// jsonFamily is a family in the settings. Its arrays are tensors.
type jsonFamily struct {
	Name     string          `json:"name"`
	Settings json.RawMessage `json:"settings"`
}

// scalars returns what is recorded as text.
func (family *Family) scalars() *jsonFamily {
	if family == nil {
		return nil
	}
	return &jsonFamily{family.Name, family.Settings}
}

// familyArray is an array of a family as a tensor.
type familyArray struct {
	// name is the name of the tensor, with the prefix.
	name   string
	values []float64
}

// arrays returns the arrays in the order in which they are written. No family has none.
func (family *Family) arrays() []familyArray {
	if family == nil {
		return nil
	}
	var list []familyArray
	for _, name := range slices.Sorted(maps.Keys(family.Arrays)) {
		values := family.Arrays[name]
		if values == nil {
			values = []float64{}
		}
		list = append(list, familyArray{familyPrefix + name, values})
	}
	return list
}

// setArrays puts the arrays that were read in the family.
func (family *Family) setArrays(arrays []familyArray) error {
	if len(arrays) == 0 {
		return nil
	}
	if family == nil {
		return fail.New(fail.Corrupt, "tensor %s in a model of no family", arrays[0].name)
	}
	family.Arrays = map[string][]float64{}
	for _, a := range arrays {
		family.Arrays[strings.TrimPrefix(a.name, familyPrefix)] = a.values
	}
	return nil
}

// check checks what can be checked without knowing the family.
func (family *Family) check(task string, f *faults) {
	f.check(family.fits(task), "a family of components in task %s, or such a task without", clip(task))
	if family == nil {
		return
	}
	f.check(familyName().MatchString(family.Name), "%s is no name of a family", clip(family.Name))
	var b bytes.Buffer
	sound := len(family.Settings) <= maxFamilySettings && utf8.Valid(family.Settings) &&
		bytes.HasPrefix(family.Settings, []byte("{")) && json.Compact(&b, family.Settings) == nil &&
		bytes.Equal(b.Bytes(), family.Settings)
	f.check(sound, "the settings of family %s are no JSON object without blanks of at most %d bytes",
		clip(family.Name), maxFamilySettings)
	f.check(len(family.Arrays) <= maxFamilyArrays, "%d arrays of a family", len(family.Arrays))
	for _, name := range slices.Sorted(maps.Keys(family.Arrays)) {
		before := len(*f)
		f.check(familyName().MatchString(name), "%s is no name of an array", clip(name))
		f.each(familyPrefix+clip(name), family.Arrays[name], float.Finite[float64], "finite")
		if len(*f) > before {
			break // There may be as many faults as arrays.
		}
	}
}

// checkKnown rejects a family that the reader does not know: the rest of the file is misleading
// without it.
func (family *Family) checkKnown(families []string) error {
	if family == nil || wings[family.Name] != nil || slices.Contains(families, family.Name) {
		return nil
	}
	return fail.New(fail.Version, "a model of the family %s, which this reader does not know",
		clip(family.Name)).
		WithHint("it needs a release or a program that knows this family")
}

// familySection is the family.
type familySection struct {
	// names are the names of the tensors of a file that is read.
	names []string
	read  []familyArray
}

var _ section = (*familySection)(nil)

func (p *familySection) since(m *Model) int { return m.Family.wing().since(m.Family) }

func (p *familySection) tensors(m *Model) []field {
	p.read = m.Family.arrays()
	for _, name := range p.names {
		if strings.HasPrefix(name, familyPrefix) {
			p.read = append(p.read, familyArray{name: name})
		}
	}
	var list []field
	for i := range p.read {
		list = append(list, field{name: p.read[i].name, f64: &p.read[i].values})
	}
	return list
}

func (p *familySection) join(m *Model, _ *header) error { return m.Family.setArrays(p.read) }

func (p *familySection) check(m *Model, f *faults) {
	m.Family.check(m.Task, f)
	m.Family.wing().check(m, f)
}
