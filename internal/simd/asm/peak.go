package main

// Shape of a round of multiplyAdds, as in package simd: so many chains, each of so many dependent
// steps. Twelve chains hide a latency of four to six cycles at two instructions a cycle, and with
// two constants they fit 16 registers.
const (
	peakChains = 12
	peakSteps  = 10
)

// peak emits chains of x <- x/2 + 1 from x = 0, one vector each.
func (u unit) peak() {
	u.text("multiplyAdds", "dst *%s, rounds int", "runs rounds of chains of x/2+1 from 0 and stores a vector of each chain.")
	dst, n := pointer("dst"), pointer("rounds")
	half, one := u.spread("half", 0.5), u.spread("one", 1)
	x := u.vecs(peakChains)
	for _, v := range x {
		u.zero(v)
	}
	loop("round", n, 1, func() {
		for range peakSteps {
			for _, v := range x {
				u.fma213(one, half, v)
			}
		}
	})
	for i, v := range x {
		u.store(v, u.vector(dst, i))
	}
	end()
}
