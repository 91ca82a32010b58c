package score

import (
	"fmt"
	"math"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// multiclass compares the predictions of several classifiers with the classes of the rows, or with
// their sets of labels. It keeps 8 bytes a row, and except for ovo 9 for each of its decision
// values, as long as there are not too many.
type multiclass struct {
	model            *model.Model
	place            map[string]int32
	predicted, known []int32 // classes; len(place) is one that the model does not know
	decisions        [][]float64
	has              [][]bool // of each classifier and row: it is of the class, or has the label
	most             int      // decision values that are kept
	dropped          bool     // they were more

	// Of labels.
	counts  []evaluate.Counts
	rows    int // whose labels are known
	right   int // rows with just the labels that were predicted
	missing int // labels that the model does not know
	strange int // rows with such
	filled  int // rows with any label
}

// mostClasses is how many classes a matrix of confusions has at most.
const mostClasses = 100

// mostDecisions is how many decision values are kept for the areas under curves, whatever memory
// there is.
const mostDecisions = 1 << 26

func newMulticlass(of *model.Model) *multiclass {
	m := &multiclass{model: of, most: mostDecisions, place: map[string]int32{}, counts: make([]evaluate.Counts, len(of.Classes))}
	for k, c := range of.Classes {
		m.place[c] = int32(k)
	}
	m.decisions, m.has = make([][]float64, len(of.Classes)), make([][]bool, len(of.Classes))
	return m
}

// class is the number of a class.
func (m *multiclass) class(label string) int32 {
	if k, ok := m.place[label]; ok {
		return k
	}
	return int32(len(m.place))
}

func (m *multiclass) add(p predict.Prediction) {
	if p.Known == "" {
		return
	}
	m.rows++
	var known []int32
	if m.model.Multiclass == model.MultiLabel {
		known = m.addSet(p)
	} else {
		k := m.class(p.Known)
		m.predicted, m.known = append(m.predicted, m.class(p.Label)), append(m.known, k)
		known = []int32{k}
	}
	if m.model.Multiclass == model.OneVsOne || m.dropped {
		return
	}
	if m.rows*len(m.decisions) > m.most {
		m.dropped, m.decisions, m.has = true, nil, nil
		return
	}
	for k, f := range p.Decisions {
		m.decisions[k], m.has[k] = append(m.decisions[k], f), append(m.has[k], false)
	}
	for _, k := range known {
		if int(k) < len(m.has) {
			m.has[k][m.rows-1] = true
		}
	}
}

// addSet counts the labels of a row and gives the places of those it has.
func (m *multiclass) addSet(p predict.Prediction) (known []int32) {
	if p.Known == p.Label {
		m.right++
	}
	if p.Known != labeltext.EmptySet {
		m.filled++
	}
	predicted := map[int32]bool{}
	for _, l := range labeltext.OfSet(p.Label) {
		k := m.place[l]
		predicted[k] = true
		m.counts[k].Predicted++
	}
	missing := m.missing
	for _, l := range labeltext.OfSet(p.Known) {
		k := m.class(l)
		if int(k) == len(m.place) {
			m.missing++
			continue
		}
		known = append(known, k)
		m.counts[k].Known++
		if predicted[k] {
			m.counts[k].Right++
		}
	}
	if m.missing > missing {
		m.strange++
	}
	return known
}

// evaluate sums it up: for all classes together, and class by class.
func (m *multiclass) evaluate(e *Evaluation) {
	counts := m.counts
	switch {
	case m.model.Multiclass != model.MultiLabel:
		counts, e.Exclusive = evaluate.Tally(m.predicted, m.known, len(m.place)), true
		e.Figures = []Figure{{"accuracy", "accuracy", evaluate.Accuracy(m.predicted, m.known)}, {"macro_f1", "macro F1", evaluate.MacroF1(counts)},
			{"mcc", "MCC", evaluate.MCC(m.predicted, m.known)}}
		e.Confusion, e.Unknown = m.confusion()
	case m.filled == 0: // data without labels, not of sets without
		none := math.NaN()
		e.Figures = []Figure{{"subset_accuracy", "subset accuracy", none}, {"hamming_loss", "Hamming loss", none}, {"micro_f1", "micro F1", none},
			{"macro_f1", "macro F1", none}, {"macro_auc", "macro AUC", none}}
		return
	default:
		e.Figures = []Figure{{"subset_accuracy", "subset accuracy", float64(m.right) / float64(m.rows)}, {"hamming_loss", "Hamming loss", m.hamming()},
			{"micro_f1", "micro F1", m.microF1()}, {"macro_f1", "macro F1", evaluate.MacroF1(m.trained())}}
	}
	e.Classes = make([]Class, len(counts))
	for k, c := range counts {
		e.Classes[k] = Class{m.model.Classes[k], c.Known, c.Predicted, c.Right, c.Precision(), c.Recall(), c.F1(), math.NaN()}
	}
	if m.model.Multiclass != model.OneVsOne {
		e.Ranked = true
		e.Figures = append(e.Figures, Figure{"macro_auc", "macro AUC", m.macroAUC(e.Classes)})
	}
}

// macroAUC is the mean over the classes for which the area is defined, each against the rest, and
// whose classifier was trained.
func (m *multiclass) macroAUC(classes []Class) float64 {
	sum, n := 0.0, 0
	for k := range classes {
		area := math.NaN()
		if !m.dropped && m.model.Convergence().Trained(k) {
			area = evaluate.AUC(m.decisions[k], m.has[k])
		}
		if area == area {
			sum, n = sum+area, n+1
		}
		classes[k].AUC = area
	}
	return sum / float64(n)
}

// hamming is the share of wrong answers to whether a row has a label; for labels that the model
// does not know they are always wrong.
func (m *multiclass) hamming() float64 {
	wrong := m.missing
	for _, c := range m.counts {
		wrong += c.Known + c.Predicted - 2*c.Right
	}
	return float64(wrong) / float64(m.rows*len(m.counts)+m.missing)
}

// trained is the counts of the labels whose classifiers were trained: of others nothing is said.
func (m *multiclass) trained() []evaluate.Counts {
	var out []evaluate.Counts
	for k, c := range m.counts {
		if m.model.Convergence().Trained(k) {
			out = append(out, c)
		}
	}
	return out
}

func (m *multiclass) microF1() float64 {
	return evaluate.MicroF1(append([]evaluate.Counts{{Known: m.missing}}, m.counts...))
}

// confusion counts the rows of each class by what was predicted, and the rows of classes that the
// model does not know, if there are any. nil if there are too many classes to be read.
func (m *multiclass) confusion() (matrix [][]int, others []int) {
	n := len(m.place)
	if n > mostClasses {
		return nil, nil
	}
	for range n + 1 {
		matrix = append(matrix, make([]int, n))
	}
	for i, k := range m.known {
		matrix[k][m.predicted[i]]++
		if int(k) == n {
			others = matrix[n]
		}
	}
	return matrix[:n], others
}

// warnings about labels that make the figures doubtful.
func (m *multiclass) warnings(rows int) []string {
	var out []string
	if m.rows > 0 && m.rows < rows {
		out = append(out, lackOf("label", rows-m.rows, rows))
	}
	strange := m.strange
	for _, k := range m.known {
		if int(k) == len(m.place) {
			strange++
		}
	}
	what := "classes"
	if m.model.Multiclass == model.MultiLabel {
		what = "labels"
	}
	if strange > 0 {
		out = append(out, fmt.Sprintf("%d rows have labels that are none of the model's %d %s: they count as wrong", strange, len(m.place), what))
	}
	if m.dropped {
		out = append(out, fmt.Sprintf("the areas under the curves are left out: they take more than %d decision values", mostDecisions))
	}
	return out
}
