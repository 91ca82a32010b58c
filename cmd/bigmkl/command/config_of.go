package command

import (
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"

	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// settingsOfModel returns the options that a model was trained with, if its file has them, and notes
// about other options. Each row of the table of options reads its value from the model, so a new option
// is one row here, too.
// The list has the order of the table of options.
func settingsOfModel(path string) (list []setting, notes []string, err error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	for o := range eachOption {
		// An option of another task would be rejected by the training that reads this list.
		if o.ofModel == nil || !o.isOf(model.Named(m.Task)) {
			continue
		}
		if v := o.ofModel(m); len(v.values) > 0 {
			list = append(list, setting{key: o.name, kind: v.kind, values: v.values})
		}
	}
	return list, notesOfModel(m), nil
}

// notesOfModel lists what a repetition of the training needs and the options do not have: the
// data, files that the model does not name, and options that are not in model files. A model has names
// of files only where a prediction needs them: a path means nothing on another computer.
// Each note begins with the name of an option, so a user can look up what to add.
func notesOfModel(m *model.Model) []string {
	notes := []string{fmt.Sprintf("data: %s, %s, fingerprint %016x", count(m.Points, "row"), count(m.Features, "feature"),
		m.Fingerprint)}
	if m.Objects != nil {
		notes = append(notes, "objects: the rows name objects, whose files the model does not name; "+describeObjects(m.Objects))
	}
	// The names of files are missing below: a model has values of files only as far as a prediction needs
	// them.
	if m.RowWeights {
		notes = append(notes, "row-weights: the rows had weights, whose file the model does not name")
	}
	if m.PosteriorsOf == model.GivenPosteriors {
		notes = append(notes, "posteriors: the labels were uncertain, by a file that the model does not name")
	}
	// Weights by a rule are computed again from the data, so only weights from a file need a note.
	if m.Weights != nil && m.WeightRule == nil {
		notes = append(notes, "weights: fixed weights, which inspect --all --json shows; the model does not name their file")
	}
	if g := m.Family.Gates(); g != nil && g.Kind == model.GatesFixed {
		notes = append(notes, "gating: fixed gates, whose file the model does not name")
	}
	// Learned gates are in the model, but not the limits of their descent.
	if g := m.Family.Gates(); g != nil && g.Learned() {
		notes = append(notes, "gate-tol, gate-steps, starts and gate-decay: the model does not say how its gates were sought")
	}
	if m.Family.Projection() != nil {
		notes = append(notes, "gate-tol, gate-steps and starts: the model does not say how its projection was sought")
	}
	if m.Fill != nil {
		notes = append(notes, "missing: rows may have lacked views; the model does not name the file, or empty")
	}
	if x := m.Family.Mixture(); x != nil {
		notes = append(notes, "rounds: the model does not say how many were allowed")
		if x.Observed != nil {
			notes = append(notes, "observe: components of rows were observed, whose file the model does not name")
		}
	}
	// The model has the matrix itself. Both options lead to the same matrix, so the option is not known.
	if m.Interaction != nil {
		notes = append(notes, "norm-matrix or norm-laplacian: interactions of the kernels, whose file the model does not name")
	}
	// Tuning has switches of the solver for experiments. Ordinary runs have the zero value.
	if (m.Tuning != model.Tuning{}) {
		notes = append(notes, fmt.Sprintf("choices of the solver: %+v", m.Tuning))
	}
	return append(notes, "solver and init: a model does not say which solver trained it, nor where it began")
}

// settingsOfCheckpoint returns the options of the run whose checkpoints lie in a folder. They
// come from its facts, which a resume compares; a fact without an option becomes a note. A run that was
// killed has no model yet. Its options are nevertheless all in the checkpoint, because a resume must
// have the same ones.
func settingsOfCheckpoint(folder string) (list []setting, notes []string, err error) {
	facts, err := train.Facts(folder)
	if err != nil {
		return nil, nil, err
	}
	// Facts refer to each other: the task decides which options have a meaning.
	value := map[string]string{}
	for _, f := range facts {
		value[f.Name] = f.Value
	}
	options := map[string]*option{}
	for o := range eachOption {
		options[o.fact] = o
	}
	for _, f := range facts {
		o := options[f.Name]
		switch {
		// An empty fact is an option that was not given.
		case f.Value == "":
		case o != nil && o.isOf(value["task"]) && (o.ofRun == nil || o.ofRun(value)):
			list = append(list, setting{key: o.name, kind: unstable.String, values: []string{f.Value}})
		default:
			notes = append(notes, f.Name+": "+f.Value)
		}
	}
	return list, notes, nil
}
