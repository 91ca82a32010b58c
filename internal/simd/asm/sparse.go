package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// strands is the number of partial sums of a sparse product: entry i of a row goes to sum i mod 4,
// because one sum would wait for itself. A row's entries are a multiple of it, padded with zeros.
const strands = 4

// sparse emits products of sparse rows with a dense panel, and sums of squares of sparse rows with
// the same rounding.
func (u unit) sparse() {
	u.text("sparseDot", "dst *%s, index *int32, value *%[1]s, entries int, x *%[1]s",
		"multiplies one sparse row by a panel: sums value*x[index] over entries, a multiple of 4.")
	dst, x := pointer("dst"), pointer("x")
	across := 2
	if u.wide {
		across = min(4, u.perRow())
	}
	for first := 0; first < u.perRow(); first += across {
		sums := make([][]reg.VecVirtual, strands)
		for s := range sums {
			sums[s] = u.vecs(across)
			for _, v := range sums[s] {
				u.zero(v)
			}
		}
		index, value, n := pointer("index"), pointer("value"), pointer("entries")
		shift := 7 // a feature of a panel is 32 numbers
		if u.double {
			shift = 8
		}
		loop("entries_"+string(rune('0'+first)), n, strands, func() {
			for s := range strands {
				j, c := GP64(), u.vec()
				MOVLQSX(at(index, 4*s), j)
				SHLQ(Imm(uint64(shift)), j)
				u.broadcast(at(value, s*u.size()), c)
				for i, v := range sums[s] {
					u.fma231(Mem{Base: x, Index: j, Scale: 1, Disp: (first + i) * u.bytes()}, c, v)
				}
			}
			ADDQ(imm(4*strands), index)
			ADDQ(imm(u.size()*strands), value)
		})
		for i := range across {
			u.add(sums[1][i], sums[0][i], sums[0][i])
			u.add(sums[3][i], sums[2][i], sums[2][i])
			u.add(sums[2][i], sums[0][i], sums[0][i])
			u.store(sums[0][i], u.vector(dst, first+i))
		}
	}
	end()

	u.text("sparseSquare", "dst, value *%s, entries int", "sums the squares of the entries of a sparse row.")
	dst, value, n := pointer("dst"), pointer("value"), pointer("entries")
	if !u.double {
		s := XMM()
		VXORPS(s, s, s)
		loop("entries", n, strands, func() {
			v := XMM()
			VMOVUPS(at(value, 0), v)
			VFMADD231PS(v, v, s)
			ADDQ(imm(16), value)
		})
		t, h := XMM(), XMM()
		VMOVSHDUP(s, t) // s1, s1, s3, s3
		VADDPS(t, s, t) // (s0+s1), .., (s2+s3), ..
		VMOVHLPS(t, t, h)
		VADDSS(h, t, t)
		VMOVSS(t, at(dst, 0))
	} else {
		s := YMM()
		VXORPD(s, s, s)
		loop("entries", n, strands, func() {
			v := YMM()
			VMOVUPD(at(value, 0), v)
			VFMADD231PD(v, v, s)
			ADDQ(imm(32), value)
		})
		t, h := YMM(), XMM()
		VPERMILPD(Imm(5), s, t)
		VADDPD(t, s, t) // (s0+s1), .., (s2+s3), ..
		VEXTRACTF128(Imm(1), t, h)
		VADDSD(h, t.AsX(), t.AsX())
		VMOVSD(t.AsX(), at(dst, 0))
	}
	end()
}
