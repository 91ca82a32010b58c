package report

import (
	"fmt"
	"math"

	"bigmkl/internal/evaluate"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/float"
)

// AddHeldOut adds how well a model predicts rows that were not in its training. The name is the
// name of the data, and is not used for rows of a selection.
func (p *Page) AddHeldOut(h *HeldOut, name string) {
	id, title, text := "held-out", "How well it predicts rows that were held out", h.text
	if text == "" {
		id, title, text = "test", "How well it predicts", fmt.Sprintf("%d rows of %s were predicted.", h.score.Evaluation().N, name)
	}
	p.add(id, title, append([]block{paragraph("%s", text)}, h.blocks()...)...)
}

// blocks has the figures, the charts and the table of classes. The figures come first, since they need
// no explanation of a chart. Warnings of the score follow them at once.
func (h *HeldOut) blocks() (blocks []block) {
	e := h.score.Evaluation()
	t := &table{}
	for _, f := range e.Figures {
		// A figure that is not defined on these rows, such as AUC of one class, is left out.
		if float.Finite(f.Value) {
			t.Rows = append(t.Rows, []cell{{Text: f.Name}, {Text: fmt.Sprintf("%.4f", f.Value)}})
		}
	}
	if len(t.Rows) > 0 {
		blocks = append(blocks, block{Table: t})
	} else {
		blocks = append(blocks, paragraph("The rows say nothing of their classes or targets, so that there is nothing to compare with."))
	}
	for _, w := range h.score.Warnings() {
		blocks = append(blocks, paragraph("Careful: %s.", w))
	}
	var figures []figure
	// Targets have residuals. Classes have the order of the rows (ROC), the decision (confusion) and the probability
	// (calibration): a model may be good in one of the three and bad in another.
	switch {
	case h.target != nil:
		figures = h.residualCharts()
	case h.model.HasClasses():
		figures = append(h.curveCharts(), h.confusionCharts(&e)...)
		figures = append(figures, h.calibrationCharts()...)
	}
	if figures != nil {
		blocks = append(blocks, block{Figures: figures})
	}
	if len(e.Classes) > 0 {
		blocks = append(blocks, block{Table: classTable(&e)})
	}
	if len(e.Quantiles) > 0 {
		blocks = append(blocks, block{Table: quantileTable(&e)})
	}
	return blocks
}

// quantileTable lists several quantiles. The share of targets below a good quantile is tau. The pinball
// loss of a target y at the prediction f is max(tau (y - f), (tau - 1)(y - f)).
func quantileTable(e *score.Evaluation) *table {
	t := &table{Caption: "Quantile by quantile", Head: []string{"tau", "pinball loss", "share of targets below"}}
	for _, q := range e.Quantiles {
		t.Rows = append(t.Rows, []cell{{Text: fmt.Sprintf("%g", q.Tau)}, {Text: fmt.Sprintf("%.4f", q.Loss)}, {Text: fmt.Sprintf("%.4f", q.Below)}})
	}
	return t
}

// sampleText states which part of the rows a chart shows: charts come from a regular sample, and
// figures from all rows.
func (h *HeldOut) sampleText() string {
	if h.stride == 1 {
		return ""
	}
	return fmt.Sprintf(" Of every %d-th row.", h.stride)
}

// curveCharts draws the ROC and the precision-recall curves, with the areas under them. A class against
// all others has a curve of its own. The areas come from the sample, and the figures above them from
// all rows.
func (h *HeldOut) curveCharts() []figure {
	var roc, pr []Line
	for k := range h.classifiers {
		r := newRanking(h.values[k], h.has[k])
		if !r.twoSided() {
			continue
		}
		name := h.model.Positive
		if h.model.Several() {
			name = h.model.Classes[k]
		}
		// The legend has room for names of 20 letters with their areas.
		name = cut(clean(name), 20)
		a, b := r.roc(), r.precisionRecall()
		a.Name = fmt.Sprintf("%s, area %.4f", name, evaluate.AUC(h.values[k], h.has[k]))
		b.Name = fmt.Sprintf("%s, area %.4f", name, evaluate.AveragePrecision(h.values[k], h.has[k]))
		roc, pr = append(roc, a), append(pr, b)
	}
	if roc == nil {
		return nil
	}
	some := ""
	if h.model.Several() && len(h.model.Classes) > h.classifiers {
		some = fmt.Sprintf(" The first %d of %d classes.", h.classifiers, len(h.model.Classes))
	}
	of := func(lines []Line) string {
		// One line has its name in the caption, because a legend of one line would be more than the
		// chart needs.
		if len(lines) == 1 {
			return " " + lines[0].Name + "."
		}
		return ""
	}
	share := func(name string) Axis { return Axis{Name: name, From: 0, To: 1} }
	a := LineChart{Label: "ROC curve", X: share("negative rows taken for positive"), Y: share("positive rows found"), Lines: roc, Diagonal: true}
	b := LineChart{Label: "precision-recall curve", X: share("recall: positive rows found"), Y: share("precision: right among those found"), Lines: pr}
	return []figure{
		{Chart: a.draw(), Caption: "ROC:" + of(roc) + " The diagonal is guessing, and the upper left corner is without a fault." + some + h.sampleText()},
		{Chart: b.draw(), Caption: "Precision and recall:" + of(pr) + " The upper right corner is without a fault." + some + h.sampleText()},
	}
}

// confusionCharts shows the confusion matrix. The shade is the share of the class.
func (h *HeldOut) confusionCharts(e *score.Evaluation) []figure {
	// An evaluation of two classes has no matrix, so HeldOut counts it. The rows of sets of
	// labels have several classes at once, and no matrix.
	names, counts := h.model.Classes, e.Confusion
	if !h.model.Several() {
		names = []string{h.model.Negative, h.model.Positive}
		counts = [][]int{h.confusion[0][:], h.confusion[1][:]}
	} else if !e.Exclusive || counts == nil {
		return nil
	}
	// Rows of the matrix are the true classes, and columns the predicted ones.
	m := HeatMap{Label: "confusion matrix", Rows: names, Columns: names, RowTitle: "class", ColumnTitle: "predicted"}
	for _, row := range counts {
		sum := 0
		for _, n := range row {
			sum += n
		}
		shades, texts := make([]float64, len(row)), make([]string, len(row))
		for j, n := range row {
			// Shares of the class make small classes as visible as large ones.
			shades[j] = float64(n) / float64(max(sum, 1))
			if n > 0 {
				texts[j] = fmt.Sprint(n)
			}
		}
		m.Shades, m.Texts = append(m.Shades, shades), append(m.Texts, texts)
	}
	return []figure{{Chart: m.draw(), Caption: "Confusion: rows of each class by the class that was predicted. A row without a fault is dark on the diagonal alone."}}
}

// calibrationCharts compares probabilities with the shares of rows that have the class.
func (h *HeldOut) calibrationCharts() []figure {
	l := Line{Name: "rows", Marks: true}
	for _, b := range h.bins {
		if b.count > 0 {
			share := float64(b.hits) / float64(b.count)
			// The point lies at the mean probability of its rows and not in the middle of the bin,
			// where a skewed bin would seem miscalibrated.
			l.X, l.Y = append(l.X, b.sum/float64(b.count)), append(l.Y, share)
			// This is the standard error of a share of independent rows (binomial distribution).
			l.Errors = append(l.Errors, math.Sqrt(share*(1-share)/float64(b.count)))
		}
	}
	if len(l.X) == 0 {
		return nil
	}
	c := LineChart{Label: "calibration of the probabilities", X: Axis{Name: "probability that was given", From: 0, To: 1},
		Y: Axis{Name: "share that came true", From: 0, To: 1}, Lines: []Line{l}, Diagonal: true}
	return []figure{{Chart: c.draw(), Caption: "Calibration: of rows with a probability of 0.8, 80 % should come true, which is the diagonal. Bars are standard errors."}}
}

// residualCharts draws predictions against targets, and the distribution of their differences. The
// scatter shows whether errors depend on the target, and the distribution whether they are centred at
// 0.
func (h *HeldOut) residualCharts() []figure {
	scatter := Line{Name: "rows", X: h.target, Y: h.values[0], Marks: true, NoLine: true}
	a := LineChart{Label: "predictions against targets", X: Axis{Name: "target"}, Y: Axis{Name: "prediction"}, Lines: []Line{scatter}, Diagonal: true}
	residuals := make([]float64, len(h.target))
	low, high := math.Inf(1), math.Inf(-1)
	for i, t := range h.target {
		residuals[i] = h.values[0][i] - t
		low, high = min(low, residuals[i]), max(high, residuals[i])
	}
	// 30 bins of 400 units are wide enough to see, and few enough for some hundred rows to fill
	// them.
	const bins = 30
	step := (high - low) / bins
	// Residuals that are all equal, or that overflow, have no distribution to draw.
	if !(step > 0 && float.Finite(step)) {
		return []figure{{Chart: a.draw(), Caption: "Predictions against targets." + h.sampleText()}}
	}
	var counts [bins]float64
	for _, r := range residuals {
		// The largest residual belongs to the last bin.
		counts[min(int((r-low)/step), bins-1)]++
	}
	l := Line{Name: "rows"}
	for k, n := range counts { // The outline of the bars.
		from := low + step*float64(k)
		l.X, l.Y = append(l.X, from, from+step), append(l.Y, n, n)
	}
	l.X, l.Y = append([]float64{low}, append(l.X, high)...), append([]float64{0}, append(l.Y, 0)...)
	b := LineChart{Label: "distribution of the residuals", X: Axis{Name: "residual: prediction minus target"}, Y: Axis{Name: "rows", Whole: true}, Lines: []Line{l}}
	return []figure{
		{Chart: a.draw(), Caption: fmt.Sprintf("Predictions against targets, %d rows at most. The diagonal is without a fault.%s", mostPoints, h.sampleText())},
		{Chart: b.draw(), Caption: "How far predictions are off. A shape beside 0 is a bias, and a long tail a few rows that are missed by far." + h.sampleText()},
	}
}

// mostClasses is the number of classes that a table lists.
const mostClasses = 100

// classTable lists for each class or label how many rows have it and how many were predicted to, with
// precision, recall and F1. F1 is the harmonic mean of the other two.
func classTable(e *score.Evaluation) *table {
	t := &table{Caption: "Class by class", Head: []string{"class", "rows", "predicted", "right", "precision", "recall", "F1"}}
	if e.Ranked {
		t.Head = append(t.Head, "AUC")
	}
	share := func(x float64) cell {
		if !float.Finite(x) {
			return cell{Text: "–"}
		}
		return cell{Text: fmt.Sprintf("%.4f", x)}
	}
	for k, c := range e.Classes {
		if k >= mostClasses {
			t.More = fmt.Sprintf("and %d more classes", len(e.Classes)-k)
			break
		}
		row := []cell{{Text: c.Name}, {Text: fmt.Sprint(c.Known)}, {Text: fmt.Sprint(c.Predicted)}, {Text: fmt.Sprint(c.Right)},
			share(c.Precision), share(c.Recall), share(c.F1)}
		if e.Ranked {
			row = append(row, share(c.AUC))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
