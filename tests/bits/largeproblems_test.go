package bits

import (
	"fmt"
	"math"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// These problems have so many points that a thread meets several units of them, and that those which stay
// awake are cut otherwise than all. They take long, and are trained from EveryKind on, or from ManyTimes on.

// halves are the working sets of the large problems whose points fall asleep early.
var halves = chunking.Tuning{WorkingSet: 128, Shrink: 0.8}

// largeProblems have the norms, the stores and the ways between precisions of sleepProblems.
func largeProblems(d bytesData) []problem {
	inf := math.Inf(1)
	const skeleton = bigmkltest.SeveralGroups + ",gauss:0.001..10/300,laplace:auto/50"
	list := []problem{
		{name: "large, p=1", spills: true, o: bigmkl.Options{Norm: 1, Precision: "32"}},
		{name: "large, p=4/3", spills: true, sleeps: true, o: bigmkl.Options{Precision: "32"}},
		{name: "large, p=8", spills: true, o: bigmkl.Options{Norm: 8}},
		{name: "large, spherical", spills: true, o: bigmkl.Options{Precision: "32", Normalize: "spherical"}},
		{name: "large, sparse", spills: true, o: bigmkl.Options{Precision: "32", Store: dataset.LayoutSparse}},
		{name: "large, then double", spills: true, o: bigmkl.Options{Gap: 3e-5}},
		{name: "large, skeleton", rows: d.many[:800], o: bigmkl.Options{Kernels: skeleton}},
		{name: "large, skeleton, then double", level: testlevel.ManyTimes, rows: d.many[:800], o: bigmkl.Options{Kernels: skeleton, Gap: 3e-5}},
		{name: "large, p=1.01", level: testlevel.ManyTimes, spills: true, o: bigmkl.Options{Norm: 1.01, Precision: "32"}},
		{name: "large, p=1.0667", level: testlevel.ManyTimes, spills: true, o: bigmkl.Options{Norm: 1.0667, Precision: "32"}},
		{name: "large, p=2", level: testlevel.ManyTimes, spills: true, o: bigmkl.Options{Norm: 2, Precision: "32"}},
		{name: "large, p=inf", level: testlevel.ManyTimes, spills: true, o: bigmkl.Options{Norm: inf, Gap: 5e-3, Tuning: halves}},
		{name: "large, p=8, early", level: testlevel.ManyTimes, o: bigmkl.Options{Norm: 8, Gap: 2e-3, Tuning: halves}},
		{name: "large, early", level: testlevel.ManyTimes, sleeps: true, o: bigmkl.Options{Precision: "32", Tuning: halves}},
		{name: "large, then double, early", level: testlevel.ManyTimes, o: bigmkl.Options{Gap: 3e-5, Tuning: halves}},
		{name: "large, centred", level: testlevel.ManyTimes, o: bigmkl.Options{Normalize: "centred", Tuning: halves}},
		{name: "large, sigmoid", level: testlevel.ManyTimes, o: bigmkl.Options{Kernels: "sigmoid:0.5:-1,gauss:0.2,linear,sigmoid:3:1", Tuning: halves}},
		{name: "large, many groups", rows: d.eight, o: bigmkl.Options{Kernels: "gauss:0.2@random:2*66", C: 0.02, Precision: "32", Gap: 3e-3}},
	}
	for _, task := range []string{bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskOneClass} {
		for _, p := range []float64{1, 4.0 / 3, 4} {
			list = append(list, problem{name: fmt.Sprintf("large, %s, p=%.4g", task, p), level: testlevel.ManyTimes, rows: d.arc,
				o: bigmkl.Options{Task: task, Norm: p, C: 1, Epsilon: 0.2, Nu: 0.3, Gap: 1e-3, Tuning: halves}})
		}
	}
	for i := range list {
		p := &list[i]
		p.level = max(p.level, testlevel.EveryKind)
		if p.rows == nil {
			p.rows = d.many
		}
		if p.o.Kernels == "" {
			p.o.Kernels = bigmkltest.SeveralGroups
		}
		if p.o.C == 0 {
			p.o.C = 0.1
		}
		if p.o.Gap == 0 {
			p.o.Gap = 5e-4
		}
	}
	return append(list, largeSeveral(d)...)
}

// largeSeveral have several classifiers, and columns of dual variables.
func largeSeveral(d bytesData) []problem {
	list := []problem{
		{name: "large, ovr", o: bigmkl.Options{Multiclass: bigmkl.OneVsRest, C: 0.3}},
		{name: "large, ovo", o: bigmkl.Options{Multiclass: bigmkl.OneVsOne, C: 0.3}},
		{name: "large, labels, small gap", rows: d.tags, o: bigmkl.Options{Multiclass: bigmkl.MultiLabel, C: 0.3, Gap: 3e-5}},
		{name: "large, one theta", o: bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true, C: 0.3}},
		{name: "large, probability", o: bigmkl.Options{Positive: []string{"1"}, C: 0.3, Folds: 3, SharedPreparation: true}},
		{name: "large, probability, ovo", o: bigmkl.Options{Multiclass: bigmkl.OneVsOne, C: 0.3, Folds: 3, SharedPreparation: true}},
		{name: "large, single", o: bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Norm: 1, Gap: 5e-5}},
		{name: "large, single, posteriors", o: bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Norm: 1, Gap: 5e-5, Posteriors: bigmkl.Posteriors{Neighbours: 20}}},
		{name: "large, discriminant", o: bigmkl.Options{Task: bigmkl.TaskRKDA, Gap: 5e-5}},
		{name: "large, discriminant, lambda found", o: bigmkl.Options{Task: bigmkl.TaskRKDA, Gap: 5e-5, JointCost: true}},
	}
	for i := range list {
		p := &list[i]
		p.level, p.o.Kernels, p.o.Tuning = testlevel.ManyTimes, "gauss:auto/4,poly:2,linear", halves
		if p.rows == nil {
			p.rows = d.clusters
		}
	}
	return list
}
