package command

import (
	"fmt"
	"strings"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// kernelOptions are about kernels, and their gates and projections. Gates and projections are learned
// by descent in a problem that is not convex. Their options limit the descent.
// fact is the key in a checkpoint, and a resumed run must have the same value.
var kernelOptions = []option{
	// The default divides each kernel by the variance of the rows in its feature space. Without a
	// normalisation, the weights would depend on the scale of each kernel. Commands that show kernels
	// have the default none.
	{name: "normalize", kind: "KIND", takers: byAll, words: kernelspec.Normalizers(), fact: "normalize",
		usage: "normalisation of kernels: none, multiplicative, spherical or centred",
		define: func(f *flags, p *problemFlags, o *option) {
			to := &p.options.Normalize // A command may have another default.
			if *to == "" {
				*to = "multiplicative"
			}
			add(f, to, o.name, o.kind, *to, oneOf(o.words...), o.usage)
		},
		ofModel: func(m *model.Model) given { return givenText(m.Normalization.Kind) }},
	// With gates the default norm is the plain sum: the gates already choose among kernels at each row.
	{name: "gating", takers: byTraining, fact: "gating",
		usage: "weights of kernels that depend on the row, as `GATES`: softmax, sigmoid or gauss, which are " +
			"learned; regions:R, each kernel once in each of R regions of the data; or fixed:FILE, a .npy file " +
			"of rows x kernels. The default of --norm is then 2",
		define: text(func(p *problemFlags) *string { return &p.options.Gating }),
		ofModel: fromGates(func(g *model.Gates) given {
			if g.Kind == model.GatesRegions {
				return givenText(fmt.Sprintf("%s:%d", g.Kind, g.Regions))
			}
			return givenText(g.Kind)
		}),
		// Fixed gates have a hash of their values.
		ofRun: func(facts map[string]string) bool { return !strings.HasPrefix(facts["gating"], "fixed ") }},
	// The features of the kernels do not change by this option.
	{name: "gate-on", takers: byTraining, fact: "gate-on",
		usage: "features that gates use, as `WHAT`: a view, 1-76 or 3+17, as after the @ of a kernel; pca:R, " +
			"the first R principal components; or kernel:SPEC*L, the values of a kernel with L of the rows " +
			"(default: all features)",
		define:  text(func(p *problemFlags) *string { return &p.options.GateOn }),
		ofModel: fromGates(func(g *model.Gates) given { return givenText(g.On) })},
	// The tolerance of the descent is coarser than the gap of 1e-3, because each of its steps takes a
	// training.
	{name: "gate-tol", kind: "T", def: "1e-2", takers: byTraining,
		usage: "gates or a projection have converged if the slope of the objective is at most this share of " +
			"the objective, and the last step has lowered it by less than a tenth of this share",
		define: parsed(parseGap, func(p *problemFlags) *float64 { return &p.options.GateTol })},
	// The limit is for descents that do not settle. Reaching it is reported by the exit code.
	{name: "gate-steps", kind: "N", def: "500", takers: byTraining,
		usage: "largest number of steps of a descent of gates or of a projection; if it is reached before " +
			"--gate-tol, the exit code is 4",
		define: parsed(parseLimit, func(p *problemFlags) *int { return &p.options.GateSteps })},
	// Each start takes a whole descent, so more than one is a decision of the user.
	{name: "starts", kind: "R", def: "1", takers: byTraining,
		usage:  "number of descents of gates or of a projection from different starts; the one with the smallest objective is kept",
		define: parsed(parseLimit, func(p *problemFlags) *int { return &p.options.Starts })},
	// Without a penalty, the objective may fall as long as gates become sharper, and the descent does
	// not end.
	{name: "gate-decay", kind: "L", def: "0", takers: byTraining,
		usage: "add a penalty, so gates do not become ever sharper: L/2 times the objective at the start " +
			"times the squared weights of the gates; L is at most 1e50",
		define: parsed(parseWeight, func(p *problemFlags) *float64 { return &p.options.GateDecay })},
	// The training after the cut is needed: without it, the certificate would be about other gates.
	{name: "gate-floor", kind: "F", def: "0", takers: byTraining,
		usage: "set gates below F, in [0, 1), to 0 at the end, and train the classifier once more; " +
			"predictions skip kernels whose gate is 0",
		define: parsed(parseFloor, func(p *problemFlags) *float64 { return &p.options.GateFloor }),
		ofModel: fromGates(func(g *model.Gates) given {
			if g.Kind == model.GatesRegions {
				return given{}
			}
			return givenNumber(g.Together().Floor)
		})},
	// Without it each classifier has its own gates, and a prediction computes the gates of all of them.
	{name: "one-gate", takers: byTraining,
		usage: "learn one set of gates, or one projection as in --kernels 'proj(gauss:0.5,2)', for all classifiers of " +
			"--multiclass",
		define: yes(func(p *problemFlags) *bool { return &p.options.OneGate }),
		ofModel: func(m *model.Model) given {
			g := m.Family.Gates()
			one := m.Family.Projection() != nil || g != nil && g.Learned() && len(g.Classifiers) == 0
			return givenYes(one && m.Several() && m.Multiclass != model.SingleClassifier)
		}},
	// These flags belong to predict, verify, align and bound, and name files and samples.
	{name: "gates"}, {name: "gates-out"}, {name: "kernel-weights"}, {name: "projection"},
	// A missing view is more than a missing value: all features of the view are absent, and its kernels
	// fill in the row.
	{name: "missing", takers: byListed,
		usage: "views that rows lack: a `FILE` with lines \"row view\", rows from 1, or the word empty. With empty, a row lacks each " +
			"view in which all its features are 0. Kernels of a view then need missing=none, self or all",
		define: text(func(p *problemFlags) *string { return &p.options.Missing })},
	{name: "gram"},
	{name: "gram-test", needs: "test FILE, which has the labels of these rows if all kernels are matrices"},
	{name: "plain"}, {name: "sample"},
	{name: "rule", kind: "RULE", def: model.RuleMeans, takers: bySingle, words: model.DiscriminantRules, fact: "rule",
		usage: "how task rkda chooses a class: means, the class whose mean scores are nearest; indicator, the " +
			"class with the largest score",
		define: word(func(p *problemFlags) *string { return &p.options.DiscriminantRule }),
		ofModel: func(m *model.Model) given {
			if m.Discriminant == nil {
				return given{}
			}
			return givenText(m.Discriminant.Rule)
		}},
	{name: "weights-out", needs: "rule alignf"}, {name: "alpha"}, {name: "norms"}, {name: "align"},
}

// fromGates returns the value of an option that models with gates have, unless the gates come from a
// file. The file of fixed gates is not in the model, so their option has no value that a second
// training could use.
func fromGates(value func(g *model.Gates) given) func(m *model.Model) given {
	return func(m *model.Model) given {
		g := m.Family.Gates()
		if g == nil || g.Kind != model.GatesRegions && !g.Learned() {
			return given{}
		}
		return value(g)
	}
}
