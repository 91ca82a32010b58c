package export

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// An ONNX file is a message ModelProto of protobuf. The numbers of its fields come from onnx.proto
// (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), of which this file has what a graph needs.

// These are the types of elements that the graph has.
const (
	typeFloat  = 1
	typeInt64  = 7
	typeString = 8
	typeBool   = 9
	typeDouble = 11
)

// These are the versions of the file and of the operators. Operators of version 13 are known to all
// runtimes since 2020.
const (
	fileVersion     = 7
	operatorVersion = 13
)

// graph is a GraphProto in the making. Each value has a name, by which nodes refer to it.
type graph struct {
	nodes, constants, inputs, outputs []byte
	count                             int
	numbers                           map[float64]string // constants of one number, each once
}

// attribute is an attribute of a node.
type attribute struct {
	name   string
	list   []int64
	single bool
}

func integer(name string, x int64) attribute { return attribute{name, []int64{x}, true} }

func integers(name string, x ...int64) attribute { return attribute{name, x, false} }

// name returns a new name.
func (g *graph) name() string {
	g.count++
	return fmt.Sprintf("v%d", g.count)
}

// node adds an operator. Its arguments are names of values and attributes. It returns the name of the
// result.
func (g *graph) node(operator string, arguments ...any) string {
	return g.nodeNamed(operator, g.name(), arguments...)
}

// nodeNamed adds an operator whose result has a name of its own.
func (g *graph) nodeNamed(operator, result string, arguments ...any) string {
	var n []byte
	for _, a := range arguments {
		if value, ok := a.(string); ok {
			n = text(n, 1, value)
		}
	}
	n = text(text(n, 2, result), 4, operator)
	for _, a := range arguments {
		if a, ok := a.(attribute); ok {
			n = message(n, 5, a.encode())
		}
	}
	g.nodes = message(g.nodes, 1, n)
	return result
}

// encode returns an AttributeProto.
func (a attribute) encode() []byte {
	b := text(nil, 1, a.name)
	if a.single {
		return number64(number64(b, 3, a.list[0]), 20, 2)
	}
	for _, x := range a.list {
		b = number64(b, 8, x)
	}
	return number64(b, 20, 7)
}

// cast converts a value to another type of elements.
func (g *graph) cast(value string, to int64) string {
	return g.node("Cast", value, integer("to", to))
}

// constant adds a TensorProto of a type, whose elements are in raw bytes or are texts.
func (g *graph) constant(kind int64, raw []byte, texts []string, shape ...int) string {
	var t []byte
	for _, n := range shape {
		t = number64(t, 1, int64(n))
	}
	t = number64(t, 2, kind)
	for _, s := range texts {
		t = text(t, 6, s)
	}
	name := g.name()
	t = text(t, 8, name)
	if kind != typeString {
		t = message(t, 9, raw)
	}
	g.constants = message(g.constants, 5, t)
	return name
}

func (g *graph) doubles(x []float64, shape ...int) string {
	raw := make([]byte, 0, 8*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return g.constant(typeDouble, raw, nil, shape...)
}

func (g *graph) floats(x []float32, shape ...int) string {
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.constant(typeFloat, raw, nil, shape...)
}

func (g *graph) ints(x []int64, shape ...int) string {
	raw := make([]byte, 0, 8*len(x))
	for _, v := range x {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.constant(typeInt64, raw, nil, shape...)
}

func (g *graph) strings(x []string) string { return g.constant(typeString, nil, x, len(x)) }

// double adds a single number.
func (g *graph) double(x float64) string {
	if g.numbers == nil {
		g.numbers = map[float64]string{}
	}
	if g.numbers[x] == "" {
		g.numbers[x] = g.doubles([]float64{x})
	}
	return g.numbers[x]
}

// addInput and addOutput add a value of rows with so many columns, or of one dimension if columns is 0.
func (g *graph) addInput(name string, kind int64, columns int) {
	g.inputs = message(g.inputs, 11, valueInfo(name, kind, columns))
}

func (g *graph) addOutput(name string, kind int64, columns int) {
	g.outputs = message(g.outputs, 12, valueInfo(name, kind, columns))
}

// valueInfo returns a ValueInfoProto.
func valueInfo(name string, kind int64, columns int) []byte {
	shape := message(nil, 1, text(nil, 2, "rows"))
	if columns > 0 {
		shape = message(shape, 1, number64(nil, 1, int64(columns)))
	}
	tensor := message(number64(nil, 1, kind), 2, shape)
	return message(text(nil, 1, name), 2, message(nil, 1, tensor))
}

// encode returns the file, with the name and the version of the program and with properties.
func (g *graph) encode(version string, properties [][2]string) []byte {
	whole := append(append(append(text(g.nodes, 2, "bigmkl"), g.constants...), g.inputs...), g.outputs...)
	b := number64(nil, 1, fileVersion)
	b = text(text(b, 2, "bigmkl"), 3, version)
	b = message(b, 7, whole)
	b = message(b, 8, number64(text(nil, 1, ""), 2, operatorVersion))
	for _, p := range properties {
		b = message(b, 14, text(text(nil, 1, p[0]), 2, p[1]))
	}
	return b
}

// number64 appends a field that is an integer.
func number64(b []byte, field protowire.Number, x int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(x))
}

// text appends a field that is a string.
func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// message appends a field that is a message or raw bytes.
func message(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}
