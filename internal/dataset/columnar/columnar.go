// Package columnar reads the rows of files in columnar formats in a process of their own.
//
// Purpose. Readers of such formats trust the lengths in a file: of 6,000 Parquet files with changed bytes, the
// reader that is used here panicked on 80, asked for up to 4 GiB on ten and hung on one. The reader of Arrow allocates
// what counts of columns state, up to hundreds of GiB. So the file is decoded by a child process with bounds on its
// memory and its silence, which writes a table as text to a pipe (see package decode). That text is read like any other
// table and trusted no more.
//
// Formats. A format is a value in Formats, and a function in the list of package decode.
//
// Invariants. A child that ends by itself and reports that all rows were written is the only end
// of the rows: whatever else happens to it is one error of class fail.Input that names the file.
// No child outlives its stream.
package columnar

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Argument is the first argument of the child, before the key of the format, the path, the largest number of
// bytes of memory, and the columns that are left out as a list in JSON.
const Argument = "decode-columns"

// Format is a columnar format.
type Format struct {
	// Key is the name in arguments, and Name the name in messages.
	Key, Name string
	// Endings lists the endings of the names of files, in lower case and with the point.
	Endings []string
	// Magic lists the first bytes that a file may have. Stream is the magic that standard input may have, too. It is empty
	// if only files are read.
	Magic  []string
	Stream string
}

// Formats lists the formats that a child decodes.
var Formats = []Format{
	{Key: "arrow", Name: "Arrow", Endings: []string{".arrow", ".arrows", ".feather"},
		Magic: []string{"ARROW1", arrowStream}, Stream: arrowStream},
	{Key: "parquet", Name: "Parquet", Endings: []string{".parquet"}, Magic: []string{"PAR1"}},
}

// arrowStream is the mark of a message, and begins a stream of Arrow IPC.
const arrowStream = "\xff\xff\xff\xff"

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
func (d Decoder) Open(ctx context.Context, format Format, path string) (*dataset.Stream, error) {
	c, err := d.newChild(ctx, format, path, path)
	if err != nil {
		return nil, err
	}
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	c.info = info
	if err := c.start(); err != nil {
		return nil, err
	}
	return dataset.StreamOf(c, path), nil
}

// OpenPipe starts a child that decodes the bytes of a pipe, which messages call by the given name, and returns the
// stream of its text like Open.
func (d Decoder) OpenPipe(ctx context.Context, format Format, from io.Reader, name string) (*dataset.Stream, error) {
	c, err := d.newChild(ctx, format, name, "-")
	if err != nil {
		return nil, err
	}
	to, err := c.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.start(); err != nil {
		return nil, err
	}
	go c.feed(to, from)
	return dataset.StreamOf(c, name), nil
}

// newChild returns a child that has yet to be started. Messages call its file by a name.
func (d Decoder) newChild(ctx context.Context, format Format, name, path string) (*child, error) {
	if len(d.Command) == 0 {
		return nil, fail.New(fail.Input, "the file is in %s, which the command bigmkl reads and "+
			"the library does not", format.Name).At(name, 0, 0).WithHint("bigmkl convert -o data.pack FILE")
	}
	if d.Memory == 0 {
		d.Memory = DefaultMemory
	}
	if d.Silence == 0 {
		d.Silence = DefaultSilence
	}
	skip, err := json.Marshal(d.Skip)
	if err != nil {
		return nil, err
	}
	args := append(d.Command[1:len(d.Command):len(d.Command)], Argument, format.Key, path,
		strconv.FormatInt(d.Memory, 10), string(skip))
	c := &child{ctx: ctx, format: format.Name, name: name, silence: d.Silence}
	c.command = exec.CommandContext(ctx, d.Command[0], args...)
	c.command.Stderr = &c.complaint
	c.command.WaitDelay = time.Second
	c.command.Env = append(os.Environ(), "GOMEMLIMIT="+strconv.FormatInt(d.Memory/2, 10),
		"GOMAXPROCS=1", "GOTRACEBACK=none")
	return c, nil
}
