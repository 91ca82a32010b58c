package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Remez approximations of (2^f-1)/f for the relative error of 2^f; ascending powers. On [-1/2,
// 1/2], with errors of 9.2e-8 and 2.2e-16; and on [-1/64, 1/64], beside a table of 2^(i/32), with
// one of 5.3e-8.
var (
	exp2Table  = []float64{0.69315739925721105, 0.2402318288391094}
	exp2Single = []float64{0.69314697761922198, 0.24022242080142301, 0.055507337217420033, 0.0096715128760502813,
		0.0013264732772631492}
	exp2Double = []float64{0.69314718055994917561, 0.24022650695909101675, 0.055504108664481815964,
		0.0096181291079831063137, 0.0013333558225800853821, 0.00015403529994281648864, 0.000015252659427374816672,
		1.3215653577451917083e-6, 1.0208323055302885711e-7, 7.0381825747379227367e-9}
)

// Places in a reduction, the parameters that package simd prepares for each scale: log2(e)*scale in
// two parts, the bounds of the argument (AVX2 only), and for tanh the inner factor and summand.
const (
	cHigh = iota
	cLow
	cLeast
	cMost
	cGamma
	cCoef
	reductionSize

	cScale = cHigh // the scale itself, which expm1 takes
)

// exponential emits exp(scale*x) = 2^n * 2^f with n the nearest multiple of a step to
// scale*log2(e)*x.
//
// n comes from adding a number so large that its last bit is the step. AVX2, and AVX-512 in double
// precision, take steps of 1 and f = (high*x - n) + low*x, which is rounded only after the
// cancellation, into a long polynomial. AVX-512 in single precision takes steps of 1/32: the low
// bits of the sum choose 2^(n mod 1) from a table in two registers, and a polynomial of degree 2 is
// left. There scale*log2(e) is rounded to single precision like any number.
//
// Results become 0 where n comes within headroom of the smallest exponent of a normal number: a
// subnormal costs over a hundred cycles, here and again in every use, and so does its product with
// a coefficient. AVX-512 scales by 2^n in one instruction, under a mask that clears what is too
// small. AVX2 limits x instead and builds 2^(n-headroom) from the low bits of the sum, with a
// polynomial that is larger by 2^headroom. That way 0 and the overflow are reached by the same
// arithmetic.
type exponential struct {
	unit
	bounded     bool // no argument overflows: leaves out what that takes
	high, low   reg.VecVirtual
	least, most reg.VecVirtual   // AVX2
	magic, one  reg.VecVirtual   // AVX-512
	lowest      reg.VecVirtual   // AVX-512: the first exponent whose results are kept
	table       []reg.VecVirtual // AVX-512, single precision
	poly        []reg.VecVirtual // AVX-512
}

// tabled reports whether 2^f comes from a table.
func (e *exponential) tabled() bool { return e.wide && !e.double }

// headroom is in binary digits. Package simd knows it from the bounds of a reduction.
const headroom = 10

// smallest is the exponent of the smallest normal number.
func (e *exponential) smallest() float64 {
	if e.double {
		return -1022
	}
	return -126
}

// prepare sets up what does not depend on the scale.
func (e *exponential) prepare() {
	e.high = e.vec()
	if !e.tabled() {
		e.low = e.vec()
	}
	if !e.wide {
		e.least, e.most = e.vec(), e.vec()
		return
	}
	e.magic = e.spread("magic", e.magicNumber())
	if !e.bounded || !e.tabled() {
		e.one = e.spread("one", 1)
	}
	e.lowest = e.spread("lowest", e.smallest()+headroom)
	e.poly = nil
	for i, v := range e.coefficients() {
		e.poly = append(e.poly, e.spread(fmt.Sprintf("exp2_%d_", i+1), v))
	}
	if e.tabled() {
		e.table = e.vecs(2)
		powers := e.numbers("powers", 32, func(i int) float64 { return math.Exp2(float64(i) / 32) })
		for i, v := range e.table {
			e.load(powers.Offset(i*e.bytes()), v)
		}
	}
}

// scale loads the reduction at c.
func (e *exponential) scale(c reg.Register) {
	e.broadcast(at(c, cHigh*e.size()), e.high)
	if !e.tabled() {
		e.broadcast(at(c, cLow*e.size()), e.low)
	}
	if !e.wide {
		e.broadcast(at(c, cLeast*e.size()), e.least)
		e.broadcast(at(c, cMost*e.size()), e.most)
	}
}

func (e *exponential) coefficients() []float64 {
	switch {
	case e.double:
		return exp2Double
	case e.tabled():
		return exp2Table
	}
	return exp2Single
}

// magicNumber has a last place of one step. For AVX2 its low bits hold the bias of the exponent,
// less the headroom.
func (e *exponential) magicNumber() float64 {
	m := 0x1.8p23
	if e.double {
		m = 0x1.8p52
	}
	switch {
	case e.tabled():
		return m / 32
	case e.wide:
		return m
	}
	return m + 1 - e.smallest() - headroom
}

// emit overwrites the vectors x and returns their exponentials. The vectors take each step
// together, which shortens the chains of dependent instructions.
func (e *exponential) emit(x []reg.VecVirtual) []reg.VecVirtual {
	switch {
	case e.tabled():
		return e.emitTabled(x)
	case e.wide:
		return e.emitWide(x)
	}
	return e.emitNarrow(x)
}

// emitTabled's polynomial has no real zero: with an f beyond its range it goes to positive
// infinity, where the sum of n and x has no last place of a step any more.
func (e *exponential) emitTabled(x []reg.VecVirtual) []reg.VecVirtual {
	t, n, f := e.vecs(len(x)), e.vecs(len(x)), e.vecs(len(x))
	for i := range x {
		e.move(e.magic, t[i])
		e.fma231(x[i], e.high, t[i])
	}
	for i := range x {
		e.sub(e.magic, t[i], n[i])
		e.move(n[i], f[i])
	}
	for i := range x {
		e.fms231(x[i], e.high, f[i])
	}
	if !e.bounded {
		e.limit(f)
	}
	v := t
	for i := range x {
		// The sum is the index, and the table's value comes in its place.
		VPERMI2PS(e.table[1], e.table[0], v[i])
	}
	for i := range x {
		vf := e.vec()
		e.mul(f[i], v[i], vf)
		e.fma213(e.poly[0], e.poly[1], f[i])
		e.fma231(f[i], vf, v[i])
	}
	e.raise(v, n)
	return v
}

// limit takes f to at most 1 in magnitude, where x is infinite.
func (e *exponential) limit(f []reg.VecVirtual) {
	const smallerMagnitude = 2
	for i := range f {
		e.pick(VRANGEPS, VRANGEPD)(Imm(smallerMagnitude), e.one, f[i], f[i])
	}
}

// raise multiplies p by 2^n rounded down, or clears it.
func (e *exponential) raise(p, n []reg.VecVirtual) {
	const notLess = 5 // or not a number
	for i := range p {
		k := K()
		e.pick(VCMPPS, VCMPPD)(Imm(notLess), e.lowest, n[i], k)
		if e.double {
			VSCALEFPD_Z(n[i], p[i], k, p[i])
		} else {
			VSCALEFPS_Z(n[i], p[i], k, p[i])
		}
	}
}

func (e *exponential) emitWide(x []reg.VecVirtual) []reg.VecVirtual {
	n, f := e.vecs(len(x)), e.vecs(len(x))
	for i := range x {
		e.move(e.magic, n[i])
		e.fma231(x[i], e.high, n[i])
	}
	for i := range x {
		e.sub(e.magic, n[i], n[i])
		e.move(n[i], f[i])
	}
	for i := range x {
		e.fms231(x[i], e.high, f[i])
	}
	for i := range x {
		e.fma231(x[i], e.low, f[i])
	}
	if !e.bounded {
		e.limit(f)
	}
	last := len(e.poly) - 1
	p := x
	for i := range x {
		e.move(e.poly[last], p[i])
	}
	for d := last - 1; d >= 0; d-- {
		for i := range x {
			e.fma213(e.poly[d], f[i], p[i])
		}
	}
	for i := range x {
		e.fma213(e.one, f[i], p[i])
	}
	e.raise(p, n)
	return p
}

func (e *exponential) emitNarrow(x []reg.VecVirtual) []reg.VecVirtual {
	magic := e.constant("magic", e.magicNumber())
	s, f := e.vecs(len(x)), e.vecs(len(x))
	for i := range x {
		e.max(x[i], e.least, x[i])
		e.min(x[i], e.most, x[i])
	}
	for i := range x {
		e.load(magic, s[i])
		e.fma231(x[i], e.high, s[i])
	}
	for i := range x {
		e.sub(magic, s[i], f[i])
		e.fms231(x[i], e.high, f[i])
		e.fma231(x[i], e.low, f[i])
	}
	c := append([]float64{1}, e.coefficients()...)
	larger := func(d int) Mem { return e.constant(fmt.Sprintf("larger_exp2_%d_", d), c[d]*(1<<headroom)) }
	p := x
	for i := range x {
		e.load(larger(len(c)-1), p[i])
	}
	for d := len(c) - 2; d >= 0; d-- {
		for i := range x {
			e.fma213(larger(d), f[i], p[i])
		}
	}
	for i := range x {
		if e.double {
			VPSLLQ(Imm(52), s[i], s[i])
		} else {
			VPSLLD(Imm(23), s[i], s[i])
		}
		e.mul(s[i], p[i], p[i])
	}
	return p
}
