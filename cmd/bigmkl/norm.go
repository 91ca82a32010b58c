package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/chunking/norm"
	"bigmkl/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// normFlags are the flags that choose the norm.
type normFlags struct {
	theta        float64 // norm q on the weights
	group        float64
	net          float64
	matrix       string
	laplacian    string
	weights      string
	alternatives []string // the flags among these that were given
}

func (n *normFlags) define(f *flags, o *bigmkl.Options) {
	add(f, &o.Norm, "norm", "P", "4/3", parseNorm, "block norm p in [1, inf], such as 1, 4/3, 1.0667 or inf; sum is 2, the plain sum of the kernels")
	add(f, &n.theta, "theta-norm", "Q", "", parseThetaNorm, "norm q on the weights instead, in [1, inf]: p = 2q/(1+q)")
	add(f, &o.Regularizer.GroupNorm, "group-norm", "Q", "", parseGroupNorm, "norm within groups of kernels (group=NAME behind a kernel), with --norm over the groups")
	add(f, &n.net, "elastic-net", "L", "", parseShare, "(1-L) (sum ||w||)^2 + L sum ||w||^2 for the norm, from 0 (p = 1) to 1 (the plain sum)")
	add(f, &o.Regularizer.SquaredNorm, "squared-norm", "L", "", parsePositive, "L/2 ||theta||_q^2 in the objective, as SMO-MKL has it, with --theta-norm q, in place of ||theta||_q = 1")
	f.StringVar(&n.matrix, "norm-matrix", "", "interactions of the kernels from this .npy `FILE`: M x M, symmetric, positive definite, no entry below 0")
	f.StringVar(&n.laplacian, "norm-laplacian", "", "interactions (L + EPS I)^-1, L the Laplacian of a graph of the kernels, whose edges have the weights of a .npy file: `FILE:EPS`")
	f.StringVar(&n.weights, "weights", "", "fixed weights of the kernels from this `FILE`, .npy or numbers as text, in place of learned ones")
}

// check finds norms that exclude each other, and sets the block norm that follows from the flags.
func (n *normFlags) check(f *flags, o *bigmkl.Options, check func(ok bool, hint, format string, args ...any)) {
	if f.Changed("theta-norm") {
		check(!f.Changed("norm"), "one of them: q = p/(2-p)", "both --norm and --theta-norm")
		o.Norm = n.theta
	}
	n.alternatives = nil
	for _, name := range []string{"group-norm", "elastic-net", "squared-norm", "norm-matrix", "norm-laplacian", "weights"} {
		if f.Changed(name) {
			n.alternatives = append(n.alternatives, "--"+name)
		}
	}
	check(len(n.alternatives) < 2, "one of them", "%s at once", strings.Join(n.alternatives, " and "))
	p := "--norm"
	if f.Changed("theta-norm") {
		p = "--theta-norm"
	}
	given := f.Changed("norm") || f.Changed("theta-norm")
	check(!given || n.weights == "", "leave "+p+" out", "%s with --weights: fixed weights leave nothing to a norm", p)
	check(!given || !f.Changed("elastic-net"), "leave "+p+" out", "%s with --elastic-net, which is between p = 1 and p = 2", p)
	check(!given || o.Norm == 2 || n.matrix == "" && n.laplacian == "", "leave "+p+" out", "%s with interactions of the kernels, whose norm is the one that p = 2 has without", p)
	if f.Changed("elastic-net") && !given {
		switch n.net { // at its ends another norm of the same optimum
		case 0:
			o.Norm = 1
		case 1:
			o.Norm = 2
		default:
			o.Regularizer.ElasticNet = n.net
		}
	}
	if n.laplacian != "" {
		_, _, err := n.graph()
		check(err == nil, "--norm-laplacian G.npy:0.1", "--norm-laplacian: %v", err)
	}
}

func (n *normFlags) graph() (path string, eps float64, err error) {
	i := strings.LastIndexByte(n.laplacian, ':')
	if i < 1 {
		return "", 0, fmt.Errorf("%s is not of the form FILE:EPS", fail.Quote(n.laplacian))
	}
	eps, err = parsePositive(n.laplacian[i+1:])
	return n.laplacian[:i], eps, err
}

// read reads the files.
func (n *normFlags) read(r *bigmkl.Regularizer) error {
	var err error
	switch {
	case n.weights != "":
		r.Weights, err = readNumbers(n.weights)
	case n.matrix != "":
		if r.Interaction, err = readSquare(n.matrix); err != nil {
			break
		}
		if e := norm.CheckInteraction(r.Interaction); e != nil {
			err = fail.New(fail.Input, "the matrix of interactions gives no norm: %w", e).At(n.matrix, 0, 0)
		}
	case n.laplacian != "":
		path, eps, _ := n.graph()
		var g []float64
		if g, err = readSquare(path); err == nil {
			r.Interaction, err = bigmkl.Laplacian(g, eps)
			if e, ok := err.(*fail.Error); ok {
				err = e.At(path, 0, 0)
			}
		}
	}
	return err
}

// readSquare reads a square matrix, row after row.
func readSquare(path string) ([]float64, error) {
	m, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if m.Rows != m.Cols || m.Rows == 0 {
		return nil, fail.New(fail.Input, "the matrix is %d x %d, not square", m.Rows, m.Cols).At(path, 0, 0)
	}
	return readAll(m)
}

func readAll(m *npy.Matrix) ([]float64, error) {
	out := make([]float64, m.Rows*m.Cols)
	for i := range m.Rows {
		m.Row64(i, 0, out[i*m.Cols:(i+1)*m.Cols])
	}
	return out, m.Err()
}

// readNumbers reads a .npy file of one dimension, or of one row or column, or numbers as text with blanks between them.
func readNumbers(path string) ([]float64, error) {
	array, err := npy.IsArray(path)
	if err != nil {
		return nil, err
	}
	if !array {
		return readText(path)
	}
	m, err := npy.OpenVector(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if min(m.Rows, m.Cols) != 1 {
		return nil, fail.New(fail.Input, "the array is %d x %d, not a row of numbers", m.Rows, m.Cols).At(path, 0, 0)
	}
	return readAll(m)
}

func readText(path string) ([]float64, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot read the numbers", path, err)
	}
	defer f.Close()
	likely := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		likely = (info.Size() + 1) / 2 // numbers of one digit
	}
	return parseNumbers(bufio.NewReader(f), path, int(likely))
}

// longestNumber is the bytes that a number may have as text.
const longestNumber = 64

// parseNumbers reads numbers with blanks between them; # starts a comment. There are hardly more of them than likely.
func parseNumbers(r io.ByteReader, path string, likely int) ([]float64, error) {
	out, word := make([]float64, 0, likely), make([]byte, 0, longestNumber+1)
	line, comment := 1, false
	for {
		c, err := r.ReadByte()
		if err != nil && err != io.EOF {
			return nil, files.InputFault("cannot read the numbers", path, err)
		}
		blank := err == io.EOF || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#'
		if !blank && !comment && len(word) <= longestNumber {
			word = append(word, c)
		}
		if blank && len(word) > 0 {
			x, err := strconv.ParseFloat(string(word), 64)
			if err != nil || len(word) > longestNumber || strings.Trim(string(word), "0123456789+-.eE") != "" {
				return nil, fail.New(fail.Input, "%s is not a number", fail.Word(word)).At(path, line, 0)
			}
			out, word = append(out, x), word[:0]
		}
		switch {
		case err == io.EOF && len(out) == 0:
			return nil, fail.New(fail.Input, "no numbers").At(path, 0, 0)
		case err == io.EOF:
			return out, nil
		case c == '#':
			comment = true
		case c == '\n':
			line, comment = line+1, false
		}
	}
}

// parseGroupNorm reads the norm q within groups.
func parseGroupNorm(text string) (float64, error) {
	q, err := parseNumber(text)
	if err == nil && q < 1 {
		err = fmt.Errorf("q = %s is not in [1, inf]", fail.Cut(text))
	}
	return q, err
}

// parseShare reads a number from 0 to 1.
func parseShare(text string) (float64, error) {
	x, err := parseNumber(text)
	if err == nil && !(x >= 0 && x <= 1) {
		err = fmt.Errorf("%s is not in [0, 1]", fail.Cut(text))
	}
	return x, err
}

// describeNorm says what the norm of a model was.
func describeNorm(m *model.Model, b *kernelspec.Bank) string {
	text := "p = " + formatNorm(m.Norm)
	switch {
	case m.GroupNorm != 0:
		text += fmt.Sprintf(" over %d groups of q = %s", len(b.Groups), formatNorm(float64(m.GroupNorm)))
	case m.ElasticNet != 0:
		text = fmt.Sprintf("elastic net of %g", m.ElasticNet)
	case m.SquaredNorm != 0:
		text += fmt.Sprintf(", squared norm of theta times %g/2", m.SquaredNorm)
		if !m.Several() { // which have one each
			text += fmt.Sprintf(" (p alone has this solution at C = %.6g)", model.EquivalentC(m, b.Importance()))
		}
	case m.Interaction != nil:
		text = "interactions of the kernels"
	case m.Weights != nil:
		return "fixed weights"
	case m.Norm == 2:
		text += " (the plain sum)"
	}
	if b.Importance() != nil {
		text += ", kernels of unequal importance"
	}
	return text
}

// normWords is the same for JSON, where p says it all without: "" then.
func normWords(m *model.Model, b *kernelspec.Bank) string {
	if m.GroupNorm == 0 && m.ElasticNet == 0 && m.SquaredNorm == 0 && m.Interaction == nil && m.Weights == nil && b.Importance() == nil {
		return ""
	}
	return describeNorm(m, b)
}
