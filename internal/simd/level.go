package simd

import "os"

var levelNames = [...]string{levelGo: "go", levelAVX2: "avx2", levelAVX512: "avx512"}

// active is the level in use. It is set before main starts, and afterwards only by tests.
var active = choose(os.Getenv("BIGMKL_SIMD"), best())

// Level returns the name of the instruction set in use: "avx512", "avx2" or "go".
//
// It is the best one supported, or the one that the environment variable BIGMKL_SIMD names if that
// is lower. If the variable names one above what the processor has, or an unknown one, the best
// supported is used.
func Level() string { return levelNames[active] }

// choose returns the level of the given name, or the best one if there is no such level or it is
// above the best.
func choose(name string, best level) level {
	for l := levelGo; l <= best; l++ {
		if levelNames[l] == name {
			return l
		}
	}
	return best
}
