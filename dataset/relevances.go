package dataset

import (
	"bytes"
	"math"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/float"
)

// GroupHint names the places of groups.
const GroupHint = "the group is qid:NUMBER behind the relevance, R:GROUP in the place of a relevance R, or --group COLUMN of a table"

// relevance reads the relevance R, or R:GROUP, of a row from the word b[start:end].
func (p *parser) relevance(b []byte, start, end int, row *Row) (err error) {
	word, group, grouped := bytes.Cut(b[start:end], []byte(":"))
	v, stop := number(word, 0)
	if len(word) == 0 || stop != len(word) {
		return badToken(b, start, "relevance %s is not a finite decimal number", clip(b[start:end]))
	}
	if v < 0 {
		return badToken(b, start, "relevance %s is below 0", clip(word))
	}
	if grouped {
		if row.Label, err = p.class(group, start+len(word)+2); err != nil {
			return err
		}
	}
	row.Target = v
	return nil
}

// query reads the group of a row from the word qid:N at b[start:end], whose N is a number.
func (p *parser) query(b []byte, start, end int, row *Row) (err error) {
	id := b[start+len("qid:") : end]
	if len(id) == 0 || !labeltext.AllDigits(string(id)) {
		return badToken(b, start, "query id %s is not a number", clip(id))
	}
	if p.labeling == Relevances {
		row.Label, err = p.class(id, start+len("qid:")+1)
	}
	return err
}

// checkRelevance returns an error for a row without a relevance of at least 0 or without a group.
func (r *Row) checkRelevance() error {
	switch {
	case math.IsNaN(r.Target):
		return r.fault("the row has no relevance")
	case !(r.Target >= 0) || !float.Finite(r.Target):
		return r.fault("the relevance is %v: relevances are finite numbers >= 0", r.Target)
	case r.Label == "":
		return r.fault("the row has no group").WithHint("%s", GroupHint)
	}
	return nil
}
