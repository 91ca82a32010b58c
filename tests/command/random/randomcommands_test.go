package random

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// census counts what random command lines did.
type census struct {
	regimes, stops, resumes, rejections atomic.Int64
	failures                            atomic.Int64

	mutex sync.Mutex
	ends  map[string]int // of the undisturbed runs, and of those that are rejected with their words
	sets  map[string]int // of data
	of    map[string]int // each family
}

func (c *census) count(q *posed, end string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.sets[q.set]++
	c.of[q.family]++
	c.ends[end]++
}

// commands is the number of regimes that are drawn, and the number of regimes of a problem: the regimes of one case where
// BIGMKL_SEED alone names it, and below level 1 one of a problem of each kind of labels.
func commands(t *testing.T) (total, each int64) {
	asked := os.Getenv("BIGMKL_COMMANDS") != ""
	switch {
	case os.Getenv("BIGMKL_SEED") != "" && !asked:
		return 1, regimesEach
	case !testlevel.Reached(testlevel.EveryKind) && !asked:
		return int64(len(madeUpSets)), 1
	}
	return int64(commandtest.Repeats(t, "BIGMKL_COMMANDS", 20, 100)), regimesEach
}

const (
	regimesEach  = 5  // of a problem, where there is time
	mostFailures = 40 // after which no more are looked for
	abreast      = 2  // problems at a time, one where one is asked for
)

// TestRandomCommands: for any command line, the model is a function of data and options. Rows come
// from real data sets, or are generated without these. Each problem is trained undisturbed,
// verified and predicted with, and trained again under other budgets, threads and caches, with
// checkpoints in empty folders, interrupted without them, and stopped several times and resumed.
// BIGMKL_SEED repeats a single case, or is where BIGMKL_COMMANDS regimes begin; -artifacts keeps its
// files.
func TestRandomCommands(t *testing.T) {
	seed := uint64(3) // of ordinary runs, which do not search for faults; seed 2 has a problem that takes a minute
	if os.Getenv("BIGMKL_COMMANDS") != "" {
		seed = rand.Uint64N(1 << 40)
	}
	if text := os.Getenv("BIGMKL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	total, each := commands(t)
	n := &census{ends: map[string]int{}, sets: map[string]int{}, of: map[string]int{}}
	var next atomic.Uint64
	var workers sync.WaitGroup
	for range min(abreast, total) {
		workers.Go(func() {
			for n.regimes.Load() < total && n.failures.Load() < mostFailures {
				at := seed + next.Add(1) - 1
				if !t.Run(fmt.Sprint(at), func(t *testing.T) { tryProblem(t, at, each, n) }) {
					n.failures.Add(1)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("seeds %d to %d: %d regimes of %d data sets, %d stops, %d runs ended after a resume, "+
		"%d rejected budgets", seed, seed+next.Load()-1, n.regimes.Load(), len(n.sets), n.stops.Load(),
		n.resumes.Load(), n.rejections.Load())
	for _, family := range slices.Sorted(maps.Keys(n.of)) {
		t.Logf("%5d  problems of the family %s", n.of[family], family)
	}
	for _, end := range slices.Sorted(maps.Keys(n.ends)) {
		t.Logf("%5d  %s", n.ends[end], end)
	}
}

// rightful are the rejections of data and kernels that make no problem. For example, the drawn rows have
// one class.
var rightful = []string{
	"only one class",
	"not finite on these data",      // values, and sums of values
	"gives no usable width",         // the distance
	"no kernel a weight above 0",    // by a rule that looks at rows held out
	"distinct values",               // of gating features, fewer than regions
	"class weight for",              // of a class that --limit leaves out
	"are not within",                // of features that no row before --limit has
	"no row has the positive label", // the same
	"no posterior is",               // on one side of 1/2, if a class has few rows
	"nearest of",                    // fewer rows than neighbours
	"gates on kernel values with",   // more rows than there are
	"singular matrix",               // of kernels that are indefinite, by a program
	"none can be held out",          // of one or two rows
	"as those of the training were", // scaled features of held-out rows, for which a kernel has no value
}

// tryProblem tries one case, a problem in so many regimes.
func tryProblem(t *testing.T, seed uint64, regimes int64, n *census) {
	rng := rand.New(rand.NewPCG(seed, 0))
	c := &trials{t: t, posed: pose(t, rng, seed, t.ArtifactDir()), seed: seed, census: n}
	folder := filepath.Join(c.folder, "whole")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	c.whole = launch(c.folder, small, nil, c.command(folder)...)
	c.sound(c.whole)
	switch {
	case c.whole.long && !c.whole.finished():
		n.count(c.posed, "too long")
		c.interrupted(c.whole, folder)
		n.regimes.Add(1)
		return
	case c.whole.Code == contract.ExitUsage || c.whole.Code == contract.ExitInput:
		n.count(c.posed, words(c.whole.Stderr))
		if !slices.ContainsFunc(rightful, c.whole.mentions) {
			c.fault(c.whole, "rejected")
		}
		return
	case !c.whole.finished():
		c.fault(c.whole, "no end of an undisturbed run")
		return
	}
	n.count(c.posed, fmt.Sprintf("exit code %d", c.whole.Code))
	c.want = written(t, folder)
	c.reported(c.whole)
	c.checked(rng, folder)
	c.onRanks(2 + int(seed%3))
	for k := range regimes {
		c.regime(int(k))
		n.regimes.Add(1)
	}
}

// particular is what differs from one rejection to another of its kind.
var particular = regexp.MustCompile(`"[^"]*"|/\S*|[-+]?[0-9][-+0-9.e]*|(kernel|bigmkl:) \S+`)

// words returns the words of a rejection without names and numbers.
func words(text string) string {
	return strings.ReplaceAll(particular.ReplaceAllString(strings.TrimSpace(text), "_"), "\n", " | ")
}

// checked verifies the models of the undisturbed run, predicts with one of them twice and inspects
// it, and plans the run.
func (c *trials) checked(rng *rand.Rand, folder string) {
	c.t.Helper()
	for name := range c.want {
		c.holds(filepath.Join(folder, name))
	}
	names := slices.Sorted(maps.Keys(c.want))
	model := filepath.Join(folder, names[rng.IntN(len(names))])
	var said []string
	args := append([]string{"predict", "--quiet"}, c.predict...)
	if c.several != "" || c.columns {
		args = append(args, "--decisions")
	}
	for _, how := range [][]string{{"--threads", "1"}, {"--threads", "3"}, {"--threads", "2", "--csv"}} {
		line := slices.Concat(args, how, []string{model, c.known})
		e := launch(c.folder, longest, nil, line...)
		c.sound(e)
		if e.killed != 0 || e.Code != contract.ExitFine {
			c.fault(e, "no predictions")
			return
		}
		said = append(said, e.Stdout)
	}
	if said[0] != said[1] || said[0] == "" {
		c.t.Errorf("FAULT seed %d: other predictions with other threads", c.seed)
	}
	if err := commandtest.SameCells(said[0], said[2]); err != nil {
		c.t.Errorf("FAULT seed %d: a table of predictions that is not their lines: %v\n  %s", c.seed, err,
			shell(append(slices.Clone(args), "--csv", model, c.known)))
	}
	c.ends("inspect", "--json", model)
	if c.out == "m" && c.solver == "" {
		c.ends(slices.Concat([]string{"plan", "--quiet", "--json"}, c.train, []string{c.data})...)
		if rng.IntN(4) == 0 {
			c.tries()
		}
	}
}

// tries plans with trainings on samples of the rows, which files of all rows do not allow.
func (c *trials) tries() {
	c.t.Helper()
	e := launch(c.folder, longest, nil, slices.Concat([]string{"plan", "--trial", "--quiet", "--json"}, c.train, []string{c.data})...)
	c.sound(e)
	if e.killed != 0 || e.Code != contract.ExitFine && !(e.Code == contract.ExitUsage && strings.Contains(e.Stderr, "no trial on some of the rows")) {
		c.fault(e, "a plan with a trial has another end than success")
	}
}

// onRanks trains with several ranks of this process, which write the models of one. Rows that keep
// coming are rejected.
func (c *trials) onRanks(size int) {
	c.t.Helper()
	folder := filepath.Join(c.folder, "ranks")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.t.Fatal(err)
	}
	for rank, o := range commandtest.TryRanks(size, func(int) []string { return c.command(folder) }) {
		switch {
		case rank > 0 && o.Code == contract.ExitFine && o.Stdout+o.Stderr == "":
		case rank == 0 && o.Code == contract.ExitUsage && strings.Contains(o.Stderr, "ranks train no"):
			return
		case rank > 0 || o.Code != c.whole.Code:
			c.t.Errorf("FAULT seed %d: %d ranks, rank %d: code %d and not %d\n%s  %s", c.seed, size, rank,
				o.Code, c.whole.Code, o.Stderr, shell(c.whole.args))
			return
		}
	}
	if !maps.Equal(written(c.t, folder), c.want) {
		c.t.Errorf("FAULT seed %d: %d ranks write other models than one process: %s", c.seed, size,
			shell(c.whole.args))
	}
}

// ends runs a command that is to end well.
func (c *trials) ends(args ...string) {
	c.t.Helper()
	e := launch(c.folder, longest, nil, args...)
	c.sound(e)
	if e.killed != 0 || e.Code != contract.ExitFine {
		c.fault(e, "%s has another end than success", args[0])
	}
}

// holds verifies a model.
func (c *trials) holds(model string) {
	c.t.Helper()
	args := slices.Concat([]string{"verify", "--quiet"}, c.verify, []string{model, c.data})
	e := launch(c.folder, longest, nil, args...)
	c.sound(e)
	if e.killed != 0 || e.Code != contract.ExitFine {
		c.fault(e, "verify: %s\n  of %s", strings.TrimSpace(e.Stdout), shell(c.whole.args))
	}
}
