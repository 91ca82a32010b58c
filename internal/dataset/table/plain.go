package table

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// Plain yields the records of one text table as they are, behind a header that names the columns. Nothing
// is decided of what the columns are.
type Plain struct {
	records *records
	names   []string
	line    int // line is where the latest record begins.
}

var _ io.Closer = (*Plain)(nil)

// OpenPlain opens a table and reads its header. Of the options Separator, Open and Trusted count. A column
// without a name is called by its number, from 1.
func OpenPlain(path string, o Options) (*Plain, error) {
	r, err := (&tables{options: o}).open(path)
	if err != nil {
		return nil, err
	}
	p := &Plain{records: r}
	first, err := r.next()
	if err == io.EOF {
		err = fail.New(fail.Input, "no rows").At(r.stream.Name(), 0, 0)
	}
	if err == nil {
		p.names = columnNames(first, true)
		p.line, _ = r.place(0)
	}
	if err != nil {
		r.stream.Close()
		return nil, err
	}
	return p, nil
}

// Names returns the names of the columns.
func (p *Plain) Names() []string { return p.names }

// Find returns the number of a column, from 0, by its name or by its number, from 1.
func (p *Plain) Find(column string) (int, error) {
	k := slices.Index(p.names, column)
	if k >= 0 {
		if again := slices.Index(p.names[k+1:], column); again >= 0 {
			return 0, p.Fault(k+1+again, "two columns are called %s", fail.Label(column))
		}
		return k, nil
	}
	if n, err := strconv.Atoi(column); err == nil && n >= 1 && n <= len(p.names) {
		return n - 1, nil
	}
	return 0, p.Fault(0, "no column is called %s", fail.Label(column)).
		WithHint("the columns here are %s; the first line names them", listNames(p.names))
}

// Next returns the next record, which is valid until the following call, or io.EOF. All records have as
// many fields as the header.
func (p *Plain) Next() ([]string, error) {
	record, err := p.records.next()
	if err != nil {
		return nil, err
	}
	p.line, _ = p.records.place(0)
	if len(record) != len(p.names) {
		hint := "fields with separators or line ends stand in quotes"
		if len(record) == len(p.names)+1 {
			hint += "; R leaves out the name of the first column: write.table(.., col.names = NA) writes it"
		}
		return nil, p.Fault(0, "%d columns in this row and %d in the first", len(record), len(p.names)).WithHint("%s", hint)
	}
	return record, nil
}

// Line returns the line at which the latest record begins.
func (p *Plain) Line() int { return p.line }

// Fault returns an error of class fail.Input at a field of the latest record, or of the header before that.
func (p *Plain) Fault(field int, format string, args ...any) *fail.Error {
	return p.records.fault(field, format, args...)
}

// Close closes the file.
func (p *Plain) Close() error { return p.records.stream.Close() }

// moreRows adds to an error of one of several tables that further tables are read as more rows of the first.
func moreRows(e *fail.Error) *fail.Error {
	if strings.HasPrefix(e.Message, "no column is called ") || strings.HasPrefix(e.Message, "column ") {
		e.Hint += "; several tables are more rows of one: bigmkl convert --join ID joins columns of the same objects"
	}
	return e
}
