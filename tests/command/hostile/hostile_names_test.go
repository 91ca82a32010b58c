package hostile

import (
	"strings"
	"testing"
	"unicode"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestHostileNames: the control characters in the name of a file do not reach a terminal.
func TestHostileNames(t *testing.T) {
	f, data, _, m := commandtest.Trained(t)
	bad := f.File("rows\x1b]0;title\a\x1b[31m", "1 1:x\n")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"train", "--quiet", "-o", f.At("out"), bad}, contract.ExitInput}, {[]string{"predict", m, bad}, contract.ExitInput}, {[]string{"inspect", bad}, contract.ExitCorrupt},
		{[]string{"inspect", f.At("absent\x1b[31m")}, contract.ExitInput}, {[]string{"train", "--quiet", "-o", bad + "/x\x1b", data}, contract.ExitInput},
		{[]string{"train", "--quiet", "-o", f.At("out"), "--views", bad, data}, contract.ExitInput}, {[]string{"train", "--quiet", "--kernels", "@" + f.At("none\x1b"), "-o", f.At("out"), data}, contract.ExitInput},
		{[]string{"train", "--quiet", "--\x1b[31m", data}, contract.ExitUsage}, {[]string{"\x1b[31m"}, contract.ExitUsage}, {[]string{"clean", "--scratch", f.At("no\x1b")}, contract.ExitInput},
	} {
		o := commandtest.Try(c.args...)
		shown := strings.ReplaceAll(o.Stdout+o.Stderr, "\n", "")
		if o.Code != c.code || strings.ContainsFunc(shown, unicode.IsControl) || !strings.Contains(shown, `\x1b`) {
			t.Errorf("%q: exit code %d, %q", c.args, o.Code, o.Stdout+o.Stderr)
		}
	}
}
