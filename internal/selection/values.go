package selection

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

// Curves of a selection come from rows that were held out. Each training on the rows without a fold therefore keeps
// decision values of rows of the fold. The values of the chosen cell go into a file of their own. A fold of many rows
// keeps every second, fourth, .. of them, and a selection of many trainings few values of each.

const (
	// mostKept bounds the decision values that all trainings of a selection keep, and mostKeptRows the rows of a fold.
	// Where leastKept rows do not fit, none are kept.
	mostKept     = 1 << 20
	mostKeptRows = 4096
	leastKept    = 32
	// heldOutFile is the file of the values of the chosen cell.
	heldOutFile = "heldout.json"
)

// HeldOutRows is decision values of rows by trainings of the chosen cell without them. Each row is in it once: all
// rows of the first repetition of the folds, or every nth of each fold.
type HeldOutRows struct {
	// Classes lists the classes or sets of labels, and Known has the number of the class or set of each row. Both are
	// empty in regression, where Targets has a number for each row.
	Classes []string  `json:"classes,omitempty"`
	Known   []int32   `json:"known,omitempty"`
	Targets []float64 `json:"targets,omitempty"`
	// Values has the decision values of each row, one of each classifier.
	Values [][]float32 `json:"values"`
	// Rows is the number of all held-out rows, of which Values has every nth.
	Rows int `json:"rows"`
}

// keptValues collects the decision values of a fold.
type keptValues struct {
	shape  *bigmkl.Model
	stride int // every nth row is kept; 0: none
	next   int
	values []byte
}

// newKeptValues returns an empty collection for a fold of the given number of rows. trainings is
// the number of all trainings, which share mostKept.
func newKeptValues(shape *bigmkl.Model, trainings, rows int) *keptValues {
	k := &keptValues{shape: shape}
	outputs := max(1, len(shape.Classifiers))
	// One class has no curve, and a mixture has decision values of another meaning.
	most := min(mostKeptRows, mostKept/max(trainings*outputs, 1))
	if most < leastKept || model.DescribesSupport(shape.Task) || shape.Family.Mixture() != nil {
		return k
	}
	// A power of two: newHeldOutRows finds it again from the number of values alone, so no file
	// needs it.
	for k.stride = 1; rows > most*k.stride; k.stride *= 2 {
	}
	return k
}

// add takes the prediction of the next row by a model, whose classes may be in another order.
func (k *keptValues) add(m *bigmkl.Model, p *bigmkl.Prediction) {
	if k == nil || k.stride == 0 {
		return
	}
	one, sign := [1]float64{p.Decision}, 1.0
	decisions := p.Decisions
	if decisions == nil {
		decisions = one[:]
	}
	switch {
	case m.Several() != k.shape.Several() || !slices.Equal(m.Classes, k.shape.Classes) || len(decisions) != max(1, len(k.shape.Classifiers)):
		k.stride, k.values = 0, nil // Without its fold a rare class is gone, and with it a classifier.
		return
	case !m.Several() && m.HasClasses() && m.Positive != k.shape.Positive:
		sign = -1
	}
	if k.next++; (k.next-1)%k.stride != 0 {
		return
	}
	for _, f := range decisions {
		// The value overflows float32, and JSON has no infinities.
		if !float.Finite(float32(f)) {
			k.stride, k.values = 0, nil
			return
		}
		k.values = binary.LittleEndian.AppendUint32(k.values, math.Float32bits(float32(sign*f)))
	}
}

// text returns the values as base 64: rows x classifiers float32, little-endian. It is empty if
// none were kept.
func (k *keptValues) text() string { return base64.StdEncoding.EncodeToString(k.values) }

// newHeldOutRows joins the decision values that the trainings have kept of each fold. It returns nil if
// one of them has kept nothing. cellOf finds the cell that was trained without a fold, nil if it was
// not.
func newHeldOutRows(p *pool, folds []fold, cellOf func(fold string) *cell) *HeldOutRows {
	store, outputs := p.data.Store(), max(1, len(p.shape.Classifiers))
	h := &HeldOutRows{Values: [][]float32{}}
	if store.Labels() != nil {
		h.Classes = store.Classes()
	}
	for _, f := range folds {
		c := cellOf(f.Name)
		if c == nil || c.Values == "" {
			return nil
		}
		bytes, err := base64.StdEncoding.DecodeString(c.Values)
		rows := len(bytes) / (4 * outputs)
		if err != nil || rows == 0 {
			return nil
		}
		stride := 1
		for (len(f.rows)+stride-1)/stride > rows {
			stride *= 2
		}
		// a file of another division of the rows
		if (len(f.rows)+stride-1)/stride != rows {
			return nil
		}
		for at := 0; at < len(f.rows); at += stride {
			i := f.rows[at]
			values := make([]float32, outputs)
			for k := range values {
				values[k], bytes = math.Float32frombits(binary.LittleEndian.Uint32(bytes)), bytes[4:]
			}
			h.Values = append(h.Values, values)
			if h.Classes != nil {
				h.Known = append(h.Known, store.Labels()[i])
			} else {
				h.Targets = append(h.Targets, store.Targets()[i])
			}
		}
		h.Rows += len(f.rows)
	}
	return h
}

// LoadHeldOut reads the decision values that Save wrote beside a selection, nil if there are none. A damaged file is of class
// fail.Corrupt.
func LoadHeldOut(folder string) (*HeldOutRows, error) {
	path, h := filepath.Join(folder, heldOutFile), new(HeldOutRows)
	found, err := readJSON(path, h)
	if err != nil || !found {
		return nil, err
	}
	if !h.sound() {
		return nil, fail.New(fail.Corrupt, "the decision values of the selection make no sense").At(path, 0, 0)
	}
	return h, nil
}

// sound reports whether all rows have a class or a target, and as many values as the first.
func (h *HeldOutRows) sound() bool {
	stray := func(c int32) bool { return c < 0 || int(c) >= len(h.Classes) }
	uneven := func(v []float32) bool { return len(v) == 0 || len(v) != len(h.Values[0]) }
	return len(h.Values) == len(h.Known)+len(h.Targets) && (h.Known == nil || h.Targets == nil) &&
		!slices.ContainsFunc(h.Known, stray) && !slices.ContainsFunc(h.Values, uneven) && h.Rows >= len(h.Values)
}
