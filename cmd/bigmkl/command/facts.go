package command

import (
	"fmt"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/evaluate/bound"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// factsOf lists the settings and the certificate of a model as pairs of a name and a text.
// inspect prints them, and the page of report has them as a table. The order goes from the
// problem and its certificate to the data, the predictions and the kernels. The weights of a
// model of several classifiers are averages. charge holds costs to charge for the kernels in
// place of their own, and is nil without them. A line is absent where its subject is, so models of an
// ordinary task have few lines.
func factsOf(m *model.Model, b *kernelspec.Bank, charge []float64) (facts [][2]string) {
	// The name is a word of its own, so a script can find a line by it.
	line := func(name, format string, args ...any) {
		facts = append(facts, [2]string{name, fmt.Sprintf(format, args...)})
	}
	c, classifier := m.Convergence().Worst()
	line("problem", "%s, %s, precision %s", describeNorm(m, b), describeCost(m), m.Precision)
	// The criterion is 2 lambda D / (k-1) for the dual value D and k classes, between 0 and 1.
	if d := m.Discriminant; d != nil && m.Several() {
		line("criterion", "%.9g", d.Criterion)
	}
	if x := m.Family.Mixture(); x != nil {
		// The kind of entropy is empty in models that have the default.
		entropy := ""
		if x.Entropy != "" {
			entropy = ", entropy " + x.Entropy
		}
		line("mixture", "components %s%s, objective %.9g after round %d of start %d of %d, q changed by %.3g",
			shorten(formatComponents(x), mostSpec), entropy, x.Objective, x.Rounds, x.Start, x.Restarts, x.Change)
	}
	// Of several classifiers the one with the largest gap is named. Its gap bounds all others.
	if classifier >= 0 {
		line("certificate", "%s: largest relative gap %.3g (asked %.3g)%s, of %s %s", c.Kind,
			c.RelativeGap, m.Gap, ofGates(m), m.Noun(), m.ShortName(classifier))
	} else {
		line("certificate", "%s: relative gap %.3g (asked %.3g)%s, primal %.9g, dual %.9g", c.Kind,
			c.RelativeGap, m.Gap, ofGates(m), c.Primal, c.Dual)
	}
	// The certificate includes this bound, so a user has to see how much of the gap may be rounding.
	if c.Rounding > 0 {
		line("rounding", "may have made %.3g of the primal and the dual value, which is part of the "+
			"former", c.Rounding)
	}
	// A model that was cut short predicts as any other, so its doubt is among the first lines.
	if doubt := m.Convergence().Doubt(); doubt != "" {
		line("warning", "%s", doubt)
	}
	// --limit takes the first rows of the data alone, and the count of rows is then not the count of
	// the file.
	limit := ""
	if m.Limit > 0 {
		limit = fmt.Sprintf(" (--limit %d)", m.Limit)
	}
	// Sequences have letters at positions, and a number of features would mean nothing to their users.
	features := describeFeatures(m)
	if n := m.Sequences.Before(); n > 0 {
		features = fmt.Sprintf("%d numbers and sequences of %s, up to %d letters", n,
			m.Sequences.Letters(), m.Features-n)
	} else if m.Sequences != dataset.Numbers {
		features = fmt.Sprintf("sequences of %s, up to %d letters", m.Sequences, m.Features)
	}
	// The fingerprint identifies the rows: verify compares it with the data.
	line("data", "%s%s, %s, stored %s, fingerprint %016x", count(m.Points, "row"), limit, features, m.Store,
		m.Fingerprint)
	if m.Objects != nil {
		line("objects", "%s", describeObjects(m.Objects))
	}
	if m.Stream != nil {
		line("stream", "%s", describeStream(m))
	}
	if m.Columns != nil {
		line("columns", "%s", describeColumns(m.Columns))
	}
	line("classes", "%s", describeClasses(m))
	if m.Several() {
		line(m.Noun()+"s", "%s", describeClassifiers(m))
		line("support vectors", "%d, which the %ss share", len(m.Support), m.Noun())
	} else {
		line("support vectors", "%d, bias %.9g", len(m.Support), m.Bias)
	}
	// Kernels without costs have no such line.
	if c := newCostsJSON(m, b, b.Costs()); c != nil {
		line("total cost", "%s", c.describe(m))
	}
	// Charged costs come from inspect --charge and follow the costs of the model, for a
	// comparison.
	if c := newCostsJSON(m, b, charge); c != nil {
		line("charged cost", "%s", c.describe(m))
	}
	// The lines below describe what predict can add to a decision.
	if m.Posteriors != nil {
		line("posteriors", "%s", describePosteriors(m))
	}
	if m.Sigmoids != nil {
		line("probabilities", "%s", describeProbabilities(m))
	}
	if m.Conformal != nil {
		line("calibration", "%s", describeConformal(m.Conformal))
	}
	// Every model has a scaling and a normalisation, whose kind may be none.
	line("scaling", "%s", describeScaling(m.Input().Scaling()))
	if m.Scaling.Imputes() {
		line("missing values", "%s", describeImputation(m.Scaling.Impute))
	}
	// A factor from a sample depends on its rows, so its size is part of the description.
	normalization := m.Normalization.Kind
	if m.Normalization.SampleSize > 0 {
		normalization += fmt.Sprintf(", from a sample of %d rows", m.Normalization.SampleSize)
	}
	line("normalisation", "%s", normalization)
	if m.Centre != nil {
		line("centred", "%s", describeCentre(m))
	}
	line("kernels", "%s: %s; seed %d", count(len(m.Theta), "kernel"), shorten(strings.Join(m.Kernels, ","), 200),
		m.Seed)
	if p := describeProjection(m); p != "" {
		line("projection", "%s", p)
	}
	if gates := describeGates(m); gates != "" {
		line("gates", "%s", gates)
	}
	if missing := describeMissing(m); missing != "" {
		line("missing views", "%s", missing)
	}
	// The active kernels of all views together.
	_, list := summarizeWeights(m, b)
	active := 0
	for _, p := range list {
		active += p.Active
	}
	// The norm of weights is defined for one classifier, and theta of several is their mean.
	if m.Several() {
		over := "averages over " + describeTrained(m)
		if m.OneTheta {
			over = "one set for all " + m.Noun() + "s"
		}
		line("weights", "%s, of %s", over, count(active, "active kernel"))
	} else {
		line("weights", "||w|| in the block norm is %.9g, of %s",
			bound.Norm(m.WNorms, m.Norm), count(active, "active kernel"))
	}
	// Widths of auto are multiples of these distances. With them a user can write the same widths as
	// numbers.
	if len(m.Medians) > 0 {
		line("typical distances", "%s (median for auto, mean for mean; squared for gauss)",
			shorten(formatNumbers(m.Medians), 200))
	}
	return facts
}

// describeFeatures describes how many features rows have. Files of sparse rows may count features to
// millions, few of which occur in any row.
func describeFeatures(m *model.Model) string {
	if o := m.Occurring; o != nil {
		return fmt.Sprintf("%s that occur among %d", count(len(o.Index), "feature"), o.Width)
	}
	return count(m.Features, "feature")
}

// describeImputation names the substitute for missing values.
// Other kinds, such as mean and median, are words already.
func describeImputation(kind string) string {
	switch kind {
	case dataset.ImputeZero:
		return "zero"
	case dataset.ImputeIndicator:
		return "median, and a feature that says so,"
	}
	return kind
}

// describeScaling names the kind of a scaling, and the reason if auto has chosen it.
func describeScaling(s *dataset.Scaling) string {
	if s.Choice == "" {
		return s.Kind
	}
	return "auto: " + s.Choice
}
