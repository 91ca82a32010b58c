package bits

import (
	"sync"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// counts counts the events in the settings of all problems. A setting without its event would test nothing.
type counts struct {
	mutex    sync.Mutex
	started  int // problems, those among them that are not drawn
	settings [plain + 1]int
	slept    int // trainings in which points fell asleep
	asleep   int // interruptions while points were asleep
	hits     int // trainings in which rows came from the cache
	spills   int // trainings in which rows went to disk and came back
}

// count changes the counts of all problems.
func (p *problem) count(change func(c *counts)) {
	p.counts.mutex.Lock()
	defer p.counts.mutex.Unlock()
	change(p.counts)
}

// look counts what a training met, and checks that a problem keeps its point.
func (p *problem) look(t *testing.T, s setting, got outcome) {
	t.Helper()
	whole, last := len(s.stops) == 0, s.places[len(s.stops)]
	for _, r := range got.results {
		rows := r.Gradient.Cache
		spilled := rows.Spills > 0 && rows.DiskHits > 0
		p.count(func(c *counts) {
			if whole && bigmkltest.Slept(r) && p.sleeps {
				c.slept++
			}
			if rows.Hits > 0 {
				c.hits++
			}
			if spilled {
				c.spills++
			}
		})
		if p.sleeps && whole && !bigmkltest.Slept(r) {
			t.Errorf("%s: no point was left out: %d passes in %d iterations", s, r.Gradient.Passes, r.Iterations)
		}
		if p.spills && whole && last.little && last.cache == cache.Always && !spilled {
			t.Errorf("%s: no row was spilled and read back: %+v", s, rows)
		}
		if last.cache == cache.Never && rows.Hits > 0 {
			t.Errorf("%s: %d rows came from the cache", s, rows.Hits)
		}
	}
	p.count(func(c *counts) { c.settings[s.kind]++ })
}

// check finds what no training met. It looks where all problems were trained.
func (c *counts) check(t *testing.T, list []problem) {
	t.Helper()
	t.Logf("settings %v, asleep in %d trainings and at %d interruptions, rows from the cache in %d, from disk in %d", c.settings, c.slept, c.asleep, c.hits, c.spills)
	if c.started < len(list) || testlevel.Share > 1 || *update || t.Failed() {
		return
	}
	for k, n := range c.settings[:plain] {
		if n == 0 {
			t.Errorf("no problem was trained %s", kind(k))
		}
	}
	for what, n := range map[string]int{
		"points fall asleep": c.slept, "points were asleep at an interruption": c.asleep,
		"rows come from the cache": c.hits, "rows go to disk and come back": c.spills,
	} {
		if n == 0 {
			t.Errorf("in no training %s: the settings have lost their point", what)
		}
	}
}
