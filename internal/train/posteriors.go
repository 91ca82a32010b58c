package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// Posteriors are the certainty of the labels. Of two classes they are Pr(+1|x_i) of each row, and the
// loss holds the decision value to the soft label 2 Pr(+1|x_i) - 1 (Gönen 2010, Section 1.5; see
// loss.Hinge). One classifier for all classes takes Pr(c|x_i) of every class c, whose differences are
// the margins (see loss.Multiclass). The labels themselves stay what figures and sigmoids are compared
// with. The zero value means certain labels.
type Posteriors struct {
	// Values has Pr(+1|x_i), in [0, 1], of each row that is used, or for one classifier for all classes
	// Pr(c|x_i): n x classes, row-major, classes in the order of their names, every row of sum 1. If it
	// is nil, Neighbours decides. The model keeps the slice, which must not change.
	Values []float64
	// Neighbours is K: Pr(c|x_i) is the share of rows of class c among the K rows that are nearest to
	// x_i, which is none of them. If it equals zero, it has no effect.
	Neighbours int
	// Features is the set of features in which rows are near, as after the @ of a kernel. If it is
	// empty, it is all features.
	Features string
	// File names the origin of Values in messages. If it is empty, it has no effect.
	File string
}

// ParsePosteriors reads knn:K or knn:K@SET. ok is false for a text of another form.
func ParsePosteriors(text string) (p Posteriors, ok bool, err error) {
	rest, ok := strings.CutPrefix(text, "knn:")
	if !ok {
		return p, false, nil
	}
	number, set, at := strings.Cut(rest, "@")
	p.Neighbours, err = strconv.Atoi(number)
	if err != nil || p.Neighbours < 1 || at && set == "" {
		err := fail.New(fail.Usage, "%s is not of the form knn:K or knn:K@SET", fail.Quote(text))
		return Posteriors{}, true, err.WithHint("such as knn:10 or knn:10@1-76; ./%s is a file",
			fail.Cut(text))
	}
	p.Features = set
	return p, true, nil
}

// Asked reports whether labels are uncertain.
func (p *Posteriors) Asked() bool { return p.Values != nil || p.Neighbours != 0 }

// source returns the words for a model file.
func (p *Posteriors) source() string {
	switch {
	case p.Neighbours == 0:
		return model.GivenPosteriors
	case p.Features == "":
		return fmt.Sprintf("knn:%d", p.Neighbours)
	}
	return fmt.Sprintf("knn:%d@%s", p.Neighbours, p.Features)
}

// Check passes every fault that shows without data to check.
func (p *Posteriors) Check(check func(ok bool, format string, args ...any)) {
	check(p.Values == nil || p.Neighbours == 0, "posteriors beside those of nearest rows")
	check(p.Neighbours >= 0 && p.Neighbours <= mostNeighbours,
		"posteriors of %d nearest rows, at least 1 and at most %d", p.Neighbours, mostNeighbours)
	check(p.Features == "" || p.Neighbours != 0, "features of nearest rows without their number")
	if i := slices.IndexFunc(p.Values, notProbability); i >= 0 {
		check(false, "posterior %d is %v, not in [0, 1]", i+1, p.Values[i])
	}
}

func notProbability(p float64) bool { return !model.IsProbability(p) }
