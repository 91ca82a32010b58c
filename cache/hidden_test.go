package cache

import (
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The memory table takes the whole index of a store, written in the smallest batches: badger never has to write it to a table
// file, which it would map.
func TestIndexFitsTheTable(t *testing.T) {
	s, err := openStore(filepath.Join(t.TempDir(), "1"), 1<<20, minIndex)
	if err != nil {
		t.Fatal(err)
	}
	defer s.remove()
	for i := uint64(0); s.index+tableEntry <= minIndex; i++ {
		if err := s.write([]pair{{block{generation: 1<<63 + i}.appendKey(nil), []byte("some")}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.hidden) != len(s.sizes) {
		t.Errorf("%d files: the memory table was full", len(s.hidden))
	}
}

// Badger ends the process where it cannot make one of its files: here that is an error, and what others log passes.
func TestFatalIsAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "1")
	if err := os.MkdirAll(filepath.Join(dir, "DISCARD"), 0o700); err != nil {
		t.Fatal(err)
	}
	if s, err := openStore(dir, 1<<30, 0); err == nil || !strings.Contains(err.Error(), "DISCARD") {
		t.Fatal(s, err)
	}
	var logged strings.Builder
	before := log.Writer()
	defer log.SetOutput(before)
	log.SetOutput(fatalTrap{&logged})
	log.Print("a line of another")
	if !strings.Contains(logged.String(), "a line of another") {
		t.Errorf("%q", logged.String())
	}
}

// A batch that never ends is given up.
func TestWritingThatStandsStill(t *testing.T) {
	w := &writing{store: &store{}, done: make(chan struct{})}
	if start := time.Now(); w.wait(2*time.Second) || time.Since(start) < 2*time.Second || !w.store.broken.Load() {
		t.Error("a writing that stands still is waited for")
	}
	close(w.done)
	if !w.wait(2 * time.Second) {
		t.Error("a writing that has ended is given up")
	}
}
