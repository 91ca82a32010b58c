package harness

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress shows on standard error what is being measured: on a terminal as one line that is
// redrawn, elsewhere as a line now and then. Lines of finished measurements stay. A full run takes
// hours, so its user has to see that it works and which measurement is in progress.
// Its methods may be called by several goroutines.
type progress struct {
	out      io.Writer
	terminal bool
	columns  func() int

	// mu guards the fields below: folds of an experiment run side by side and show their steps.
	mu         sync.Mutex
	experiment string
	// start is when the experiment began.
	start time.Time
	// last is the time of the latest line.
	last time.Time
	// drawn is set while the terminal has a line that the next one has to erase.
	drawn bool
}

// newProgress returns a progress that writes to out.
func newProgress(out io.Writer) *progress {
	p := &progress{out: out, start: time.Now()}
	// A dumb terminal cannot erase a line.
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
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

// beginExperiment sets the name of the experiment that lines begin with.
// The clock of the lines starts again.
func (p *progress) beginExperiment(experiment string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.experiment, p.start = experiment, time.Now()
}

// ShowNow shows the current step if enough time has passed since the last line. A step that comes too
// early is not shown later. The next one replaces it.
func (p *progress) ShowNow(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A log file should not grow by a line for each step.
	every := 10 * time.Second
	if p.terminal {
		every = 200 * time.Millisecond
	}
	if time.Since(p.last) < every {
		return
	}
	p.last = time.Now()
	line := p.formatLine(format, args...)
	if !p.terminal {
		fmt.Fprintln(p.out, line)
		return
	}
	// The next line would not overwrite a line that wraps.
	if w := p.columns() - 1; len(line) > w {
		line = line[:max(w, 0)]
	}
	// The escape erases the line up to its end.
	fmt.Fprint(p.out, "\r\x1b[K", line)
	p.drawn = true
}

// PrintLine writes a line that stays.
func (p *progress) printLine(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseLine()
	p.last = time.Now()
	fmt.Fprintln(p.out, p.formatLine(format, args...))
}

// eraseFinally erases the line at the end of an experiment.
func (p *progress) eraseFinally() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseLine()
}

// eraseLine erases the line on a terminal.
func (p *progress) eraseLine() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// formatLine adds the experiment and its time to a line. The line must not break, or the next one would
// not erase all of it.
func (p *progress) formatLine(format string, args ...any) string {
	s := fmt.Sprintf(format, args...)
	if p.experiment != "" {
		s = fmt.Sprintf("%s (%.0f s): %s", p.experiment, time.Since(p.start).Seconds(), s)
	}
	return strings.ReplaceAll(s, "\n", " ")
}
