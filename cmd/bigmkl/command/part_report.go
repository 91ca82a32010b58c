package command

import (
	"bigmkl/internal/fail"
)

// partReport reports a run of select or importance that did a part of the work, or joined parts.
type partReport struct {
	*console
	folder string
	// part is the part of the work that this run did, and merges is set if it joined other parts.
	part   [2]int
	merges bool
}

// showPart reports how many of all steps are missing. It is an error if parts were joined, because the
// user expects a complete result. Otherwise document prints it, or a line of text if document is nil.
// The argument what names the steps, such as trainings.
func (p *partReport) showPart(what string, missing, all int, document func() error) error {
	if p.merges {
		return fail.New(fail.Input, "%d of %d %s are missing", missing, all, what).
			At(p.folder, 0, 0).WithHint("name every part by --merge, or run the parts that are not complete again")
	}
	if document != nil {
		return document()
	}
	return p.print("part %d of %d is done: %d of %d %s are in %s\n", p.part[0], p.part[1], all-missing, all, what, p.folder)
}
