package command

import (
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// TestVersionIsTold: what the linker was told of the sources, as in the build of a wheel, goes before what Go found.
func TestVersionIsTold(t *testing.T) {
	defer func(version, commit, modified string) {
		builtVersion, builtCommit, builtModified = version, commit, modified
	}(builtVersion, builtCommit, builtModified)
	for _, modified := range []string{"true", "false"} {
		builtVersion, builtCommit, builtModified = "1.2.3", "0123abcd", modified
		want := map[string]any{"version": "1.2.3", "commit": "0123abcd", "modified": modified == "true"}
		got := commandtest.Object(t, 0, "version", "--json")
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %v, not %v", key, got[key], value)
			}
		}
		if text := commandtest.Must(t, "version").Stdout; !strings.HasPrefix(text, "bigmkl 1.2.3\ncommit    0123abcd") ||
			strings.Contains(text, "with changes") != (modified == "true") {
			t.Error(text)
		}
	}
}
