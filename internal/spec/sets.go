package spec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bigmkl/dataset"
)

// family is how a specification chooses its feature sets.
type family uint8

const (
	oneSet family = iota
	eachView
	eachFeature
	randomSets
)

// selection is the parsed part after @, checked against the Context.
type selection struct {
	family family
	ranges []interval // oneSet; nil for all features
	view   string     // oneSet: the view it was named by
	k      int        // randomSets: features of each set
	count  int        // number of sets
	size   int        // features over all sets, what they cost in memory
}

// interval is a 1-based range of features, both ends included.
type interval struct{ first, last int }

// selectSets reads what follows @ ("" for all features).
func selectSets(text string, c *Context) (selection, error) {
	switch {
	case text == "":
		return selection{count: 1}, nil
	case text == "each-feature":
		if c.Features < 1 {
			return selection{}, errors.New("the data has no features")
		}
		return selection{family: eachFeature, count: c.Features, size: c.Features}, nil
	case text == "each-view":
		s := selection{family: eachView, count: len(c.Views)}
		if s.count == 0 {
			return s, errors.New("@each-view needs views, and none are defined")
		}
		for _, v := range c.Views {
			if err := checkView(v, c.Features); err != nil {
				return s, err
			}
			s.size += v.Last - v.First + 1
		}
		return s, nil
	case strings.HasPrefix(text, "random:"):
		return selectRandom(strings.TrimPrefix(text, "random:"), c.Features)
	case strings.Trim(text, "0123456789-+") == "":
		ranges, size, err := featureRanges(text, c.Features)
		return selection{ranges: ranges, count: 1, size: size}, err
	}
	i := slices.IndexFunc(c.Views, func(v dataset.View) bool { return v.Name == text })
	if i < 0 {
		return selection{}, unknownView(text, c.Views)
	}
	v := c.Views[i]
	if err := checkView(v, c.Features); err != nil {
		return selection{}, err
	}
	return selection{ranges: []interval{{v.First, v.Last}}, view: v.Name, count: 1, size: v.Last - v.First + 1}, nil
}

func selectRandom(text string, features int) (selection, error) {
	s := selection{family: randomSets}
	k, count, ok := strings.Cut(text, "*")
	if !ok {
		return s, errors.New("write @random:FEATURES*SETS, such as @random:10*1000")
	}
	var err error
	if s.k, err = natural(k); err != nil {
		return s, err
	}
	if s.count, err = natural(count); err != nil {
		return s, err
	}
	if s.k < 1 || s.count < 1 {
		return s, errors.New("@random needs at least one feature and one set")
	}
	if s.k > features {
		return s, fmt.Errorf("sets of %d features cannot be drawn from %d", s.k, features)
	}
	s.size = s.k * s.count
	return s, nil
}

func checkView(v dataset.View, features int) error {
	if v.First < 1 || v.Last < v.First || v.Last > features {
		return fmt.Errorf("view %q is %d-%d, but the features are 1-%d", v.Name, v.First, v.Last, features)
	}
	return nil
}

func unknownView(name string, views []dataset.View) error {
	if len(views) == 0 {
		return fmt.Errorf("there is no view %q: no views are defined", name)
	}
	var names []string
	for _, v := range views[:min(len(views), 10)] {
		names = append(names, v.Name)
	}
	return fmt.Errorf("there is no view %q among %s", name, strings.Join(names, ", "))
}

// featureRanges reads 1-based features and ranges joined by +, and bounds the features they name.
func featureRanges(text string, features int) (out []interval, size int, err error) {
	for part := range strings.SplitSeq(text, "+") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		first, err := natural(a)
		if err != nil {
			return nil, 0, err
		}
		last, err := natural(b)
		if err != nil {
			return nil, 0, err
		}
		if first < 1 || last < first || last > features {
			return nil, 0, fmt.Errorf("features %q are not within 1-%d", part, features)
		}
		out = append(out, interval{first, last})
		size += last - first + 1
	}
	return out, size, nil
}

// union lists the 0-based features of ranges, ascending and each once; nil for no ranges.
func union(ranges []interval) []int32 {
	var out []int32
	for _, r := range ranges {
		out = append(out, span(r.first, r.last)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// span lists the 0-based features of a 1-based range.
func span(first, last int) []int32 {
	out := make([]int32, last-first+1)
	for i := range out {
		out[i] = int32(first - 1 + i)
	}
	return out
}

// sharer adds sets to a bank, equal ones once.
type sharer struct {
	bank     *Bank
	features int
	known    map[string]int32
}

// add returns the index of the set in the bank, AllFeatures if nothing is left out.
func (s *sharer) add(set []int32, view string) int32 {
	if len(set) == s.features || set == nil {
		return AllFeatures
	}
	key := make([]byte, 0, 4*len(set))
	for _, f := range set {
		key = binary.LittleEndian.AppendUint32(key, uint32(f))
	}
	id, ok := s.known[string(key)]
	if !ok {
		id = s.append(set, view)
		s.known[string(key)] = id
	} else if s.bank.SetViews[id] == "" {
		s.bank.SetViews[id] = view
	}
	return id
}

func (s *sharer) append(set []int32, view string) int32 {
	s.bank.Sets = append(s.bank.Sets, set)
	s.bank.SetViews = append(s.bank.SetViews, view)
	return int32(len(s.bank.Sets) - 1)
}
