package bits

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/simd"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// A model is a function of the data and the options. This file compares a build with the builds before
// it, and trainings in other settings with each other (settings_test.go). The table
// testdata/bytes.txt holds SHA-256 digests of models, of their predictions and of the figures of
// their plans, for the problems of the files problems*_test.go and for each level of internal/simd. A change
// that only moves or renames code has to leave the table as it is. A change that is meant to change
// results writes the table again, level by level:
//
//	BIGMKL_SIMD=avx512 go test ./tests/bits -run TestBytes -update
//	BIGMKL_SIMD=avx2 go test ./tests/bits -run TestBytes -update
//	BIGMKL_SIMD=go go test ./tests/bits -run TestBytes -update
//
// The whole model file is hashed: it holds no time, no version of the program and no path but those
// that the options name. One kernel makes the bits depend on the make of the processor too: at
// level avx512, chi2 starts from VRCP14PS or VRCP14PD, whose results are specified up to a relative
// error only.

// problem is one training, or one path of trainings, whose bytes are in the table.
type problem struct {
	name   string
	rows   []dataset.Row
	unseen []dataset.Row // the rows that are predicted
	o      bigmkl.Options
	path   []bigmkl.PathPoint   // if not nil, Path trains one model for each point; each has its line
	scores *calibration.Options // if not nil, the model has calibration scores
	from   *bigmkl.Options      // if not nil, the training starts from the model that these options give
	files  func(t *testing.T)   // writes the files that the options name, into the working folder
	named  []string             // files of the objects that the rows name
	gram   []string             // files with the kernel values of the unseen rows, for precomputed kernels
	short  bool                 // the training ends above its gap
	spills bool                 // cached rows go to disk, in the memory of the options or in the least
	sleeps bool                 // points have to be left out of passes
	open   bool                 // scaling, and C and the tube of svr, are left to the data
	always []kind               // settings that the problem is for, beside that of its turn
	stop   int                  // if not 0, an iteration after which the settings that it is for interrupt it as well
	level  int                  // the level of the tests from which on it is trained
	oneIn  uint64               // below EveryKind one in so many is drawn, and those that are for some settings

	start    *bigmkl.Model // the model of from
	smallest int64         // see least
	verified int
	counts   *counts
}

// TestBytes trains every problem in settings that it draws, and compares the models with the table. Where
// the table does not hold, it compares them with that of one thread.
func TestBytes(t *testing.T) {
	level := simd.Level()
	why := strange()
	t.Logf("level %s; BIGMKL_SEED=%d draws the settings. %s", level, testlevel.Seed, why)
	if *update && why != "" {
		t.Fatal(why)
	}
	table := readBytes(t)
	list := bytesProblems(t)
	checkNames(t, list, table)
	var all counts
	got := map[cell]digests{}
	t.Cleanup(func() {
		all.check(t, list)
		if *update && !t.Failed() {
			for at, d := range got {
				table[at] = d
			}
			writeBytes(t, list, table)
		}
	})
	for i := range list {
		p := &list[i]
		p.counts = &all
		t.Run(p.name, func(t *testing.T) {
			p.count(func(c *counts) { c.started++ })
			if !*update {
				testlevel.SkipBelow(t, p.level)
				oneIn := max(p.oneIn, 2)
				if p.always != nil {
					oneIn = 1
				}
				some := uint64(1)
				if p.level == testlevel.EveryKind { // It takes many seconds, and others have its kind.
					some = 4
				}
				testlevel.Sample(t, oneIn, some)
			}
			p.prepare(t)
			c := &comparison{problem: p, level: level}
			if why == "" && !*update {
				c.table = table
			}
			for k, d := range c.settings(t, i) {
				p.count(func(*counts) { got[cell{p.names()[k], level}] = d })
			}
		})
	}
}

// strange returns the reason why this build or this processor cannot be compared with the table. It is "" if it can.
func strange() string {
	switch {
	case runtime.GOARCH != "amd64":
		return "the table of bytes was recorded on amd64, and other architectures round otherwise"
	case !cpu.X86.HasAVX || !cpu.X86.HasFMA:
		return "this processor has no FMA, with which math.Exp rounds as in the table of bytes"
	case fuses(1+0x1p-30, 1-0x1p-30, -1):
		return "this build fuses products and sums, and the table was recorded with GOAMD64=v1"
	}
	return ""
}

// fuses reports whether the compiler rounds x*y+z once, as it may with GOAMD64=v3. The conversion on
// the other side of the comparison forbids that.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != float64(x*y)+z }

// names has the names of the lines of a problem: one, or one for each point of its path.
func (p *problem) names() []string {
	if p.path == nil {
		return []string{p.name}
	}
	var list []string
	for _, point := range p.path {
		list = append(list, fmt.Sprintf("%s at p=%.4g, C=%g", p.name, point.Norm, point.C))
	}
	return list
}

// prepare makes what the trainings of a problem share. Problems that write files do so in a folder of
// their own, which the process makes its own, so models name the files without the folder. The others are
// trained side by side.
func (p *problem) prepare(t *testing.T) {
	t.Helper()
	if p.files != nil {
		t.Chdir(t.TempDir())
		p.files(t)
	} else {
		t.Parallel()
	}
	if p.from != nil {
		start := *p.from
		start.Memory, start.Disk = p.o.Memory, p.o.Disk
		p.start, _ = bigmkltest.Converge(t, datasettest.Stream(p.rows), start)
	}
}

// comparison trains one problem in several settings.
type comparison struct {
	*problem
	level string
	table map[cell]digests // nil where it does not hold
	plain *outcome         // of one thread, once it was needed
}

// settings trains the problem in the settings of its turn, compares them, and returns the digests.
func (c *comparison) settings(t *testing.T, number int) []digests {
	t.Helper()
	if c.table == nil || testlevel.Reached(testlevel.ManyTimes) || testlevel.Reached(testlevel.EveryKind) && testlevel.Drawn("plainly "+c.name, 4) {
		c.plainly(t)
	}
	rng := c.random()
	var last []digests
	for _, k := range c.kindsOf(number) {
		stops, iterations := []int{0}, 0
		if k.interrupts() {
			iterations = c.plainly(t).seen
			stops = c.stops(rng, iterations, slices.Contains(c.always, k))
		}
		for _, at := range stops {
			s := c.draw(k, rng, at, iterations)
			t.Log(s)
			got := c.train(t, s)
			c.look(t, s, got)
			c.compare(t, s, got)
			last = got.digests
		}
	}
	if c.plain != nil {
		last = c.plain.digests
	}
	if *update || testlevel.Reached(testlevel.ManyTimes) || testlevel.Drawn("plan of "+c.name, 4) {
		for k, digest := range c.plans(t) {
			last[k].plan = digest
		}
	}
	if c.table != nil {
		for k, name := range c.names() {
			compareBytes(t, cell{name, c.level}, last[k], c.table)
		}
	}
	return last
}

// plainly trains with one thread, once.
func (c *comparison) plainly(t *testing.T) outcome {
	t.Helper()
	if c.plain == nil {
		s := c.problem.plainly()
		got := c.train(t, s)
		c.look(t, s, got)
		c.plain = &got
	}
	return *c.plain
}

// compare compares what a training gives with the plain one, or with the table if there was none.
func (c *comparison) compare(t *testing.T, s setting, got outcome) {
	t.Helper()
	if c.plain == nil {
		same := true
		for k, name := range c.names() {
			want := c.table[cell{name, c.level}]
			same = same && got.digests[k].model == want.model && got.digests[k].predictions == want.predictions
		}
		if same {
			return
		}
		c.plainly(t) // It shows whether the setting or something else changes bytes.
	}
	for k, name := range c.names() {
		if want := c.plain.digests[k]; got.digests[k] != want {
			t.Errorf("%s, %s: %v, plainly %v", name, s, got.digests[k], want)
		}
		a, b := got.results[k], c.plain.results[k]
		if a.Iterations != b.Iterations || a.Status != b.Status {
			t.Errorf("%s, %s: %s after %d iterations, plainly %s after %d", name, s, a.Status, a.Iterations, b.Status, b.Iterations)
		}
	}
}

// stops are the iterations at which a training of so many is interrupted in one kind of settings, each by
// itself: one that is drawn, or for a problem of that kind some all over the training; more at the levels
// above.
func (c *comparison) stops(rng *rand.Rand, iterations int, always bool) (list []int) {
	pieces := testlevel.Repeats(2, 20)
	if always {
		pieces = max(3, pieces)
	}
	for k := range min(pieces, iterations-1) {
		from, to := 1+k*(iterations-1)/pieces, 1+(k+1)*(iterations-1)/pieces
		if from < to {
			list = append(list, from+rng.IntN(to-from))
		}
	}
	if always && c.stop > 0 {
		list = append(list, min(c.stop, iterations-1))
	}
	return list
}
