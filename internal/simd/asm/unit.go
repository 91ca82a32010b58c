package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Shape of a tile, as in package simd.
const (
	tileRows  = 8
	tileWidth = 32
)

// unit is a vector unit: an instruction set and an element type.
type unit struct {
	wide   bool // AVX-512, else AVX2
	double bool // float64, else float32
}

// instruction is what avo offers for one that has masked forms.
type instruction = func(...Op)

func (u unit) size() int {
	if u.double {
		return 8
	}
	return 4
}

// bytes is the length of a vector.
func (u unit) bytes() int {
	if u.wide {
		return 64
	}
	return 32
}

func (u unit) lanes() int { return u.bytes() / u.size() }

// perRow is the number of vectors in a row of a tile.
func (u unit) perRow() int { return tileWidth / u.lanes() }

func (u unit) goType() string {
	if u.double {
		return "float64"
	}
	return "float32"
}

func (u unit) vec() reg.VecVirtual {
	if u.wide {
		return ZMM()
	}
	return YMM()
}

func (u unit) vecs(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = u.vec()
	}
	return v
}

// pick chooses the instruction for the element type.
func (u unit) pick(single, double instruction) instruction {
	if u.double {
		return double
	}
	return single
}

func (u unit) load(m Mem, v Op)   { u.pick(VMOVUPS, VMOVUPD)(m, v) }
func (u unit) store(v Op, m Mem)  { u.pick(VMOVUPS, VMOVUPD)(v, m) }
func (u unit) move(from, to Op)   { u.pick(VMOVAPS, VMOVAPD)(from, to) }
func (u unit) broadcast(m, v Op)  { u.pick(VBROADCASTSS, VBROADCASTSD)(m, v) }
func (u unit) add(b, a, d Op)     { u.pick(VADDPS, VADDPD)(b, a, d) }
func (u unit) sub(b, a, d Op)     { u.pick(VSUBPS, VSUBPD)(b, a, d) } // d = a - b
func (u unit) mul(b, a, d Op)     { u.pick(VMULPS, VMULPD)(b, a, d) }
func (u unit) div(b, a, d Op)     { u.pick(VDIVPS, VDIVPD)(b, a, d) } // d = a / b
func (u unit) min(b, a, d Op)     { u.pick(VMINPS, VMINPD)(b, a, d) } // b if one is not a number
func (u unit) max(b, a, d Op)     { u.pick(VMAXPS, VMAXPD)(b, a, d) } // b if one is not a number
func (u unit) and(b, a, d Op)     { u.pick(VANDPS, VANDPD)(b, a, d) }
func (u unit) fma231(b, a, d Op)  { u.pick(VFMADD231PS, VFMADD231PD)(b, a, d) }   // d = a*b + d
func (u unit) fma213(b, a, d Op)  { u.pick(VFMADD213PS, VFMADD213PD)(b, a, d) }   // d = a*d + b
func (u unit) fms231(b, a, d Op)  { u.pick(VFMSUB231PS, VFMSUB231PD)(b, a, d) }   // d = a*b - d
func (u unit) fnma231(b, a, d Op) { u.pick(VFNMADD231PS, VFNMADD231PD)(b, a, d) } // d = d - a*b

func (u unit) zero(v reg.VecVirtual) {
	VXORPS(v, v, v)
}

// text starts a function named for the unit; args has %s for the element type.
func (u unit) text(name, args, doc string) {
	level := "AVX2"
	if u.wide {
		level = "AVX512"
	}
	kind := "F32"
	if u.double {
		kind = "F64"
	}
	full := name + kind + level
	TEXT(full, attr.NOSPLIT, fmt.Sprintf("func(%s)", fmt.Sprintf(args, u.goType())))
	Pragma("noescape")
	Doc(full + " " + doc)
}

// end finishes a function.
func end() {
	VZEROUPPER()
	RET()
}

// pointer loads a parameter into a fresh register.
func pointer(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// at addresses a displacement from a pointer, in bytes.
func at(p reg.Register, bytes int) Mem { return Mem{Base: p, Disp: bytes} }

// vector addresses vector i from a pointer.
func (u unit) vector(p reg.Register, i int) Mem { return at(p, i*u.bytes()) }

// loop emits body while the count in n, a register, lasts; step is subtracted each time.
func loop(label string, n reg.GPVirtual, step int, body func()) {
	JMP(LabelRef(label + "_test"))
	Label(label)
	body()
	SUBQ(imm(step), n)
	Label(label + "_test")
	CMPQ(n, imm(step))
	JGE(LabelRef(label))
}

// imm is an operand for arithmetic on pointers and counts, which takes 8 or 32 bits but not 16.
func imm(n int) Op { return U32(uint32(n)) }
