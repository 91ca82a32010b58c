package dataset

import (
	"bigmkl/internal/fail"
	"errors"
	"math"
)

// StoreOptions say how rows become a store. The zero value stores all rows unscaled, with scratch files in the system's
// temporary folder.
type StoreOptions struct {
	Dir       string   // folder of the scratch files
	Scale     string   // kind of scaling to learn; "" is none
	Layout    Layout   // form of the points; "" is auto
	Features  int      // at least that many features, for views beyond the last non-zero
	Limit     int      // number of rows to take from the front; 0 is all
	Sequences Alphabet // of rows that are sequences, whose features have to be codes of it; not scaled
	Labels    Labeling // what labels are; "" is classes
	Positive  []string // labels that become class "1"; all others become "-1"
	Memory    int64    // refuse data that need more bytes of anonymous memory than this; 0 is no limit
	Disk      int64    // refuse data whose scratch files need more bytes than this with a TooLarge; 0 is no limit
}

// Validate lists every fault of the options.
func (o StoreOptions) Validate() error {
	var errs []error
	if _, err := ParseScale(o.Scale); err != nil {
		errs = append(errs, err)
	}
	if _, err := ParseLayout(string(o.Layout)); err != nil {
		errs = append(errs, err)
	}
	if _, err := ParseAlphabet(string(o.Sequences)); err != nil {
		errs = append(errs, err)
	}
	if kind, err := ParseScale(o.Scale); err == nil && kind != ScaleNone && o.Sequences != Numbers {
		errs = append(errs, fail.New(fail.Usage, "scaling %s of sequences: letters are not numbers", kind))
	}
	if o.Features < 0 || o.Features > math.MaxInt32 {
		errs = append(errs, fail.New(fail.Usage, "number of features %d is not between 0 and %d", o.Features, math.MaxInt32))
	}
	if o.Limit < 0 {
		errs = append(errs, fail.New(fail.Usage, "limit of %d rows is negative", o.Limit))
	}
	if o.Memory < 0 {
		errs = append(errs, fail.New(fail.Usage, "memory limit of %d bytes is negative", o.Memory))
	}
	if o.Disk < 0 {
		errs = append(errs, fail.New(fail.Usage, "disk limit of %d bytes is negative", o.Disk))
	}
	if err := o.Labels.validate(); err != nil {
		errs = append(errs, err)
	}
	if _, err := newClassTable(o.Positive, o.Labels); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
