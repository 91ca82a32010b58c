package train

import (
	"fmt"
	"slices"
	"strings"

	"bigmkl/kernels"
)

// warned counts the warnings of a run by their kinds: what every machine or every checkpoint meets is one line.
type warned struct {
	kinds []*kind
	fresh string // not told yet
}

// kind is the warnings of one kind: those of one format.
type kind struct {
	format   string
	first    string
	count    int
	machines []string // the first few that met it, of several
	kernels  []int    // that it is about, of all machines together
}

const namedCases = 3 // of a kind: machines that are named, and warnings that are told as the run goes on

// meet counts a warning and gives its kind.
func (w *warned) count(format, text string) *kind {
	i := slices.IndexFunc(w.kinds, func(k *kind) bool { return k.format == format })
	if i < 0 {
		i = len(w.kinds)
		w.kinds = append(w.kinds, &kind{format: format, first: text})
	}
	k := w.kinds[i]
	if k.count++; k.count <= namedCases {
		w.fresh = text
	}
	return k
}

// untold gives what has not been told yet.
func (w *warned) takeFresh() string {
	text := w.fresh
	w.fresh = ""
	return text
}

// line words a kind. machines is how many there are, 0 for a model of one.
func (k *kind) text(b *kernels.Prepared, machines int) string {
	text := k.first
	if k.kernels != nil {
		text = fmt.Sprintf(k.format, b.List(k.kernels))
	}
	switch {
	case k.machines != nil:
		text += fmt.Sprintf(", in %d of %d machines: %s", k.count, machines, strings.Join(k.machines, ", "))
		if k.count > len(k.machines) {
			text += ", .."
		}
	case k.count > 1:
		text += fmt.Sprintf(" (and %d more like it)", k.count-1)
	}
	return text
}
