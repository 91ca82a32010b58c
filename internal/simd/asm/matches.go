package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// matches emits the comparison of one row of letters with a panel, 8 lanes of 64 positions at a
// time: which positions agree, and how many common words of each length there are. It takes AVX-512
// with VPOPCNTDQ and VBMI2.
func matches() {
	TEXT("matchesAVX512", attr.NOSPLIT, "func(counts *int64, x, z, m *uint64, words, planes, most int)")
	Pragma("noescape")
	Doc("matchesAVX512 writes counts[k][32] for k = 1, 2, .. until they are zero or most. m is 64 bytes for each word, and 64.")
	counts, z, groups := pointer("counts"), pointer("z"), GP64()
	MOVQ(imm(tileWidth/8), groups)
	Label("group")
	{
		x, m, words, at0 := pointer("x"), pointer("m"), pointer("words"), GP64()
		MOVQ(z, at0)
		count, zero := ZMM(), ZMM()
		VPXORQ(zero, zero, zero)
		VMOVDQA64(zero, count)
		loop("word", words, 1, func() {
			differ, a, b := ZMM(), ZMM(), ZMM()
			VMOVDQA64(zero, differ)
			planes := pointer("planes")
			loop("plane", planes, 1, func() {
				VPBROADCASTQ(at(x, 0), a)
				VPTERNLOGQ(Imm(0xf6), at(at0, 0), a, differ) // differ | (x ^ z)
				ADDQ(imm(8), x)
				ADDQ(imm(8*tileWidth), at0)
			})
			VPBROADCASTQ(at(x, 0), a) // places with a letter
			VMOVDQU64(at(at0, 0), b)
			VPTERNLOGQ(Imm(0x08), b, a, differ) // x & z & ^differ
			ADDQ(imm(8), x)
			ADDQ(imm(8*tileWidth), at0)
			VMOVDQU64(differ, at(m, 0))
			VPOPCNTQ(differ, a)
			VPADDQ(a, count, count)
			ADDQ(imm(64), m)
		})
		VMOVDQU64(zero, at(m, 0))
		out, most := GP64(), pointer("most")
		MOVQ(counts, out)
		Label("level")
		VMOVDQU64(count, at(out, 0))
		ADDQ(imm(8*tileWidth), out)
		SUBQ(imm(1), most)
		JZ(LabelRef("done"))
		some, none := K(), GP32()
		VPTESTMQ(count, count, some)
		KMOVW(some, none)
		TESTL(none, none)
		JZ(LabelRef("done"))
		VMOVDQA64(zero, count)
		Load(Param("m"), m)
		Load(Param("words"), words)
		now, next := ZMM(), ZMM()
		VMOVDQU64(at(m, 0), now)
		loop("longer", words, 1, func() {
			t := ZMM()
			VMOVDQU64(at(m, 64), next)
			VPSHRDQ(Imm(1), next, now, t)
			VPANDQ(now, t, t)
			VMOVDQU64(t, at(m, 0))
			VPOPCNTQ(t, t)
			VPADDQ(t, count, count)
			VMOVDQA64(next, now)
			ADDQ(imm(64), m)
		})
		JMP(LabelRef("level"))
		Label("done")
	}
	ADDQ(imm(64), counts)
	ADDQ(imm(64), z)
	SUBQ(imm(1), groups)
	JNZ(LabelRef("group"))
	end()
}
