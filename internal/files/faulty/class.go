package faulty

import (
	"path/filepath"
	"strings"
	"sync"

	"bigmkl/internal/files"
)

// Class names what operations have in common that serve one purpose: their kind, and the name of the
// file without the digits and the temporary ending that tell one checkpoint or scratch file from the next.
func Class(op files.Op) string {
	name := filepath.Base(op.Path)
	if target, random, found := strings.Cut(name, ".tmp"); found && random != "" {
		name = target + ".tmp"
	}
	return string(op.Kind) + " " + strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// Trace notes all operations and lets them happen.
type Trace struct {
	mu  sync.Mutex
	ops []files.Op
}

var _ files.Injector = (*Trace)(nil)

// Before notes the operation.
func (t *Trace) Before(op files.Op) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ops = append(t.ops, op)
	return nil
}

// Read changes nothing.
func (t *Trace) Read(files.Op, []byte) {}

// Classes returns how many operations of each class the fault concerns.
func (t *Trace) Classes(f Fault) map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := map[string]int{}
	for _, op := range t.ops {
		if f.concerns(op) {
			counts[Class(op)]++
		}
	}
	return counts
}

// AtOf fails the i-th operation of a class that the fault concerns and, if the fault is lasting, the
// operations of any class after it. Unlike the number of an operation among all, i does not depend on the
// order in which goroutines come to operations of several classes.
func AtOf(i int, class string, f Fault) *Strike {
	n, begun := 0, false
	return &Strike{fault: f, chosen: func(op files.Op, _ int) bool {
		if begun && f.Lasting {
			return true
		}
		if Class(op) != class {
			return false
		}
		begun = n == i
		n++
		return begun
	}}
}
