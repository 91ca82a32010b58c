package gradient

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/testlevel"
)

// transcript collects the bits of every answer of a fixed sequence of calls.
type transcript struct {
	bits []uint64
	mark []string // what the answers are, each with its length
	end  []int
}

func (r *transcript) add(what string, values []float64) {
	for _, v := range values {
		r.bits = append(r.bits, math.Float64bits(v))
	}
	r.mark, r.end = append(r.mark, what), append(r.end, len(r.bits))
}

// differs names the first answer that has other bits, "" if none has.
func (r *transcript) differs(other *transcript) string {
	if len(r.bits) != len(other.bits) {
		return "number of answers"
	}
	for i := range r.bits {
		if r.bits[i] != other.bits[i] {
			at, _ := slices.BinarySearch(r.end, i+1)
			return r.mark[at]
		}
	}
	return ""
}

// script runs iterations as in a training: half of each working set comes back, some changes are zero, precision
// changes on the way, and points sleep for a while if shrink.
func script(t *testing.T, b *bank, o Options, shrink bool) (*transcript, Stats) {
	t.Helper()
	ctx, n, kernels := t.Context(), len(b.points.x), b.Len()
	o.Scratch = t.TempDir()
	gr := newGradient(t, b, o)
	rng := rand.New(rand.NewPCG(7, 7))
	r := &transcript{}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	alpha, combined, v := make([]float64, n), make([]float64, n), make([]float64, kernels)
	awake := upTo(n)
	var set []int
	for it := range 9 {
		switch {
		case it == 5:
			awake = upTo(n)
			check(gr.Rebuild(ctx, alpha, true))
		case shrink && (it == 2 || it == 3 || it == 7):
			awake = slices.DeleteFunc(awake, func(int) bool { return rng.IntN(4) == 0 })
			check(gr.Shrink(ctx, awake, alpha))
			set = slices.DeleteFunc(set, func(i int) bool { _, ok := slices.BinarySearch(awake, i); return !ok })
		case shrink && it == 4:
			awake = upTo(n)
			check(gr.Wake(ctx, alpha))
		}
		set = set[:len(set)/2]
		for _, k := range rng.Perm(len(awake)) {
			if len(set) < min(90, len(awake)) && !slices.Contains(set, awake[k]) {
				set = append(set, awake[k])
			}
		}
		theta, rank := make([]float64, kernels), normals(rng, kernels)
		for m := range theta {
			theta[m] = float64(rng.IntN(4)) * rng.Float64()
		}
		d := normals(rng, len(set))
		for k := range d {
			if rng.IntN(6) == 0 {
				d[k] = 0
			}
		}
		h, slope, curve := make([]float64, len(set)*len(set)), make([]float64, kernels), make([]float64, kernels)
		check(gr.Hessian(ctx, set, theta, rank, h))
		check(gr.Directions(ctx, set, d, slope, curve))
		r.add("Hessian", h)
		r.add("b", slope)
		r.add("c", curve)
		for k, i := range set {
			alpha[i] += d[k]
		}
		check(gr.Pass(ctx, set, d, alpha, theta, combined, v))
		r.add("combined gradient", combined)
		r.add("V", v)
	}
	check(gr.Wake(ctx, alpha))
	check(gr.Pass(ctx, nil, nil, alpha, normals(rng, kernels), combined, v))
	r.add("last combined gradient", combined)
	r.add("last V", v)
	return r, gr.Stats()
}

func upTo(n int) []int {
	r := make([]int, n)
	for i := range r {
		r[i] = i
	}
	return r
}

// TestBits: the number of threads, the cache and where the gradients live change no bit of any answer.
func TestBits(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	small, large := uniform(rng, 333, 5), uniform(rng, 2101, 5)
	list := allKinds([]int32{1, 3, 4})
	scale := make([]float64, len(list.Kernels))
	for i := range scale {
		scale[i] = 0.1 + rng.Float64()
	}
	withFiles, a, b := withMatrices(rng, small)
	wide := uniform(rng, 150, 40)
	letters, words := sequences(rng, 120)
	const inMemory = 1 << 30
	keep := cache.Options{Memory: 1 << 28, Mode: cache.Always}
	variants := []struct {
		name string
		o    Options
		// What the cache must have been made to do.
		hits, disk bool
	}{
		{"2 threads", Options{Threads: 2, Memory: inMemory}, false, false},
		{"5 threads", Options{Threads: 5, Memory: inMemory}, false, false},
		{"no threads said", Options{Memory: inMemory}, false, false},
		{"cache never", Options{Threads: 2, Memory: inMemory, Cache: cache.Options{Memory: 1 << 28, Mode: cache.Never}}, false, false},
		{"cache always", Options{Threads: 1, Memory: inMemory, Cache: keep}, true, false},
		{"cache always, 5 threads", Options{Threads: 5, Memory: inMemory, Cache: keep}, true, false},
		{"small cache", Options{Threads: 2, Memory: inMemory, Cache: cache.Options{Memory: 1 << 19, Mode: cache.Always}}, false, false},
		{"disk", Options{Threads: 2, Memory: inMemory, Cache: cache.Options{Memory: 1 << 21, Mode: cache.Always, Disk: 1 << 30, Reserve: 1}}, false, true},
		{"least disk", Options{Threads: 2, Memory: inMemory, Cache: cache.Options{Memory: 1 << 17, Mode: cache.Always, Disk: 1 << 30, Reserve: 1}}, false, true},
		{"cache auto", Options{Threads: 2, Memory: inMemory, Cache: cache.Options{Memory: 1 << 22, Mode: cache.Auto, Disk: 1 << 30, Reserve: 1}}, false, false},
		{"mapped file", Options{Threads: 2, Memory: 0}, false, false},
		{"mapped file, cache always", Options{Threads: 1, Memory: 0, Cache: keep}, true, false},
	}
	row := 0 // of the table of cases
	for _, b := range []*bank{
		newBank(t, "mixed", small, list, false, scale),
		newBank(t, "spherical", small, list, true, nil),
		newBank(t, "many groups", wide, single(40), false, nil),
		newBank(t, "matrices", small, withFiles, false, nil, a, b),
		newBank(t, "many panels", large, gaussians(3), false, nil),
		newGatedBank(t, "gated, mixed", small, list, false, scale, newEtas(rng, len(list.Kernels), 333)),
		newGatedBank(t, "gated, spherical", small, list, true, nil, newEtas(rng, len(list.Kernels), 333)),
		newGatedBank(t, "gated, many groups", wide, single(40), false, nil, newEtas(rng, 80, 150)),
		newGatedBank(t, "gated, many panels", large, gaussians(3), false, nil, newEtas(rng, 3, 2101)),
		newGatedBank(t, "gated, strings", letters, words, false, nil, newEtas(rng, 4, 120)),
	} {
		for _, shrink := range []bool{false, true} {
			name := b.name
			if shrink {
				name += ", shrunk"
			}
			row++
			t.Run(name, func(t *testing.T) {
				want, _ := script(t, b, Options{Threads: 1, Memory: inMemory}, shrink)
				for column, c := range variants {
					if !(c.disk && b.name == "mixed") && !testlevel.Diagonal(t, row, column, 6, 2) {
						continue
					}
					got, s := script(t, b, c.o, shrink)
					if what := want.differs(got); what != "" {
						t.Errorf("%s: other bits in %s", c.name, what)
					}
					if c.hits && s.Cache.Hits == 0 {
						t.Errorf("%s: the cache was not used: %+v", c.name, s.Cache)
					}
					if c.disk && b.name == "mixed" && (s.Cache.DiskHits == 0 || s.Cache.DiskOff != "") {
						t.Errorf("%s: the disk was not used: %+v", c.name, s.Cache)
					}
				}
			})
		}
	}
}
