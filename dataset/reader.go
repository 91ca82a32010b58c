package dataset

import (
	"errors"
	"io"
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// ReadOptions say how text is read. The zero value reads everything with weights of 1.
type ReadOptions struct {
	// Weights is FILE or FILE:COLUMN: a text file with one positive number a row, over all data files in a row. Columns
	// count from 1 (the default) and are separated by blanks, tabs or commas; lines that start with # do not count.
	Weights string
	// MaxFeatures is the largest index that is accepted, 2^31-1 if 0.
	MaxFeatures int
	// Labels says what stands before the features of a row.
	Labels Labeling
	// TrustCompressed turns off the limits that stop decompression bombs: output of more than 1000 times the input
	// beyond the first 64 MiB, lines longer than the compressed bytes before them and 8 MiB, and zstd windows above 8 MiB.
	TrustCompressed bool
}

// Validate lists every fault of the options.
func (o ReadOptions) Validate() error {
	var errs []error
	if o.MaxFeatures < 0 || o.MaxFeatures > math.MaxInt32 {
		errs = append(errs, fail.New(fail.Usage, "largest feature %d is not between 1 and %d", o.MaxFeatures, math.MaxInt32))
	}
	if _, _, err := splitWeights(o.Weights); err != nil {
		errs = append(errs, err)
	}
	if err := o.Labels.validate(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Reader is a Source over libsvm and svmlight text:
//
//	label [qid:n] index:value index:value ... # comment
//
// Indices are 1-based and strictly ascending, values plain decimal numbers; the label may be missing. Blank lines and
// comments are skipped; tabs, CRLF, a byte order mark and a missing last newline are accepted.
type Reader struct {
	options ReadOptions
	paths   []string // still to be opened
	current *text    // being read; nil between files
	weights *weights // nil without weights
	parser  parser
	rows    int    // returned so far
	name    string // of the first file, for input without a row
	err     error  // of the last Next; once there is one, it stays
}

// Open reads files one after the other as if they were one; "-" is standard input. Text that is compressed by gzip or
// zstd is recognised by its content. Missing files and directories are found here, other faults when they are reached.
func Open(paths []string, o ReadOptions) (*Reader, error) {
	if len(paths) == 0 {
		return nil, fail.New(fail.Usage, "no data file given")
	}
	stdin := 0
	for _, path := range paths {
		if path == "-" {
			if stdin++; stdin > 1 {
				return nil, fail.New(fail.Usage, "standard input can be read only once")
			}
			continue
		}
		info, err := files.Stat(path)
		if err != nil {
			return nil, files.InputFault("cannot open", path, err)
		}
		// A pipe is opened only once: closing it early would end its writer.
		if !info.Mode().IsRegular() && !info.IsDir() {
			continue
		}
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		f.Close()
	}
	r, err := newReader(o)
	if err != nil {
		return nil, err
	}
	if stdin > 0 && r.weights != nil && r.weights.name == stdinName {
		r.Close()
		return nil, fail.New(fail.Usage, "standard input cannot be both data and weights")
	}
	r.paths, r.name = paths, paths[0]
	return r, nil
}

// NewReader reads one stream; name stands for it in messages. A fault of the options is returned by the first Next.
func NewReader(from io.Reader, name string, o ReadOptions) *Reader {
	r, err := newReader(o)
	if err != nil {
		return &Reader{err: err}
	}
	r.current, r.name = newText(from, nil, name, o.TrustCompressed), name
	return r
}

func newReader(o ReadOptions) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{options: o, parser: parser{maxIndex: math.MaxInt32, labeling: o.Labels}}
	if o.MaxFeatures > 0 {
		r.parser.maxIndex = uint64(o.MaxFeatures)
	}
	if o.Weights != "" {
		w, err := openWeights(o.Weights, o.TrustCompressed)
		if err != nil {
			return nil, err
		}
		r.weights = w
	}
	return r, nil
}

// Next returns the next row, or io.EOF. Input without a single row is an error.
func (r *Reader) Next() (Row, error) {
	if r.err != nil {
		return Row{}, r.err
	}
	row := Row{Weight: 1}
	if r.err = r.read(&row); r.err != nil {
		return Row{}, r.err
	}
	r.rows++
	return row, nil
}

// read finds the next line that holds a row, in this file or a later one.
func (r *Reader) read(row *Row) error {
	for {
		if r.current == nil {
			if len(r.paths) == 0 {
				return r.finish()
			}
			next, err := openText(r.paths[0], r.options.TrustCompressed)
			if err != nil {
				return err
			}
			r.current, r.paths = next, r.paths[1:]
		}
		line, err := r.current.next()
		if err == io.EOF {
			r.current.Close()
			r.current = nil
			continue
		}
		if err != nil {
			return err
		}
		row.File, row.Line = r.current.name, r.current.number
		ok, err := r.parser.line(line, row)
		if err != nil {
			return place(err, row)
		}
		if !ok {
			continue
		}
		return r.weigh(row)
	}
}

// weigh takes the row's weight from the weights file, which is read in step with the data: a consumer that stops early
// leaves the rest of both unread, and only the end of the data asks for the end of the weights.
func (r *Reader) weigh(row *Row) error {
	if r.weights == nil {
		return nil
	}
	w, err := r.weights.next()
	if err == io.EOF {
		return fail.New(fail.Input, "only %d weights for more rows", r.rows).At(r.weights.name, 0, 0).
			WithHint("the first row without one is %s:%d", row.File, row.Line)
	}
	row.Weight = w
	return err
}

// finish checks what can only be checked at the end of the last file.
func (r *Reader) finish() error {
	if r.rows == 0 {
		return fail.New(fail.Input, "no rows").At(r.name, 0, 0)
	}
	if r.weights != nil {
		if err := r.weights.drained(r.rows); err != nil {
			return err
		}
	}
	return io.EOF
}

// place completes an error of the parser.
func place(err error, row *Row) error {
	var e *fail.Error
	if errors.As(err, &e) {
		return e.At(row.File, row.Line, e.Column)
	}
	return err
}

// Close closes the files. Standard input and the stream of NewReader stay open.
func (r *Reader) Close() error {
	var errs []error
	if r.current != nil {
		errs = append(errs, r.current.Close())
	}
	if r.weights != nil {
		errs = append(errs, r.weights.Close())
	}
	r.current, r.weights, r.paths = nil, nil, nil
	if r.err == nil {
		r.err = io.EOF
	}
	return errors.Join(errs...)
}
