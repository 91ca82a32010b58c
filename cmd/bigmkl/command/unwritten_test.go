package command

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
)

// failing is a stream that takes nothing.
type failing struct{ err error }

// Write implements io.Writer.
func (f failing) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: f.err}
}

// TestUnwrittenHelp: what the parser of the command line writes ends as results do if it cannot be written.
func TestUnwrittenHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"help", "train"}, {"--help"}, {"train", "--help"}, {"--version"}, {"version"}, {"version", "--json"}, {"completion", "bash"}, {"completion", "zsh"},
		{"completion", "fish"}, {"__complete", "tr"}} {
		var stderr bytes.Buffer
		code := Execute(context.Background(), nil, strings.NewReader(""), failing{syscall.ENOSPC}, &stderr, args)
		if s := stderr.String(); code != contract.ExitBudget || !strings.Contains(s, "bigmkl: write /dev/stdout: no space left on device\n") {
			t.Errorf("%q on a full disk: exit code %d, %q", args, code, s)
		}
		stderr.Reset()
		if code := Execute(context.Background(), nil, strings.NewReader(""), failing{syscall.EPIPE}, &stderr, args); code != contract.ExitPipe {
			t.Errorf("%q without a reader: exit code %d, %q", args, code, stderr.String())
		}
	}
}
