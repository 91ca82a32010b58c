package models

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// This is an evaluator of the operators that exported graphs have, by their definitions, for values of at most two dimensions.

// fields holds the fields of a protobuf message: integers, and bytes.
type fields map[protowire.Number][]any

func message(t *testing.T, b []byte) fields {
	f := fields{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			x, n := protowire.ConsumeVarint(b)
			f[number], b = append(f[number], int64(x)), b[n:]
		case protowire.BytesType:
			x, n := protowire.ConsumeBytes(b)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			f[number], b = append(f[number], x), b[n:]
		default:
			t.Fatalf("field %d of kind %d", number, kind)
		}
	}
	return f
}

func (f fields) text(n protowire.Number) string {
	if f[n] == nil {
		return ""
	}
	return string(f[n][0].([]byte))
}

// onnxValue is a matrix of numbers or a list of words. Truth values are 0 and 1. Its rank is 0, 1 or 2.
type onnxValue struct {
	kind       int64
	rank       int
	rows, cols int
	x          []float64
	words      []string
}

func (v *onnxValue) at(i, j int) float64 {
	if v.rows == 1 {
		i = 0
	}
	if v.cols == 1 {
		j = 0
	}
	return v.x[i*v.cols+j]
}

// constant reads a TensorProto.
func constant(t *testing.T, f fields) *onnxValue {
	v := &onnxValue{kind: f[2][0].(int64), rank: len(f[1]), rows: 1, cols: 1}
	for i, n := range f[1] {
		if i == 0 && v.rank == 2 {
			v.rows = int(n.(int64))
		} else {
			v.cols = int(n.(int64))
		}
	}
	for _, w := range f[6] {
		v.words = append(v.words, string(w.([]byte)))
	}
	b := []byte(f.text(9))
	for len(b) > 0 {
		switch v.kind {
		case 1:
			v.x, b = append(v.x, float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), b[4:]
		case 7:
			v.x, b = append(v.x, float64(int64(binary.LittleEndian.Uint64(b)))), b[8:]
		case 11:
			v.x, b = append(v.x, math.Float64frombits(binary.LittleEndian.Uint64(b))), b[8:]
		default:
			t.Fatalf("elements of kind %d", v.kind)
		}
	}
	if len(v.x)+len(v.words) != v.rows*v.cols {
		t.Fatalf("%d elements of %d x %d", len(v.x)+len(v.words), v.rows, v.cols)
	}
	return v
}

// evaluateONNX returns the decision values of rows, and their labels and probabilities if the graph has any.
func evaluateONNX(t *testing.T, file string, rows [][]float64) (decisions [][]float64, labels []string, probabilities [][]float64) {
	model := message(t, []byte(file))
	graph := message(t, model[7][0].([]byte))
	if opset := message(t, model[8][0].([]byte)); opset[2][0] != int64(13) || model[1][0] != int64(7) {
		t.Errorf("versions %v and %v", opset, model[1])
	}
	values := map[string]*onnxValue{}
	for _, c := range graph[5] {
		f := message(t, c.([]byte))
		values[f.text(8)] = constant(t, f)
	}
	x := &onnxValue{kind: 11, rank: 2, rows: len(rows), cols: len(rows[0]), x: slices.Concat(rows...)}
	if len(graph[11]) != 1 {
		t.Fatalf("%d inputs", len(graph[11]))
	}
	in := message(t, graph[11][0].([]byte))
	if x.kind = inputKind(t, in); x.kind == 1 {
		for i, v := range x.x {
			x.x[i] = float64(float32(v))
		}
	}
	values[in.text(1)] = x
	for _, n := range graph[1] {
		node(t, message(t, n.([]byte)), values)
	}
	for _, o := range graph[12] {
		name := message(t, o.([]byte)).text(1)
		v := values[name]
		if v == nil {
			t.Fatalf("no output %s", name)
		}
		switch name {
		case "decision":
			for i := range v.rows {
				decisions = append(decisions, v.x[i*v.cols:(i+1)*v.cols])
			}
		case "probability":
			for i := range v.rows {
				probabilities = append(probabilities, v.x[i*v.cols:(i+1)*v.cols])
			}
		case "label":
			labels = v.words
		case "labels", "within":
			for i, truth := range v.x {
				if (values["decision"].x[i] > 0) != (truth == 1) {
					t.Errorf("%s of element %d is %v", name, i, truth)
				}
			}
		}
	}
	return decisions, labels, probabilities
}

// inputKind returns the type of the elements of an input: 1 is float32, 11 is float64.
func inputKind(t *testing.T, in fields) int64 {
	return message(t, message(t, in[2][0].([]byte))[1][0].([]byte))[1][0].(int64)
}

// node computes one node.
func node(t *testing.T, f fields, values map[string]*onnxValue) {
	var in []*onnxValue
	for _, name := range f[1] {
		v := values[string(name.([]byte))]
		if v == nil {
			t.Fatalf("%s: no value %s before it", f.text(4), name)
		}
		in = append(in, v)
	}
	attributes := map[string][]int64{}
	for _, a := range f[5] {
		m := message(t, a.([]byte))
		for _, x := range append(slices.Clone(m[3]), m[8]...) {
			attributes[m.text(1)] = append(attributes[m.text(1)], x.(int64))
		}
	}
	// Operators on numbers want one kind of elements.
	for _, v := range in {
		if op := f.text(4); op != "Gather" && op != "ReduceSum" && op != "Reshape" && op != "Where" && v.kind != in[0].kind {
			t.Errorf("%s of kinds %d and %d", op, in[0].kind, v.kind)
		}
	}
	values[f.text(2)] = apply(t, f.text(4), in, attributes)
}

// apply computes an operator.
func apply(t *testing.T, operator string, in []*onnxValue, a map[string][]int64) *onnxValue {
	each := func(kind int64, value func(x []float64) float64) *onnxValue {
		out := &onnxValue{kind: kind}
		for _, v := range in {
			if out.rank = max(out.rank, v.rank); out.rows > 1 && v.rows > 1 && v.rows != out.rows || out.cols > 1 && v.cols > 1 && v.cols != out.cols {
				t.Fatalf("%s of %d x %d and others of %d x %d", operator, v.rows, v.cols, out.rows, out.cols)
			}
			out.rows, out.cols = max(out.rows, v.rows), max(out.cols, v.cols)
		}
		for i := range out.rows {
			for j := range out.cols {
				var x []float64
				for _, v := range in {
					x = append(x, v.at(i, j))
				}
				out.x = append(out.x, value(x))
			}
		}
		return out
	}
	fold := func(by func(a, b float64) float64) *onnxValue {
		return each(in[0].kind, func(x []float64) float64 {
			r := x[0]
			for _, v := range x[1:] {
				r = by(r, v)
			}
			return r
		})
	}
	truth := func(b bool) float64 { return map[bool]float64{true: 1}[b] }
	switch operator {
	case "Add", "Sum":
		return fold(func(a, b float64) float64 { return a + b })
	case "Sub":
		return fold(func(a, b float64) float64 { return a - b })
	case "Mul":
		return fold(func(a, b float64) float64 { return a * b })
	case "Max":
		return fold(math.Max)
	case "Min":
		return fold(math.Min)
	case "Div":
		return fold(func(a, b float64) float64 { return a / b })
	case "Log":
		return each(in[0].kind, func(x []float64) float64 { return math.Log(x[0]) })
	case "Pow":
		return fold(math.Pow)
	case "Exp":
		return each(in[0].kind, func(x []float64) float64 { return math.Exp(x[0]) })
	case "Sqrt":
		return each(in[0].kind, func(x []float64) float64 { return math.Sqrt(x[0]) })
	case "Neg":
		return each(in[0].kind, func(x []float64) float64 { return -x[0] })
	case "Tanh":
		return each(in[0].kind, func(x []float64) float64 { return math.Tanh(x[0]) })
	case "Greater":
		return each(9, func(x []float64) float64 { return truth(x[0] > x[1]) })
	case "Less":
		return each(9, func(x []float64) float64 { return truth(x[0] < x[1]) })
	case "Not":
		return each(9, func(x []float64) float64 { return 1 - x[0] })
	case "Cast":
		return each(a["to"][0], func(x []float64) float64 {
			if a["to"][0] == 1 {
				return float64(float32(x[0]))
			}
			return x[0]
		})
	case "Where":
		if in[1].words == nil {
			return each(in[1].kind, func(x []float64) float64 {
				if x[0] == 1 {
					return x[1]
				}
				return x[2]
			})
		}
		out := &onnxValue{kind: 8, rank: 1, rows: 1, cols: in[0].cols}
		for _, x := range in[0].x {
			out.words = append(out.words, in[2-int(x)].words[0])
		}
		return out
	case "Reshape":
		return &onnxValue{kind: in[0].kind, rank: 1, rows: 1, cols: len(in[0].x), x: in[0].x}
	case "Transpose":
		out := &onnxValue{kind: in[0].kind, rank: 2, rows: in[0].cols, cols: in[0].rows}
		for i := range out.rows {
			for j := range out.cols {
				out.x = append(out.x, in[0].at(j, i))
			}
		}
		return out
	case "MatMul":
		if in[0].cols != in[1].rows {
			t.Fatalf("%d columns times %d rows", in[0].cols, in[1].rows)
		}
		out := &onnxValue{kind: in[0].kind, rank: 2, rows: in[0].rows, cols: in[1].cols}
		for i := range out.rows {
			for j := range out.cols {
				sum := 0.0
				for k := range in[0].cols {
					sum += in[0].x[i*in[0].cols+k] * in[1].x[k*in[1].cols+j]
				}
				out.x = append(out.x, sum)
			}
		}
		return out
	case "Gather":
		if in[0].words != nil {
			out := &onnxValue{kind: 8, rank: 1, rows: 1, cols: len(in[1].x)}
			for _, k := range in[1].x {
				out.words = append(out.words, in[0].words[int(k)])
			}
			return out
		}
		out := &onnxValue{kind: in[0].kind, rank: 2, rows: in[0].rows, cols: len(in[1].x)}
		for i := range out.rows {
			for _, k := range in[1].x {
				out.x = append(out.x, in[0].at(i, int(k)))
			}
		}
		return out
	case "Concat":
		out := &onnxValue{kind: in[0].kind, rank: 2, rows: in[0].rows}
		for _, v := range in {
			out.cols += v.cols
		}
		for i := range out.rows {
			for _, v := range in {
				out.x = append(out.x, v.x[i*v.cols:(i+1)*v.cols]...)
			}
		}
		return out
	case "ReduceSum", "ReduceMax", "ArgMax":
		out := &onnxValue{kind: in[0].kind, rank: 2, rows: in[0].rows, cols: 1}
		for i := range in[0].rows {
			row := in[0].x[i*in[0].cols : (i+1)*in[0].cols]
			best, sum := 0, 0.0
			for j, x := range row {
				if sum += x; x > row[best] {
					best = j
				}
			}
			out.x = append(out.x, map[string]float64{"ReduceSum": sum, "ReduceMax": row[best], "ArgMax": float64(best)}[operator])
		}
		if operator == "ArgMax" {
			out = &onnxValue{kind: 7, rank: 1, rows: 1, cols: len(out.x), x: out.x}
		}
		return out
	}
	t.Fatalf("operator %s", operator)
	return nil
}
