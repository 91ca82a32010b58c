package mmap

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/internal/invariant"
)

func TestUseAfterClose(t *testing.T) {
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	for name, use := range map[string]func(m *Map){
		"Bytes":  func(m *Map) { m.Bytes() },
		"View":   func(m *Map) { View[float64](m) },
		"advise": func(m *Map) { _ = m.advise(dontNeed) },
	} {
		m, err := Anonymous(64)
		if err != nil {
			t.Fatal(err)
		}
		use(m)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		text := func() (text string) {
			defer func() { text = fmt.Sprint(recover()) }()
			use(m)
			return ""
		}()
		if !strings.Contains(text, "map that was closed") {
			t.Errorf("%s after Close: %q", name, text)
		}
		if err := m.Close(); err != nil {
			t.Errorf("the second Close: %v", err)
		}
	}
}
