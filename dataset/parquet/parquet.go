// Package parquet reads the rows of Parquet files in a process of their own.
//
// Purpose. Readers of Parquet trust the lengths in a file: of 6,000 files with changed bytes, the
// one that is used here panicked on 80, asked for up to 4 GiB on ten and hung on one. So the file
// is decoded by a child process with bounds on its memory and its silence, which writes a table as
// text to a pipe (see package decode). That text is read like any other table and trusted no more.
//
// Invariants. A child that ends by itself and reports that all rows were written is the only end
// of the rows: whatever else happens to it is one error of class fail.Input that names the file.
// No child outlives its stream.
package parquet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Argument is the first argument of the child, before the path, the largest number of bytes of
// memory, and the columns that are left out as a list in JSON.
const Argument = "decode-parquet"

// magic begins and ends a Parquet file.
const magic = "PAR1"

// Is reports whether a file that starts with these bytes is a Parquet file.
func Is(start []byte) bool { return bytes.HasPrefix(start, []byte(magic)) }

// Decoder states how the child is started. Its zero value means a program that has none.
type Decoder struct {
	// Command is the program of the child, which handles Argument, and arguments before that one.
	Command []string
	// Memory is the largest number of bytes of memory of the child. If it is 0, DefaultMemory is
	// used.
	Memory int64
	// Skip lists columns that are left out, by name or number: they may hold what is not read.
	Skip []string
	// Silence is how long a read waits for the child. If it is 0, DefaultSilence is used.
	Silence time.Duration
}

// These are the bounds of a child.
const (
	DefaultMemory  = 1 << 30
	DefaultSilence = 60 * time.Second
)

// Open starts a child that decodes a file, and returns the stream of its text: a header and rows of
// comma-separated values. Reading ends with the error of ctx when it is done.
func (d Decoder) Open(ctx context.Context, path string) (*dataset.Stream, error) {
	if len(d.Command) == 0 {
		return nil, fail.New(fail.Input, "the file is in Parquet, which the command bigmkl reads and "+
			"the library does not").At(path, 0, 0).WithHint("bigmkl convert -o data.pack FILE")
	}
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	if d.Memory == 0 {
		d.Memory = DefaultMemory
	}
	if d.Silence == 0 {
		d.Silence = DefaultSilence
	}
	c := &child{ctx: ctx, path: path, info: info, silence: d.Silence}
	skip, err := json.Marshal(d.Skip)
	if err != nil {
		return nil, err
	}
	args := append(d.Command[1:len(d.Command):len(d.Command)], Argument, path,
		strconv.FormatInt(d.Memory, 10), string(skip))
	c.command = exec.CommandContext(ctx, d.Command[0], args...)
	c.command.Stderr = &c.complaint
	c.command.WaitDelay = time.Second
	c.command.Env = append(os.Environ(), "GOMEMLIMIT="+strconv.FormatInt(d.Memory/2, 10),
		"GOMAXPROCS=1", "GOTRACEBACK=none")
	if c.out, err = c.command.StdoutPipe(); err == nil {
		err = c.command.Start()
	}
	if err != nil {
		return nil, fail.New(fail.Budget, "cannot start the process that decodes it: %w", err).
			At(path, 0, 0)
	}
	return dataset.StreamOf(c, path), nil
}

// child is a process that decodes a file.
type child struct {
	ctx       context.Context
	command   *exec.Cmd
	out       io.ReadCloser
	complaint tail
	path      string
	info      fs.FileInfo // info describes the file before the child opened it.
	silence   time.Duration
	silent    atomic.Bool // silent is true once a read has waited too long.
	ended     bool
	err       error
}

var _ io.ReadCloser = (*child)(nil)

// Read reads text of the child. The clock runs only while it waits, so a reader may take its
// time.
func (c *child) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	clock := time.AfterFunc(c.silence, func() {
		c.silent.Store(true)
		c.command.Process.Kill()
	})
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
		return fail.New(fail.Input, format, args...).At(c.path, 0, 0)
	}
	now, statErr := files.Stat(c.path)
	changed := statErr != nil || now.Size() != c.info.Size() ||
		!now.ModTime().Equal(c.info.ModTime())
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case c.silent.Load():
		return fault("cannot be read as Parquet: nothing was decoded for %v", c.silence)
	case changed:
		return fault("the file changed while it was read")
	case err == nil:
		return io.EOF
	}
	if said, ok := strings.CutPrefix(string(c.complaint.text), Complaint); ok {
		said, _, _ = strings.Cut(said, "\n")
		const most = 200
		if len(said) > most || !dataset.Printable(said) {
			said = fail.Quote(said)
		}
		return fault("cannot be read as Parquet: %s", said)
	}
	return fault("cannot be read as Parquet: the process that decodes it ended by %v", err).
		WithHint("the file is damaged, or takes more than the memory it may have")
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

// Complaint begins the message of a child about a file that it cannot read.
const Complaint = "parquet: "

// tail keeps the first bytes that a child writes to its standard error.
type tail struct{ text []byte }

var _ io.Writer = (*tail)(nil)

// Write keeps some of p.
func (t *tail) Write(p []byte) (int, error) {
	const most = 1 << 10
	t.text = append(t.text, p[:min(len(p), most-len(t.text))]...)
	return len(p), nil
}
