//go:build mpi && linux

package mpi

import "runtime"

// thread is the only thread that may call the library, or none if any may.
type thread struct{ calls chan func() }

func newThread() thread {
	t := thread{make(chan func())}
	go func(calls chan func()) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread() // A thread that is locked ends with its goroutine.
		for f := range calls {
			f()
		}
	}(t.calls)
	return t
}

// release ends the thread: any other may call the library. To hand each call over costs up to a tenth of a training
// of short iterations.
func (t *thread) release() {
	close(t.calls)
	t.calls = nil
}

// call runs f, on the thread of the library if it has one.
func (t *thread) call(f func()) {
	if t.calls == nil {
		f()
		return
	}
	done := make(chan struct{})
	t.calls <- func() {
		f()
		close(done)
	}
	<-done
}
