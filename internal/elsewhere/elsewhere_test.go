package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestCheck: each system has the faults of its own files, those of tests among them, and no others.
func TestCheck(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"linux/amd64":   "",
		"windows/amd64": "fault_windows.go:3:13: cannot use",
		"darwin/arm64":  "fault_darwin_test.go:5:19: undefined: elsewhere.Missing",
	} {
		faults, err := Check("testdata/module", target)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if faults != nil {
			text = fmt.Sprint(faults)
		}
		if (text == "") != (want == "") || !strings.Contains(text, want) || len(faults) > 1 {
			t.Errorf("%s: %s, want %s", target, text, want)
		}
	}
	for _, target := range []string{"linux", "linux/none"} {
		if _, err := Check("testdata/module", target); err == nil {
			t.Errorf("%s is taken", target)
		}
	}
}
