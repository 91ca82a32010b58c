// Command asm writes the assembly of package simd: one file of instructions and one of Go
// declarations for each of AVX-512 (F, DQ) and AVX2 with FMA, and likewise, with -peak, of the
// measure of what the processor can do at most. It is a module of its own so that bigmkl does not
// depend on avo.
//
// Every routine exists once here, over a vector unit (width and element type); the few that differ
// by instruction set report this. See package simd for what the routines promise: one accumulator
// per value, features in order, equal instructions in all lanes.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	wide := flag.Bool("wide", false, "write AVX-512 instead of AVX2")
	flag.Parse() // avo's own flags too, which its import has registered

	ConstraintExpr("amd64")
	for _, double := range []bool{false, true} {
		u := unit{wide: *wide, double: double}
		u.tiles()
		u.distance()
		u.rows()
		u.functionRows("expRows", "the exponentials", &exponential{unit: u, bounded: true})
		u.functionSum("expSum", "exponentials", &exponential{unit: u, bounded: true})
		u.scaled()
		u.addTo()
		u.shift()
		u.gather()
		u.squares()
		u.copyAhead()
		u.sparse()
		u.pairDots()
		u.pieces()
		u.exp()
		u.expm1s()
		u.expm1TwiceRows()
		u.functionRows("expm1Rows", "exp(scale*base)-1", &expm1{unit: u})
		u.functionSum("expm1Sum", "exp(scale*base)-1", &expm1{unit: u})
		u.power()
		u.tanh()
		u.peak()
		if double {
			u.combine()
			u.extremes()
			u.partner()
			u.movePair()
		}
	}
	if *wide {
		matches()
	}
	Generate()
}
