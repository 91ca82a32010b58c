package kernelspec

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

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

// sharer adds sets to a bank, equal ones once.
type sharer struct {
	bank     *Bank
	features int
	named    *names
	seed     maphash.Seed
	known    map[uint64][]int32 // the sets whose features have this sum
	groups   map[string]int32   // where they are in the bank, by name
	users    map[string]int32   // likewise
	alike    []int32            // features of all sets of an outline
}

// add returns the index of the set in the bank, AllFeatures if nothing is left out.
func (s *sharer) add(set []int32, view string) int32 {
	if len(set) == s.features || set == nil {
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
