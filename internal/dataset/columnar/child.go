package columnar

import (
	"context"
	"io"
	"io/fs"
	"math"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// child is a process that decodes a file.
type child struct {
	ctx       context.Context
	command   *exec.Cmd
	out       io.ReadCloser
	complaint tail
	format    string
	name      string      // name is the path of the file, or the name of the pipe in messages.
	info      fs.FileInfo // info describes the file before the child opened it. It is nil for a pipe.
	starved   atomic.Bool // starved is true while the child of a pipe has nothing to decode.
	silence   time.Duration
	silent    atomic.Bool // silent is true once a read has waited too long.
	ended     bool
	err       error
}

var _ io.ReadCloser = (*child)(nil)

// start starts the process.
func (c *child) start() (err error) {
	if c.out, err = c.command.StdoutPipe(); err == nil {
		err = c.command.Start()
	}
	if err != nil {
		return fail.New(fail.Budget, "cannot start the process that decodes it: %w", err).
			At(c.name, 0, 0)
	}
	return nil
}

// Read reads text of the child. The clock runs only while it waits, so a reader may take its
// time.
func (c *child) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	var clock *time.Timer
	clock = time.AfterFunc(math.MaxInt64, func() {
		if c.starved.Load() { // The pipe is silent, and not the child.
			clock.Reset(c.silence)
			return
		}
		c.silent.Store(true)
		c.command.Process.Kill()
	})
	clock.Reset(c.silence) // It did not start before it had its name.
	n, err := c.out.Read(p)
	clock.Stop()
	if err != nil {
		c.err = c.end()
		err = c.err
	}
	return n, err
}

// end waits for the end of the child and returns io.EOF, or what went wrong.
func (c *child) end() error {
	c.ended = true
	err := c.command.Wait()
	fault := func(format string, args ...any) *fail.Error {
		return fail.New(fail.Input, format, args...).At(c.name, 0, 0)
	}
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case c.silent.Load():
		return fault("cannot be read as %s: nothing was decoded for %v", c.format, c.silence)
	case c.changed():
		return fault("the file changed while it was read")
	case err == nil:
		return io.EOF
	}
	if said, ok := strings.CutPrefix(string(c.complaint.text), Complaint); ok {
		said, _, _ = strings.Cut(said, "\n")
		const most = 200
		if len(said) > most || !labeltext.Printable(said) {
			said = fail.Quote(said)
		}
		return fault("cannot be read as %s: %s", c.format, said)
	}
	return fault("cannot be read as %s: the process that decodes it ended by %v", c.format, err).
		WithHint("the file is damaged, or takes more than the memory it may have")
}

// changed reports whether the file was written to since it was opened.
func (c *child) changed() bool {
	if c.info == nil {
		return false
	}
	now, err := files.Stat(c.name)
	return err != nil || now.Size() != c.info.Size() || !now.ModTime().Equal(c.info.ModTime())
}

// Close ends the child.
func (c *child) Close() error {
	if !c.ended {
		c.ended = true
		c.command.Process.Kill()
		c.command.Wait() // It was killed, so its status is not informative.
	}
	if c.err == nil {
		c.err = io.EOF
	}
	return nil
}

// feed writes the bytes of a pipe to the child, and shows while there are none. It ends after the child once the pipe
// yields bytes, which nobody waits for.
func (c *child) feed(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		c.starved.Store(true)
		n, err := from.Read(buffer)
		c.starved.Store(false)
		if _, e := to.Write(buffer[:n]); err != nil || e != nil {
			return // If the pipe failed, the child misses the end of its data.
		}
	}
}

// Complaint begins the message of a child about a file that it cannot read.
const Complaint = "columns: "

// tail keeps the first bytes that a child writes to its standard error.
type tail struct{ text []byte }

var _ io.Writer = (*tail)(nil)

// Write keeps some of p.
func (t *tail) Write(p []byte) (int, error) {
	const most = 1 << 10
	t.text = append(t.text, p[:min(len(p), most-len(t.text))]...)
	return len(p), nil
}
