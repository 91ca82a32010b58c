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

// showPart reports that so many steps of all are missing: as an error if parts were joined, and else as text, or as document
// prints it if that is not nil. what names the steps.
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
