package main

import (
	"fmt"
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// term adds one feature's contribution of a row's value a and a vector x of columns to the
// accumulator acc.
type term func(a, x, acc reg.VecVirtual)

// tiles emits the five sums over features.
func (u unit) tiles() {
	product := func() term {
		return func(a, x, acc reg.VecVirtual) { u.fma231(a, x, acc) }
	}
	u.tile("dot", "sums a*x over k features, for blocks of 8 rows.", product)
	u.tile("dotMore", "is dot that continues from the sums in dst and prefetches lines of 64 bytes, at most k.", product)
	u.tile("distance", "is dot that ends as max(0, (na+nx) - 2*sum).", product)
	u.tile("squaredDiff", "sums (a-x)^2 over k features, for blocks of 8 rows.", func() term {
		return func(a, x, acc reg.VecVirtual) {
			d := u.vec()
			u.sub(x, a, d)
			u.fma231(d, d, acc)
		}
	})
	u.tile("absDiff", "sums |a-x| over k features, for blocks of 8 rows.", func() term {
		mask := u.clearSign()
		return func(a, x, acc reg.VecVirtual) {
			d := u.vec()
			u.sub(x, a, d)
			u.and(mask, d, d)
			u.add(d, acc, acc)
		}
	})
	u.tile("minSum", "sums min(a, x) over k features, for blocks of 8 rows.", func() term {
		return func(a, x, acc reg.VecVirtual) {
			m := u.vec()
			u.min(x, a, m)
			u.add(m, acc, acc)
		}
	})
	u.tile("chiSquare", "sums (a-x)^2/(a+x), or 0 where a+x is 0, over k features, for blocks of 8 rows.", func() term {
		c := u.chiConstants()
		return func(a, x, acc reg.VecVirtual) { u.chiTerm(c, a, x, acc) }
	})
}

// chiTerm divides. Without masks the quotients by zero are discarded afterwards. With masks the
// reciprocal comes from an estimate of 14 bits and Newton's steps, at twice the speed; it is 0
// where the sum is zero or subnormal. Numbers with a subnormal sum are so small that the square is
// zero as well.
func (u unit) chiTerm(c *chiConstants, a, x, acc reg.VecVirtual) {
	const notEqual = 4
	d, s := u.vec(), u.vec()
	u.sub(x, a, d)
	u.add(x, a, s)
	u.mul(d, d, d)
	if !u.wide {
		k := u.vec()
		u.pick(VCMPPS, VCMPPD)(Imm(notEqual), c.zero, s, k)
		u.div(s, d, d)
		u.and(k, d, d)
		u.add(d, acc, acc)
		return
	}
	k, r, steps := K(), u.vec(), 1
	if u.double {
		steps = 2
		VPTESTMQ(c.exponent, s, k)
		VRCP14PD_Z(s, k, r)
	} else {
		VPTESTMD(c.exponent, s, k)
		VRCP14PS_Z(s, k, r)
	}
	for range steps {
		e := u.vec()
		u.move(c.one, e)
		u.fnma231(r, s, e)
		u.fma231(e, r, r)
	}
	u.fma231(r, d, acc)
}

// chiConstants are zero for AVX2, one and the bits of the exponent for AVX-512.
type chiConstants struct{ zero, one, exponent reg.VecVirtual }

func (u unit) chiConstants() *chiConstants {
	c := &chiConstants{}
	if u.wide {
		c.one, c.exponent = u.spread("one", 1), u.spread("infinity", math.Inf(1))
	} else {
		c.zero = u.vec()
		u.zero(c.zero)
	}
	return c
}

// tile emits one routine. Its accumulators cover a part of the tile: all 8 rows of 2 vectors with
// 32 registers, 4 rows of 2 vectors with 16. The parts follow each other; each goes through all
// features.
func (u unit) tile(name, doc string, prepare func() term) {
	const across = 2
	down := tileRows
	if !u.wide {
		down = 4
	}
	args := "dst, a, x *%s, k int"
	// near is the number of features by which the first-level cache is kept ahead. 10 gained 5 %
	// where the product is the limit.
	near := 0
	if u.wide && strings.HasPrefix(name, "dot") {
		near = 10
	}
	more, distance := name == "dotMore", name == "distance"
	switch {
	case more:
		args += ", ahead *%[1]s, lines int"
	case distance:
		args += ", blocks int, na, nx *%[1]s"
	default:
		args += ", blocks int"
	}
	u.text(name, args, doc)
	dst, a, x := pointer("dst"), pointer("a"), pointer("x")
	f := prepare()
	var blocks, na, last reg.GPVirtual // last is where the rows of a block end
	if !more {
		blocks = pointer("blocks")
		if distance {
			na = pointer("na")
		}
		JMP(LabelRef("block_test"))
		Label("block")
	}
	for col := 0; col < u.perRow(); col += across {
		for row := 0; row < tileRows; row += down {
			acc := u.vecs(across * down)
			for i, v := range acc {
				if more {
					u.load(u.vector(dst, (row+i/across)*u.perRow()+col+i%across), v)
				} else {
					u.zero(v)
				}
			}
			pa, px, k := GP64(), GP64(), pointer("k")
			MOVQ(a, pa)
			MOVQ(x, px)
			feature := func() {
				xs := u.vecs(across)
				for c, v := range xs {
					if near > 0 {
						PREFETCHT0(at(px, near*tileWidth*u.size()+(col+c)*u.bytes()))
					}
					u.load(u.vector(px, col+c), v)
				}
				for r := range down {
					av := u.vec()
					u.broadcast(at(pa, (row+r)*u.size()), av)
					for c, v := range xs {
						f(av, v, acc[r*across+c])
					}
				}
				ADDQ(imm(tileRows*u.size()), pa)
				ADDQ(imm(tileWidth*u.size()), px)
			}
			label := fmt.Sprintf("part_%d_%d", row, col)
			if more && row+col == 0 {
				ahead, lines := pointer("ahead"), pointer("lines")
				SUBQ(lines, k)
				loop(label+"_ahead", lines, 1, func() {
					PREFETCHT1(at(ahead, 0))
					ADDQ(imm(64), ahead)
					feature()
				})
			}
			loop(label, k, 1, feature)
			if distance {
				u.fromDots(na, acc, across, row, col)
			}
			for i, v := range acc {
				u.store(v, u.vector(dst, (row+i/across)*u.perRow()+col+i%across))
			}
			last = pa
		}
	}
	if !more {
		MOVQ(last, a)
		ADDQ(imm(tileRows*tileWidth*u.size()), dst)
		if distance {
			ADDQ(imm(tileRows*u.size()), na)
		}
		SUBQ(imm(1), blocks)
		Label("block_test")
		CMPQ(blocks, imm(1))
		JGE(LabelRef("block"))
	}
	end()
}

// fromDots turns the accumulators of rows row.. and vectors col.. into squared distances. A
// not-a-number stays one, because the maximum returns its second operand then.
func (u unit) fromDots(na reg.GPVirtual, acc []reg.VecVirtual, across, row, col int) {
	nx := pointer("nx")
	zero, two := u.vec(), u.spread("two", 2)
	u.zero(zero)
	for i, v := range acc {
		d := u.vec()
		u.broadcast(at(na, (row+i/across)*u.size()), d)
		u.add(u.vector(nx, col+i%across), d, d)
		u.fnma231(v, two, d)
		u.max(d, zero, v)
	}
}

// distance emits max(0, (na+nx) - 2t). A not-a-number stays one, because the maximum returns its
// second operand then.
func (u unit) distance() {
	u.text("distanceFromDot", "t, na, nx *%s", "turns dot products into squared distances.")
	t, na, nx := pointer("t"), pointer("na"), pointer("nx")
	zero, two := u.vec(), u.spread("two", 2)
	u.zero(zero)
	columns := u.vecs(u.perRow())
	for c, v := range columns {
		u.load(u.vector(nx, c), v)
	}
	n := GP64()
	MOVQ(imm(tileRows), n)
	loop("row", n, 1, func() {
		row := u.vec()
		u.broadcast(at(na, 0), row)
		for c, v := range columns {
			d := u.vec()
			u.add(v, row, d)
			u.fnma231(u.vector(t, c), two, d)
			u.max(d, zero, d)
			u.store(d, u.vector(t, c))
		}
		ADDQ(imm(u.size()), na)
		ADDQ(imm(tileWidth*u.size()), t)
	})
	end()
}
