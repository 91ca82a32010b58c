package libsvm

import (
	"bufio"
	"io"
	"strconv"
)

// Write writes a model.
func (m *Model) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	m.Head.Write(out)
	var line []byte
	for s := range m.Vectors {
		line = line[:0]
		for _, coefs := range m.Coefs {
			line = append(appendNumber(line, coefs[s]), ' ')
		}
		index, value := m.Row(s)
		for k, j := range index {
			line = strconv.AppendInt(line, int64(j), 10)
			line = append(line, ':')
			line = append(strconv.AppendFloat(line, float64(value[k]), 'g', -1, 32), ' ')
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Write writes what comes before the vectors. The writer keeps the first error.
func (h *Head) Write(out *bufio.Writer) {
	line := func(name string, values ...string) {
		out.WriteString(name)
		for _, v := range values {
			out.WriteByte(' ')
			out.WriteString(v)
		}
		out.WriteByte('\n')
	}
	k := &h.Kernel
	line("svm_type", h.Type)
	line("kernel_type", k.Kind)
	if k.Kind == Polynomial {
		line("degree", strconv.Itoa(k.Degree))
	}
	if k.Kind == Polynomial || k.Kind == RBF || k.Kind == Sigmoid {
		line("gamma", Number(k.Gamma))
	}
	if k.Kind == Polynomial || k.Kind == Sigmoid {
		line("coef0", Number(k.Coef0))
	}
	line("nr_class", strconv.Itoa(h.Classes))
	line("total_sv", strconv.Itoa(h.Vectors))
	line("rho", texts(h.Rho, Number)...)
	if h.Labels != nil {
		line("label", texts(h.Labels, func(l int32) string { return strconv.Itoa(int(l)) })...)
	}
	for _, p := range []struct {
		name   string
		values []float64
	}{{"probA", h.ProbA}, {"probB", h.ProbB}, {"prob_density_marks", h.Marks}} {
		if p.values != nil {
			line(p.name, texts(p.values, Number)...)
		}
	}
	if h.Counts != nil {
		line("nr_sv", texts(h.Counts, strconv.Itoa)...)
	}
	line("SV")
}

// Number returns a number with all of its digits.
func Number(x float64) string { return string(appendNumber(nil, x)) }

func appendNumber(b []byte, x float64) []byte { return strconv.AppendFloat(b, x, 'g', -1, 64) }

// texts returns the text of each value.
func texts[T any](values []T, text func(T) string) (list []string) {
	for _, v := range values {
		list = append(list, text(v))
	}
	return list
}
