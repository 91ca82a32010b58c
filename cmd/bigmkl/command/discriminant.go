package command

import (
	"fmt"

	"bigmkl/internal/model"
)

// discriminantJSON has the keys of --json that only a model of task rkda has, in addition to the keys
// of its classifiers. Its keys are absent from models of other tasks.
type discriminantJSON struct {
	// Criterion is a multiple of the dual value, and Lambda the ridge parameter. Rule names how a class
	// is chosen from the scores.
	Criterion *number  `json:"criterion,omitempty"`
	Lambda    *number  `json:"lambda,omitempty"`
	Rule      string   `json:"rule,omitempty"`
	Classes   []string `json:"classes,omitempty"`
	// ClassRows holds the number of training rows of each class.
	ClassRows []int `json:"class_rows,omitempty"`
	// ClassMeans holds, for each class, the mean scores of all classes over its rows.
	ClassMeans [][]number `json:"class_means,omitempty"`
}

// newDiscriminantJSON returns the keys of a model of task rkda, and none for other models. Means of the
// model are a square matrix, row by row: classes x scores.
func newDiscriminantJSON(m *model.Model) (j discriminantJSON) {
	d := m.Discriminant
	if d == nil || !m.Several() {
		return j
	}
	criterion, lambda := number(d.Criterion), number(d.Lambda)
	j = discriminantJSON{Criterion: &criterion, Lambda: &lambda, Rule: d.Rule, Classes: m.Classes,
		ClassRows: d.Rows}
	for c := range m.Classes {
		j.ClassMeans = append(j.ClassMeans, numbers(d.Means[c*len(m.Classes):(c+1)*len(m.Classes)]))
	}
	return j
}

// describeDiscriminant describes the rule by which a model of task rkda chooses a class. n_c is the
// number of training rows of class c, and n the number of all.
func describeDiscriminant(m *model.Model) string {
	rule := "the class whose mean scores are nearest to those of the row"
	if m.Discriminant.Rule == model.RuleIndicator {
		rule = "the class of the largest f(x) sqrt(n_c/n) + n_c/n"
	}
	return fmt.Sprintf("%s, of %s", rule, listLabels(m.Classes))
}
