package libsvm

import (
	"bufio"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

const (
	// maxLine is the largest length of a line in bytes.
	maxLine = 64 << 20
	// maxClasses is the largest number of classes. All pairs of as many have numbers.
	maxClasses = 1 << 15
	// marks is the number of density marks.
	marks = 10
)

// Load reads the model of a file.
func Load(path string) (*Model, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a model, which messages call by the given name.
func Read(from io.Reader, name string) (*Model, error) {
	r := &reader{scanner: bufio.NewScanner(from), name: name}
	r.scanner.Buffer(nil, maxLine)
	if err := r.readHead(); err != nil {
		return nil, err
	}
	if err := r.checkHead(); err != nil {
		return nil, err
	}
	if err := r.readVectors(); err != nil {
		return nil, err
	}
	return &r.model, nil
}

// reader reads the lines of a model one by one.
type reader struct {
	scanner *bufio.Scanner
	name    string
	line    int
	model   Model
}

// next returns the next line, or an error at the end.
func (r *reader) next() (string, error) {
	if !r.scanner.Scan() {
		switch err := r.scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return "", fail.New(fail.Input, "a line of more than %d bytes", maxLine).At(r.name, r.line+1, 0)
		case err != nil:
			return "", files.InputFault("cannot read", r.name, err)
		}
		return "", fail.New(fail.Input, "the model ends here, too early").At(r.name, r.line, 0)
	}
	r.line++
	return r.scanner.Text(), nil
}

// fault returns an error at the current line.
func (r *reader) fault(format string, args ...any) error {
	return fail.New(fail.Input, format, args...).At(r.name, r.line, 0)
}

// readHead reads the lines up to SV.
func (r *reader) readHead() error {
	h := &r.model.Head
	for {
		line, err := r.next()
		if err != nil {
			return err
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "svm_type":
			h.Type, err = r.word(rest, Types)
		case "kernel_type":
			h.Kernel.Kind, err = r.word(rest, Kernels)
		case "degree":
			h.Kernel.Degree, err = r.integer(rest)
		case "gamma":
			h.Kernel.Gamma, err = r.number(rest)
		case "coef0":
			h.Kernel.Coef0, err = r.number(rest)
		case "nr_class":
			h.Classes, err = r.integer(rest)
		case "total_sv":
			h.Vectors, err = r.integer(rest)
		case "rho":
			h.Rho, err = each(rest, r.number)
		case "label":
			h.Labels, err = each(rest, r.label)
		case "nr_sv":
			h.Counts, err = each(rest, r.integer)
		case "probA":
			h.ProbA, err = each(rest, r.number)
		case "probB":
			h.ProbB, err = each(rest, r.number)
		case "prob_density_marks":
			h.Marks, err = each(rest, r.number)
		case "SV":
			return nil
		default:
			return r.fault("%s is no part of a model of LIBSVM", fail.Quote(name))
		}
		if err != nil {
			return err
		}
	}
}

// word returns a word of a list.
func (r *reader) word(text string, list []string) (string, error) {
	if text = strings.TrimSpace(text); slices.Contains(list, text) {
		return text, nil
	}
	return "", r.fault("%s is none of %s", fail.Quote(text), strings.Join(list, ", "))
}

// integer returns a number of things.
func (r *reader) integer(text string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || n < 0 {
		return 0, r.fault("%s is no number of anything", fail.Quote(text))
	}
	return int(n), nil
}

// label returns a label of a class.
func (r *reader) label(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, r.fault("%s is no label: they are integers", fail.Quote(text))
	}
	return int32(n), nil
}

// number returns a finite number.
func (r *reader) number(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || x-x != 0 {
		return 0, r.fault("%s is no finite number", fail.Quote(text))
	}
	return x, nil
}

// each parses the words of a text. The result is not nil.
func each[T any](text string, parse func(string) (T, error)) ([]T, error) {
	list := []T{}
	for word := range strings.FieldsSeq(text) {
		x, err := parse(word)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// checkHead compares the numbers of values with each other.
func (r *reader) checkHead() error {
	h := &r.model.Head
	classes := h.HasClasses()
	sum := 0
	for _, n := range h.Counts {
		sum += n // Each is below 2^31, and there are at most maxClasses.
	}
	for _, c := range []struct {
		right bool
		fault string
	}{
		{h.Type != "" && h.Kernel.Kind != "", "the model does not say its type and its kernel"},
		{h.Classes >= 1 && h.Classes <= maxClasses, "the number of classes is not between 1 and 32768"},
		{classes || h.Classes == 2, "a model without classes says that it has other than 2"},
		{h.Kernel.Gamma >= 0, "gamma is negative"},
		{len(h.Rho) == h.Pairs(), "there is not one rho for each pair of classes"},
		{!classes || len(h.Labels) == h.Classes, "there is not one label for each class"},
		{!classes || len(h.Counts) == h.Classes && sum == h.Vectors, "nr_sv and total_sv do not fit"},
		{h.ProbA == nil || len(h.ProbA) == h.Pairs(), "there is not one probA for each pair of classes"},
		{h.ProbB == nil || len(h.ProbB) == h.Pairs(), "there is not one probB for each pair of classes"},
		{h.Marks == nil || len(h.Marks) == marks && slices.IsSorted(h.Marks),
			"the density marks are not ten that ascend"},
	} {
		if !c.right {
			return r.fault("%s", c.fault)
		}
	}
	labels := slices.Clone(h.Labels)
	if slices.Sort(labels); len(slices.Compact(labels)) < len(h.Labels) {
		return r.fault("two classes have the same label")
	}
	return nil
}

// readVectors reads the lines behind SV.
func (r *reader) readVectors() error {
	m := &r.model
	m.Start, m.Coefs = []int64{0}, make([][]float64, max(1, m.Classes-1))
	if m.Classes == 1 {
		m.Coefs = nil
	}
	var coefs []float64
	var index []int32
	var value []float32
	for range m.Vectors {
		line, err := r.next()
		if err != nil {
			return err
		}
		coefs, index, value = coefs[:0], index[:0], value[:0]
		for word := range strings.FieldsSeq(line) {
			name, text, feature := strings.Cut(word, ":")
			if len(coefs) < len(m.Coefs) {
				x, err := r.number(word)
				if err != nil {
					return err
				}
				coefs = append(coefs, x)
				continue
			}
			j, err := strconv.ParseInt(name, 10, 32)
			if err != nil || !feature || j < 0 || len(index) > 0 && j <= int64(index[len(index)-1]) {
				return r.fault("%s is no feature, or its index does not ascend", fail.Quote(word))
			}
			x, err := r.number(text)
			if err != nil {
				return err
			}
			if math.Abs(x) > math.MaxFloat32 {
				return r.fault("%s is too large for a feature", fail.Quote(text))
			}
			index, value = append(index, int32(j)), append(value, float32(x))
		}
		if len(coefs) < len(m.Coefs) {
			return r.fault("%d coefficients, and not %d", len(coefs), len(m.Coefs))
		}
		if m.Kernel.Kind == Precomputed && (len(index) != 1 || index[0] != 0 || value[0] < 1 ||
			value[0] != float32(math.Trunc(float64(value[0])))) {
			return r.fault("a vector of a precomputed kernel is 0:i, the number of a training row")
		}
		m.Add(coefs, index, value)
	}
	return nil
}
