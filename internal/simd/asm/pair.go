package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The search for a pair keeps, in every lane, the best number so far and where it stood. Places are
// numbers of the same type, which are exact up to 2^53.

// places returns the places of the first lanes, and what is added to them for the next vector.
func (u unit) places() (place, step reg.VecVirtual) {
	place = u.vec()
	u.load(u.numbers("places", 8, func(i int) float64 { return float64(i) }), place)
	return place, u.spread("placeStep"+map[bool]string{true: "8", false: "4"}[u.wide], float64(u.lanes()))
}

// keepGreater puts x and its place into the lanes of best and at in which x is greater.
func (u unit) keepGreater(x, place, best, at reg.VecVirtual) {
	const greater = 30 // ordered, so NaN is not greater
	if u.wide {
		k := K()
		VCMPPD(Imm(greater), best, x, k)
		VMOVAPD(x, k, best)
		VMOVAPD(place, k, at)
		return
	}
	mask := u.vec()
	VCMPPD(Imm(greater), best, x, mask)
	VBLENDVPD(mask, x, best, best)
	VBLENDVPD(mask, place, at, at)
}

// extremes emits the largest sum with one addend, its place, and the smallest sum with another.
func (u unit) extremes() {
	u.text("extremes", "out, gain, grow, shrink *%s, n int", "writes to out, in every lane, the largest gain+grow, its place, "+
		"and the smallest gain+shrink, from what out has before; n is a multiple of 8.")
	out, gain, grow, shrink, n := pointer("out"), pointer("gain"), pointer("grow"), pointer("shrink"), pointer("n")
	best, where, least := u.vec(), u.vec(), u.vec()
	u.load(at(out, 0), best)
	u.load(at(out, 64), where)
	u.load(at(out, 128), least)
	place, step := u.places()
	loop("vector", n, u.lanes(), func() {
		g, up, down := u.vec(), u.vec(), u.vec()
		u.load(at(gain, 0), g)
		u.load(at(grow, 0), up)
		u.load(at(shrink, 0), down)
		u.add(up, g, up)
		u.add(down, g, down)
		u.keepGreater(up, place, best, where)
		u.min(least, down, least)
		u.add(step, place, place)
		for _, p := range []reg.GPVirtual{gain, grow, shrink} {
			ADDQ(imm(u.bytes()), p)
		}
	})
	u.store(best, at(out, 0))
	u.store(where, at(out, 64))
	u.store(least, at(out, 128))
	end()
}

// partner emits the largest rise^2/curvature and its place.
func (u unit) partner() {
	u.text("partner", "out, gain, shrink, diagonal, row *%s, n int, c *%[1]s", "writes to out, in every lane, the largest gain of a pair and "+
		"its place, from what out has before; c is best, own and least, n a multiple of 8.")
	out, gain, shrink, diagonal, row, n := pointer("out"), pointer("gain"), pointer("shrink"), pointer("diagonal"), pointer("row"), pointer("n")
	c := pointer("c")
	best, own, least, zero := u.vec(), u.vec(), u.vec(), u.vec()
	u.broadcast(at(c, 0), best)
	u.broadcast(at(c, 8), own)
	u.broadcast(at(c, 16), least)
	u.zero(zero)
	most, where := u.vec(), u.vec()
	u.load(at(out, 0), most)
	u.load(at(out, 64), where)
	place, step := u.places()
	loop("vector", n, u.lanes(), func() {
		rise, curve, h := u.vec(), u.vec(), u.vec()
		u.load(at(gain, 0), rise)
		u.load(at(shrink, 0), h)
		u.add(h, rise, rise)
		u.sub(rise, best, rise)
		u.max(zero, rise, rise)
		u.load(at(diagonal, 0), curve)
		u.add(curve, own, curve)
		u.load(at(row, 0), h)
		u.add(h, h, h)
		u.sub(h, curve, curve)
		u.max(curve, least, curve)
		u.mul(rise, rise, rise)
		u.div(curve, rise, rise)
		u.keepGreater(rise, place, most, where)
		u.add(step, place, place)
		for _, p := range []reg.GPVirtual{gain, shrink, diagonal, row} {
			ADDQ(imm(u.bytes()), p)
		}
	})
	u.store(most, at(out, 0))
	u.store(where, at(out, 64))
	end()
}

// movePair emits gain -= step*(a-b).
func (u unit) movePair() {
	u.text("movePair", "gain, a, b *%s, n int, step *%[1]s", "subtracts step times a-b from gain; n is a multiple of 8.")
	gain, a, b, n, s := pointer("gain"), pointer("a"), pointer("b"), pointer("n"), u.vec()
	u.broadcast(at(pointer("step"), 0), s)
	loop("vector", n, u.lanes(), func() {
		x, y := u.vec(), u.vec()
		u.load(at(a, 0), x)
		u.load(at(b, 0), y)
		u.sub(y, x, x)
		u.mul(s, x, x)
		u.load(at(gain, 0), y)
		u.sub(x, y, y)
		u.store(y, at(gain, 0))
		for _, p := range []reg.GPVirtual{gain, a, b} {
			ADDQ(imm(u.bytes()), p)
		}
	})
	end()
}
