package command

import (
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// usedOptions are the options that most command lines have. The short help has most of them. Their
// order is the order of a command line.
var usedOptions = []option{
	// Ten widths around the median distance are a default that depends on the data: no fixed width
	// suits every scale.
	{name: "kernels", takers: byListed, kinds: listKinds, fact: "kernels",
		usage: "comma-separated `SPECS`, or @FILE with one per line; gauss:V is exp(-V d^2) at distance d, V " +
			"= 1/(2 sigma^2) (default: gauss:auto/10, for each view of --views or of several arrays)",
		define: func(f *flags, p *problemFlags, o *option) {
			text(func(p *problemFlags) *string { return &p.options.Kernels })(f, p, o)
			f.offers.kernels()
		},
		ofModel: func(m *model.Model) given { return givenList(specsOf(m)) }},
	// At p = 4/3 the weights have the norm q = p/(2-p) = 2. All kernels keep a weight, so a useful
	// kernel is not lost to a similar one as at p = 1.
	{name: "norm", kind: "P", def: "4/3", takers: byProblems, fact: "norm",
		usage: "block norm p in [1, inf], such as 1, 4/3 or inf; sum is p = 2, the plain sum of the kernels, and " +
			"the default with --gating",
		define: parsed(parseNorm, func(p *problemFlags) *float64 { return &p.options.Norm }),
		ofModel: func(m *model.Model) given {
			return ifNormed(m, m.Regularizer.Kind().Exponent == 0, givenText(formatNorm(m.Norm)))
		},
		ofRun: func(facts map[string]string) bool { return strings.HasPrefix(facts["regularizer"], plainNorm) }},
	// The losses of a regression have the unit of the targets, so its default is a deviation of the
	// targets.
	{name: "C", short: "C", kind: "C", takers: byTraining, fact: "C",
		usage: "cost C of the loss, above 0 (default: 1; 100 for med; 0.1 for ranked times; the targets' " +
			"deviation for svr and survival, half of it for quantile), or joint: found with the weights, p = 1",
		define: parsed(parseCost, func(p *problemFlags) *cost { return &p.costs.cost }),
		ofModel: func(m *model.Model) given {
			if slices.Contains(model.Costless, m.Task) {
				return given{}
			}
			return givenCost(m, m.C)
		},
		ofRun: func(facts map[string]string) bool { return model.InPlaceOfCost(facts["task"]) == "" }},
	// A feature in large units would dominate all distances. auto leaves features alone that vary
	// alike, such as pixels.
	{name: "scale", kind: "KIND", def: "auto", takers: byAll, words: dataset.Scales, fact: "scale",
		usage: "scaling of features: none; minmax, to [0, 1]; standard, mean 0 and standard deviation 1; " +
			"global, one factor for all; or auto, which is standard for views whose features vary unequally",
		define: parsed(dataset.ParseScale, func(p *problemFlags) *string { return &p.options.Scale }),
		ofModel: func(m *model.Model) given {
			s := m.Input().Scaling()
			if s.Choice != "" {
				return givenText(dataset.ScaleAuto)
			}
			return givenText(s.Kind)
		}},
	{name: "out"}, {name: "test"},
	// The objective of the model is then within 0.1 % of the optimum. The tolerance of LIBSVM, 1e-3 as
	// well, is about gradients and not about the objective.
	{name: "gap", kind: "GAP", def: "1e-3", takers: byProblems, fact: "gap",
		usage:   "relative duality gap to reach",
		define:  parsed(parseGap, func(p *problemFlags) *float64 { return &p.options.Gap }),
		ofModel: func(m *model.Model) given { return givenNumber(m.Gap) }},
	{name: configFlag}, {name: ofFlag}, {name: "json"}, {name: "quiet"},
}

// specsOf lists the specifications of the kernels of a model as a command line has them. The kernels of
// a projected model are on its projected features. A command line names the kernels that were
// projected.
func specsOf(m *model.Model) []string {
	p := m.Family.Projection()
	if p == nil {
		return m.Kernels
	}
	var list []string
	for _, b := range p.Blocks() {
		list = append(list, b.Kernel)
	}
	return append(list, m.Kernels[len(list):]...)
}

// givenCost returns the cost of the loss of a model, or the word joint if the training found it.
func givenCost(m *model.Model, cost float64) given {
	if m.CostWeight != nil {
		return givenText(costJoint)
	}
	return givenNumber(cost)
}

// plainNorm begins the fact regularizer of a run with the block norm alone (train.Norm). A checkpoint of another norm
// therefore has no value for --norm, and its regularizer becomes a note.
const plainNorm = "0 0 0 0 0 "

// ifNormed returns the value of an option of the norm of a model. Models of norms with
// numbers for each kernel have none: their norm comes from a file, which notesOfModel mentions.
func ifNormed(m *model.Model, has bool, value given) given {
	if !has || m.Regularizer.Kind().OfKernels {
		return given{}
	}
	return value
}
