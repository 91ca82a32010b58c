package simd

//go:generate go -C asm run . -wide -pkg simd -out ../avx512_amd64.s -stubs ../avx512_amd64.go
//go:generate go -C asm run . -pkg simd -out ../avx2_amd64.s -stubs ../avx2_amd64.go
