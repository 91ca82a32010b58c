package labeltext

import (
	"slices"
	"strings"

	"bigmkl/internal/fail"
)

// EmptySet is the name of a set without labels. No label may have this name.
const EmptySet = "-"

// LongestSet is the largest length in bytes of the text of a set of labels.
const LongestSet = 1 << 14

// CanonicalSet gives every spelling of a set of labels the same name: its labels in canonical form,
// each once, ascending and separated by commas. It turns "3,+1,1.0" into "1,3", and an empty
// string, "," and "-" into EmptySet. A label that Canonical rejects, or a set that is too
// long, gives an error of class fail.Input.
func CanonicalSet(s string) (string, error) {
	name, _, err := AppendSet(s, nil)
	return name, err
}

// AppendSet does the work of CanonicalSet. It stores the labels in the memory of its second
// argument and returns that memory for the next call.
func AppendSet(s string, labels []string) (string, []string, error) {
	labels = labels[:0]
	if len(s) > LongestSet {
		return "", labels, fail.New(fail.Input, "a set of labels of more than %d bytes", LongestSet)
	}
	same := s != ""
	for l := range strings.SplitSeq(s, ",") {
		text := strings.Trim(l, " \t")
		if text == "" {
			same = false
			continue
		}
		name, err := Canonical(text)
		if err != nil {
			return "", labels, err
		}
		same = same && name == l && (len(labels) == 0 ||
			Compare(labels[len(labels)-1], name) < 0)
		labels = append(labels, name)
	}
	switch {
	case len(labels) == 0 || len(labels) == 1 && labels[0] == EmptySet:
		return EmptySet, labels, nil
	case slices.Contains(labels, EmptySet):
		return "", labels, fail.New(fail.Input,
			"%s among other labels stands for a set without any", fail.Quote(EmptySet))
	case same: // Most sets are canonical already.
		return s, labels, nil
	}
	slices.SortFunc(labels, Compare)
	return strings.Join(slices.Compact(labels), ","), labels, nil
}

// OfSet splits a canonical set into its labels. EmptySet has none.
func OfSet(set string) []string {
	if set == EmptySet {
		return nil
	}
	return strings.Split(set, ",")
}

// Sets splits a list of sets. It returns the labels that occur in any of them, in the order of
// Sort, and for each set the ascending indices of its labels in that list. A string that
// CanonicalSet rejects counts as a set without labels.
func Sets(sets []string) (labels []string, of [][]int32) {
	place, each := map[string]int32{}, make([][]string, len(sets))
	for i, set := range sets {
		if set, err := CanonicalSet(set); err == nil {
			each[i] = OfSet(set)
		}
		for _, l := range each[i] {
			if _, ok := place[l]; !ok {
				place[l] = 0
				labels = append(labels, l)
			}
		}
	}
	Sort(labels)
	for i, l := range labels {
		place[l] = int32(i)
	}
	for _, set := range each {
		var list []int32
		for _, l := range set {
			list = append(list, place[l])
		}
		slices.Sort(list)
		of = append(of, list)
	}
	return labels, of
}
