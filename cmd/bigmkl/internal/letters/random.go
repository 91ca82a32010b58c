package letters

// random is the generator behind rand of the GNU C library, as it is without a seed. LIBSVM draws its folds
// from it, so the same generator gives the same folds as svm-train on Linux.
type random struct {
	// state is a ring of the last 31 numbers, and at the place of the next one.
	state [lag]int32
	at    int
}

// These are the lags and the start of the generator. It is the additive feedback generator TYPE_3 of
// glibc: x_k = x_(k-3) + x_(k-31) modulo 2^32, whose lowest bit is dropped. The first 31 numbers are
// powers of 16807 modulo 2^31 - 1, and 310 results are discarded.
const (
	lag       = 31
	shortLag  = 3
	discarded = 10 * lag
	factor    = 16807
	modulus   = 1<<31 - 1
)

// newRandom returns the generator with the seed 1, which is that without a seed.
func newRandom() *random {
	r := &random{at: shortLag}
	r.state[0] = 1
	for i := 1; i < lag; i++ {
		r.state[i] = int32(int64(r.state[i-1]) * factor % modulus)
	}
	// glibc discards as many, so the first numbers agree.
	for range discarded {
		r.next()
	}
	return r
}

// next returns the next number, between 0 and 2^31-1.
func (r *random) next() int {
	back := (r.at + lag - shortLag) % lag
	// The sum wraps around at 32 bits, as in C.
	r.state[r.at] += r.state[back]
	x := uint32(r.state[r.at]) >> 1
	r.at = (r.at + 1) % lag
	return int(x)
}
