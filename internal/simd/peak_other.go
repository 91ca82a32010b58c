//go:build !amd64

package simd

func multiplyAdds[T Real](dst []T, rounds int) { multiplyAddsGo(dst, rounds) }

func lanes[T Real]() int { return 1 }
