package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
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
	// redraw is the time between two lines on a terminal. A faster change cannot be read.
	redraw = 200 * time.Millisecond
	// plainEvery is the time between two lines elsewhere. A log of an hour then has 360 lines.
	plainEvery = 10 * time.Second
	// readEvery is the number of rows after which their number is shown. Rows that are slow, because they are verified as
	// they are read, are shown every slowRows once the first second is over.
	readEvery = 1 << 14
	slowRows  = 1 << 6
	// clearLine moves the cursor of a terminal to the left and erases the line.
	clearLine = "\r\x1b[K"
)

// progress shows on standard error how far a run is: on a terminal as one line that is redrawn,
// elsewhere as a line every ten seconds. It uses no colours. A nil progress shows nothing. It goes to
// standard error, so a pipe gets results alone.
type progress struct {
	out      io.Writer
	messages *messages
	terminal bool
	// columns, now and memory are functions because a terminal changes its width, and tests have a
	// clock of their own.
	columns func() int
	now     func() time.Time
	memory  func() int64
	// noun names what there are several of, "" for classifiers.
	noun string

	// mu protects the fields below, because iterations and rows may be shown at once.
	mu sync.Mutex
	// last is the time of the latest line.
	last time.Time
	// drawn is set while a terminal shows a line that has to be erased.
	drawn    bool
	forecast forecast
	// classifier and fold belong to the latest iteration. The curve begins again with each.
	classifier int
	fold       int
	// began is when the training of the classifier began, and latest when the latest iteration
	// ended.
	began  time.Duration
	latest time.Duration
}

// newProgress returns a progress that writes where the messages go, or nil if quiet is set. TERM=dumb
// means a terminal without the sequence that erases a line.
func newProgress(to *messages, quiet bool) *progress {
	if quiet {
		return nil
	}
	p := &progress{out: to.out, messages: to, now: time.Now, memory: host.RSSAnon}
	if f, ok := to.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) &&
		os.Getenv("TERM") != "dumb" {
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

// Record shows an iteration. It is called once per iteration by the solver. The solver waits for it.
// Most calls return without writing.
func (p *progress) Record(e bigmkl.Event) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// The curve of a new classifier has nothing to do with the curve before.
	if e.Classifier != p.classifier {
		p.classifier, p.began, p.forecast = e.Classifier, p.latest, forecast{}
	}
	if e.Fold != p.fold {
		p.fold, p.forecast = e.Fold, forecast{}
	}
	p.latest = e.Elapsed
	p.forecast.add(e.Elapsed.Seconds(), e.Gap)
	if e.Warning != "" {
		p.eraseLine()
		// The warning is written on a line of its own, after the drawn line has been erased, so
		// neither cuts the other.
		p.messages.write("warning: " + e.Warning)
	}
	if p.isDue() {
		p.drawLine(p.describeIteration(e))
	}
	return nil
}

// countRows returns the source with a count of its rows that is shown while they are read.
func (p *progress) countRows(s dataset.Source) dataset.Source { return p.countRowsOf(s, 0) }

// countRowsOf returns the source with a count of its rows, of which there are so many if it is not 0. The time that is
// left follows from the rows that were read.
func (p *progress) countRowsOf(s dataset.Source, all int) dataset.Source {
	if p == nil {
		return s
	}
	return &countedSource{Source: s, progress: p, all: all, began: p.now()}
}

// countedSource is a source whose rows are counted.
type countedSource struct {
	dataset.Source
	progress *progress
	n, all   int
	began    time.Time
}

// Next returns the next row.
func (c *countedSource) Next() (dataset.Row, error) {
	r, err := c.Source.Next()
	c.n++
	if err == nil && (c.n%readEvery == 0 || c.n%slowRows == 0 && c.progress.now().Sub(c.began) >= time.Second) {
		c.progress.showRows(c.describe)
	}
	return r, err
}

// describe describes how many rows were read, and how long the others will take.
func (c *countedSource) describe() string {
	// More rows than expected came, or the number is unknown: nothing can be said about the rest.
	if c.all <= c.n {
		return fmt.Sprintf("%d rows read", c.n)
	}
	each := c.progress.now().Sub(c.began) / time.Duration(c.n)
	return fmt.Sprintf("%d of %d rows, about %s left", c.n, c.all, formatLeft(each*time.Duration(c.all-c.n)))
}

// Points returns the points of the source if it has any packed. Packed points are mapped and not read
// row by row, so they are not counted.
func (c *countedSource) Points(ctx context.Context) (*dataset.Points, error) {
	if p, ok := c.Source.(dataset.PointSource); ok {
		return p.Points(ctx)
	}
	return nil, nil
}

// Width implements dataset.PointSource.
func (c *countedSource) Width(rows int) int {
	if p, ok := c.Source.(dataset.PointSource); ok {
		return p.Width(rows)
	}
	return 0
}

// finish erases the line: later output starts at the left edge of the terminal.
func (p *progress) finish() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseLine()
}

// showRows shows how many rows have been read, if a line is due.
func (p *progress) showRows(describe func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isDue() {
		p.drawLine(describe())
	}
}

// describeIteration formats an iteration as one line that fits in 80 columns. The order is from the gap
// to the computer, because a narrow terminal cuts the end. Rows per second are rows of kernel values,
// since the classifier began.
func (p *progress) describeIteration(e bigmkl.Event) string {
	parts := []string{
		fmt.Sprintf("step %d, gap %.2g -> %.2g", e.Iteration, e.Gap, e.Target),
		fmt.Sprintf("%d/%d kernels", e.Active, e.Kernels),
	}
	if e.Fold > 0 {
		parts[0] = fmt.Sprintf("fold %d, ", e.Fold) + parts[0]
	}
	if e.Classifiers > 0 {
		parts[0] = fmt.Sprintf("%s %d/%d, ", cmp.Or(p.noun, "classifier"), e.Classifier+1, e.Classifiers) + parts[0]
	}
	if s := (e.Elapsed - p.began).Seconds(); s > 0 {
		parts = append(parts, fmt.Sprintf("%.0f rows/s", float64(e.Rows)/s))
	}
	if asked := e.Cache.Hits + e.Cache.Misses; asked > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% cached", 100*float64(e.Cache.Hits)/float64(asked)))
	}
	parts = append(parts, formatBytes(p.memory()))
	if left, ok := p.forecast.left(e.Target); ok {
		// The classifiers to come are expected to take as long as those before, or as this one.
		if others := e.Classifiers - e.Classifier - 1; others > 0 {
			each := e.Elapsed + left
			if e.Classifier > 0 {
				each = p.began / time.Duration(e.Classifier)
			}
			left += time.Duration(others) * each
		}
		parts = append(parts, "about "+formatLeft(left)+" left")
	}
	return strings.Join(parts, ", ")
}

// isDue reports whether enough time has passed since the latest line. The first line appears at once: a
// run without a sign of life looks as if it were waiting for input.
func (p *progress) isDue() bool {
	every := plainEvery
	if p.terminal {
		every = redraw
	}
	return p.last.IsZero() || p.now().Sub(p.last) >= every
}

// drawLine writes a line, or on a terminal replaces the line before it.
func (p *progress) drawLine(line string) {
	p.last = p.now()
	if !p.terminal {
		fmt.Fprintln(p.out, line)
		return
	}
	// The next line would not overwrite a line that wraps.
	if w := p.columns() - 1; len(line) > w {
		line = line[:max(w, 0)]
	}
	fmt.Fprint(p.out, clearLine+line)
	p.drawn = true
}

// eraseLine removes the line from the terminal.
func (p *progress) eraseLine() {
	if p.drawn {
		fmt.Fprint(p.out, clearLine)
		p.drawn = false
	}
}
