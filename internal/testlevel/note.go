package testlevel

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

// A test that asks for neither the level nor real data does the same at every level. .ci/run does not repeat it: the file that
// BIGMKL_ASKED names gets a line for every test that asks, the name of its function.

// noted has the tests that have a line already.
var noted sync.Map

// note adds the test on the stack of the caller to the file.
func note() {
	path := os.Getenv("BIGMKL_ASKED")
	if path == "" {
		return
	}
	test := testOnStack()
	if _, done := noted.LoadOrStore(test, true); done {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintln(f, test) // Lines of this length are appended whole, whoever else writes.
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		panic("BIGMKL_ASKED: " + err.Error())
	}
}

// testOnStack returns the name of the test function that the caller runs in, or of whose closures one runs. Where there is none, as in a
// variable of a package, it is Test: a pattern of all tests.
func testOnStack() string {
	var pc [64]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	for {
		frame, more := frames.Next()
		name := frame.Function[strings.LastIndexByte(frame.Function, '/')+1:]
		if _, name, _ = strings.Cut(name, "."); strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Example") {
			name, _, _ = strings.Cut(name, ".")
			return name
		}
		if !more {
			return "Test"
		}
	}
}
