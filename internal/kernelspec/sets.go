package kernelspec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// family states how a specification chooses its feature sets.
type family uint8

const (
	oneSet family = iota
	eachView
	eachFeature
	randomSets
)

// selection is the text after @, parsed and checked against the Context.
type selection struct {
	family family
	listed bool     // listed is true if oneSet is given by ranges of features.
	view   string   // view names the view that oneSet is.
	of     interval // of holds the features of the view.
	k      int      // k is the number of features of each set of randomSets.
	sets   int      // sets is the number of sets.
	size   int      // size is the number of features of all sets together, which take memory.
}

// interval is a range of 1-based features that includes both ends.
type interval struct{ first, last int }

// names finds views by name.
type names struct {
	views []dataset.View
	at    map[string]int32
}

// find returns the first view of the given name.
func (n *names) find(name string) (dataset.View, bool) {
	if n.at == nil {
		n.at = make(map[string]int32, len(n.views))
		for i := len(n.views) - 1; i >= 0; i-- {
			n.at[n.views[i].Name] = int32(i)
		}
	}
	i, ok := n.at[name]
	if !ok {
		return dataset.View{}, false
	}
	return n.views[i], true
}

// selectSets parses the text after @, which is "" for all features.
func selectSets(text string, c *Context, named *names) (selection, error) {
	switch {
	case text == "":
		return selection{sets: 1}, nil
	case text == "each-feature":
		if c.Features < 1 {
			return selection{}, errors.New("the data has no features")
		}
		return selection{family: eachFeature, sets: c.Features, size: c.Features}, nil
	case text == "each-view":
		s := selection{family: eachView, sets: len(c.Views)}
		if s.sets == 0 {
			return s, errors.New("@each-view needs views, and none are defined (columns VIEW.NAME of a table, arrays NAME=FILE or a file of --views define them; for one source leave @each-view out)")
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
	case isRanges(text):
		s := selection{listed: true, sets: 1}
		err := eachRange(text, c.Features, func(r interval) { s.size += r.last - r.first + 1 })
		return s, err
	}
	v, ok := named.find(text)
	if !ok {
		return selection{}, unknownView(text, c.Views)
	}
	if err := checkView(v, c.Features); err != nil {
		return selection{}, err
	}
	return selection{view: v.Name, of: interval{v.First, v.Last}, sets: 1,
		size: v.Last - v.First + 1}, nil
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
	if s.sets, err = natural(count); err != nil {
		return s, err
	}
	if s.k < 1 || s.sets < 1 {
		return s, errors.New("@random needs at least one feature and one set")
	}
	if s.k > features {
		return s, fmt.Errorf("sets of %d features cannot be drawn from %d", s.k, features)
	}
	s.size = s.k * s.sets
	return s, nil
}

func checkView(v dataset.View, features int) error {
	if v.First < 1 || v.Last < v.First || v.Last > features {
		return fmt.Errorf("view %s is %d-%d, but the features are 1-%d", clip(v.Name), v.First,
			v.Last, features)
	}
	return nil
}

func unknownView(name string, views []dataset.View) error {
	if len(views) == 0 {
		return fmt.Errorf("there is no view %s: no views are defined", clip(name))
	}
	names := fail.List(func(i int) string { return clip(views[i].Name) }, len(views))
	return fmt.Errorf("there is no view %s among %s", clip(name), names)
}

// eachRange parses features and ranges of features, 1-based and joined by +, and visits each.
func eachRange(text string, features int, visit func(interval)) error {
	for part := range strings.SplitSeq(text, "+") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		first, err := natural(a)
		if err != nil {
			return err
		}
		last, err := natural(b)
		if err != nil {
			return err
		}
		if first < 1 || last < first || last > features {
			return fmt.Errorf("features %s are not within 1-%d", clip(part), features)
		}
		visit(interval{first, last})
	}
	return nil
}

// list returns the features of one set, 0-based, ascending and distinct, or nil for all. The
// argument text is the one from which the set was parsed.
func (s *selection) list(text string, features int) []int32 {
	switch {
	case s.view != "":
		return span(s.of.first, s.of.last)
	case !s.listed:
		return nil
	}
	out := make([]int32, 0, s.size)
	_ = eachRange(text, features, func(r interval) { // The text was checked before.
		for f := r.first; f <= r.last; f++ {
			out = append(out, int32(f-1))
		}
	})
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
