package simd

import "os"

var levelNames = [...]string{levelGo: "go", levelAVX2: "avx2", levelAVX512: "avx512"}

// active is set before main starts and never again, except by tests.
var active = choose(os.Getenv("BIGMKL_SIMD"), best())

// Level names the instruction set in use: "avx512", "avx2" or "go".
//
// It is the best one supported, or the one that the environment variable BIGMKL_SIMD names if that is lower. A name
// above what the processor has, or an unknown one, gives the best supported.
func Level() string { return levelNames[active] }

// choose returns the level of that name, or the best supported one if there is no such level or it is above that.
func choose(name string, best level) level {
	for l := levelGo; l <= best; l++ {
		if levelNames[l] == name {
			return l
		}
	}
	return best
}
