package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Pieces of a function, as in package simd: the binary logarithms of the numbers of coefficients of
// a piece and of pieces of an octave, and the bits of the mantissa.
func (u unit) pieceShape() (termBits, pieceBits, mantissa int) {
	if u.double {
		return 3, 4, 52
	}
	return 2, 5, 23
}

// pieces emits the evaluation of a function whose pieces are polynomials.
//
// The coefficients of a piece lie side by side, so the coefficients of a vector of arguments come
// with one load of 16 bytes for each argument and each 16 bytes of coefficients, and are then
// transposed within the lanes of 128 bits. Gathers, one for each coefficient, take 1.5 to 3 times
// as long.
func (u unit) pieces() {
	u.text("pieces", "dst, src *%s, n int, c, coef *%[1]s",
		"evaluates a function in pieces; c is the shift, the largest argument with it, and the bits of the first and the last piece. n is a multiple of 16.")
	termBits, pieceBits, mantissa := u.pieceShape()
	dst, src, n, coef := pointer("dst"), pointer("src"), pointer("n"), pointer("coef")
	c := pointer("c")
	shift, most, first, last := u.vec(), u.vec(), u.vec(), u.vec()
	for i, v := range []reg.VecVirtual{shift, most, first, last} {
		u.broadcast(at(c, i*u.size()), v)
	}
	drop := uint64(mantissa - pieceBits)
	bias := uint64(127)
	if u.double {
		bias = 1023
	}
	zero := u.vec()
	u.zero(zero)
	fraction := u.bits("fraction", 1<<mantissa-1)
	one := u.bits("bitsOfOne", bias<<mantissa)
	high := u.bits("highBits", (1<<(8*u.size()-1)-1)&^(1<<drop-1))
	half := u.bits("halfPiece", 1<<(drop-1))
	offsets := AllocLocal(u.bytes())
	rowBytes := termBits + map[bool]int{false: 2, true: 3}[u.double] // as a binary logarithm
	loop("block", n, u.lanes(), func() {
		z, at, m, t := u.vec(), u.vec(), u.vec(), u.vec()
		u.load(u.vector(src, 0), z)
		u.max(z, zero, z)
		u.add(shift, z, z)
		u.min(z, most, z)
		u.shiftRight(int(drop), z, at)
		u.subInts(first, at, at)
		u.minCounts(last, at, at)
		u.shiftLeft(rowBytes, at, at)
		u.storeHalves(at, offsets)
		u.and(fraction, z, m)
		u.or(one, m, m)
		u.and(high, m, t)
		u.or(half, t, t)
		u.sub(t, m, t)
		u.sub(z, z, z) // not a number where z is none
		u.add(z, t, t)
		rows, inLane := u.rowPointers(offsets, coef), 16/u.size()
		var p reg.VecVirtual
		// The highest powers come first, and few coefficients are in registers at a time.
		for first := 1<<termBits - inLane; first >= 0; first -= inLane {
			terms := u.transposed(rows, first)
			for k := inLane - 1; k >= 0; k-- {
				if p == nil {
					p = terms[k]
				} else {
					u.fma213(terms[k], t, p)
				}
			}
		}
		u.store(p, u.vector(dst, 0))
		ADDQ(imm(u.bytes()), src)
		ADDQ(imm(u.bytes()), dst)
	})
	end()
}

// storeHalves stores a vector for loads of its elements that follow at once. From a store of 64
// bytes these take twice as long.
func (u unit) storeHalves(v reg.VecVirtual, to Mem) {
	if u.wide {
		high := YMM()
		VEXTRACTF64X4(Imm(1), v, high)
		VMOVUPS(high, to.Offset(32))
	}
	VMOVUPS(v.AsY(), to)
}

// rowPointers loads the offset of each argument and returns where its coefficients are.
func (u unit) rowPointers(offsets Mem, coef reg.Register) []func(bytes int) Mem {
	var rows []func(bytes int) Mem
	for i := range u.lanes() {
		rows = append(rows, func(bytes int) Mem {
			r := GP64()
			if u.double {
				MOVQ(offsets.Offset(i*8), r)
			} else {
				MOVL(offsets.Offset(i*4), r.As32())
			}
			return Mem{Base: coef, Index: r, Scale: 1, Disp: bytes}
		})
	}
	return rows
}

// transposed returns those coefficients of all arguments that 16 bytes hold, from the given power
// on, as one vector for each power.
func (u unit) transposed(rows []func(bytes int) Mem, first int) []reg.VecVirtual {
	inLane := 16 / u.size()
	// Lane l of vector r has the coefficients of argument l*inLane+r.
	v := u.vecs(inLane)
	for r := range v {
		u.fillLanes(v[r], func(lane int) Mem { return rows[lane*inLane+r](first * u.size()) })
	}
	if u.double {
		low := u.vec()
		VUNPCKLPD(v[1], v[0], low)
		VUNPCKHPD(v[1], v[0], v[1])
		return []reg.VecVirtual{low, v[1]}
	}
	a, b, c, d := u.vec(), u.vec(), u.vec(), u.vec()
	VUNPCKLPS(v[1], v[0], a)
	VUNPCKHPS(v[1], v[0], b)
	VUNPCKLPS(v[3], v[2], c)
	VUNPCKHPS(v[3], v[2], d)
	VUNPCKLPD(c, a, v[0])
	VUNPCKHPD(c, a, v[1])
	VUNPCKLPD(d, b, v[2])
	VUNPCKHPD(d, b, v[3])
	return v
}

// fillLanes loads 16 bytes into every lane of a vector.
func (u unit) fillLanes(v reg.VecVirtual, from func(lane int) Mem) {
	VMOVUPS(from(0), v.AsX())
	if !u.wide {
		VINSERTF128(Imm(1), from(1), v, v)
		return
	}
	for lane := 1; lane < 4; lane++ {
		VINSERTF32X4(Imm(uint64(lane)), from(lane), v, v)
	}
}

// bits returns an operand that repeats bits: a register of AVX-512, or memory of AVX2, which has
// fewer registers.
func (u unit) bits(name string, bits uint64) Op {
	m := u.repeated(name, bits)
	if !u.wide {
		return m
	}
	v := u.vec()
	u.broadcast(m, v)
	return v
}

func (u unit) or(b, a, d Op)             { u.pick(VORPS, VORPD)(b, a, d) }
func (u unit) subInts(b, a, d Op)        { u.pick(VPSUBD, VPSUBQ)(b, a, d) } // d = a - b
func (u unit) shiftRight(n int, a, d Op) { u.pick(VPSRLD, VPSRLQ)(Imm(uint64(n)), a, d) }
func (u unit) shiftLeft(n int, a, d Op)  { u.pick(VPSLLD, VPSLLQ)(Imm(uint64(n)), a, d) }

// minCounts takes the minimum of numbers without a sign that are below 2^32 where they count. AVX2
// has no instruction for 64 bits; the high half of b is 0, and so is the high half of the result.
func (u unit) minCounts(b, a, d Op) { VPMINUD(b, a, d) }
