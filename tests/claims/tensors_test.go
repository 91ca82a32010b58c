package claims

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/tests/commandtest"
)

// tensorEdit is one change of an array.
type tensorEdit struct {
	name, what string
	do         func(f *commandtest.Forgery)
}

var sizes = map[string]int{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U8": 1}

// elements reads an array as numbers.
func elements(f *commandtest.Forgery, name string) (list []float64) {
	for b, size := f.Body[name], sizes[f.Dtype[name]]; len(b) >= size; b = b[size:] {
		switch f.Dtype[name] {
		case "F64":
			list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		case "I64":
			list = append(list, float64(int64(binary.LittleEndian.Uint64(b))))
		case "F32":
			list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		case "I32":
			list = append(list, float64(int32(binary.LittleEndian.Uint32(b))))
		}
	}
	return list
}

// set changes one element of an array.
func set(f *commandtest.Forgery, name string, i int, x float64) {
	b := slices.Clone(f.Body[name])
	switch f.Dtype[name] {
	case "F64":
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
	case "I64":
		binary.LittleEndian.PutUint64(b[8*i:], uint64(int64(x)))
	case "F32":
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(x)))
	case "I32":
		binary.LittleEndian.PutUint32(b[4*i:], uint32(int32(x)))
	}
	f.Body[name] = b
}

// tensorEdits lists the changes of the arrays of a file: an element that is drawn, and the largest, half as
// large again, or next to what it is among whole numbers; one element or row less and more; turned; none.
func tensorEdits(rng *rand.Rand, f *commandtest.Forgery) (list []tensorEdit) {
	for _, name := range f.Names {
		values, shape, size := elements(f, name), f.Shape[name], sizes[f.Dtype[name]]
		list = append(list, tensorEdit{name, "dropped", func(f *commandtest.Forgery) { f.Drop(name) }})
		if len(values) == 0 {
			continue
		}
		largest := 0
		for i, x := range values {
			if math.Abs(x) > math.Abs(values[largest]) {
				largest = i
			}
		}
		for _, i := range []int{largest, rng.IntN(len(values))} {
			x := values[i]
			other := 1.5 * x
			switch {
			case f.Dtype[name][0] == 'I':
				other = x + 1
			case x == 0 && values[largest] == 0:
				other = 0.25
			case math.Abs(x) < 1e-6*math.Abs(values[largest]): // half of nothing would be nothing still
				other = math.Abs(values[largest]) / 4
			}
			key := name
			if name == "family.machines" { // a row of numbers that mean different things
				key = fmt.Sprintf("%s[%d]", name, i%5)
			}
			list = append(list, tensorEdit{key, fmt.Sprintf("element %d from %g to %g", i, x, other), func(f *commandtest.Forgery) { set(f, name, i, other) }})
		}
		row := size * int(int64(len(values))/max(1, shape[0]))
		list = append(list, tensorEdit{name, "cut", func(f *commandtest.Forgery) {
			s := slices.Clone(shape)
			s[0]--
			f.Shape[name], f.Body[name] = s, f.Body[name][:len(f.Body[name])-row]
		}}, tensorEdit{name, "longer", func(f *commandtest.Forgery) {
			s := slices.Clone(shape)
			s[0]++
			f.Shape[name], f.Body[name] = s, append(slices.Clone(f.Body[name]), f.Body[name][:row]...)
		}})
		if len(shape) == 2 && shape[0] != shape[1] {
			list = append(list, tensorEdit{name, "turned", func(f *commandtest.Forgery) { f.Shape[name] = []int64{shape[1], shape[0]} }})
		}
	}
	return list
}
