package descent

// Verdict is what the bounds of a trial amount to.
type Verdict int

// These are the verdicts.
const (
	// Undecided asks for closer bounds of the same trial: Gap has become less.
	Undecided Verdict = iota
	// Rejected has gone on to the next trial.
	Rejected
	// Accepted asks for the slope at the trial, which Learn takes.
	Accepted
)

// Judges returns the verdict of Judge on the bounds of the trial, and changes nothing.
func (d *Descent) Judges(lower, upper float64) Verdict {
	switch {
	case d.Point == nil || upper <= d.line():
		return Accepted
	case lower <= d.line() && d.Gap > d.options.Gap:
		return Undecided
	}
	return Rejected
}

// Judge takes the bounds of the trial, which are as close as Gap asks for or reject it. A value that
// is not a number rejects it, too.
func (d *Descent) Judge(lower, upper float64) Verdict {
	verdict := d.Judges(lower, upper)
	switch verdict {
	case Accepted:
		d.Upper = upper
	case Undecided:
		d.Gap = max(d.options.Gap, d.Gap/4)
	case Rejected:
		d.reject()
	}
	return verdict
}
