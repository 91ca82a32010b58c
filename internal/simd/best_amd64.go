package simd

import "golang.org/x/sys/cpu"

// best returns the highest level that this processor and the operating system support.
func best() level {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		return levelAVX512
	case x.HasAVX2 && x.HasFMA:
		return levelAVX2
	}
	return levelGo
}
