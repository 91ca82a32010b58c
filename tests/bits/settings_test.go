package bits

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// A setting is all in which two trainings of a problem may differ without a bit of their models: what
// computes them, with which memory, and where they are interrupted. The settings are of five kinds.
// TestBytes gives each problem one of them in turn, and all from ManyTimes on.
type kind int

const (
	onThreads  kind = iota // other threads, shards of points and cache
	withLittle             // the least memory: gradients and cached rows are on disk
	onRanks                // several ranks
	resumed                // interrupted, and ended with other threads, memory and cache
	moved                  // interrupted, and ended by another number of ranks
	plain                  // one thread, with the memory and the cache that the problem names
)

func (k kind) String() string {
	return [...]string{"on threads", "with little memory", "on ranks", "resumed", "moved", "plainly"}[k]
}

// place is where a training is computed, or a part of one between two interruptions.
type place struct {
	threads, shards int
	cache           cache.Mode
	little          bool // the memory is the least
	ranks           int
}

type setting struct {
	kind        kind
	places      []place // one more than there are stops
	stops       []int   // iterations in a place after which the training is interrupted
	iterations  int     // iterations of the training, if it is interrupted
	every       time.Duration
	fromNothing bool // the first place resumes as well, from a folder without a checkpoint
	prepared    bool // rows are predicted by calls of a model that was prepared
}

func (s setting) String() string {
	var b strings.Builder
	fmt.Fprint(&b, s.kind)
	for i, at := range s.places {
		if at.ranks > 1 {
			fmt.Fprintf(&b, ", %d ranks", at.ranks)
		} else {
			fmt.Fprintf(&b, ", threads %d", at.threads)
		}
		fmt.Fprintf(&b, ", shards %d, cache %s", at.shards, at.cache)
		if at.little {
			b.WriteString(", least memory")
		}
		if i < len(s.stops) {
			fmt.Fprintf(&b, "; interrupted after %d iterations", s.stops[i])
		}
	}
	return b.String()
}

// plainly is the setting with whose model the others are compared.
func (p *problem) plainly() setting {
	return setting{kind: plain, places: []place{{threads: 1, cache: p.o.Cache, ranks: 1}}}
}

// interrupts reports whether trainings in settings of the kind are interrupted.
func (k kind) interrupts() bool { return k == resumed || k == moved }

// draw draws a setting of a kind for a training of so many iterations. It interrupts at the given
// one, and again soon after by chance.
func (p *problem) draw(k kind, rng *rand.Rand, at, iterations int) setting {
	s := setting{
		kind: k, iterations: iterations, every: time.Hour,
		fromNothing: rng.IntN(2) == 0, prepared: rng.IntN(2) == 0,
	}
	if rng.IntN(6) == 0 {
		s.every = bigmkl.Zero
	}
	if k.interrupts() {
		s.stops = []int{at}
		if more := 1 + rng.IntN(5); rng.IntN(2) == 0 && at+more < iterations {
			s.stops = append(s.stops, more)
		}
	}
	for i := range 1 + len(s.stops) {
		next := place{
			threads: 1 + rng.IntN(3), shards: bigmkltest.Pick(rng, 0, 1, 2, 3, 7, 1000),
			cache: bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never), ranks: 1,
		}
		switch k {
		case onThreads:
			next.threads = 2 + rng.IntN(2)
		case withLittle:
			next.cache, next.little = bigmkltest.Pick(rng, cache.Always, cache.Always, cache.Auto), true
		case onRanks:
			next.ranks = bigmkltest.Pick(rng, 2, 2, 3, 4)
		case resumed:
			next.little = i > 0 && rng.IntN(2) == 0 && p.takes(withLittle)
		case moved:
			next.ranks = 1 + rng.IntN(4)
			if i > 0 && next.ranks == s.places[i-1].ranks {
				next.ranks = 1 + next.ranks%4
			}
		}
		s.places = append(s.places, next)
	}
	return s
}

// impossible lists what no setting of some kinds is possible for.
var impossible = []struct {
	why   string
	kinds []kind
	of    func(p *problem) bool
}{
	{"a path has no checkpoints", []kind{resumed, moved}, func(p *problem) bool { return p.path != nil }},
	{"checkpoints do not hold the trainings without the folds", []kind{resumed, moved}, func(p *problem) bool { return p.o.Folds > 0 }},
	{"checkpoints hold no state of the wrappers", []kind{resumed, moved}, func(p *problem) bool {
		return p.o.Solver == bigmkl.SolverWrapper || p.o.Solver == bigmkl.SolverCPM || p.o.Solver == bigmkl.SolverCPMWrapper
	}},
	{"checkpoints hold no state of classifiers with one set of weights", []kind{resumed, moved}, func(p *problem) bool { return p.o.OneTheta }},
	{"ranks train no model with calibration scores", []kind{onRanks, moved}, func(p *problem) bool { return p.scores != nil }},
}

// takes reports whether the problem can be trained in settings of a kind.
func (p *problem) takes(k kind) bool {
	for _, c := range impossible {
		if slices.Contains(c.kinds, k) && c.of(p) {
			return false
		}
	}
	return true
}

// TestImpossibleSettings: a training is rejected checkpoints exactly in the cases of the list.
func TestImpossibleSettings(t *testing.T) {
	t.Parallel()
	list := bytesProblems(t)
	for i := range list {
		p := &list[i]
		o := p.o
		o.Checkpoint = "checkpoints"
		rejected := p.path != nil || o.Validate() != nil
		if rejected == p.takes(resumed) || p.scores == nil && rejected == p.takes(moved) {
			t.Errorf("%s: checkpoints are rejected: %t", p.name, rejected)
		}
	}
}

// kindsOf are the kinds of settings that the problem of a number is trained in: its own settings,
// and one of the others in turn, all from ManyTimes on. Interruptions have one turn in four, as
// they take several trainings: every second one is on ranks.
func (p *problem) kindsOf(number int) (list []kind) {
	count := 1
	if testlevel.Reached(testlevel.ManyTimes) {
		count = int(plain)
	}
	turn := (testlevel.Seed + uint64(number)) % 8
	turns := []kind{onThreads, withLittle, onRanks, resumed, onThreads, withLittle, onRanks, moved}
	for _, k := range slices.Concat(turns[turn:], turns) {
		if p.takes(k) && !slices.Contains(list, k) && len(list) < count {
			list = append(list, k)
		}
	}
	for _, k := range p.always {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// random draws for a problem by the seed and the problem's name.
func (p *problem) random() *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(p.name))
	return rand.New(rand.NewPCG(testlevel.Seed, h.Sum64()))
}
