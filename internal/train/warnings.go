package train

import (
	"fmt"
	"slices"
	"strings"
)

// warnings counts the warnings of a run by their kind. A warning that each of a thousand classifiers
// or checkpoints causes is one line of the result.
type warnings struct {
	result *Result // gets their lines
	kinds  []*kind // in the order in which they first occurred
	fresh  string  // a warning that the recorder has not been told yet, or ""
}

// kind counts warnings of one kind. Two warnings have the same kind if they have the same format.
type kind struct {
	format      string
	first       string   // text of the first warning
	count       int      // number of warnings
	classifiers []string // names of the first few classifiers that caused it, if there are several
	noun        string   // what there are several of
	of          int      // number of classifiers of the run
	kernels     []int    // kernels that it is about, of all classifiers together, ascending
	list        func([]int) string
}

// namedCases is the number of warnings of a kind that are told during the run, and of classifiers
// that the line of the kind names.
const namedCases = 3

// count counts a warning and returns its kind.
func (w *warnings) count(format, text string) *kind {
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

// takeFresh returns the warning that has not been told yet, or "". It counts as told then.
func (w *warnings) takeFresh() string {
	text := w.fresh
	w.fresh = ""
	return text
}

// warn records a warning for the result of the run and for its recorder.
func (w *warnings) warn(format string, args ...any) {
	w.count(format, fmt.Sprintf(format, args...))
	w.word()
}

// word writes the lines of the result again. A line changes when its warning occurs again.
func (w *warnings) word() {
	w.result.Warnings = nil
	for _, k := range w.kinds {
		w.result.Warnings = append(w.result.Warnings, k.text())
	}
}

// text returns the line of a kind.
func (k *kind) text() string {
	text := k.first
	if k.kernels != nil {
		text = fmt.Sprintf(k.format, k.list(k.kernels))
	}
	switch {
	case k.classifiers != nil:
		text += fmt.Sprintf(", in %d of %d %ss: %s",
			k.count, k.of, k.noun, strings.Join(k.classifiers, ", "))
		if k.count > len(k.classifiers) {
			text += ", .."
		}
	case k.count > 1:
		text += fmt.Sprintf(" (and %d more like it)", k.count-1)
	}
	return text
}
