package export

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// An ONNX graph of operators of the standard domain computes, for the raw rows X in float64, or in float32
// that is taken as float64,
//
//	x = float32((X - offset) * factor)               scaling, as predictions make it
//	P = x Z', D = max(0, |x|^2 + |z|^2 - 2 P)        products and squared distances with the vectors
//	f = (sum_m theta_m c_m k_m(P or D)) alpha + b    in float64
//
// where P and D are made once for each set of features, and kernels once for all classifiers.
// Decisions follow by comparisons, and probabilities by sigmoids.

// maxONNX is the largest number of bytes of the support vectors. A message of protobuf has 2 GiB.
const maxONNX = 1 << 30

// maxNodes bounds the number of kernels times classifiers, each of which is a node of the graph.
const maxNodes = 1 << 18

// onnx is a graph of a model in the making.
type onnx struct {
	*expanded
	*graph
	// points and vectors are the scaled rows and the support vectors, by the sets of their features.
	points, vectors map[int32]string
	products        map[int32]string
	distances       map[int32]string
	// rows has the support vectors one behind the other.
	rows []float32
}

// writeONNX writes a model as a graph.
func (e *expanded) writeONNX(ctx context.Context, w io.Writer, o *Options) error {
	if err := e.checkONNX(); err != nil {
		return err
	}
	g := &onnx{expanded: e, graph: &graph{}, points: map[int32]string{}, vectors: map[int32]string{},
		products: map[int32]string{}, distances: map[int32]string{}}
	x, kind := "X", int64(typeDouble)
	if o.Input == Float32 {
		x, kind = g.cast(x, typeDouble), typeFloat
	}
	if err := g.addPoints(ctx, x); err != nil {
		return err
	}
	g.addInput("X", kind, e.Features)
	f := g.addFunctions()
	g.addDecisions(f)
	of, err := json.Marshal(g.addProbabilities(f))
	if err != nil {
		return err
	}
	names, err := json.Marshal(o.Names)
	if err != nil {
		return err
	}
	settings, err := model.SettingsText(e.Model)
	if err != nil {
		return err
	}
	properties := [][2]string{{"settings", string(settings)}}
	if o.Names != nil {
		properties = append(properties, [2]string{"features", string(names)})
	}
	if e.sigmoids != nil {
		properties = append(properties, [2]string{"probability", string(of)})
	}
	_, err = w.Write(g.encode(o.Version, properties))
	return err
}

// checkONNX rejects models that the graph cannot compute.
func (e *expanded) checkONNX() error {
	const format = "of ONNX"
	if e.Discriminant != nil {
		return reject(format, "has no rule for the scores of task %s", e.Task)
	}
	if n := e.Convergence().Untrained(); n > 0 {
		return reject(format, "cannot leave out classifiers that were never trained, of which there are %d", n)
	}
	if e.sigmoids != nil && e.Multiclass == model.OneVsOne {
		return fail.New(fail.Usage, "a model in the format "+format+" cannot couple the probabilities of pairs of "+
			"classes, which takes an iteration").
			WithHint("--without-probability exports it without them, and --to json has all of any model")
	}
	used := e.used()
	for _, id := range used {
		k := &e.kernels[id]
		if onnxValues[k.Kind] == nil {
			return reject(format, "has "+ONNXKernels+" kernels, and no %s", k.spec)
		}
		if !k.plain() {
			return reject(format, "has no spherical normalisation, as %s has", k.spec)
		}
	}
	if len(used)*len(e.classifiers) > maxNodes {
		return reject(format, "has %d kernels in %d classifiers, which are too many", len(used), len(e.classifiers))
	}
	sets := map[int32]bool{}
	for _, id := range used {
		sets[e.kernels[id].Set] = true
	}
	// The vectors, their squares by sets, and the dual variables of each classifier.
	size := float64(len(e.Support)) * (4*float64(e.Features) + 8*float64(len(sets)+len(e.classifiers)))
	if size += 16 * float64(e.Features); size > maxONNX {
		return reject(format, "has at most %d bytes of support vectors, and %d x %d take more", maxONNX,
			len(e.Support), e.Features)
	}
	return needMemory(graphCopies * size)
}

// graphCopies is how many times a graph is in memory while it is made: as numbers, as their bytes in
// slices that grow, and in the message.
const graphCopies = 6

// addPoints adds the support vectors and the scaling of the rows x.
func (g *onnx) addPoints(ctx context.Context, x string) error {
	all := make([]float32, len(g.Support)*g.Features)
	for s := range g.Support {
		if err := ctx.Err(); err != nil {
			return err
		}
		if g.HasVectors() {
			g.Row(s, all[s*g.Features:(s+1)*g.Features])
		}
	}
	g.rows = all
	if f := g.Scaling.Fill; f != nil {
		x = g.node("Where", g.node("IsNaN", x), g.doubles(f, len(f)), x)
	}
	if o := g.Scaling.Offset; o != nil {
		x = g.node("Sub", x, g.doubles(o, len(o)))
	}
	if f := g.Scaling.Factor; f != nil {
		x = g.node("Mul", x, g.doubles(f, len(f)))
	}
	x = g.cast(g.cast(x, typeFloat), typeDouble)
	g.points[kernelspec.AllFeatures] = x
	g.vectors[kernelspec.AllFeatures] = g.cast(g.floats(all, len(g.Support), g.Features), typeDouble)
	return nil
}

// product returns x'z of all rows and support vectors over the features of a kernel.
func (g *onnx) product(k *kernel) string {
	if g.products[k.Set] != "" {
		return g.products[k.Set]
	}
	if k.features != nil {
		list := make([]int64, len(k.features))
		for i, j := range k.features {
			list[i] = int64(j)
		}
		index := g.ints(list, len(list))
		for _, of := range []map[int32]string{g.points, g.vectors} {
			of[k.Set] = g.node("Gather", of[kernelspec.AllFeatures], index, integer("axis", 1))
		}
	}
	z := g.node("Transpose", g.vectors[k.Set], integers("perm", 1, 0))
	g.products[k.Set] = g.node("MatMul", g.points[k.Set], z)
	return g.products[k.Set]
}

// distance returns |x-z|^2 of all rows and support vectors over the features of a kernel.
func (g *onnx) distance(k *kernel) string {
	if g.distances[k.Set] != "" {
		return g.distances[k.Set]
	}
	p := g.product(k)
	x := g.points[k.Set]
	own := g.node("ReduceSum", g.node("Mul", x, x), g.ints([]int64{1}, 1), integer("keepdims", 1))
	sum := g.node("Add", own, g.doubles(g.squares(k), 1, len(g.Support)))
	d := g.node("Sub", sum, g.node("Mul", p, g.double(2)))
	g.distances[k.Set] = g.node("Max", d, g.double(0))
	return g.distances[k.Set]
}

// squares returns |z|^2 of each support vector over the features of a kernel.
func (g *onnx) squares(k *kernel) []float64 {
	sums := make([]float64, len(g.Support))
	for s := range sums {
		row := g.rows[s*g.Features : (s+1)*g.Features]
		for _, j := range k.features {
			sums[s] += float64(row[j]) * float64(row[j])
		}
		if k.features == nil {
			for _, x := range row {
				sums[s] += float64(x) * float64(x)
			}
		}
	}
	return sums
}

// ONNXKernels names the kernels that an ONNX graph has.
const ONNXKernels = "linear, polynomial, Gaussian, Matern and sigmoid"

// onnxValues has, for each kind of ONNXKernels, the function that adds the values of a kernel without its factor.
var onnxValues = map[kernelspec.Kind]func(*onnx, *kernel) string{
	kernelspec.Linear: (*onnx).product,
	kernelspec.Poly: func(g *onnx, k *kernel) string {
		return g.node("Pow", g.affine(k), g.double(float64(k.Degree)))
	},
	kernelspec.Sigmoid: func(g *onnx, k *kernel) string { return g.node("Tanh", g.affine(k)) },
	kernelspec.Gauss: func(g *onnx, k *kernel) string {
		return g.node("Exp", g.node("Mul", g.distance(k), g.double(-k.Gamma)))
	},
	kernelspec.Matern: func(g *onnx, k *kernel) string {
		s := g.node("Sqrt", g.node("Mul", g.distance(k), g.double(float64(2*k.Degree+1)*k.Gamma)))
		sum := g.node("Add", s, g.double(1))
		if k.Degree == 2 {
			sum = g.node("Add", sum, g.node("Div", g.node("Mul", s, s), g.double(3)))
		}
		return g.node("Mul", sum, g.node("Exp", g.node("Neg", s)))
	},
}

// affine returns gamma <x,z> + c.
func (g *onnx) affine(k *kernel) string {
	return g.node("Add", g.node("Mul", g.product(k), g.double(k.Gamma)), g.double(k.Coef))
}

// addFunctions adds f of each classifier and returns them side by side.
func (g *onnx) addFunctions() string {
	values := map[int]string{}
	for _, id := range g.used() {
		values[id] = onnxValues[g.kernels[id].Kind](g, &g.kernels[id])
	}
	var all []any
	for k := range g.classifiers {
		a := &g.classifiers[k]
		var terms []any
		for _, id := range g.used() {
			if w := a.theta[id] * g.kernels[id].factor; w != 0 {
				terms = append(terms, g.node("Mul", values[id], g.double(w)))
			}
		}
		alpha := make([]float64, len(g.Support))
		for i, s := range a.support {
			alpha[s] = a.alpha[i]
		}
		f := ""
		if len(terms) == 0 || len(alpha) == 0 { // f is constant: a column of zeros and the bias.
			zero := g.node("ReduceSum", g.node("Mul", g.points[kernelspec.AllFeatures], g.double(0)),
				g.ints([]int64{1}, 1), integer("keepdims", 1))
			f = g.node("Add", zero, g.double(a.bias))
		} else {
			f = g.node("Add", g.node("MatMul", g.node("Sum", terms...), g.doubles(alpha, len(alpha), 1)),
				g.double(a.bias))
		}
		all = append(all, f)
	}
	return g.nodeNamed("Concat", "decision", append(all, integer("axis", 1))...)
}

// addDecisions adds what a model decides by the decision values f of its classifiers.
func (g *onnx) addDecisions(f string) {
	g.addOutput(f, typeDouble, len(g.classifiers))
	zero := g.double(0)
	switch {
	case g.Multiclass == model.Quantiles: // the columns are the quantiles
	case g.Multiclass == model.MultiLabel:
		g.addOutput(g.nodeNamed("Greater", "labels", f, zero), typeBool, len(g.classifiers))
	case g.Several():
		score := f
		if g.Multiclass == model.OneVsOne {
			score = g.pairScores(f)
		}
		best := g.node("ArgMax", score, integer("axis", 1), integer("keepdims", 0))
		g.addOutput(g.nodeNamed("Gather", "label", g.strings(g.Classes), best), typeString, 0)
	case g.HasClasses():
		flat := g.node("Reshape", f, g.ints([]int64{-1}, 1))
		two := [2]string{g.strings([]string{g.Positive}), g.strings([]string{g.Negative})}
		g.addOutput(g.nodeNamed("Where", "label", g.node("Greater", flat, zero), two[0], two[1]), typeString, 0)
	case model.PredictsLogarithm(g.Task):
		g.addOutput(g.nodeNamed("Exp", "time", f), typeDouble, 1)
	case model.DescribesSupport(g.Task):
		g.addOutput(g.nodeNamed("Greater", "within", f, zero), typeBool, 1)
	}
}

// pairScores returns numbers of which the class that wins the pairs has the largest: the sum of its
// decision values where it has most votes, and minus infinity elsewhere.
func (g *onnx) pairScores(f string) string {
	classes := len(g.Classes)
	won, lost, signs := make([]float64, len(g.classifiers)*classes), make([]float64, len(g.classifiers)*classes),
		make([]float64, len(g.classifiers)*classes)
	for k, p := range model.Pairs(g.Multiclass, len(g.Classes)) {
		won[k*classes+int(p[0])], lost[k*classes+int(p[1])] = 1, 1
		signs[k*classes+int(p[0])], signs[k*classes+int(p[1])] = 1, -1
	}
	shape := []int{len(g.classifiers), classes}
	yes := g.node("Greater", f, g.double(0))
	no := g.cast(g.node("Not", yes), typeDouble)
	votes := g.node("Add", g.node("MatMul", g.cast(yes, typeDouble), g.doubles(won, shape...)),
		g.node("MatMul", no, g.doubles(lost, shape...)))
	most := g.node("ReduceMax", votes, integers("axes", 1), integer("keepdims", 1))
	// Numbers of votes are integers in float64, and compare exactly.
	behind := g.node("Less", votes, most)
	return g.node("Where", behind, g.double(math.Inf(-1)), g.node("MatMul", f, g.doubles(signs, shape...)))
}
