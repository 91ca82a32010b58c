package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// Remez approximations of exp(x)-1 = x + c_0 x^2 + c_1 x^3 + .. on [-1,0] for the relative error,
// ascending, with errors of 2.7e-9 and 1.6e-17. The first is far below the unit of single precision
// because an error of a polynomial does not average out over the points as rounding does.
var (
	expm1Single = []float64{0.49999984055425006, 0.16666365621856158, 0.041647468318641179, 0.0082762087837725100,
		0.0013011265390379777, 0.00012913094875023515}
	expm1Double = []float64{0.49999999999999715564, 0.16666666666650607641, 0.041666666663497958139,
		0.0083333333020107232416, 0.0013888887082355494638, 0.00019841204043122580919, 0.000024800009594377184638,
		2.7531999288330589524e-6, 2.7286852466377248561e-7, 2.318947568341694341e-8, 1.3199451694929114263e-9}
)

// elementary is a function of scale*x for some scales, which package simd prepares.
type elementary interface {
	// prepare sets up what does not depend on the scale.
	prepare()
	// scale loads what package simd has prepared at c.
	scale(c reg.Register)
	// emit overwrites the vectors x and returns their values.
	emit(x []reg.VecVirtual) []reg.VecVirtual
}

// expm1 emits exp(scale*x)-1 for -1 <= scale*x <= 0, to the precision of the type relative to the
// result itself. There is no reduction, so nothing cancels.
type expm1 struct {
	unit
	factor reg.VecVirtual
	one    reg.VecVirtual   // AVX-512
	poly   []reg.VecVirtual // AVX-512
}

func (e *expm1) coefficients() []float64 {
	if e.double {
		return expm1Double
	}
	return expm1Single
}

func (e *expm1) prepare() {
	e.factor = e.vec()
	if !e.wide {
		return
	}
	e.one, e.poly = e.spread("one", 1), nil
	for i, v := range e.coefficients() {
		e.poly = append(e.poly, e.spread(fmt.Sprintf("expm1_%d_", i+2), v))
	}
}

func (e *expm1) scale(c reg.Register) { e.broadcast(at(c, cScale*e.size()), e.factor) }

// emit takes coefficients from memory where there are only 16 registers.
func (e *expm1) emit(x []reg.VecVirtual) []reg.VecVirtual {
	c := e.coefficients()
	p := e.vecs(len(x))
	for i := range x {
		e.mul(e.factor, x[i], x[i])
		if last := len(c) - 1; e.wide {
			e.move(e.poly[last], p[i])
		} else {
			e.load(e.constant(fmt.Sprintf("expm1_%d_", last+2), c[last]), p[i])
		}
	}
	for d := len(c) - 2; d >= 0; d-- {
		for i := range x {
			if e.wide {
				e.fma213(e.poly[d], x[i], p[i])
			} else {
				e.fma213(e.constant(fmt.Sprintf("expm1_%d_", d+2), c[d]), x[i], p[i])
			}
		}
	}
	for i := range x {
		if e.wide {
			e.fma213(e.one, x[i], p[i])
		} else {
			e.fma213(e.constant("one", 1), x[i], p[i])
		}
		e.mul(p[i], x[i], x[i])
	}
	return x
}

// expm1s emits the elementwise routines: exp(scale*x)-1, and exp(2y)-1 = z(z+2) from z = exp(y)-1.
func (u unit) expm1s() {
	u.text("expm1", "dst, src *%s, n int, c *%[1]s", "computes exp(scale*src)-1 for -1 <= scale*src <= 0; c is a scale, n a multiple of 16.")
	e := &expm1{unit: u}
	e.prepare()
	e.scale(pointer("c"))
	u.elementwise(func(_ string, x []reg.VecVirtual) []reg.VecVirtual { return e.emit(x) })

	u.text("expm1Twice", "dst, src *%s, n int", "computes exp(2y)-1 from src = exp(y)-1; n is a multiple of 16.")
	two := u.spread("two", 2)
	u.elementwise(func(_ string, x []reg.VecVirtual) []reg.VecVirtual {
		for _, v := range x {
			u.twice(v, two)
		}
		return x
	})
}

// twice replaces exp(y)-1 by exp(2y)-1.
func (u unit) twice(v, two reg.VecVirtual) {
	sum := u.vec()
	u.add(two, v, sum)
	u.mul(sum, v, v)
}

// expm1TwiceRows emits addRows of exp(2y)-1, which take the place of exp(y)-1.
func (u unit) expm1TwiceRows() {
	u.text("expm1TwiceRows", "to *float64, k, coef *%s, rows int, weight *float64",
		"is addRows of exp(2y)-1, which take the place of k = exp(y)-1.")
	two := u.spread("two", 2)
	u.sumRows("k", func(first int, _, p, pc reg.Register, sums []reg.VecVirtual) {
		c := u.vec()
		u.broadcast(at(pc, 0), c)
		for i, v := range sums {
			x := u.vec()
			u.load(u.vector(p, first+i), x)
			u.twice(x, two)
			u.store(x, u.vector(p, first+i))
			u.fma231(x, c, v)
		}
	})
}
