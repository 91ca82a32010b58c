package dataset

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// ReadOptions set how text is read. The zero value reads libsvm text with weights of 1.
type ReadOptions struct {
	// Weights is FILE, FILE:COLUMN or FILE:NAME. It names a text file with one number for each row,
	// not below 0, in the order of all data files. Columns count from 1, which is the default, and
	// are separated by blanks, tabs or commas. A column with a name stands below it: the first line
	// names all columns, and they are separated as the columns of a table. Lines that start with # are skipped. A row of
	// weight 0 is left out, as if the data did not have it, so neither widths nor scaling nor classes depend on it. If
	// Weights is empty, all weights are 1.
	Weights string
	// LabelFile is FILE, FILE:COLUMN or FILE:NAME in the same form, with the label of each row. If it is set,
	// the data must have no labels.
	LabelFile string
	// Sequences is the alphabet of data that are sequences, in FASTA or in columns. If it is empty,
	// libsvm text is read. See Alphabet.
	Sequences Alphabet
	// MaxFeatures is the largest index that is accepted. If it is 0, the largest is 2^31-1.
	MaxFeatures int
	// ZeroBased reports whether indices of libsvm text count from 0: yes, no, or auto, which the
	// text decides. If it is empty, text that counts from 0 is rejected.
	ZeroBased string
	// Impute is the kind of imputation. Unless it is empty or none, missing values are NaN in the rows, and with
	// indicator the columns of a table have features that report this. Otherwise a missing value is an error.
	Impute string
	// Labels states what the labels of rows mean.
	Labels Labeling
	// Objects finds the objects that rows name in place of features. If it is nil, rows have features.
	Objects ObjectNames
	// TrustCompressed turns off the limits against decompression bombs: output of more than 1000
	// times the input beyond the first 64 MiB, lines longer than the compressed bytes before them
	// plus 8 MiB, and zstd windows above 8 MiB.
	TrustCompressed bool
}

// Validate returns all faults of the options as one error of class fail.Usage.
func (o ReadOptions) Validate() error {
	var errs []error
	if _, err := ParseImpute(o.Impute); err != nil {
		errs = append(errs, err)
	}
	if o.MaxFeatures < 0 || o.MaxFeatures > math.MaxInt32 {
		errs = append(errs, fail.New(fail.Usage, "largest feature %d is not between 1 and %d",
			o.MaxFeatures, math.MaxInt32))
	}
	for _, spec := range []string{o.Weights, o.LabelFile} {
		if _, _, _, err := splitFields(spec); err != nil {
			errs = append(errs, err)
		}
	}
	if o.ZeroBased != "" && !slices.Contains(ZeroBased, o.ZeroBased) {
		errs = append(errs, fail.New(fail.Usage, "%s for text that counts from 0",
			fail.Quote(o.ZeroBased)).WithHint("%s", strings.Join(ZeroBased, ", ")))
	}
	if _, err := ParseAlphabet(string(o.Sequences)); err != nil {
		errs = append(errs, err)
	}
	if err := o.Labels.validate(); err != nil {
		errs = append(errs, err)
	}
	if o.Labels == Ignored && o.LabelFile != "" {
		errs = append(errs, fail.New(fail.Usage,
			"a file of labels, where labels are not looked at"))
	}
	return errors.Join(errs...)
}

// Reader is a Source of the rows of libsvm and svmlight text:
//
//	label [qid:n] index:value index:value ... # comment
//
// Indices are 1-based (but see ReadOptions.ZeroBased) and strictly ascending, and values are plain decimal numbers. The label may
// be missing, or be a set such as 1,3 (see Sets). Blank lines and comments are skipped. Tabs, CRLF,
// a byte order mark and a missing last newline are accepted. With ReadOptions.Sequences a Reader
// reads sequences instead.
type Reader struct {
	options ReadOptions
	paths   []string // paths lists the files that are still to be opened.
	current *text    // current is the file being read. It is nil between files.
	weights *fields  // weights is nil if all weights are 1.
	labels  *fields  // labels is nil if the labels are in the data.
	alone   bool     // alone is set if rows are labels without features.
	joined  Source   // joined yields the rows if they come from another source than text (Join).
	parser  parser
	letters *sequences // letters is nil for libsvm text.
	named   *namedRows // named is nil unless rows name objects.
	decided bool       // decided is set once it is known whether text counts from 0.
	rows    int        // rows counts the rows that were read.
	zeros   int        // zeros counts the rows of weight 0, which are not returned.
	name    string     // name is the name of the first file, for the message about input without a row.
	err     error      // err is the error of the last Next. Once it is set, it stays.
}

var _ interface {
	Source
	io.Closer
} = (*Reader)(nil)

// Open returns a reader of several files as if they were one; "-" is standard input. It recognises
// text compressed by gzip or zstd by its content. Open itself reports missing files and
// directories; Next reports other faults when it reaches them. All of them are of class fail.Input,
// and faults of the options of class fail.Usage.
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
		// A pipe is opened only once, because closing it early would end its writer.
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
	for _, f := range []*fields{r.weights, r.labels} {
		if f != nil && f.name == stdinName {
			stdin++
		}
	}
	if stdin > 1 {
		r.Close()
		return nil, fail.New(fail.Usage, "standard input cannot be two of data, weights and labels")
	}
	r.paths, r.name = paths, paths[0]
	return r, nil
}

// OpenLabels returns a reader of rows that have no features: the rows of the labels of
// o.LabelFile.
func OpenLabels(o ReadOptions) (*Reader, error) {
	r, err := newReader(o)
	if err == nil {
		r.alone, r.name = true, r.labels.name
	}
	return r, err
}

// NewReader returns a reader of one stream, which messages call by the given name. The first Next
// returns the faults of the options.
func NewReader(from io.Reader, name string, o ReadOptions) *Reader {
	r, err := newReader(o)
	if err != nil {
		return &Reader{err: err}
	}
	r.current, r.name = newText(NewStream(from, name, o.TrustCompressed)), name
	return r
}

func newReader(o ReadOptions) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{options: o, parser: parser{maxIndex: math.MaxInt32, labeling: o.Labels, imputes: Imputes(o.Impute)}}
	if o.Objects != nil {
		r.named = &namedRows{names: o.Objects, parser: &r.parser}
	}
	if o.MaxFeatures > 0 {
		r.parser.maxIndex = uint64(o.MaxFeatures)
	}
	if o.Sequences != Numbers {
		r.letters = &sequences{alphabet: o.Sequences, parser: &r.parser}
	}
	var err error
	if o.Weights != "" {
		if r.weights, err = openFields(o.Weights, o.TrustCompressed); err != nil {
			return nil, err
		}
	}
	if o.LabelFile != "" {
		if r.labels, err = openFields(o.LabelFile, o.TrustCompressed); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// Next returns the next row whose weight is not 0, or io.EOF after the last one. Input without a
// single one is an error of class fail.Input.
func (r *Reader) Next() (Row, error) {
	if r.err != nil {
		return Row{}, r.err
	}
	for {
		row := Row{Weight: 1}
		if r.err = r.read(&row); r.err != nil {
			return Row{}, r.err
		}
		r.rows++
		// The zero value of Weight means 1 to those who take the row, so a weight of 0 cannot be
		// passed on.
		if row.Weight != 0 {
			return row, nil
		}
		r.zeros++
	}
}

// Rows returns the number of rows that were read, those of weight 0 included. What is read in step
// with the data, outside of the reader, needs it to pass over what belongs to these.
func (r *Reader) Rows() int { return r.rows }

// read sets row to the next row, in this file or a later one.
func (r *Reader) read(row *Row) error {
	for {
		if r.joined != nil {
			return r.join(row)
		}
		if r.alone {
			if err := r.labels.label(&r.parser, row); err == io.EOF {
				return r.finish()
			} else if err != nil {
				return err
			}
			row.File, row.Line = r.labels.name, r.labels.number
			return r.weigh(row)
		}
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
		ok, err := r.row(row)
		if err == io.EOF {
			r.current.Close()
			r.current = nil
			continue
		}
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := r.label(row); err != nil {
			return err
		}
		return r.weigh(row)
	}
}

// row reads the next line of this file, or the next sequence. It returns ok = false if the line
// holds no row.
func (r *Reader) row(row *Row) (ok bool, err error) {
	if r.letters != nil {
		return true, r.letters.next(r.current, row)
	}
	line, err := r.current.next()
	if err != nil {
		return false, err
	}
	row.File, row.Line = r.current.name, r.current.number
	if r.named != nil {
		ok, err = r.named.line(line, row)
		return ok, setPlace(err, row)
	}
	if err := r.zeroBased(line); err != nil {
		return false, setPlace(err, row)
	}
	if r.rows == 0 && len(line) > 0 && line[0] == '>' {
		return false, row.fault("this looks like sequences in FASTA").
			WithHint("string kernels take sequences, such as --kernels wd:20,spectrum:6")
	}
	ok, err = r.parser.line(line, row)
	return ok, setPlace(err, row)
}

// label takes the label of a row from the file of labels, which is read in step with the data.
func (r *Reader) label(row *Row) error {
	if r.labels == nil {
		return nil
	}
	if r.parser.hasLabel(row) {
		return row.fault("the row has a label, and labels have a file of their own")
	}
	err := r.labels.label(&r.parser, row)
	if err == io.EOF {
		return fail.New(fail.Input, "only %d labels for more rows", r.rows).At(r.labels.name, 0, 0).
			WithHint("the first row without one is %s:%d", row.File, row.Line)
	}
	return err
}

// weigh takes the weight of a row from the file of weights, which is read in step with the data. A
// caller that stops early leaves the rest of both unread, and only the end of the data asks for the
// end of the weights.
func (r *Reader) weigh(row *Row) error {
	if r.weights == nil {
		return nil
	}
	w, err := r.weights.weight()
	if err == io.EOF {
		return fail.New(fail.Input, "only %d weights for more rows", r.rows).
			At(r.weights.name, 0, 0).
			WithHint("the first row without one is %s:%d", row.File, row.Line)
	}
	row.Weight = w
	return err
}

// finish checks at the end of the last file that there was a row, and that no weights or labels are
// left.
func (r *Reader) finish() error {
	if r.rows == 0 {
		return fail.New(fail.Input, "no rows").At(r.name, 0, 0)
	}
	if r.zeros == r.rows {
		return fail.New(fail.Input, "all %d rows have the weight 0", r.rows).At(r.weights.name, 0, 0)
	}
	if r.weights != nil {
		_, err := r.weights.weight()
		if err = r.weights.checkDrained(err, "weights", r.rows); err != nil {
			return err
		}
	}
	if r.labels != nil {
		err := r.labels.label(&r.parser, new(Row))
		if err = r.labels.checkDrained(err, "labels", r.rows); err != nil {
			return err
		}
	}
	return io.EOF
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
	if r.labels != nil {
		errs = append(errs, r.labels.Close())
	}
	if c, ok := r.joined.(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	r.current, r.weights, r.labels, r.paths, r.joined = nil, nil, nil, nil, nil
	if r.err == nil {
		r.err = io.EOF
	}
	return errors.Join(errs...)
}
