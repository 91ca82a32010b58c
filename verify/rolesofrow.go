package verify

import (
	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

// assignRoles sets the roles of a row, and returns its class as the fingerprint counts it: the
// number of its class for a model of several classifiers, and 0 or 1 for one of two classes.
func (r *reader) assignRoles(data *dataset.Row) (class int32, err error) {
	r.roles = r.roles[:0]
	if r.decomposition != nil {
		name, err := canonicalLabel(r.m, data)
		if err != nil {
			return 0, err
		}
		if class, err = r.decomposition.numberOf(name, data); err != nil {
			return 0, err
		}
		r.roles = r.decomposition.appendRoles(class, r.roles)
	} else {
		y, err := r.labelOf(data)
		if err != nil {
			return 0, err
		}
		if y > 0 {
			class = 1
		}
		if model.Labeling(r.m.Task) == dataset.Relevances {
			name, err := labeltext.Canonical(data.Label)
			if err != nil {
				return 0, fail.New(fail.Input, "%w", err).At(data.File, data.Line, 1)
			}
			class = r.fingerprint.groups.numberOf(name)
		}
		cost := costOf(r.m, y)
		if r.m.Posteriors != nil {
			// The label stays the class of the row; the loss follows its posterior.
			y, cost = soften(r.m, r.m.Posteriors[r.read-1])
		}
		r.roles = append(r.roles, role{y: y, upper: data.Upper, cost: cost})
	}
	r.roles = r.wing.roles(r.m, r.read-1, r.roles)
	if r.m.RowWeights && data.Weight != 0 {
		for i := range r.roles {
			r.roles[i].cost *= data.Weight
		}
	}
	return class, nil
}

// labelOf returns y of a row for the only classifier of the model: 1 or -1, or its target.
func (r *reader) labelOf(data *dataset.Row) (float64, error) {
	switch model.Labeling(r.m.Task) {
	case dataset.Ignored:
		return 1, nil
	case dataset.Targets:
		if !float.Finite(data.Target) {
			return 0, fail.New(fail.Input, "the row has no target").At(data.File, data.Line, 1).WithHint("%s", labeltext.MissingHint(false))
		}
		return data.Target, nil
	case dataset.Relevances:
		if !float.Finite(data.Target) || data.Target < 0 || data.Label == "" {
			return 0, fail.New(fail.Input, "the row has no relevance and group").At(data.File, data.Line, 1).WithHint("%s", dataset.GroupHint)
		}
		return data.Target, nil
	case dataset.Times:
		if !float.Finite(data.Target) || !float.Finite(data.Upper) || data.Target == 0 && data.Upper == 0 {
			return 0, fail.New(fail.Input, "the row has no time").At(data.File, data.Line, 1).WithHint("%s", labeltext.MissingHint(true))
		}
		return data.Target, nil
	}
	name, err := canonicalLabel(r.m, data)
	if err != nil {
		return 0, err
	}
	if r.positive[name] {
		r.seen[name] = true
		return 1, nil
	}
	if r.negative != "" && name != r.negative {
		return 0, fail.New(fail.Input, "label %s is neither of the model's classes %s and %s",
			fail.Word(name), fail.Word(r.m.Positive), fail.Word(r.m.Negative)).
			At(data.File, data.Line, 1)
	}
	return -1, nil
}

// canonicalLabel returns the label of a row, or its set of labels, in the one spelling that
// labels are compared in.
func canonicalLabel(m *model.Model, data *dataset.Row) (string, error) {
	read := labeltext.Canonical
	if m.Multiclass == model.MultiLabel {
		read = labeltext.CanonicalSet
	}
	name, err := read(data.Label)
	if err != nil {
		return "", fail.New(fail.Input, "%w", err).At(data.File, data.Line, 1)
	}
	return name, nil
}
