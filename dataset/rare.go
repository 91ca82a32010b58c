package dataset

import (
	"fmt"

	"bigmkl/internal/fail"
)

// DescribeRare returns a sentence about the classes that have fewer rows than there are folds, and ""
// if there are none. Folds are dealt out class by class, so some have no row of such a class.
func (r *responses) DescribeRare(folds int) string {
	if r.labels == nil {
		return ""
	}
	rows := make([]int, len(r.classes))
	for _, c := range r.labels {
		rows[c]++
	}
	rare, rarest := 0, 0
	for c, n := range rows {
		if n < folds {
			rare++
		}
		if n < rows[rarest] {
			rarest = c
		}
	}
	if rare == 0 {
		return ""
	}
	others := ""
	if rare > 1 {
		others = fmt.Sprintf(", and so are %d more of %d classes", rare-1, len(rows))
	}
	// One fold is none, and a class of one row is never both learned and tested.
	mend := "more rows of it"
	if n := rows[rarest]; n > 1 {
		mend = fmt.Sprintf("--folds %d, or more rows of it", n)
	}
	return fmt.Sprintf("class %s has fewer rows than there are folds, %d of %d%s: some folds say nothing of it (%s)",
		fail.Label(r.classes[rarest]), rows[rarest], folds, others, mend)
}
