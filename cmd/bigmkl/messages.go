package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"bigmkl/internal/fail"
)

// mostAlike is how many messages of a kind are shown.
const mostAlike = 5

// messages is the way of errors and warnings to standard error: a line each, of bounded length, and few that are alike. What a
// message may show of the data is decided where it is made (fail.Word, fail.Quote); this bounds what comes of a slip there.
type messages struct {
	out   io.Writer
	mu    sync.Mutex
	kinds []*alike
}

// alike is messages that differ in numbers and in what is quoted.
type alike struct {
	kind, first string
	shown       []string // word for word
	count       int
}

func newMessages(out io.Writer) *messages { return &messages{out: out} }

// say writes a message, unless there were too many like it. What has been said word for word, as it happened, is not said again.
func (m *messages) say(text string) {
	text = fail.Line(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.alike(text)
	if slices.Contains(k.shown, text) {
		k.count--
		return
	}
	if k.count <= mostAlike {
		k.shown = append(k.shown, text)
		fmt.Fprintln(m.out, "bigmkl: "+text)
	}
}

// alike counts a message among those of its kind.
func (m *messages) alike(text string) *alike {
	kind := kindOf(text)
	for _, k := range m.kinds {
		if k.kind == kind {
			k.count++
			return k
		}
	}
	k := &alike{kind: kind, first: text, count: 1}
	m.kinds = append(m.kinds, k)
	return k
}

// end says how many messages were left out.
func (m *messages) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.kinds {
		if left := k.count - mostAlike; left > 0 {
			fmt.Fprintln(m.out, fail.Line(fmt.Sprintf("bigmkl: %d more like: %s", left, k.first)))
		}
	}
	m.kinds = nil
}

// kindOf is a message without its numbers and without what it quotes.
func kindOf(text string) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, r := range text {
		switch {
		case quoted && escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case !quoted && (r < '0' || r > '9'):
			b.WriteRune(r)
		}
	}
	return b.String()
}
