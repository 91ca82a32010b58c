package export

import (
	"math"

	"bigmkl/internal/model"
)

// addProbabilities adds the probabilities that belong to the decision values f, if the model has
// sigmoids, by the formulas of package predict: both sides of the sigmoid of one classifier, the
// negative class first; the sigmoids of ovr divided by their sum; and each sigmoid of sets of labels.
// It returns the labels of the columns.
func (g *onnx) addProbabilities(f string) []string {
	if g.sigmoids == nil {
		return nil
	}
	a, b := make([]float64, len(g.sigmoids)), make([]float64, len(g.sigmoids))
	for k, s := range g.sigmoids {
		a[k], b[k] = s.A, s.B
	}
	z := g.node("Add", g.node("Mul", f, g.doubles(a, len(a))), g.doubles(b, len(b)))
	const name = "probability"
	labels := g.Classes
	switch {
	case g.Multiclass == model.OneVsRest:
		g.normalise(name, z)
	case g.Several():
		g.nodeNamed("Div", name, g.double(1), g.onePlusExp(z))
	default:
		labels = []string{g.Negative, g.Positive}
		// The mirrored sigmoid keeps the digits of a small probability, which 1 - p would lose.
		mirrored := g.node("Mul", z, g.double(-1))
		g.nodeNamed("Div", name, g.double(1),
			g.onePlusExp(g.node("Concat", mirrored, z, integer("axis", 1))))
	}
	g.addOutput(name, typeDouble, len(labels))
	return labels
}

// onePlusExp returns 1 + exp(z). Where that is infinite, its reciprocal is 0, as it has to be.
func (g *onnx) onePlusExp(z string) string {
	return g.node("Add", g.node("Exp", z), g.double(1))
}

// normalise adds the sigmoids 1 / (1 + exp(z)) divided by the sum of their row. It starts from their
// logarithms, so the result is right even if all of them are too small for a float64.
func (g *onnx) normalise(name, z string) {
	z = g.node("Min", z, g.double(math.MaxFloat64))
	size := g.node("Max", z, g.node("Mul", z, g.double(-1)))
	tail := g.node("Log", g.onePlusExp(g.node("Mul", size, g.double(-1))))
	minus := g.node("Add", g.node("Max", z, g.double(0)), tail) // minus the logarithm
	log := g.node("Mul", minus, g.double(-1))
	most := g.node("ReduceMax", log, integers("axes", 1), integer("keepdims", 1))
	share := g.node("Exp", g.node("Sub", log, most))
	sum := g.node("ReduceSum", share, g.ints([]int64{1}, 1), integer("keepdims", 1))
	g.nodeNamed("Div", name, share, sum)
}
