package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// shift emits the centring of a panel: dst = src - shift, with both widened before the subtraction.
func (u unit) shift() {
	u.text("shift", "dst *%s, src, shift *float32, k int", "subtracts a shift from each of k features of a panel.")
	dst, src, by, k := pointer("dst"), pointer("src"), pointer("shift"), pointer("k")
	loop("feature", k, 1, func() {
		u.centre(dst, src, at(by, 0))
		ADDQ(imm(tileWidth*u.size()), dst)
		ADDQ(imm(tileWidth*4), src)
		ADDQ(imm(4), by)
	})
	end()
}

// gather emits shift for features chosen by number.
func (u unit) gather() {
	u.text("gather", "dst *%s, src, shift *float32, index *int32, k int", "is shift of k features of a panel, chosen by index.")
	dst, src, shift, index, k := pointer("dst"), pointer("src"), pointer("shift"), pointer("index"), pointer("k")
	loop("feature", k, 1, func() {
		j, from := GP64(), GP64()
		MOVLQSX(at(index, 0), j)
		MOVQ(j, from)
		SHLQ(Imm(7), from) // 32 numbers of 4 bytes
		ADDQ(src, from)
		u.centre(dst, from, Mem{Base: shift, Index: j, Scale: 4})
		ADDQ(imm(tileWidth*u.size()), dst)
		ADDQ(imm(4), index)
	})
	end()
}

// centre subtracts a shift from one feature.
func (u unit) centre(dst, src reg.Register, shift Mem) {
	b := u.vec()
	if u.double {
		s := XMM()
		VMOVSS(shift, s)
		VCVTSS2SD(s, s, s)
		VBROADCASTSD(s, b)
	} else {
		u.broadcast(shift, b)
	}
	for i := range u.perRow() {
		v := u.vec()
		if u.double {
			VCVTPS2PD(at(src, i*u.lanes()*4), v)
		} else {
			u.load(u.vector(src, i), v)
		}
		u.sub(b, v, v)
		u.store(v, u.vector(dst, i))
	}
}

// squares emits the sums of squares of the columns of a panel, and of the rows of a tile. Their
// bits equal the bits of the dot product of a point with itself.
func (u unit) squares() {
	u.text("columnSquares", "dst, x *%s, k int", "sums the squares of 32 columns over k features.")
	u.sumSquares(tileWidth)
	narrow := u
	if u.bytes() > tileRows*u.size() {
		narrow.wide = false
	}
	u.text("rowSquares", "dst, x *%s, k int", "sums the squares of 8 rows over k features.")
	narrow.sumSquares(tileRows)
}

func (u unit) sumSquares(width int) {
	dst, x, k := pointer("dst"), pointer("x"), pointer("k")
	sums := u.vecs(width / u.lanes())
	for _, v := range sums {
		u.zero(v)
	}
	loop("feature", k, 1, func() {
		for i, s := range sums {
			v := u.vec()
			u.load(u.vector(x, i), v)
			u.fma231(v, v, s)
		}
		ADDQ(imm(width*u.size()), x)
	})
	for i, s := range sums {
		u.store(s, u.vector(dst, i))
	}
	end()
}

// copyAhead emits a copy of one row of a tile that asks for the numbers behind it.
func (u unit) copyAhead() {
	u.text("copyAhead", "dst, src *%s", "copies 32 numbers and prefetches the 32 behind them.")
	dst, src := pointer("dst"), pointer("src")
	for at64 := 0; at64 < tileWidth*u.size(); at64 += 64 {
		PREFETCHT0(at(src, tileWidth*u.size()+at64))
	}
	for i := range u.perRow() {
		v := u.vec()
		u.load(u.vector(src, i), v)
		u.store(v, u.vector(dst, i))
	}
	end()
}

// combine emits, for each of some kernels, part += theta*g and sum += alpha'g over 32 numbers. The
// 32 products are summed in lanes first.
func (u unit) combine() {
	wide := unit{wide: u.wide, double: true}
	wide.text("combine", "to, alpha, part, theta, sum *%s, kernels int",
		"adds theta times each kernel's 32 numbers to part, and their products with alpha to its sum.")
	g, alpha, part, theta, sum := pointer("to"), pointer("alpha"), pointer("part"), pointer("theta"), pointer("sum")
	kernels := pointer("kernels")
	n := tileWidth / wide.lanes()
	held := 8 / (tileWidth / wide.lanes() / 4) // registers for parts: all of them with AVX-512
	if !wide.wide {
		held = 0
	}
	var parts []reg.VecVirtual
	if held > 0 {
		parts = wide.vecs(n)
		for i, v := range parts {
			wide.load(wide.vector(part, i), v)
		}
	}
	loop("kernel", kernels, 1, func() {
		t := wide.vec()
		wide.broadcast(at(theta, 0), t)
		s := wide.vecs(2)
		for _, v := range s {
			wide.zero(v)
		}
		for i := range n {
			x := wide.vec()
			wide.load(wide.vector(g, i), x)
			wide.fma231(wide.vector(alpha, i), x, s[i%2])
			if parts != nil {
				wide.fma231(x, t, parts[i])
				continue
			}
			wide.fma213(wide.vector(part, i), t, x)
			wide.store(x, wide.vector(part, i))
		}
		wide.add(s[0], s[1], s[1])
		y := YMM()
		if wide.wide {
			VEXTRACTF64X4(Imm(1), s[1], y)
			VADDPD(y, s[1].AsY(), y)
		} else {
			VMOVAPD(s[1], y)
		}
		x := XMM()
		VEXTRACTF128(Imm(1), y, x)
		VADDPD(x, y.AsX(), x)
		z := XMM()
		VPERMILPD(Imm(1), x, z)
		VADDSD(z, x, x)
		VADDSD(at(sum, 0), x, x)
		VMOVSD(x, at(sum, 0))
		ADDQ(imm(tileWidth*8), g)
		ADDQ(imm(8), theta)
		ADDQ(imm(8), sum)
	})
	for i, v := range parts {
		wide.store(v, wide.vector(part, i))
	}
	end()
}
