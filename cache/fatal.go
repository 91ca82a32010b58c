package cache

import (
	"io"
	"log"
	"runtime"
	"strings"
	"sync"
)

// trapFatal redirects the log so that log.Fatal panics if guard is among its callers, which turns
// the panic into an error. Badger calls log.Fatal if it cannot make a file. All other messages go
// where they went before.
var trapFatal = sync.OnceFunc(func() { log.SetOutput(fatalTrap{log.Writer()}) })

type fatalTrap struct{ out io.Writer }

var _ io.Writer = fatalTrap{}

// Write panics with what would be the last line of the process, and passes any other line on.
func (t fatalTrap) Write(line []byte) (int, error) {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	fatal, guarded := false, false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fatal = fatal || strings.HasPrefix(f.Function, "log.Fatal")
		guarded = guarded || fatal && strings.HasSuffix(f.Function, "cache.(*store).guard")
	}
	if guarded {
		panic(strings.TrimSpace(string(line)))
	}
	return t.out.Write(line)
}
