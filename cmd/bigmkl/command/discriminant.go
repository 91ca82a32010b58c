package command

import (
	"fmt"

	"bigmkl/internal/model"
)

// discriminantJSON is what --json shows of a model of task rkda beside that of its classifiers. Its
// keys are absent from models of other tasks.
type discriminantJSON struct {
	Criterion *number  `json:"criterion,omitempty"`
	Lambda    *number  `json:"lambda,omitempty"`
	Rule      string   `json:"rule,omitempty"`
	Classes   []string `json:"classes,omitempty"`
	// ClassRows holds the number of training rows of each class.
	ClassRows []int `json:"class_rows,omitempty"`
	// ClassMeans holds, for each class, the mean scores of all classes over its rows.
	ClassMeans [][]number `json:"class_means,omitempty"`
}

// newDiscriminantJSON returns the keys of a model of task rkda, and none for other models.
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

// describeDiscriminant describes the rule by which a model of task rkda chooses a class.
func describeDiscriminant(m *model.Model) string {
	rule := "the class whose mean scores are nearest to those of the row"
	if m.Discriminant.Rule == model.RuleIndicator {
		rule = "the class of the largest f(x) sqrt(n_c/n) + n_c/n"
	}
	return fmt.Sprintf("%s, of %s", rule, listLabels(m.Classes))
}
