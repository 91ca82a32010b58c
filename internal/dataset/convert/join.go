package convert

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/table"
	"bigmkl/internal/fail"
)

// Table is a text table with a row for each of its objects.
type Table struct {
	// Name is put before the names of its columns, which makes them a view. It may be empty.
	Name, Path string
	// Separator is table.Options.Separator.
	Separator byte
}

// JoinOptions set how tables are joined.
type JoinOptions struct {
	// ID is the column that names the objects, by its name or its number from 1.
	ID string
	// Trusted lifts the limits on compressed bytes.
	Trusted bool
}

// Joined is one table of all objects of several tables, which is held in memory as text.
type Joined struct {
	options JoinOptions
	header  []string // header begins with the name of the column of identifiers.
	// taken holds the name of each column with the file that has it.
	taken map[string]string
	// ids are the objects: first the objects of the first table in its order, then the objects that only later
	// tables have.
	ids    []string
	number map[string]int
	tables []joinedTable
	text   arena
	encode *encoder
}

// joinedTable is what a table has of the objects.
type joinedTable struct {
	Table
	// rows holds the fields of each object as text, without a line end. It is nil for an object that the table
	// lacks, and may end before the last object does.
	rows  [][]byte
	lines []int
	// width is the number of columns besides that of identifiers, and empty the text of an object that is not there.
	width int
	empty []byte
	has   int
}

// Join reads tables until ctx is done. Its errors are of class fail.Input and have a place. A name that two tables
// have is of class fail.Usage.
func Join(ctx context.Context, tables []Table, o JoinOptions) (*Joined, error) {
	j := &Joined{options: o, taken: map[string]string{}, number: map[string]int{}, encode: newEncoder()}
	names := map[string]bool{}
	for _, t := range tables {
		if names[t.Name] {
			return nil, fail.New(fail.Usage, "two files are called %s", fail.Label(t.Name)).WithHint("a name of its own for each file: NAME=FILE")
		}
		if t.Name != "" {
			names[t.Name] = true
		}
	}
	for _, t := range tables {
		if err := j.read(ctx, t, names); err != nil {
			return nil, err
		}
	}
	if len(j.ids) == 0 {
		return nil, fail.New(fail.Input, "no rows").At(tables[0].Path, 0, 0)
	}
	return j, nil
}

// read adds the columns and the rows of a table. Names are the names of all tables.
func (j *Joined) read(ctx context.Context, t Table, names map[string]bool) error {
	in, err := table.OpenPlain(t.Path, table.Options{Separator: t.Separator, Trusted: j.options.Trusted})
	if err != nil {
		return err
	}
	defer in.Close()
	id, err := in.Find(j.options.ID)
	if err != nil {
		if e := (*fail.Error)(nil); errors.As(err, &e) && strings.HasPrefix(e.Message, "no column ") {
			e.Hint += "; rename the column of identifiers here, or take it by its number if it is the same in all files: --join 1"
		}
		return err
	}
	if err := j.addColumns(in, id, t, names); err != nil {
		return err
	}
	to := joinedTable{Table: t, width: len(in.Names()) - 1}
	to.empty = bytes.Repeat([]byte{','}, max(to.width-1, 0))
	fields := make([]string, 0, to.width)
	const interval = 256
	for n := 0; ; n++ {
		if n%interval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		k, err := j.object(in, strings.TrimSpace(record[id]), id, &to)
		if err != nil {
			return err
		}
		fields = append(append(fields[:0], record[:id]...), record[id+1:]...)
		to.rows[k], to.lines[k] = j.text.keep(j.encode.line(fields)), in.Line()
		to.has++
	}
	to.lines = nil
	j.tables = append(j.tables, to)
	return nil
}

// addColumns adds the columns of a table to the header.
func (j *Joined) addColumns(in *table.Plain, id int, t Table, names map[string]bool) error {
	if j.header == nil {
		name := in.Names()[id]
		j.header, j.taken[name] = []string{name}, t.Path
	}
	for k, name := range in.Names() {
		if k == id {
			continue
		}
		prefix, _, cut := strings.Cut(name, ".")
		if t.Name != "" {
			name = t.Name + "." + name
		} else if cut && names[prefix] {
			return in.Fault(k, "column %s has the name of the file %s before its point", fail.Label(name), fail.Label(prefix)).
				WithHint("another name for that file, or NAME=%s for this one, keeps views apart", fail.Path(t.Path))
		}
		if file, twice := j.taken[name]; twice {
			return in.Fault(k, "two columns are called %s, and %s has the other one", fail.Label(name), fail.Path(file)).
				WithHint("NAME=FILE puts a name before the columns of a file")
		}
		j.header, j.taken[name] = append(j.header, name), t.Path
	}
	if len(j.header) > dataset.MaxColumns {
		return in.Fault(0, "more than %d columns together", dataset.MaxColumns)
	}
	return nil
}

// object returns the number of an object, which may be new, and makes a place for it in a table.
func (j *Joined) object(in *table.Plain, id string, field int, to *joinedTable) (int, error) {
	if id == "" {
		return 0, in.Fault(field, "the row has no value in column %s", fail.Label(in.Names()[field])).
			WithHint("each row names its object; leave out rows without a name")
	}
	k, known := j.number[id]
	if !known {
		k, id = len(j.ids), strings.Clone(id)
		j.ids, j.number[id] = append(j.ids, id), k
	}
	for len(to.rows) <= k {
		to.rows, to.lines = append(to.rows, nil), append(to.lines, 0)
	}
	if to.rows[k] != nil {
		return 0, in.Fault(field, "%s occurs twice in column %s, first in line %d", fail.Word(id), fail.Label(in.Names()[field]), to.lines[k]).
			WithHint("a table has one row for each object: take means, or leave rows out")
	}
	return k, nil
}

// Lacks returns for each table how many of the objects it does not have.
func (j *Joined) Lacks() []int {
	lacks := make([]int, len(j.tables))
	for k := range j.tables {
		lacks[k] = len(j.ids) - j.tables[k].has
	}
	return lacks
}

// ID returns the name of the column of identifiers.
func (j *Joined) ID() string { return j.header[0] }

// Write writes the joined table as comma-separated values, until ctx is done, and returns the number of its rows.
func (j *Joined) Write(ctx context.Context, w io.Writer) (rows int, err error) {
	out := bufio.NewWriterSize(w, 1<<18)
	out.Write(j.encode.line(j.header)) // The writer keeps its error until Flush.
	out.WriteByte('\n')
	const interval = 64
	for k, id := range j.ids {
		if k%interval == 0 && ctx.Err() != nil {
			return k, ctx.Err()
		}
		out.Write(j.encode.line([]string{id}))
		for i := range j.tables {
			t := &j.tables[i]
			text := t.empty
			if k < len(t.rows) && t.rows[k] != nil {
				text = t.rows[k]
			}
			if t.width > 0 {
				out.WriteByte(',')
				out.Write(text)
			}
		}
		if err := out.WriteByte('\n'); err != nil {
			return k, err
		}
	}
	return len(j.ids), out.Flush()
}

// encoder writes fields as one line of comma-separated values.
type encoder struct {
	text bytes.Buffer
	csv  *csv.Writer
}

func newEncoder() *encoder {
	e := &encoder{}
	e.csv = csv.NewWriter(&e.text)
	return e
}

// line returns the line without its end. It is valid until the following call.
func (e *encoder) line(fields []string) []byte {
	e.text.Reset()
	e.csv.Write(fields) // A buffer does not fail, and a comma is a separator that Write takes.
	e.csv.Flush()
	return bytes.TrimSuffix(e.text.Bytes(), []byte{'\n'})
}

// arena keeps texts in blocks, as one buffer would be copied whenever it grows.
type arena struct{ block []byte }

const arenaBlock = 1 << 20

// keep returns a copy of a text, which is never nil.
func (a *arena) keep(text []byte) []byte {
	if a.block == nil || len(text) > cap(a.block)-len(a.block) {
		a.block = make([]byte, 0, max(len(text), min(arenaBlock, max(4<<10, 2*cap(a.block)))))
	}
	at := len(a.block)
	a.block = append(a.block, text...)
	return a.block[at:len(a.block):len(a.block)]
}
