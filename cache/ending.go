package cache

import (
	"errors"
	"io"
	"log"
	"runtime"
	"strings"
	"sync"
	"time"

	"bigmkl/internal/files"
)

// closeWait is how long a database may take to close before it is left behind: milliseconds, as a rule.
const closeWait = 5 * time.Second

// errLeft is that of a database that is left behind, with its goroutines, until the process ends.
var errLeft = errors.New("its database has not closed within " + closeWait.String() + " and was left behind")

// remove deletes the files and closes the database, or leaves it behind if it takes too long. When Close has entries to
// write to a table it tries until it can, for ever where the folder is gone. So the entries are dropped first, and the folder
// before them: without it there is no new memory table either, and nothing is left to be written.
func (s *store) remove() error {
	s.forget()
	err := files.RemoveAll(s.dir)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.guard(s.db.DropAll)
		_ = s.guard(s.db.Close)
	}()
	late := time.NewTimer(closeWait)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		err = errors.Join(errLeft, err)
	}
	for _, f := range s.hidden {
		f.Close()
	}
	s.hidden = nil
	return err
}

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
