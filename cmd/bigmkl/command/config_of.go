package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"bigmkl/dataset"
	"bigmkl/kernelspec"
	"bigmkl/model"
	"bigmkl/train"
)

// settingList collects options under the names of their flags.
type settingList []setting

// text adds a value as it is on a command line. An empty one is not an option.
func (l *settingList) text(key, value string) {
	if value != "" {
		*l = append(*l, setting{key: key, kind: unstable.String, values: []string{value}})
	}
}

// number adds a number with all of its digits.
func (l *settingList) number(key string, x float64) {
	l.text(key, strconv.FormatFloat(x, 'g', -1, 64))
}

// list adds an array unless it is empty.
func (l *settingList) list(key string, values []string) {
	if len(values) > 0 {
		*l = append(*l, setting{key: key, kind: unstable.Array, values: values})
	}
}

// yes adds a flag that is set.
func (l *settingList) yes(key string, set bool) {
	if set {
		*l = append(*l, setting{key: key, kind: unstable.Bool, values: []string{"true"}})
	}
}

// settingsOfModel returns the options that a model was trained with, as far as its file has them.
func settingsOfModel(path string) (list []setting, notes []string, err error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	var l settingList
	if p := m.Family.Projection(); p != nil {
		var list []string
		for _, b := range p.Blocks() {
			list = append(list, b.Kernel)
		}
		l.list("kernels", append(list, m.Kernels[len(list):]...))
	} else {
		l.list("kernels", m.Kernels)
	}
	l.text("task", m.Task)
	l.text("loss", m.Loss)
	l.addNorm(m)
	switch {
	case m.Discriminant != nil:
		if m.CostWeight != nil {
			l.text("lambda", costJoint)
		} else {
			l.number("lambda", m.Discriminant.Lambda)
		}
		l.text("rule", m.Discriminant.Rule)
	case m.Family.Mixture() != nil:
		x := m.Family.Mixture()
		if !slices.Contains(model.Costless, m.Task) {
			l.number("C", m.C)
		}
		l.text("components", formatComponents(x))
		l.text("entropy", x.Entropy)
		l.text("restarts", strconv.Itoa(x.Restarts))
	case m.CostWeight != nil:
		l.text("C", costJoint)
	case model.InPlaceOfCost(m.Task) == "":
		l.number("C", m.C)
	}
	for _, p := range lossParameters {
		switch {
		case p.name == "tau" && m.Multiclass == model.Quantiles:
			l.text(p.name, joinNames(m))
		case p.isOf(m.Task):
			l.number(p.name, p.of(m))
		}
	}
	l.number("gap", m.Gap)
	l.text("precision", m.Precision)
	if s := m.Input().Scaling(); s.Choice != "" {
		l.text("scale", dataset.ScaleAuto)
	} else {
		l.text("scale", s.Kind)
	}
	l.text("impute", m.Scaling.Impute)
	l.text("normalize", m.Normalization.Kind)
	if g := m.Family.Gates(); g != nil && g.Kind == model.GatesRegions {
		l.text("gating", fmt.Sprintf("%s:%d", g.Kind, g.Regions))
		l.text("gate-on", g.On)
	} else if g != nil && g.Learned() {
		l.text("gating", g.Kind)
		l.text("gate-on", g.On)
		l.number("gate-floor", g.Together().Floor)
	}
	if m.Discriminant == nil { // Its task decides its classifiers.
		if m.Multiclass != model.Quantiles { // which tau has
			l.text("multiclass", m.Multiclass)
		}
		l.yes("one-theta", m.OneTheta && m.Multiclass != model.SingleClassifier)
	}
	g := m.Family.Gates()
	l.yes("one-gate", m.Several() && m.Multiclass != model.SingleClassifier &&
		(m.Family.Projection() != nil || g != nil && g.Learned() && len(g.Classifiers) == 0))
	l.list("positive", m.PositiveLabels)
	l.addClassWeights(m)
	if m.PosteriorsOf != model.GivenPosteriors {
		l.text("posteriors", m.PosteriorsOf)
	}
	l.text("conformal", textOf(m.Conformal))
	l.yes("probability", m.Folds > 0)
	if m.Folds > 0 {
		l.text("folds", strconv.Itoa(m.Folds))
		l.yes("shared-preparation", !m.FoldsApart)
	}
	l.text("limit", strconv.Itoa(m.Limit))
	l.text("seed", strconv.FormatUint(m.Seed, 10))
	l.text("store", string(m.Store))
	l.text("sequences", string(m.Sequences))
	var views []string
	for _, v := range m.Views {
		views = append(views, fmt.Sprintf("%s %d %d", v.Name, v.First, v.Last))
	}
	l.list("views", views)
	if c := m.Columns; c != nil {
		l.addColumns(c)
	}
	return l, notesOfModel(m), nil
}

// joinNames returns several quantiles as the value of a flag.
func joinNames(m *model.Model) string {
	var names []string
	for k := range m.Classifiers {
		names = append(names, m.Name(k))
	}
	return strings.Join(names, ",")
}

// addNorm adds the norm of a model, as far as no files belong to it.
func (l *settingList) addNorm(m *model.Model) {
	// An older model does not record the power, but has one.
	if kernelspec.NamesCost(m.Kernels) {
		l.number("cost-power", m.Costs.Exponent())
	}
	if r := m.WeightRule; r != nil {
		l.text("weights", rulePrefix+r.Text)
		if r.Folds > 0 && m.Folds == 0 {
			l.text("folds", strconv.Itoa(r.Folds))
		}
		if r.Folds == 0 {
			l.text("rule-sample", strconv.Itoa(r.Sample))
		}
	}
	if m.Weights != nil || m.Interaction != nil {
		return
	}
	if m.ElasticNet != 0 {
		l.number("elastic-net", m.ElasticNet)
		return
	}
	l.text("norm", formatNorm(m.Norm))
	if m.GroupNorm != 0 {
		l.text("group-norm", formatNorm(float64(m.GroupNorm)))
	}
	if m.SquaredNorm != 0 {
		l.number("squared-norm", m.SquaredNorm)
	}
}

// addClassWeights adds the factors of the classes that are not 1.
func (l *settingList) addClassWeights(m *model.Model) {
	names, weights := m.Classes, m.ClassWeights
	if !m.Several() {
		names, weights = []string{m.Positive, m.Negative}, []float64{m.PositiveWeight, m.NegativeWeight}
	}
	var list []string
	for k, w := range weights {
		if w != 1 && m.HasClasses() {
			list = append(list, names[k]+"="+strconv.FormatFloat(w, 'g', -1, 64))
		}
	}
	l.list("class-weight", list)
}

// addColumns adds what is said of the columns of a table.
func (l *settingList) addColumns(c *dataset.Columns) {
	l.text("label", c.Label)
	l.text("event", c.Event)
	l.list("id", c.Skipped)
	var words []string
	for _, f := range c.Features {
		if f.Categories != nil {
			words = append(words, f.Name)
		}
	}
	l.list("categories", words)
}

// notesOfModel lists what a model was trained with beyond its options.
func notesOfModel(m *model.Model) []string {
	notes := []string{fmt.Sprintf("data: %s, %s, fingerprint %016x", count(m.Points, "row"), count(m.Features, "feature"),
		m.Fingerprint)}
	if m.RowWeights {
		notes = append(notes, "row-weights: the rows had weights, whose file the model does not name")
	}
	if m.PosteriorsOf == model.GivenPosteriors {
		notes = append(notes, "posteriors: the labels were uncertain, by a file that the model does not name")
	}
	if m.Weights != nil && m.WeightRule == nil {
		notes = append(notes, "weights: fixed weights, which inspect --all --json shows; the model does not name their file")
	}
	if g := m.Family.Gates(); g != nil && g.Kind == model.GatesFixed {
		notes = append(notes, "gating: fixed gates, whose file the model does not name")
	}
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
	if m.Interaction != nil {
		notes = append(notes, "norm-matrix or norm-laplacian: interactions of the kernels, whose file the model does not name")
	}
	if (m.Tuning != model.Tuning{}) {
		notes = append(notes, fmt.Sprintf("choices of the solver: %+v", m.Tuning))
	}
	return append(notes, "solver and init: a model does not say which solver trained it, nor where it began")
}

// flagOfFact names the flags of the facts of a checkpoint whose values are values of flags.
var flagOfFact = map[string]string{"kernels": "kernels", "sequences": "sequences", "norm": "norm", "cost power": "cost-power",
	"task": "task", "machines": "multiclass", "solver": "solver", "C": "C", "gap": "gap",
	"precision": "precision", "normalize": "normalize", "scale": "scale", "impute": "impute", "store": "store",
	"gate-on": "gate-on", "lambda": "lambda", "rule": "rule", "positive": "positive", "class weights": "class-weight", "seed": "seed"}

// plainNorm begins the fact regularizer of a run with the block norm alone: no group norm, no
// elastic net, no squared norm, no interactions and no fixed weights.
const plainNorm = "0 0 0 0 0 "

// settingsOfCheckpoint returns the options of the run whose checkpoints lie in a folder.
func settingsOfCheckpoint(folder string) (list []setting, notes []string, err error) {
	facts, err := train.Facts(folder)
	if err != nil {
		return nil, nil, err
	}
	value := map[string]string{}
	for _, f := range facts {
		value[f.Name] = f.Value
	}
	var l settingList
	for _, f := range facts {
		name, known := flagOfFact[f.Name], true
		switch {
		case f.Name == "machines" && f.Value == model.Quantiles: // which tau has
			continue
		case isTaskFlag(f.Name, value["task"]):
			name = f.Name
		case f.Name == "gating" && !strings.HasPrefix(f.Value, "fixed "):
			name = "gating"
		case f.Name == "norm" && !strings.HasPrefix(value["regularizer"], plainNorm),
			f.Name == "C" && model.InPlaceOfCost(value["task"]) != "",
			name == "":
			known = false
		}
		if known {
			l.text(name, f.Value)
		} else if f.Value != "" {
			notes = append(notes, f.Name+": "+f.Value)
		}
	}
	return l, notes, nil
}
