// Package pipetest makes named pipes for tests, which are skipped on systems without them.
package pipetest

import "testing"

// Make makes a named pipe, or skips the test.
func Make(t testing.TB, path string) {
	t.Helper()
	if err := mkfifo(path); err != nil {
		t.Skipf("no named pipe can be made: %v", err)
	}
}
