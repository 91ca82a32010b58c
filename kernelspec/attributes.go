package kernelspec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// attributes are what a specification says of its kernels beside what they are.
type attributes struct {
	group      string  // "" for none
	importance float64 // prior/cost
	normalizer Normalizer
}

// Attribute holds for the kernels from First up to the next Attribute: those of one specification.
type Attribute struct {
	Importance float64
	First      int32
	Group      int32 // index into Bank.Groups, -1 for a group of its own to each kernel
}

// Suffix is the attributes at the end of a specification, with the blank before them; "" if there are none.
func Suffix(text string) string { return text[len(bare(text)):] }

// bare is a specification without its attributes.
func bare(text string) string {
	end := closing(text)
	for {
		i := strings.LastIndexAny(text, " \t")
		if end > 0 && i < end {
			return text
		}
		if name, _, ok := strings.Cut(text[i+1:], "="); !ok || !slices.Contains([]string{"group", "prior", "cost", "norm"}, name) {
			return text
		}
		text = strings.TrimRight(text[:max(i, 0)], " \t")
	}
}

// parseAttributes reads what Suffix gives.
func parseAttributes(text string, features int) (attributes, error) {
	a := attributes{importance: 1}
	seen := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		if seen[name] {
			return a, fmt.Errorf("%s= is there twice", name)
		}
		seen[name] = true
		if name == "group" {
			if value == "" {
				return a, errors.New("group= without a name")
			}
			a.group = value
			continue
		}
		if name == "norm" {
			var err error
			if a.normalizer, err = ParseNormalizer(value); err != nil {
				return a, fmt.Errorf("norm=: %w", err)
			}
			continue
		}
		x, err := width(value, features)
		if err != nil {
			return a, fmt.Errorf("%s=: %w", name, err)
		}
		if name == "prior" {
			a.importance *= x
		} else {
			a.importance /= x
		}
	}
	if !(a.importance > 0) || math.IsInf(a.importance, 0) {
		return a, fmt.Errorf("an importance of %g", a.importance)
	}
	return a, nil
}

// attribute notes what holds for the kernels from here on.
func (sh *sharer) attribute(a attributes) {
	b := sh.bank
	x := Attribute{Importance: a.importance, First: int32(len(b.Kernels)), Group: -1}
	if a.group != "" {
		at, ok := sh.groups[a.group]
		if !ok {
			if sh.groups == nil {
				sh.groups = map[string]int32{}
			}
			at = int32(len(b.Groups))
			sh.groups[a.group] = at
			b.Groups = append(b.Groups, a.group)
		}
		x.Group = at
	}
	last := Attribute{Importance: 1, Group: -1}
	if n := len(b.Attributes); n > 0 {
		last = b.Attributes[n-1]
	}
	if last.Importance != x.Importance || last.Group != x.Group {
		b.Attributes = append(b.Attributes, x)
	}
}

// spans calls visit with each attribute and the kernels that it holds for; those before the first have none.
func (b *Bank) spans(visit func(a Attribute, first, end int)) {
	for i, a := range b.Attributes {
		end := len(b.Kernels)
		if i+1 < len(b.Attributes) {
			end = int(b.Attributes[i+1].First)
		}
		visit(a, int(a.First), end)
	}
}

// Importance gives prior/cost of each kernel, nil if all are 1.
func (b *Bank) Importance() []float64 {
	if !slices.ContainsFunc(b.Attributes, func(a Attribute) bool { return a.Importance != 1 }) {
		return nil
	}
	e := slices.Repeat([]float64{1}, len(b.Kernels))
	b.spans(func(a Attribute, first, end int) {
		for m := first; m < end; m++ {
			e[m] = a.Importance
		}
	})
	return e
}

// Grouping gives the group of each kernel, numbered from 0: first those of Groups, then those of one kernel each that is in none. It
// is nil if there are no Groups.
func (b *Bank) Grouping() []int32 {
	if len(b.Groups) == 0 {
		return nil
	}
	g := slices.Repeat([]int32{-1}, len(b.Kernels))
	b.spans(func(a Attribute, first, end int) {
		for m := first; m < end; m++ {
			g[m] = a.Group
		}
	})
	next := int32(len(b.Groups))
	for m, j := range g {
		if j < 0 {
			g[m] = next
			next++
		}
	}
	return g
}
