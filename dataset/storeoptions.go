package dataset

import (
	"errors"
	"math"

	"bigmkl/internal/fail"
)

// StoreOptions set how rows become a store. The zero value stores all rows unscaled, with scratch
// files in the temporary folder of the system.
type StoreOptions struct {
	// Dir is the folder of the scratch files. If it is empty, the temporary folder of the system is
	// used.
	Dir string
	// Scale is the kind of scaling to learn. If it is empty, values stay as they are.
	Scale string
	// Impute is the kind of imputation to learn. If it is empty or none, a missing value is an error. Indicator
	// is median here: tables have the features that mark missing values.
	Impute string
	// Views have scalings of their own where Scale is ScaleAuto.
	Views []View
	// Layout is the form of the points. If it is empty, LayoutAuto is used.
	Layout Layout
	// Features is the least number of features. Views may need more features than the rows have.
	Features int
	// Flags is the number of the last of these features that are flags, which are not scaled; see
	// WithFlags.
	Flags int
	// Compact means that features may be numbered again where few of many occur, because nothing
	// names features by their numbers.
	Compact bool
	// Limit is the number of rows to take from the front. If it is 0, all rows are taken.
	Limit int
	// Sequences is the alphabet if the rows are sequences. Their features must be its codes and are
	// not scaled.
	Sequences Alphabet
	// Labels sets what labels mean. If it is empty, they are classes.
	Labels Labeling
	// Positive lists the labels that become class "1". All others become "-1". If it is nil,
	// classes stay as they are.
	Positive []string
	// Like is a store that these rows continue from: they have its features, classes, scaling and
	// layout, and a row that does not fit is an error of class fail.Input. The options for the
	// same choices have no effect then. If it is nil, the rows decide.
	Like *Store
	// NewClasses means that rows Like others may be of classes that these do not have. The store has the classes
	// of its own rows then.
	NewClasses bool
	// Share is which part of a file of packed points is compared with its checksums: other processes compare the
	// others. The zero value is all of it.
	Share Share
	// Memory is the largest number of bytes of anonymous memory that reading may take. If it is 0,
	// there is no limit.
	Memory int64
	// Disk is the largest number of bytes of the scratch files. Data that need more give a
	// TooLarge. If it is 0, there is no limit.
	Disk int64
}

// Share is one of several equal parts.
type Share struct {
	Part  int // from 0
	Parts int // 0 means 1
}

// Of returns the range of so many items that is in the part.
func (s Share) Of(items int64) (from, to int64) {
	parts := int64(max(1, s.Parts))
	return items * int64(s.Part) / parts, items * int64(s.Part+1) / parts
}

// Whole reports whether there is one part.
func (s Share) Whole() bool { return s.Parts <= 1 }

// validate returns all faults of the options as one error of class fail.Usage.
func (o StoreOptions) validate() error {
	var errs []error
	if _, err := ParseScale(o.Scale); err != nil {
		errs = append(errs, err)
	}
	if _, err := ParseImpute(o.Impute); err != nil {
		errs = append(errs, err)
	}
	if Imputes(o.Impute) && o.Sequences != Numbers {
		errs = append(errs, fail.New(fail.Usage, "imputation %s of sequences: letters are not numbers", o.Impute))
	}
	if _, err := ParseLayout(string(o.Layout)); err != nil {
		errs = append(errs, err)
	}
	if _, err := ParseAlphabet(string(o.Sequences)); err != nil {
		errs = append(errs, err)
	}
	if kind, err := ParseScale(o.Scale); err == nil && kind != ScaleNone && kind != ScaleAuto && o.Sequences != Numbers {
		errs = append(errs, fail.New(fail.Usage, "scaling %s of sequences: letters are not numbers",
			kind))
	}
	if o.Features < 0 || o.Features > math.MaxInt32 {
		errs = append(errs, fail.New(fail.Usage, "number of features %d is not between 0 and %d",
			o.Features, math.MaxInt32))
	}
	if o.Limit < 0 {
		errs = append(errs, fail.New(fail.Usage, "limit of %d rows is negative", o.Limit))
	}
	if o.Share.Part < 0 || o.Share.Part >= max(1, o.Share.Parts) {
		errs = append(errs, fail.New(fail.Usage, "there is no part %d of %d", o.Share.Part, o.Share.Parts))
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
