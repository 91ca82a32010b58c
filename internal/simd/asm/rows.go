package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows emits addRows and expAddRows. They share their sums, so that they agree to the bit.
func (u unit) rows() {
	u.sumRows("addRows", "acc, k, coef *%s, rows int", "k", "adds rows of k times coef to acc.", nil)
	e := &exponential{unit: u}
	u.sumRows("expAddRows", "acc, base, coef *%s, rows int, c *%[1]s", "base",
		"adds exponentials of rows of base times coef to acc. c is a reduction.", e)
}

// sumRows keeps the accumulators of up to 4 vectors in registers and goes through the rows once for each such group.
func (u unit) sumRows(name, args, source, doc string, e *exponential) {
	u.text(name, args, doc)
	acc, rows, coef := pointer("acc"), pointer(source), pointer("coef")
	if e != nil {
		e.prepare(pointer("c"))
	}
	group := min(4, u.perRow())
	for first := 0; first < u.perRow(); first += group {
		sums := u.vecs(group)
		for i, v := range sums {
			u.load(u.vector(acc, first+i), v)
		}
		p, pc, n := GP64(), GP64(), pointer("rows")
		MOVQ(rows, p)
		MOVQ(coef, pc)
		loop(fmt.Sprintf("row_%d", first), n, 1, func() {
			c := u.vec()
			if e == nil {
				u.broadcast(at(pc, 0), c)
				for i, v := range sums {
					u.fma231(u.vector(p, first+i), c, v)
				}
			} else {
				step := group
				if !u.wide {
					step = 2 // registers
				}
				for i := 0; i < group; i += step {
					x := u.vecs(step)
					for j, v := range x {
						u.load(u.vector(p, first+i+j), v)
					}
					y := e.emit(x)
					c := u.vec()
					u.broadcast(at(pc, 0), c)
					for j, v := range y {
						u.fma231(v, c, sums[i+j])
					}
				}
			}
			ADDQ(imm(tileWidth*u.size()), p)
			ADDQ(imm(u.size()), pc)
		})
		for i, v := range sums {
			u.store(v, u.vector(acc, first+i))
		}
	}
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

// shift emits the centring of a panel: dst = src - shift, with both widened before the subtraction.
func (u unit) shift() {
	u.text("shift", "dst *%s, src, shift *float32, k int", "subtracts a shift from each of k features of a panel.")
	dst, src, by, k := pointer("dst"), pointer("src"), pointer("shift"), pointer("k")
	loop("feature", k, 1, func() {
		b := u.vec()
		if u.double {
			s := XMM()
			VMOVSS(at(by, 0), s)
			VCVTSS2SD(s, s, s)
			VBROADCASTSD(s, b)
		} else {
			u.broadcast(at(by, 0), b)
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
		ADDQ(imm(tileWidth*u.size()), dst)
		ADDQ(imm(tileWidth*4), src)
		ADDQ(imm(4), by)
	})
	end()
}
