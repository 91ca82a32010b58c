package testlevel

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNote: a test that asks within a closure or a helper is noted once, by its own name.
func TestNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "asked")
	t.Setenv("BIGMKL_ASKED", path)
	noted.Delete("TestNote")
	// What asks for ManyTimes alone does the same at the levels below.
	Few(t, "", 1, []int{1, 2})
	Stride(3, 3)
	Reached(ManyTimes)
	if _, err := os.ReadFile(path); err == nil {
		t.Error("a test that does the same below ManyTimes is noted")
	}
	t.Run("closure", func(t *testing.T) { Repeats(1, 2) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		RealData()
	}()
	<-done
	if b, err := os.ReadFile(path); string(b) != "TestNote\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestOutsideTests: what asks outside of any test asks for all of them.
func TestOutsideTests(t *testing.T) {
	found := make(chan string)
	go func(ask func() string) { found <- ask() }(testOnStack)
	if name := <-found; name != "TestOutsideTests" {
		t.Errorf("%q within a closure", name)
	}
	go askOutside(found)
	if name := <-found; name != "Test" {
		t.Errorf("%q outside", name)
	}
}

// askOutside runs in a goroutine of its own, where no test is on the stack.
func askOutside(found chan<- string) { found <- testOnStack() }
