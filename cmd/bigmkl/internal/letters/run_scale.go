package letters

import (
	"bufio"
	"context"
	"errors"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// scaleRun is one run of svm-scale. It reads the data twice: the first time for the interval of
// each feature, the second time to scale. Memory thus depends on the number of features and not
// of rows. The saved intervals scale later files by the same factors, so training and test data fit
// each other.
type scaleRun struct {
	// to is the interval of the scaled values, [-1, 1] by default.
	*Process
	to     interval
	labels *interval // what labels are scaled to; nil if they stay
	// save has the file of -s, and restore the file of -r. svm-scale rejects both together.
	save, restore string
	data          string

	// seen has the interval of each feature that occurs. rows counts all rows, and entries the
	// values other than 0.
	// The map has an entry for each feature that occurs. Features are sparse, and their largest index may
	// be large.
	seen    map[int32]*occurrence
	rows    int
	entries int
	// targets is the interval of the labels as they are read.
	targets interval
}

// occurrence is the interval of a feature's values, and the number of rows in which it occurs. A
// feature that occurs in fewer rows than there are is 0 in the others, which belongs to its
// interval too.
type occurrence struct {
	interval
	rows int
}

// runScale is svm-scale.
func runScale(ctx context.Context, p *Process, args []string) error {
	r, err := parseScale(p, args)
	if err != nil {
		return err
	}
	// The file of factors must not replace the data.
	if r.save != "" {
		if err := p.Check(r.save, r.data); err != nil {
			return err
		}
	}
	info, err := files.Stat(r.data)
	if err != nil {
		return files.InputFault("cannot open", r.data, err)
	}
	if !info.Mode().IsRegular() {
		return fail.New(fail.Usage, "the rows are read twice, which takes a file").At(r.data, 0, 0)
	}
	// A restored run needs the survey too: it warns of features that the file does not have.
	if err := r.survey(ctx); err != nil {
		return err
	}
	s, err := r.scaling()
	if err != nil {
		return err
	}
	if r.save != "" {
		if err := r.write(r.save, s.write); err != nil {
			return err
		}
	}
	return r.scaleRows(ctx, s)
}

// parseScale reads the command line as svm-scale does: options begin with -, -y alone has two
// values, and the data come last. Messages have the words of svm-scale where scripts may look
// for them.
// A value may begin with -, such as -l -1, so the number of values of an option is fixed by its name.
func parseScale(p *Process, args []string) (*scaleRun, error) {
	r := &scaleRun{Process: p, to: interval{-1, 1}, targets: nothing, seen: map[int32]*occurrence{}}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		name, values := args[0], 1
		if name == "-y" {
			values = 2
		}
		// Blanks around the names keep a part of a name, such as -, from matching.
		if !strings.Contains(" -l -u -y -s -r ", " "+name+" ") {
			return nil, usage(NameScale, "unknown option: %s", name)
		}
		// One word more must follow, because the data come last.
		if len(args) <= values {
			return nil, usage(NameScale, "%s has too few values", name)
		}
		v := value{program: NameScale, name: name, text: args[1]}
		switch name {
		case "-l":
			r.to.least = v.number()
		case "-u":
			r.to.most = v.number()
		case "-y":
			// The first fault of both is reported.
			second := value{program: NameScale, name: name, text: args[2]}
			r.labels = &interval{v.number(), second.number()}
			if v.err == nil {
				v.err = second.err
			}
		case "-s":
			r.save = v.text
		case "-r":
			r.restore = v.text
		}
		if v.err != nil {
			return nil, v.err
		}
		args = args[1+values:]
	}
	switch {
	case r.to.most <= r.to.least, r.labels != nil && r.labels.most <= r.labels.least:
		return nil, usage(NameScale, "inconsistent lower/upper specification")
	case r.save != "" && r.restore != "":
		return nil, usage(NameScale, "cannot use -r and -s simultaneously")
	case len(args) != 1:
		return nil, usage(NameScale, "%d files, where one is to be named", len(args))
	}
	r.data = args[0]
	return r, nil
}

// each reads the rows of the data.
// Rows need a number as label, as svm-scale requires. do must not keep the row, which the next one
// replaces.
func (r *scaleRun) each(ctx context.Context, do func(row *dataset.Row) error) error {
	src, err := dataset.Open([]string{r.data}, readOptions)
	if err != nil {
		return err
	}
	defer src.Close()
	// An interrupt is looked for now and then, because the check costs more than a short row.
	for n := 1; ; n++ {
		row, err := src.Next()
		if err != nil {
			return endOf(err)
		}
		if n%checkedRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := errors.Join(hasTarget(&row), do(&row)); err != nil {
			return err
		}
	}
}

// survey finds the intervals of features and labels.
func (r *scaleRun) survey(ctx context.Context) error {
	err := r.each(ctx, func(row *dataset.Row) error {
		r.rows++
		r.targets.add(row.Target)
		for k, j := range row.Index {
			o := r.seen[j]
			if o == nil {
				o = &occurrence{interval: nothing}
				r.seen[j] = o
			}
			// Only values in the file extend the interval here. Implicit zeros follow at the end.
			o.add(row.Value[k])
			o.rows++
		}
		r.entries += len(row.Index)
		return nil
	})
	// A row without the feature has 0 there.
	for _, o := range r.seen {
		if o.rows < r.rows {
			o.add(0)
		}
	}
	if r.seen[0] != nil {
		r.Warn("warning: minimal feature index is 0, but indices should start from 1")
	}
	return err
}

// scaling returns the intervals to scale from: from the survey, or with -r from a file that -s
// has saved. A file that has no labels leaves them to the survey.
// The result maps x to lower + (upper - lower) (x - least) / (most - least).
func (r *scaleRun) scaling() (*scaling, error) {
	if r.restore == "" {
		s := &scaling{to: r.to, features: map[int32]interval{}}
		for j, o := range r.seen {
			s.features[j] = o.interval
		}
		if r.labels != nil {
			s.labels = &[2]interval{*r.labels, r.targets}
		}
		return s, nil
	}
	s, err := readScaling(r.restore)
	if err != nil {
		return nil, err
	}
	// -y applies to labels also if the saved file was written without it.
	if s.labels == nil && r.labels != nil {
		s.labels = &[2]interval{*r.labels, r.targets}
	}
	// A feature with a single value is left out in any case, so it needs no warning.
	unknown := map[int32]interval{}
	for j, o := range r.seen {
		if _, ok := s.features[j]; !ok && o.least != o.most {
			unknown[j] = o.interval
		}
	}
	for _, j := range sortedKeys(unknown) {
		r.Warn("warning: feature index %d of %s is not in %s: it is scaled to 0", j, r.data, r.restore)
	}
	return s, nil
}

// scaleRows writes the scaled rows. Factors and labels have 17 digits and features 6, as
// svm-scale writes them. A feature with one value in all rows is left out, as it has no interval to
// scale.
func (r *scaleRun) scaleRows(ctx context.Context, s *scaling) error {
	// A feature whose 0 is scaled to another number, such as the middle of [-1, 1], is missing
	// in sparse rows and must be written in them.
	var moved []int32
	for _, j := range sortedKeys(s.features) {
		if i := s.features[j]; i.least != i.most && j >= 1 && i.scale(0, s.to) != 0 {
			moved = append(moved, j)
		}
	}
	out := bufio.NewWriterSize(r.Stdout, 1<<16)
	var b []byte
	// entries counts written values, for the warning at the end.
	entries := 0
	// A result of 0 is not written: the format is sparse.
	feature := func(j int32, x float64) {
		i, ok := s.features[j]
		if !ok || i.least == i.most {
			return
		}
		if x = i.scale(x, s.to); x != 0 {
			b = appendFeature(b, j, x)
			entries++
		}
	}
	err := r.each(ctx, func(row *dataset.Row) error {
		y := row.Target
		if s.labels != nil {
			y = s.labels[1].scale(y, s.labels[0])
		}
		b = append(append(b[:0], long(y)...), ' ')
		// Both lists ascend, so features that are missing in the row are merged in their places.
		at := 0
		for k, j := range row.Index {
			for ; at < len(moved) && moved[at] < j; at++ {
				feature(moved[at], 0)
			}
			if at < len(moved) && moved[at] == j {
				at++
			}
			feature(j, row.Value[k])
		}
		for _, j := range moved[at:] {
			feature(j, 0)
		}
		_, err := out.Write(append(b, '\n'))
		return err
	})
	// Rows before a fault are written.
	if err := errors.Join(err, out.Flush()); err != nil {
		return err
	}
	// svm-scale has this warning, because sparse data may become dense and files many times larger.
	if entries > r.entries {
		r.Warn("warning: original #nonzeros %d, new #nonzeros %d: if feature values are non-negative and sparse, use -l 0 "+
			"rather than the default -l -1", r.entries, entries)
	}
	return nil
}
