// Package export writes models in the forms of other programs.
//
// JSON has all of a model. A LIBSVM model has one kernel and no scaling of features, and an ONNX graph
// has kernels of dense features that are functions of products and squared distances: a model that does
// not fit is rejected with an error of class fail.Usage, and nothing is approximated.
//
// # Precision
//
// Every number is written with all of its digits. Whoever evaluates the result sums in another order, and
// in float64 where predictions may be made in float32: decision values agree to 1e-4 (1 + |f(x)|), and
// nearly always to some 1e-6 of that.
//
// # Memory
//
// JSON and LIBSVM models are written vector by vector. An ONNX graph is built in memory, with 4 bytes for
// each support vector and feature.
package export

import (
	"context"
	"io"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/internal/probability"
)

// These are the formats.
const (
	JSON   = "json"
	LIBSVM = "libsvm"
	ONNX   = "onnx"
)

// Formats lists the formats.
var Formats = []string{JSON, LIBSVM, ONNX}

// These are the types of the rows of an ONNX graph, each of which has one.
const (
	Float64 = "float64"
	Float32 = "float32" // which converters such as skl2onnx use
)

// Inputs lists them.
var Inputs = []string{Float64, Float32}

// Options set what is written beside the model itself.
type Options struct {
	Format string
	// Head is put at the start of the object of JSON, such as `"contract":1,`.
	Head string
	// Names are the names of the features, or nil. ONNX has them among its properties.
	Names []string
	// Version names the program among the properties of ONNX.
	Version string
	// Input is the type of the rows that an ONNX graph takes, one of Inputs. "" is Float64.
	Input string
	// WithoutProbability leaves the sigmoids of a model out, also where the format cannot hold them.
	WithoutProbability bool
}

// Write writes a model to w. A model that the format cannot hold is an error of class fail.Usage, before
// anything is written. If ctx ends, w is left with part of the model.
func Write(ctx context.Context, w io.Writer, m *model.Model, o Options) error {
	if m.Family != nil {
		return fail.New(fail.Usage, "a model with %s, which no format of other programs has",
			m.Family.Name)
	}
	if m.Fill != nil {
		return fail.New(fail.Usage,
			"a model whose rows may lack views, which no format of other programs has")
	}
	if m.Objects != nil && o.Format != JSON {
		return fail.New(fail.Usage,
			"a model of rows that name objects, which no format of other programs has").WithHint("--to json has all of it")
	}
	if m.Centre != nil {
		return fail.New(fail.Usage,
			"a model of kernels that are centred, which no format of other programs has")
	}
	if m.Occurring != nil && o.Format != LIBSVM {
		return fail.New(fail.Usage, "a model that numbers the features that occur among %d, which the "+
			"format of LIBSVM alone has", m.Occurring.Width)
	}
	b, err := m.Bank()
	if err != nil {
		return err
	}
	e, err := expand(m, b)
	if err != nil {
		return err
	}
	if !o.WithoutProbability {
		e.sigmoids = m.Sigmoids
	}
	return m.Guard(func() error {
		switch o.Format {
		case LIBSVM:
			return e.writeLIBSVM(ctx, w)
		case ONNX:
			return e.writeONNX(ctx, w, &o)
		case JSON:
			return e.writeJSON(ctx, w, &o)
		}
		return fail.New(fail.Usage, "unknown format %s", fail.Quote(o.Format))
	})
}

// expanded is a model whose kernels stand one by one, and whose classifiers are alike whether it has one
// or several.
type expanded struct {
	*model.Model
	bank        *kernelspec.Bank
	kernels     []kernel
	classifiers []classifier
	// sigmoids are those that are written, one for each classifier; nil if the result has no
	// probabilities.
	sigmoids []probability.Sigmoid
}

// kernel is one kernel of the sum: factor times the kernel of its specification.
type kernel struct {
	*kernelspec.Kernel
	spec string
	// features lists the features that it looks at, from 0, or nil for all.
	features []int32
	normal   kernelspec.Normalizer
	factor   float64
}

// classifier is a decision function. support counts from 0 among the support vectors of the model.
type classifier struct {
	tau                float64 // of one of several quantiles
	positive, negative string
	theta, norms       []float64
	bias               float64
	support            []int32
	alpha              []float64
	certificate        model.Certificate
}

// expand lists the kernels and the classifiers of a model.
func expand(m *model.Model, b *kernelspec.Bank) (*expanded, error) {
	e := &expanded{Model: m, bank: b}
	normal, err := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil {
		return nil, fail.New(fail.Corrupt, "%w", err)
	}
	for id := range b.Kernels {
		k := kernel{Kernel: &b.Kernels[id], spec: b.Describe(id), factor: 1}
		if k.Set != kernelspec.AllFeatures {
			k.features = b.Features(k.Set)
		}
		k.normal = k.Normalizer.Or(normal)
		if m.Normalization.Scale != nil {
			k.factor = m.Normalization.Scale[id]
		}
		e.kernels = append(e.kernels, k)
	}
	if !m.Several() {
		all := make([]int32, len(m.Support))
		for s := range all {
			all[s] = int32(s)
		}
		e.classifiers = []classifier{{0, m.Positive, m.Negative, m.Theta, m.WNorms, m.Bias, all, m.Alpha,
			m.Certificate}}
		return e, nil
	}
	for k := range m.Classifiers {
		a, one := &m.Classifiers[k], m.Classifier(k)
		e.classifiers = append(e.classifiers, classifier{one.Tau, one.Positive, one.Negative, a.Theta, a.WNorms, a.Bias,
			a.Support, a.Alpha, a.Certificate})
	}
	return e, nil
}

// used lists the kernels that have a weight in some classifier.
func (e *expanded) used() (list []int) {
	for id := range e.kernels {
		if slices.ContainsFunc(e.classifiers, func(a classifier) bool { return a.theta[id] != 0 }) {
			list = append(list, id)
		}
	}
	return list
}

// plain reports whether the values of a kernel equal its definition times its factor. A function of a distance is 1
// where a point meets itself, so spherical normalisation changes nothing.
func (k *kernel) plain() bool {
	return k.normal != kernelspec.Spherical || k.Kind.HasWidth()
}

// needMemory returns an error of class fail.Budget if the computer has less than so many bytes. The number
// of features of sparse vectors is a claim of the file.
func needMemory(bytes float64) error {
	if have := host.Budget(); bytes > float64(have) {
		return fail.New(fail.Budget, "the model takes %.3g bytes in this format, and there are %d", bytes, have)
	}
	return nil
}

// reject returns the error of a model that a format cannot hold.
func reject(format, why string, args ...any) error {
	return fail.New(fail.Usage, "a model in the format "+format+" "+why, args...).
		WithHint("--to json has all of any model")
}
