package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"bigmkl/internal/fail"
)

// mostAlike is the number of similar messages that are shown. A fault in each of a million rows would
// otherwise hide every other message.
const mostAlike = 5

// messages writes errors and warnings to standard error, each as one line of bounded length, and
// few that are similar. Whoever makes a message decides what it shows of the data (fail.Word,
// fail.Quote); the bounds here limit the damage if that fails. Several goroutines write to it, such as
// the command and the handler of signals.
type messages struct {
	out   io.Writer
	mu    sync.Mutex
	kinds []*messageKind
}

// messageKind counts messages that differ only in numbers and in quoted text.
type messageKind struct {
	// kind is the text without numbers and quotations, and first the first message of the kind.
	kind, first string
	// shown holds the messages that were written, word for word.
	shown []string
	count int
}

// newMessages returns messages that go to out.
func newMessages(out io.Writer) *messages { return &messages{out: out} }

// write writes a message unless the same message, or too many similar ones, were written before. A
// message that is repeated word for word is not counted as left out: its reader has it already.
func (m *messages) write(text string) {
	text = fail.Line(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.countKind(text)
	if slices.Contains(k.shown, text) {
		k.count--
		return
	}
	// Further messages are only counted. writeLeftOut reports their number.
	if k.count <= mostAlike {
		k.shown = append(k.shown, text)
		fmt.Fprintln(m.out, "bigmkl: "+text)
	}
}

// log writes a line with the time, also one that was written before. It is for what happens while
// a command runs without end.
func (m *messages) log(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	stamp := time.Now().UTC().Format(time.RFC3339)
	fmt.Fprintln(m.out, fail.Line("bigmkl: "+stamp+" "+text))
}

// countKind counts a message among the messages of its kind.
func (m *messages) countKind(text string) *messageKind {
	kind := kindOfMessage(text)
	for _, k := range m.kinds {
		if k.kind == kind {
			k.count++
			return k
		}
	}
	k := &messageKind{kind: kind, first: text, count: 1}
	m.kinds = append(m.kinds, k)
	return k
}

// writeLeftOut writes how many messages were not shown.
// It also forgets all messages. Each request of a worker thus begins without them.
func (m *messages) writeLeftOut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.kinds {
		if left := k.count - mostAlike; left > 0 {
			fmt.Fprintln(m.out, fail.Line(fmt.Sprintf("bigmkl: %d more like: %s", left, k.first)))
		}
	}
	m.kinds = nil
}

// kindOfMessage removes numbers and quoted text from a message. Messages of equal kind are similar. Two
// errors of different rows and fields differ in such parts alone.
func kindOfMessage(text string) string {
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
