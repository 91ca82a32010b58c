package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elementwise emits the loops of a function from src to dst over n elements, a multiple of 16:
// several vectors at a time, then single ones. f may overwrite its arguments.
func (u unit) elementwise(f func(label string, x []reg.VecVirtual) []reg.VecVirtual) {
	dst, src, n := pointer("dst"), pointer("src"), pointer("n")
	many := 4
	if !u.wide {
		many = 2
	}
	for _, count := range []int{many, 1} {
		label := map[bool]string{true: "one", false: "many"}[count == 1]
		loop(label, n, count*u.lanes(), func() {
			x := u.vecs(count)
			for i, v := range x {
				u.load(u.vector(src, i), v)
			}
			for i, v := range f(label, x) {
				u.store(v, u.vector(dst, i))
			}
			ADDQ(imm(count*u.bytes()), src)
			ADDQ(imm(count*u.bytes()), dst)
		})
	}
	end()
}

func (u unit) exp() {
	u.text("exp", "dst, src *%s, n int, c *%[1]s", "computes exponentials; c is a reduction, n a multiple of 16.")
	e := &exponential{unit: u}
	e.prepare()
	e.scale(pointer("c"))
	u.elementwise(func(_ string, x []reg.VecVirtual) []reg.VecVirtual { return e.emit(x) })
}

// tanh emits 1 - 2/(exp(2y)+1) for y = gamma*x+coef; the reduction's scale is 2.
func (u unit) tanh() {
	u.text("tanh", "dst, src *%s, n int, c *%[1]s", "computes tanh(gamma*src+coef); n is a multiple of 16.")
	c := pointer("c")
	e := &exponential{unit: u}
	e.prepare()
	e.scale(c)
	gamma, coef := u.vec(), u.vec()
	u.broadcast(at(c, cGamma*u.size()), gamma)
	u.broadcast(at(c, cCoef*u.size()), coef)
	one, two := e.one, u.spread("two", 2)
	if !u.wide {
		one = u.spread("one", 1)
	}
	u.elementwise(func(_ string, x []reg.VecVirtual) []reg.VecVirtual {
		for _, v := range x {
			u.fma213(coef, gamma, v)
		}
		y := e.emit(x)
		for _, v := range y {
			u.add(one, v, v)
			u.div(v, two, v)
			u.sub(v, one, v)
		}
		return y
	})
}

// power emits (gamma*x+coef)^degree; each bit of the degree squares the base, and takes it into the
// product if set.
func (u unit) power() {
	u.text("power", "dst, src *%s, n int, c *%[1]s, degree int",
		"computes (gamma*src+coef)^degree; c is gamma and coef, n a multiple of 16, degree at least 1.")
	c, degree := pointer("c"), pointer("degree")
	gamma, coef, one := u.vec(), u.vec(), u.spread("one", 1)
	u.broadcast(at(c, 0), gamma)
	u.broadcast(at(c, u.size()), coef)
	u.elementwise(func(label string, base []reg.VecVirtual) []reg.VecVirtual {
		product := u.vecs(len(base))
		for i, v := range base {
			u.fma213(coef, gamma, v)
			u.move(one, product[i])
		}
		d := GP64()
		MOVQ(degree, d)
		Label(label + "_bit")
		BTQ(Imm(0), d)
		JCC(LabelRef(label + "_square"))
		for i, v := range base {
			u.mul(v, product[i], product[i])
		}
		Label(label + "_square")
		SHRQ(Imm(1), d)
		JE(LabelRef(label + "_ready"))
		for _, v := range base {
			u.mul(v, v, v)
		}
		JMP(LabelRef(label + "_bit"))
		Label(label + "_ready")
		return product
	})
}
