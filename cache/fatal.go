package cache

import (
	"io"
	"log"
	"runtime"
	"strings"
	"sync"
)

// trapFatal makes a panic of the log.Fatal by which badger answers to a file that it cannot make, where guard is there to
// turn that into an error. All else that is logged goes where it went.
var trapFatal = sync.OnceFunc(func() { log.SetOutput(fatalTrap{log.Writer()}) })

type fatalTrap struct{ out io.Writer }

// Write panics with what is about to be the last line of the process.
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
