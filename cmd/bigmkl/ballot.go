package main

import (
	"fmt"
	"math"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate"
	"bigmkl/model"
)

// ballot compares the predictions of several machines with the classes of the rows, or with their sets of labels. It keeps 8 bytes a
// row, and but for ovo 9 for each of its decision values, as long as there are not too many.
type ballot struct {
	model            *model.Model
	place            map[string]int32
	predicted, known []int32 // classes; len(place) is one that the model does not know
	decisions        [][]float64
	has              [][]bool // of each machine and row: it is of the class, or has the label
	most             int      // decision values that are kept
	dropped          bool     // they were more

	// Of labels.
	counts  []evaluate.Counts
	rows    int // that say what labels they have
	right   int // rows with just the labels that were predicted
	missing int // labels that the model does not know
	strange int // rows with such
	filled  int // rows with any label
}

// mostDecisions is how many decision values are kept for the areas under curves, whatever memory there is.
const mostDecisions = 1 << 26

func newBallot(m *model.Model) *ballot {
	b := &ballot{model: m, most: mostDecisions, place: map[string]int32{}, counts: make([]evaluate.Counts, len(m.Classes))}
	for k, c := range m.Classes {
		b.place[c] = int32(k)
	}
	b.decisions, b.has = make([][]float64, len(m.Classes)), make([][]bool, len(m.Classes))
	return b
}

// class is the number of a class.
func (b *ballot) class(label string) int32 {
	if k, ok := b.place[label]; ok {
		return k
	}
	return int32(len(b.place))
}

func (b *ballot) add(p bigmkl.Prediction) {
	if p.Known == "" {
		return
	}
	b.rows++
	var known []int32
	if b.model.Multiclass == model.MultiLabel {
		known = b.addSet(p)
	} else {
		k := b.class(p.Known)
		b.predicted, b.known = append(b.predicted, b.class(p.Label)), append(b.known, k)
		known = []int32{k}
	}
	if b.model.Multiclass == model.OneVsOne || b.dropped {
		return
	}
	if b.rows*len(b.decisions) > b.most {
		b.dropped, b.decisions, b.has = true, nil, nil
		return
	}
	for k, f := range p.Decisions {
		b.decisions[k], b.has[k] = append(b.decisions[k], f), append(b.has[k], false)
	}
	for _, k := range known {
		if int(k) < len(b.has) {
			b.has[k][b.rows-1] = true
		}
	}
}

// addSet counts the labels of a row and gives the places of those it has.
func (b *ballot) addSet(p bigmkl.Prediction) (known []int32) {
	if p.Known == p.Label {
		b.right++
	}
	if p.Known != dataset.EmptySet {
		b.filled++
	}
	predicted := map[int32]bool{}
	for _, l := range dataset.SetLabels(p.Label) {
		k := b.place[l]
		predicted[k] = true
		b.counts[k].Predicted++
	}
	missing := b.missing
	for _, l := range dataset.SetLabels(p.Known) {
		k := b.class(l)
		if int(k) == len(b.place) {
			b.missing++
			continue
		}
		known = append(known, k)
		b.counts[k].Known++
		if predicted[k] {
			b.counts[k].Right++
		}
	}
	if b.missing > missing {
		b.strange++
	}
	return known
}

// classJSON is what became of the rows of a class or label.
type classJSON struct {
	Class     string  `json:"class"`
	Known     int     `json:"known"`
	Predicted int     `json:"predicted"`
	Right     int     `json:"right"`
	Precision number  `json:"precision"`
	Recall    number  `json:"recall"`
	F1        number  `json:"f1"`
	AUC       *number `json:"auc,omitempty"` // absent where pairs decide
}

// figures sums it up: for all, and for --json by classes.
func (b *ballot) figures() ([]figure, []detail) {
	var list []figure
	counts := b.counts
	switch {
	case b.model.Multiclass != model.MultiLabel:
		counts = evaluate.Tally(b.predicted, b.known, len(b.place))
		list = []figure{{"accuracy", "accuracy", evaluate.Accuracy(b.predicted, b.known)}, {"macro_f1", "macro F1", evaluate.MacroF1(counts)},
			{"mcc", "MCC", evaluate.MCC(b.predicted, b.known)}}
	case b.filled == 0: // data without labels, not of sets without
		none := math.NaN()
		return []figure{{"subset_accuracy", "subset accuracy", none}, {"hamming_loss", "Hamming loss", none}, {"micro_f1", "micro F1", none},
			{"macro_f1", "macro F1", none}, {"macro_auc", "macro AUC", none}}, nil
	default:
		list = []figure{{"subset_accuracy", "subset accuracy", float64(b.right) / float64(b.rows)}, {"hamming_loss", "Hamming loss", b.hamming()},
			{"micro_f1", "micro F1", b.microF1()}, {"macro_f1", "macro F1", evaluate.MacroF1(b.said())}}
	}
	classes := make([]classJSON, len(counts))
	for k, c := range counts {
		classes[k] = classJSON{b.model.Classes[k], c.Known, c.Predicted, c.Right, number(c.Precision()), number(c.Recall()), number(c.F1()), nil}
	}
	if b.model.Multiclass != model.OneVsOne {
		list = append(list, figure{"macro_auc", "macro AUC", b.macroAUC(classes)})
	}
	details := []detail{{"classes", classes}}
	if b.model.Multiclass == model.MultiLabel {
		return list, details
	}
	matrix, others := b.confusion()
	details = append(details, detail{"confusion", matrix})
	if others != nil {
		details = append(details, detail{"confusion_unknown", others})
	}
	return list, details
}

// macroAUC is the mean over the classes for which the area is defined, each against the rest, and whose machine was trained.
func (b *ballot) macroAUC(classes []classJSON) float64 {
	sum, n := 0.0, 0
	for k := range classes {
		area := math.NaN()
		if !b.dropped && b.model.Trained(k) {
			area = evaluate.AUC(b.decisions[k], b.has[k])
		}
		if area == area {
			sum, n = sum+area, n+1
		}
		a := number(area)
		classes[k].AUC = &a
	}
	return sum / float64(n)
}

// hamming is the share of wrong answers to whether a row has a label; for labels that the model does not know they are always wrong.
func (b *ballot) hamming() float64 {
	wrong := b.missing
	for _, c := range b.counts {
		wrong += c.Known + c.Predicted - 2*c.Right
	}
	return float64(wrong) / float64(b.rows*len(b.counts)+b.missing)
}

// said is the counts of the labels whose machines were trained: of others nothing is said.
func (b *ballot) said() []evaluate.Counts {
	var out []evaluate.Counts
	for k, c := range b.counts {
		if b.model.Trained(k) {
			out = append(out, c)
		}
	}
	return out
}

func (b *ballot) microF1() float64 {
	return evaluate.MicroF1(append([]evaluate.Counts{{Known: b.missing}}, b.counts...))
}

// confusion counts the rows of each class by what was predicted, and those of classes that the model does not know, if there are any.
// nil if there are too many classes to be read.
func (b *ballot) confusion() (matrix [][]int, others []int) {
	n := len(b.place)
	if n*n > mostNumbers {
		return nil, nil
	}
	for range n + 1 {
		matrix = append(matrix, make([]int, n))
	}
	for i, k := range b.known {
		matrix[k][b.predicted[i]]++
		if int(k) == n {
			others = matrix[n]
		}
	}
	return matrix[:n], others
}

// warnings about labels that make the figures doubtful.
func (b *ballot) warnings(rows int) []string {
	var out []string
	if b.rows > 0 && b.rows < rows {
		out = append(out, fmt.Sprintf("%d of %d rows have no label: the figures are those of the others", rows-b.rows, rows))
	}
	strange := b.strange
	for _, k := range b.known {
		if int(k) == len(b.place) {
			strange++
		}
	}
	what := "classes"
	if b.model.Multiclass == model.MultiLabel {
		what = "labels"
	}
	if strange > 0 {
		out = append(out, fmt.Sprintf("%d rows have labels that are none of the model's %d %s: they count as wrong", strange, len(b.place), what))
	}
	if b.dropped {
		out = append(out, fmt.Sprintf("the areas under the curves are left out: they take more than %d decision values", mostDecisions))
	}
	return out
}
