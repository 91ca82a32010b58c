package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/host"
)

const (
	redraw     = 200 * time.Millisecond // on a terminal
	plainEvery = 10 * time.Second       // elsewhere
	readEvery  = 1 << 14                // rows between two looks at the clock
	fitPoints  = 12                     // latest iterations that the time left is estimated from
	clearLine  = "\r\x1b[K"
)

// progress tells standard error how a run goes: on a terminal one line that is redrawn, elsewhere a line now and then. It
// uses no colours. A nil progress is silent.
type progress struct {
	out      io.Writer
	messages *messages // on it, of warnings
	terminal bool
	columns  func() int
	now      func() time.Time
	memory   func() int64

	mu      sync.Mutex
	last    time.Time // of the latest line
	drawn   bool      // there is a line to be cleared
	history []gapAt
	machine int           // of several, the one in hand
	fold    int           // that is held out
	began   time.Duration // when it was taken in hand
	latest  time.Duration // event
}

// gapAt is a point of the curve that the time left is read off.
type gapAt struct{ seconds, logGap float64 }

func newProgress(to *messages, quiet bool) *progress {
	if quiet {
		return nil
	}
	p := &progress{out: to.out, messages: to, now: time.Now, memory: host.RSSAnon}
	if f, ok := to.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.terminal = true
		p.columns = func() int {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				return w
			}
			return 80
		}
	}
	return p
}

// Record shows an iteration.
func (p *progress) Record(e bigmkl.Event) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Machine != p.machine {
		p.machine, p.began, p.history = e.Machine, p.latest, nil
	}
	if e.Fold != p.fold {
		p.fold, p.history = e.Fold, nil
	}
	p.latest = e.Elapsed
	p.history = append(p.history, gapAt{e.Elapsed.Seconds(), math.Log(e.Gap)})
	if len(p.history) > fitPoints {
		p.history = p.history[1:]
	}
	if e.Warning != "" {
		p.clear()
		p.messages.say("warning: " + e.Warning)
	}
	if p.due() {
		p.show(p.describe(e))
	}
	return nil
}

// describe words an iteration.
func (p *progress) describe(e bigmkl.Event) string {
	parts := []string{
		fmt.Sprintf("step %d, gap %.1e -> %.1g", e.Iteration, e.Gap, e.Target), // 80 columns in all
		fmt.Sprintf("%d/%d active", e.Active, e.Kernels),
	}
	if e.Fold > 0 {
		parts[0] = fmt.Sprintf("fold %d, ", e.Fold) + parts[0]
	}
	if e.Machines > 0 {
		parts[0] = fmt.Sprintf("machine %d/%d, ", e.Machine+1, e.Machines) + parts[0]
	}
	if s := (e.Elapsed - p.began).Seconds(); s > 0 {
		parts = append(parts, fmt.Sprintf("%.0f rows/s", float64(e.Rows)/s))
	}
	if asked := e.Cache.Hits + e.Cache.Misses; asked > 0 {
		parts = append(parts, fmt.Sprintf("hits %.0f %%", 100*float64(e.Cache.Hits)/float64(asked)))
	}
	parts = append(parts, formatBytes(p.memory()))
	if left, ok := timeLeft(p.history, e.Target); ok {
		if others := e.Machines - e.Machine - 1; others > 0 { // which take as long as those that are done, or as this one
			each := e.Elapsed + left
			if e.Machine > 0 {
				each = p.began / time.Duration(e.Machine)
			}
			left += time.Duration(others) * each
		}
		parts = append(parts, formatTime(left)+" left")
	}
	return strings.Join(parts, ", ")
}

// rows shows how far reading has come.
func (p *progress) rows(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.due() {
		p.show(fmt.Sprintf("%d rows read", n))
	}
}

func (p *progress) due() bool {
	every := plainEvery
	if p.terminal {
		every = redraw
	}
	return p.last.IsZero() || p.now().Sub(p.last) >= every
}

func (p *progress) show(line string) {
	p.last = p.now()
	if !p.terminal {
		fmt.Fprintln(p.out, line)
		return
	}
	// A line that wraps would not be overwritten by the next.
	if w := p.columns() - 1; len(line) > w {
		line = line[:max(w, 0)]
	}
	fmt.Fprint(p.out, clearLine+line)
	p.drawn = true
}

// done clears the line; what follows on the terminal starts at its left edge.
func (p *progress) done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, clearLine)
		p.drawn = false
	}
}

// counted is a source whose rows are shown as they are read.
type counted struct {
	dataset.Source
	progress *progress
	n        int
}

func (p *progress) count(s dataset.Source) dataset.Source {
	if p == nil {
		return s
	}
	return &counted{Source: s, progress: p}
}

// Next gives the next row.
func (c *counted) Next() (dataset.Row, error) {
	r, err := c.Source.Next()
	if c.n++; err == nil && c.n%readEvery == 0 {
		c.progress.rows(c.n)
	}
	return r, err
}

// timeLeft extrapolates the line through the logarithms of the latest gaps.
func timeLeft(history []gapAt, target float64) (time.Duration, bool) {
	n := float64(len(history))
	if n < 3 {
		return 0, false
	}
	var t, g float64
	for _, h := range history {
		t += h.seconds / n
		g += h.logGap / n
	}
	var tt, tg float64
	for _, h := range history {
		tt += (h.seconds - t) * (h.seconds - t)
		tg += (h.seconds - t) * (h.logGap - g)
	}
	slope := tg / tt
	if !(slope < 0) {
		return 0, false
	}
	end := t + (math.Log(target)-g)/slope
	left := end - history[len(history)-1].seconds
	if !(left < 1e7) { // also when a gap was 0
		return 0, false
	}
	return time.Duration(max(left, 0) * float64(time.Second)), true
}

// formatTime writes a duration to the second, a short one to the tenth.
func formatTime(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func formatBytes(n int64) string {
	const step = 1 << 10
	x, unit := float64(n), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < step {
			break
		}
		x, unit = x/step, next
	}
	return fmt.Sprintf("%.4g %s", x, unit)
}
