package dataset

import (
	"slices"
	"strings"
)

// LabelSets takes classes that are sets of labels, written as in "3,17,20", apart: the labels that occur in any, in ascending order,
// and of each class those that it has. "," alone is the empty set.
func LabelSets(classes []string) (labels []string, of [][]int32) {
	sets := make([][]string, len(classes))
	for k, class := range classes {
		for l := range strings.SplitSeq(class, ",") {
			name, err := CanonicalLabel(strings.TrimSpace(l))
			if err == nil && !slices.Contains(sets[k], name) {
				sets[k] = append(sets[k], name)
			}
		}
		labels = append(labels, sets[k]...)
	}
	SortClasses(labels)
	labels = slices.Compact(labels)
	place := make(map[string]int32, len(labels))
	for i, l := range labels {
		place[l] = int32(i)
	}
	for _, set := range sets {
		var list []int32
		for _, l := range set {
			list = append(list, place[l])
		}
		slices.Sort(list)
		of = append(of, list)
	}
	return labels, of
}
