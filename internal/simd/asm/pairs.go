package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairDots emits products of chosen rows of one matrix with chosen rows of another. The 32 partial sums of a product are lanes:
// term f goes to sum f mod 32. The second half of the sums is added to the first until one is left.
func (u unit) pairDots() {
	u.text("pairDots", "dst, x, y *%s, a, b *int32, k, count int",
		"sets dst[j] to the product of row a[j] of x with row b[j] of y; the rows have k numbers, a multiple of 32.")
	dst, x, y, a, b := pointer("dst"), pointer("x"), pointer("y"), pointer("a"), pointer("b")
	k, count := pointer("k"), pointer("count")
	stride := GP64()
	IMUL3Q(imm(u.size()), k, stride)
	loop("pair", count, 1, func() {
		p, q, left := GP64(), GP64(), GP64()
		MOVLQSX(at(a, 0), p)
		MOVLQSX(at(b, 0), q)
		IMULQ(stride, p)
		IMULQ(stride, q)
		ADDQ(x, p)
		ADDQ(y, q)
		MOVQ(k, left)
		sums := u.vecs(u.perRow())
		for _, v := range sums {
			u.zero(v)
		}
		loop("terms", left, tileWidth, func() {
			for i, v := range sums {
				c := u.vec()
				u.load(u.vector(p, i), c)
				u.fma231(u.vector(q, i), c, v)
			}
			ADDQ(imm(tileWidth*u.size()), p)
			ADDQ(imm(tileWidth*u.size()), q)
		})
		for n := len(sums) / 2; n > 0; n /= 2 {
			for i := range n {
				u.add(sums[n+i], sums[i], sums[i])
			}
		}
		u.total(sums[0], dst)
		ADDQ(imm(4), a)
		ADDQ(imm(4), b)
		ADDQ(imm(u.size()), dst)
	})
	end()
}

// total stores the sum of the lanes of a vector: the second half is added to the first until one lane is left.
func (u unit) total(v reg.VecVirtual, dst reg.Register) {
	if u.wide {
		h := YMM()
		VEXTRACTF64X4(Imm(1), v, h)
		u.add(h, v.AsY(), v.AsY())
	}
	h, s := XMM(), v.AsX()
	VEXTRACTF128(Imm(1), v.AsY(), h)
	u.add(h, s, s)
	if u.double {
		VPERMILPD(Imm(1), s, h)
		VADDSD(h, s, s)
		VMOVSD(s, at(dst, 0))
		return
	}
	VMOVHLPS(s, s, h)
	VADDPS(h, s, s)
	VMOVSHDUP(s, h)
	VADDSS(h, s, s)
	VMOVSS(s, at(dst, 0))
}
