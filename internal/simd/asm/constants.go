package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// defined holds the constants of this file by name, each a whole vector of one value.
var defined = map[string]Mem{}

// constant returns the address of a 32-byte vector that repeats the value with these bits.
func (u unit) constant(name string, value float64) Mem {
	if u.double {
		return u.repeated(name, math.Float64bits(value))
	}
	return u.repeated(name, uint64(math.Float32bits(float32(value))))
}

// repeated returns the address of a 32-byte vector that repeats these bits.
func (u unit) repeated(name string, bits uint64) Mem {
	full := fmt.Sprintf("%s%d", name, 8*u.size())
	if m, ok := defined[full]; ok {
		return m
	}
	m := GLOBL(full, attr.RODATA|attr.NOPTR)
	for i := 0; i < 32; i += u.size() {
		if u.double {
			DATA(i, U64(bits))
		} else {
			DATA(i, U32(uint32(bits)))
		}
	}
	defined[full] = m
	return m
}

// numbers returns the address of n numbers.
func (u unit) numbers(name string, n int, value func(i int) float64) Mem {
	full := fmt.Sprintf("%s%d", name, 8*u.size())
	if m, ok := defined[full]; ok {
		return m
	}
	m := GLOBL(full, attr.RODATA|attr.NOPTR)
	for i := range n {
		if u.double {
			DATA(i*8, U64(math.Float64bits(value(i))))
		} else {
			DATA(i*4, U32(math.Float32bits(float32(value(i)))))
		}
	}
	defined[full] = m
	return m
}

// spread broadcasts a constant to a fresh register.
func (u unit) spread(name string, value float64) reg.VecVirtual {
	v := u.vec()
	u.broadcast(u.constant(name, value), v)
	return v
}

// clearSign broadcasts the mask of all bits but the sign.
func (u unit) clearSign() reg.VecVirtual {
	v := u.vec()
	u.broadcast(u.repeated("clearSign", 1<<(8*u.size()-1)-1), v)
	return v
}
