package gradient

import "bigmkl/kernels"

// exchange is what ranks send each other, with the memory for what this one sends.
type exchange struct {
	team    team
	sending []float64
}

// collectGroups brings the sums of kernels to rank 0, in storage order, where groups are dealt out.
func (s *exchange) collectGroups(bank *kernels.Bank, sums []float64) error {
	return s.collectItems(s.frame(), len(bank.Groups), func(item int) []float64 {
		g := &bank.Groups[item]
		return sums[g.First : g.First+len(g.Members)]
	}, nil)
}

// collectItems brings items that are dealt out one by one to rank 0, behind the numbers that own begins with. first
// takes what the ranks have sent before the items; nil takes nothing.
func (s *exchange) collectItems(own []float64, items int, of func(item int) []float64, first func(*numbers)) error {
	if s.team.alone() {
		return nil
	}
	for item := range items {
		if !s.team.leads() && s.team.mine(item) {
			own = appendNarrow(own, of(item))
		}
	}
	sent, err := s.send(own)
	if err != nil || sent == nil {
		return err
	}
	if first != nil {
		first(sent)
	}
	for item := range items {
		if r := item % s.team.ranks.Size(); r > 0 {
			sent.takeNarrow(r, of(item))
		}
	}
	return nil
}

// frame returns the memory for what this rank sends next.
func (s *exchange) frame() []float64 { return s.sending[:0] }

// send sends numbers to rank 0, which alone gets what all have sent, and keeps their memory.
func (s *exchange) send(own []float64) (*numbers, error) {
	s.sending = own
	return s.team.gather(own)
}
