package kernelspec

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// sharer adds sets to a bank. Equal sets are stored once.
type sharer struct {
	bank     *Bank
	features int
	flags    bool // there are flags behind the features, which no set has
	named    *names
	seed     maphash.Seed
	// known maps a hash of the features to the sets that have it.
	known map[uint64][]int32
	// groups maps the names of groups to their indices in the bank.
	groups map[string]int32
	// users maps the names of users' kernels to their indices in the bank.
	users map[string]int32
	// gates maps the names of gates, each with the number of a copy, to their indices in the bank.
	gates map[namedGate]int32
	// alike holds the features of all sets of an outline.
	alike []int32
}

// add returns the index of the set in the bank. It returns AllFeatures if the set leaves nothing
// out.
func (s *sharer) add(set []int32, view string) int32 {
	if s.flags && set == nil {
		set = span(1, s.features)
	}
	if !s.flags && (len(set) == s.features || set == nil) {
		return AllFeatures
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	var b [4]byte
	for _, f := range set {
		binary.LittleEndian.PutUint32(b[:], uint32(f))
		h.Write(b[:])
	}
	sum := h.Sum64()
	for _, id := range s.known[sum] {
		if slices.Equal(s.bank.Sets[id], set) {
			if s.bank.SetViews[id] == "" {
				s.bank.SetViews[id] = view
			}
			return id
		}
	}
	id := s.append(set, view)
	s.known[sum] = append(s.known[sum], id)
	return id
}

func (s *sharer) append(set []int32, view string) int32 {
	s.bank.Sets = append(s.bank.Sets, set)
	s.bank.SetViews = append(s.bank.SetViews, view)
	return int32(len(s.bank.Sets) - 1)
}

// attribute adds attributes that hold for the kernels from here on.
func (sh *sharer) attribute(a attributes) {
	b := sh.bank
	x := Attribute{Prior: a.prior, Cost: 1, First: int32(len(b.Kernels)), Group: -1}
	if a.cost != 0 {
		x.Cost, b.HasCosts = a.cost, true
	}
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
	last := Attribute{Prior: 1, Cost: 1, Group: -1}
	if n := len(b.Attributes); n > 0 {
		last = b.Attributes[n-1]
	}
	if last.Prior != x.Prior || last.Cost != x.Cost || last.Group != x.Group {
		b.Attributes = append(b.Attributes, x)
	}
}
