package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress tells standard error what is being measured: on a terminal in one line that is redrawn, elsewhere in a line now
// and then. Finished measurements are lines that stay.
type progress struct {
	out      io.Writer
	terminal bool
	columns  func() int

	mu         sync.Mutex
	experiment string
	start      time.Time // of the experiment
	last       time.Time // of the latest line
	drawn      bool
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, start: time.Now()}
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

// begin names the experiment.
func (p *progress) beginExperiment(experiment string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.experiment, p.start = experiment, time.Now()
}

// now shows what is being done, if it is time to.
func (p *progress) showNow(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
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
	if w := p.columns() - 1; len(line) > w { // a line that wraps would not be overwritten by the next
		line = line[:max(w, 0)]
	}
	fmt.Fprint(p.out, "\r\x1b[K", line)
	p.drawn = true
}

// say writes a line that stays.
func (p *progress) printLine(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseLine()
	p.last = time.Now()
	fmt.Fprintln(p.out, p.formatLine(format, args...))
}

// done clears the line.
func (p *progress) eraseFinally() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eraseLine()
}

func (p *progress) eraseLine() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *progress) formatLine(format string, args ...any) string {
	s := fmt.Sprintf(format, args...)
	if p.experiment != "" {
		s = fmt.Sprintf("%s (%.0f s): %s", p.experiment, time.Since(p.start).Seconds(), s)
	}
	return strings.ReplaceAll(s, "\n", " ")
}
