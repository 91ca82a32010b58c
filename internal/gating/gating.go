// Package gating has the gates of localized multiple kernel learning. With gates the weight of a
// kernel depends on the point:
//
//	k(x, z) = sum_m theta_m eta_m(x) k_m(x, z) eta_m(z)              (Gönen 2010, eq. 3.9).
//
// A gate is a function of the gating features of a point, or a number that is given for each point.
// While gates stay as they are the problem of a classifier is a convex one. Gates that are learned
// move between solutions of it. The package has the values of gates and their derivatives, and does
// not use dual variables.
package gating

import (
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// These are the kinds of gates.
const (
	// KindRegions has Gaussian gates at centres of the data. Each kernel is there once for each.
	KindRegions = "regions"
	// KindFixed has gates from a matrix, of a row for each point and a column for each kernel.
	KindFixed = "fixed"
	// KindSoftmax, KindSigmoid and KindGauss have gates that are learned; see Learned.
	KindSoftmax = "softmax"
	KindSigmoid = "sigmoid"
	KindGauss   = "gauss"
)

// MostRegions is the largest number of regions.
const MostRegions = 4096

// Spec selects which gates a training has. The zero value asks for none.
type Spec struct {
	// Kind is one of the kinds. If it is empty, there are no gates.
	Kind string
	// Regions is the number of regions of KindRegions, at least 1.
	Regions int
	// File is the matrix of KindFixed.
	File string
	// On selects which features gates look at that are functions of features, as a specification
	// of a kernel has them behind @. If it is empty, they look at all.
	On string

	// What follows is for gates that are learned.

	// Tolerance ends the descent where the slope is no longer than that part of the objective, and Steps is the
	// largest number of steps.
	Tolerance float64
	Steps     int
	// Starts is the number of descents, of which that to the lowest objective stays.
	Starts int
	// Decay is how much the squares of weights count that are neither offsets nor spreads, as a part
	// of the objective at the start. If it equals zero, they count nothing.
	Decay float64
	// Floor is the value below which a gate is closed at the end. If it equals zero, none is.
	Floor float64

	// One means that several classifiers share what is learned.
	One bool
}

// Learned reports whether gates are learned.
func (s *Spec) Learned() bool {
	return s.Kind == KindSoftmax || s.Kind == KindSigmoid || s.Kind == KindGauss
}

// SeesFeatures reports whether gates are functions of features.
func (s *Spec) SeesFeatures() bool { return s.Learned() || s.Kind == KindRegions }

// Parse reads softmax, sigmoid, gauss, regions:R or fixed:FILE. An empty text asks for no gates. A
// fault is of class fail.Usage.
func Parse(text string) (Spec, error) {
	kind, of, _ := strings.Cut(text, ":")
	switch {
	case text == "":
		return Spec{}, nil
	case text == KindSoftmax || text == KindSigmoid || text == KindGauss:
		return Spec{Kind: kind}, nil
	case kind == KindFixed && of != "":
		return Spec{Kind: kind, File: of}, nil
	case kind == KindRegions:
		r, err := strconv.Atoi(of)
		if err != nil || r < 1 || r > MostRegions {
			return Spec{}, fail.New(fail.Usage, "%s is no number of regions from 1 to %d",
				fail.Quote(of), MostRegions)
		}
		return Spec{Kind: kind, Regions: r}, nil
	}
	return Spec{}, fail.New(fail.Usage,
		"unknown gates %s (softmax, sigmoid, gauss, regions:R or fixed:FILE)", fail.Quote(text))
}

// Gated reports whether there are gates.
func (s *Spec) Gated() bool { return s.Kind != "" }

// String returns the text that Parse has read.
func (s *Spec) String() string {
	switch s.Kind {
	case KindRegions:
		return KindRegions + ":" + strconv.Itoa(s.Regions)
	case KindFixed:
		return KindFixed + ":" + s.File
	}
	return s.Kind
}
