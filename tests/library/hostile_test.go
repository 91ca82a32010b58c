package library

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// signed gives a model file the digest that is right for it, which whoever writes hostile files can compute as well.
func signed(data []byte) []byte {
	const before = `"sha256":"`
	b := bytes.Clone(data)
	at := bytes.Index(b, []byte(before)) + len(before)
	if at < len(before) || len(b) < at+2*sha256.Size {
		return b
	}
	copy(b[at:], strings.Repeat("0", 2*sha256.Size))
	sum := sha256.Sum256(b)
	hex.Encode(b[at:], sum[:])
	return b
}

// FuzzModel: what is made of a model that decodes, whatever is in it, ends: with decisions and a report, or with an error of a
// class.
func FuzzModel(f *testing.F) {
	rows := datasettest.Clouds(datasettest.Random(f, 41), 12, 4)
	for _, o := range []bigmkl.Options{
		{Kernels: "gauss:0.5,linear", Scale: "standard"},
		{Kernels: "poly:2,laplace:1@1-2,linear", Normalize: "spherical", Store: dataset.LayoutSparse},
		{Kernels: "sigmoid:0.1:1,chi2:auto/2,prod(intersection,poly:2@1-2),intersection@each-view", Scale: "minmax", Views: []dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "b", First: 2, Last: 4}}},
		{Kernels: "gauss:0.5@random:2*3", Precision: "64", Norm: 3, Positive: []string{"1"}},
		{Kernels: "gauss:0.5,linear", Multiclass: bigmkl.OneVsRest, OneTheta: true}, {Kernels: "poly:2,linear", Multiclass: bigmkl.OneVsOne},
		{Kernels: "gauss:0.5,linear", Folds: 2}, {Kernels: "gauss:0.5,linear", Multiclass: bigmkl.OneVsOne, Folds: 2},
		{Kernels: "gauss:0.5,linear", Multiclass: bigmkl.MultiLabel, ClassWeight: map[string]float64{"1": 2}},
	} {
		rows := slices.Clone(rows)
		for i := range rows {
			switch o.Multiclass {
			case bigmkl.MultiLabel:
				rows[i].Label = []string{"1", "-", "1,2", "2,3"}[i%4]
			case bigmkl.OneVsRest, bigmkl.OneVsOne:
				rows[i].Label = []string{"1", "2", "3"}[i%3]
			}
		}
		o.MaxIterations = 3
		m, _ := bigmkltest.TrainModel(f, datasettest.Stream(rows), o)
		f.Add(bigmkltest.Encoded(f, m))
	}
	for i := range rows {
		rows[i].Weight = 1
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := signed(data)
		decoded, err := model.Decode(bytes.NewReader(b), int64(len(b)), "in")
		if err != nil {
			return // FuzzDecode looks at that
		}
		if decoded.Len() > 1000 || len(decoded.Classifiers) > 100 || decoded.Features > 1<<16 {
			t.Skip("too slow")
		}
		class := func(err error) {
			for _, c := range []error{nil, fail.Input, fail.Corrupt, fail.Usage, fail.Budget} {
				if err == c || c != nil && errors.Is(err, c) {
					return
				}
			}
			t.Fatal(err)
		}
		m := &bigmkl.Model{Model: *decoded}
		class(m.Predict(context.Background(), datasettest.Stream(rows), bigmkl.PredictOptions{Threads: 1, Probability: m.Sigmoids != nil}, func(p bigmkl.Prediction) error {
			for _, x := range p.Probabilities {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("a probability of %v", x)
				}
			}
			return nil
		}))
		_, err = verify.Run(context.Background(), &m.Model, datasettest.Stream(rows), verify.Options{Threads: 1, Gram: []string{}})
		class(err)
		_, err = verify.Run(context.Background(), &m.Model, datasettest.Stream(rows), verify.Options{Threads: 1, Gram: []string{}, Sample: 3})
		class(err)
		_, _, err = bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear", Init: m, MaxIterations: 1, Threads: 1, Scratch: t.TempDir(), Memory: 64 << 20, Disk: 1 << 20})
		class(err)
	})
}
