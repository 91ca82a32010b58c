package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// together is the number of rows that are summed in the element type before they join a
// double-precision sum.
const together = 64

// rows emits the three routines that add weighted sums of rows to double-precision sums. They share
// their sums, so they agree to the bit.
func (u unit) rows() {
	u.text("addRows", "to *float64, k, coef *%s, rows int, weight *float64", "adds rows of k times coef, summed and weighted, to 32 numbers.")
	u.sumRows("k", func(first int, rows, p, pc reg.Register, sums []reg.VecVirtual) {
		c := u.vec()
		u.broadcast(at(pc, 0), c)
		for i, v := range sums {
			u.fma231(u.vector(p, first+i), c, v)
		}
	})
	u.text("squareRows", "to *float64, k, coef *%s, rows int, weight *float64", "is addRows of the squares of k, which take its place.")
	u.sumRows("k", func(first int, rows, p, pc reg.Register, sums []reg.VecVirtual) {
		c := u.vec()
		u.broadcast(at(pc, 0), c)
		for i, v := range sums {
			x := u.vec()
			u.load(u.vector(p, first+i), x)
			u.mul(x, x, x)
			u.store(x, u.vector(p, first+i))
			u.fma231(x, c, v)
		}
	})
}

// rowsBody adds one row to the sums of the vectors first.. of it. p points to the row, pc to its
// coefficient.
type rowsBody func(first int, rows, p, pc reg.Register, sums []reg.VecVirtual)

// sumRows goes through the rows in groups of at most together.
func (u unit) sumRows(source string, body rowsBody) {
	g, rows, coef, left := pointer("to"), pointer(source), pointer("coef"), pointer("rows")
	weight := unit{wide: u.wide, double: true}.vec()
	w := pointer("weight")
	VBROADCASTSD(at(w, 0), weight)
	Label("group")
	n := GP64()
	MOVQ(imm(together), n)
	CMPQ(left, n)
	CMOVQLT(left, n)
	u.sumGroup("", min(4, u.perRow()), g, rows, coef, n, weight, body)
	next := GP64()
	IMUL3Q(imm(tileWidth*u.size()), n, next)
	ADDQ(next, rows)
	LEAQ(Mem{Base: coef, Index: n, Scale: uint8(u.size())}, coef)
	SUBQ(n, left)
	JG(LabelRef("group"))
	end()
}

// sumGroup sums n rows and adds the weighted sums to the 32 numbers at g, some vectors of the rows
// at a time.
func (u unit) sumGroup(label string, vectors int, g, rows, coef, n, weight reg.Register, body rowsBody) {
	for first := 0; first < u.perRow(); first += vectors {
		sums := u.vecs(vectors)
		for _, v := range sums {
			u.zero(v)
		}
		p, pc, k := GP64(), GP64(), GP64()
		MOVQ(rows, p)
		MOVQ(coef, pc)
		MOVQ(n, k)
		loop(fmt.Sprintf("row%s_%d", label, first), k, 1, func() {
			body(first, n, p, pc, sums)
			ADDQ(imm(tileWidth*u.size()), p)
			ADDQ(imm(u.size()), pc)
		})
		for i, v := range sums {
			u.join(v, weight, g, (first+i)*u.lanes())
		}
	}
}

// join adds a vector times weight to the double-precision numbers from place on.
func (u unit) join(v reg.VecVirtual, weight, g reg.Register, place int) {
	wide := unit{wide: u.wide, double: true}
	if u.double {
		wide.fma213(at(g, place*8), weight, v)
		wide.store(v, at(g, place*8))
		return
	}
	for half := range 2 {
		x, to := wide.vec(), at(g, (place+half*wide.lanes())*8)
		switch {
		case u.wide && half == 0:
			VCVTPS2PD(v.AsY(), x)
		case u.wide:
			y := YMM()
			VEXTRACTF64X4(Imm(1), v, y)
			VCVTPS2PD(y, x)
		case half == 0:
			VCVTPS2PD(v.AsX(), x)
		default:
			y := XMM()
			VEXTRACTF128(Imm(1), v, y)
			VCVTPS2PD(y, x)
		}
		wide.fma213(to, weight, x)
		wide.store(x, to)
	}
}

// functionRows emits the fused tile: for each of some kernels, the sum of a function of rows of a
// base. A group of rows serves all kernels before the next one comes, so it stays in the
// first-level cache.
func (u unit) functionRows(name, values string, e elementary) {
	u.text(name, "to *float64, base, coef *%s, rows int, c *%[1]s, weight *float64, kernels int",
		"adds to each kernel's 32 numbers "+values+" of rows of base times coef, summed and weighted. c is a reduction a kernel.")
	e.prepare()
	rows, coef, left := pointer("base"), pointer("coef"), pointer("rows")
	vectors := 1 // single vectors leave the interleaving to the processor, which does it best
	if !u.wide {
		vectors = 2
	}
	Label("group")
	n := GP64()
	MOVQ(imm(together), n)
	CMPQ(left, n)
	CMOVQLT(left, n)
	g, c, w, kernels := pointer("to"), pointer("c"), pointer("weight"), pointer("kernels")
	loop("kernel", kernels, 1, func() {
		e.scale(c)
		weight := unit{wide: u.wide, double: true}.vec()
		VBROADCASTSD(at(w, 0), weight)
		u.sumGroup("", vectors, g, rows, coef, n, weight, func(first int, _, p, pc reg.Register, sums []reg.VecVirtual) {
			x := u.vecs(len(sums))
			for i, v := range x {
				u.load(u.vector(p, first+i), v)
			}
			y := e.emit(x)
			c := u.vec()
			u.broadcast(at(pc, 0), c)
			for i, v := range y {
				u.fma231(v, c, sums[i])
			}
		})
		ADDQ(imm(tileWidth*8), g)
		ADDQ(imm(reductionSize*u.size()), c)
		ADDQ(imm(8), w)
	})
	next := GP64()
	IMUL3Q(imm(tileWidth*u.size()), n, next)
	ADDQ(next, rows)
	LEAQ(Mem{Base: coef, Index: n, Scale: uint8(u.size())}, coef)
	SUBQ(n, left)
	JG(LabelRef("group"))
	end()
}

// functionSum emits dst += sum over kernels of weight times a function of base, element by element.
func (u unit) functionSum(name, values string, e elementary) {
	u.text(name, "dst, base *%s, n int, c, weight *%[1]s, kernels int",
		"adds to dst the weighted "+values+" of base under some kernels; n is a multiple of 16. c is a reduction a kernel.")
	e.prepare()
	dst, base, n := pointer("dst"), pointer("base"), pointer("n")
	count := 2
	if !u.wide {
		count = 1
	}
	loop("block", n, count*u.lanes(), func() {
		sums := u.vecs(count)
		for i, v := range sums {
			u.load(u.vector(dst, i), v)
		}
		c, w, kernels := pointer("c"), pointer("weight"), pointer("kernels")
		loop("kernel", kernels, 1, func() {
			e.scale(c)
			x := u.vecs(count)
			for i, v := range x {
				u.load(u.vector(base, i), v)
			}
			y := e.emit(x)
			weight := u.vec()
			u.broadcast(at(w, 0), weight)
			for i, v := range y {
				u.fma231(v, weight, sums[i])
			}
			ADDQ(imm(reductionSize*u.size()), c)
			ADDQ(imm(u.size()), w)
		})
		for i, v := range sums {
			u.store(v, u.vector(dst, i))
		}
		ADDQ(imm(count*u.bytes()), base)
		ADDQ(imm(count*u.bytes()), dst)
	})
	end()
}

// addTo emits dst += scale*src in double precision for a multiple of 16 elements.
func (u unit) addTo() {
	wide := unit{wide: u.wide, double: true}
	u.text("addTo", "dst *float64, src *%s, n int, scale float64", "adds scale*src to dst; n is a multiple of 16.")
	dst, src, n := pointer("dst"), pointer("src"), pointer("n")
	scale := wide.vec()
	p, err := Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(p.Addr, scale)
	const block = 16
	loop("block", n, block, func() {
		for i := 0; i < block; i += wide.lanes() {
			v := wide.widen(at(src, i*u.size()), u)
			wide.fma213(at(dst, i*8), scale, v)
			wide.store(v, at(dst, i*8))
		}
		ADDQ(imm(block*8), dst)
		ADDQ(imm(block*u.size()), src)
	})
	end()
}

// widen loads a vector of u, which is double, from elements of from.
func (u unit) widen(m Mem, from unit) reg.VecVirtual {
	v := u.vec()
	if from.double {
		u.load(m, v)
	} else {
		VCVTPS2PD(m, v)
	}
	return v
}

// scaled emits dst += weight*src, element by element.
func (u unit) scaled() {
	u.text("addScaled", "dst, src *%s, n int, weight *%[1]s", "adds weight times src to dst; n is a multiple of 16.")
	dst, src, n, w := pointer("dst"), pointer("src"), pointer("n"), pointer("weight")
	weight := u.vec()
	u.broadcast(at(w, 0), weight)
	loop("block", n, 16, func() {
		for i := range 16 / u.lanes() {
			v := u.vec()
			u.load(u.vector(dst, i), v)
			u.fma231(u.vector(src, i), weight, v)
			u.store(v, u.vector(dst, i))
		}
		ADDQ(imm(16*u.size()), dst)
		ADDQ(imm(16*u.size()), src)
	})
	end()
}
