package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/model"
)

// A LIBSVM model (Chang and Lin 2011, the text that svm-train writes) is
//
//	f(x) = sum_s coef_s k(x_s, x) - rho
//
// with one kernel of raw features, for a pair of classes, a regression or one class, or for all pairs of
// classes. So a model of several kernels fits where one of them has all the weight, or where all of
// them are linear: their sum is one linear kernel of features times sum_m theta_m c_m.
//
// Scaling x' = (x - o) f goes into a linear kernel: x'z = x (f z) - o (f z), the latter a part of rho.
// One factor of all features (global) goes into gamma and the vectors. Other kernels cannot take it.

// writeLIBSVM writes a model that svm-predict reads.
func (e *expanded) writeLIBSVM(ctx context.Context, w io.Writer) error {
	form, err := e.libsvmKernel()
	if err != nil {
		return err
	}
	classes, pairs, err := e.libsvmClasses(form.coef)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := e.writeLIBSVMHead(ctx, out, form, classes, pairs); err != nil {
		return err
	}
	// LIBSVM takes the vectors class by class.
	for class := range pairs {
		for s := range e.Support {
			if err := ctx.Err(); err != nil {
				return err
			}
			if pairs[class][s] != nil {
				e.writeLIBSVMVector(out, form, s, pairs[class][s])
			}
		}
	}
	return out.Flush()
}

// number writes a float64 with all of its digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// libsvmClasses lists the labels of the classes and, for each class and support vector of it, the
// coefficients of its pairs with the other classes: its dual variables, times the factor of the
// classifier. Of models without classes there is one list with one coefficient each.
func (e *expanded) libsvmClasses(factor []float64) (labels []string, pairs [][][]float64, err error) {
	const format = "of LIBSVM"
	if e.Multiclass == model.Quantiles {
		return nil, nil, reject(format, "has one regressor, and not %d of several quantiles", len(e.classifiers))
	}
	if e.Several() && e.Multiclass != model.OneVsOne {
		return nil, nil, reject(format, "tells classes apart by pairs, and not by --multiclass %s", e.Multiclass)
	}
	switch {
	case e.Several():
		labels = e.Classes
	case e.HasClasses():
		labels = []string{e.Positive, e.Negative}
	default:
		list := make([][]float64, len(e.Support))
		for i, s := range e.classifiers[0].support {
			list[s] = []float64{e.classifiers[0].alpha[i] * factor[0]}
		}
		return nil, [][][]float64{list}, nil
	}
	for _, label := range labels {
		if n, err := strconv.ParseInt(strings.TrimPrefix(label, "+"), 10, 32); err != nil || n > math.MaxInt32 {
			return nil, nil, reject(format, "has integers for classes, and one is called otherwise")
		}
	}
	pairs = make([][][]float64, len(labels))
	for c := range pairs {
		pairs[c] = make([][]float64, len(e.Support))
	}
	separated := [][2]int32{{0, 1}} // the classes of each classifier
	if e.Several() {
		separated = model.Pairs(e.Multiclass, len(e.Classes))
	}
	for k, p := range separated {
		a := &e.classifiers[k]
		for i, s := range a.support {
			// The sign of the dual variable is the class of the row. Its coefficients skip its own class.
			own, place := p[0], p[1]-1
			if a.alpha[i] < 0 {
				own, place = p[1], p[0]
			}
			if pairs[own][s] == nil {
				pairs[own][s] = make([]float64, len(labels)-1)
			}
			pairs[own][s][place] = a.alpha[i] * factor[k]
		}
	}
	return labels, pairs, nil
}

// writeLIBSVMHead writes all that comes before the vectors.
func (e *expanded) writeLIBSVMHead(ctx context.Context, out *bufio.Writer, form *libsvm, labels []string,
	pairs [][][]float64) error {
	kind := "epsilon_svr" // svm-predict prints the value of such a function as it is
	switch {
	case e.HasClasses():
		kind = "c_svc"
	case model.DescribesSupport(e.Task):
		kind = "one_class"
	}
	total, counts := 0, make([]string, len(pairs))
	for c := range pairs {
		n := 0
		for _, coefs := range pairs[c] {
			if coefs != nil {
				n++
			}
		}
		total, counts[c] = total+n, strconv.Itoa(n)
	}
	fmt.Fprintf(out, "svm_type %s\nkernel_type %s\n%snr_class %d\ntotal_sv %d\nrho", kind, form.kind, form.lines,
		max(2, len(labels)), total)
	for k := range e.classifiers {
		shift, err := e.shift(ctx, form, k)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, " %s", number(-(e.classifiers[k].bias + shift)))
	}
	out.WriteByte('\n')
	if labels != nil {
		fmt.Fprintf(out, "label %s\n", strings.ReplaceAll(strings.Join(labels, " "), "+", ""))
		e.writeLIBSVMSigmoids(out)
		fmt.Fprintf(out, "nr_sv %s\n", strings.Join(counts, " "))
	}
	_, err := out.WriteString("SV\n")
	return err
}

// writeLIBSVMSigmoids writes the sigmoids of the classifiers. Those of LIBSVM are 1 / (1 + exp(A f + B))
// as well, each the probability of the first class of its pair, which is that where f > 0.
func (e *expanded) writeLIBSVMSigmoids(out *bufio.Writer) {
	if e.sigmoids == nil {
		return
	}
	a, b := "probA", "probB"
	for _, s := range e.sigmoids {
		a, b = a+" "+number(s.A), b+" "+number(s.B)
	}
	fmt.Fprintf(out, "%s\n%s\n", a, b)
}

// shift returns what the offsets of the scaling add to f: -sum_s alpha_s sum_j o_j w_j z_sj.
func (e *expanded) shift(ctx context.Context, form *libsvm, k int) (float64, error) {
	if !form.linear || e.Scaling.Offset == nil {
		return 0, nil
	}
	sum := 0.0
	for i, s := range e.classifiers[k].support {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		product := 0.0
		e.Each(int(s), func(j int, x float32) { product += e.Scaling.Offset[j] * form.weight(j) * float64(x) })
		sum -= e.classifiers[k].alpha[i] * product
	}
	return sum, nil
}

// writeLIBSVMVector writes a line: the coefficients of the pairs and the features that are not zero.
func (e *expanded) writeLIBSVMVector(out *bufio.Writer, form *libsvm, s int, coefs []float64) {
	for _, c := range coefs {
		fmt.Fprintf(out, "%s ", number(c))
	}
	if form.kind == "precomputed" {
		fmt.Fprintf(out, "0:%d\n", e.Support[s]+1)
		return
	}
	e.Each(s, func(j int, x float32) {
		v := float64(x)
		if form.weight != nil {
			v *= form.weight(j)
		}
		if v != 0 {
			if e.Occurring != nil { // The number of all others together is 0 in training rows.
				j = int(e.Occurring.Index[j])
			}
			fmt.Fprintf(out, "%d:%s ", j+1, number(v))
		}
	})
	out.WriteByte('\n')
}
