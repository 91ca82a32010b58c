package verify

import (
	"fmt"
	"slices"
)

// This file collects the faults of a model: the conditions that it violates.

// faults holds one line for each kind of fault, so a damaged model of a million rows is reported
// in a few lines. The first fault of a kind is kept in words, the others are counted.
type faults struct {
	kinds []string
	first map[string]string
	count map[string]int
}

// otherData is the kind of the fault that the data are not the training data.
const otherData = "fingerprint"

// add records a fault of a kind; the format and its arguments describe it.
func (f *faults) add(kind, format string, args ...any) {
	if f.first == nil {
		f.first, f.count = map[string]string{}, map[string]int{}
	}
	if f.count[kind]++; f.count[kind] == 1 {
		f.kinds = append(f.kinds, kind)
		f.first[kind] = fmt.Sprintf(format, args...)
	}
}

// join adds the faults o of one classifier; the prefix states which classifier it is.
func (f *faults) join(o *faults, prefix string) {
	for _, kind := range o.kinds {
		f.add(kind, "%s%s", prefix, o.first[kind])
		f.count[kind] += o.count[kind] - 1
	}
}

// lines returns a line for each kind, in the order in which the kinds first occurred. Other data
// come first, because they explain all that follows.
func (f *faults) lines() []string {
	var out []string
	kinds := f.kinds
	if i := slices.Index(kinds, otherData); i > 0 {
		kinds = slices.Concat(kinds[i:i+1], kinds[:i], kinds[i+1:])
	}
	for _, k := range kinds {
		line := f.first[k]
		if n := f.count[k]; n > 1 {
			line += fmt.Sprintf(" (and %d more like it)", n-1)
		}
		out = append(out, line)
	}
	return out
}
