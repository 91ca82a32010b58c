package command

import (
	"encoding/json"
	"fmt"
	"slices"

	"bigmkl/internal/evaluate/score"
)

// evaluation is a score as --json shows it; figures that are not defined are null.
// It also embeds the text of the score, which reports print.
type evaluation struct {
	score.Evaluation
	details []detail // further keys of the object, at its end
}

// detail is a key with its value, in an order that the writer fixes.
type detail struct {
	// The value is anything that encoding/json can write.
	key   string
	value any
}

// classJSON has the counts and figures of a class or label. Known, Predicted and Right count rows: rows
// of the class, rows predicted as the class, and rows in both.
type classJSON struct {
	Class     string `json:"class"`
	Known     int    `json:"known"`
	Predicted int    `json:"predicted"`
	Right     int    `json:"right"`
	Precision number `json:"precision"`
	Recall    number `json:"recall"`
	// F1 is 2 P R / (P + R) of precision P and recall R.
	F1  number  `json:"f1"`
	AUC *number `json:"auc,omitempty"` // absent where pairs decide
}

// quantileJSON has the figures of one of several quantiles. Below, the share of targets below
// the quantile, is near Tau for a good one.
type quantileJSON struct {
	// Pinball is the mean pinball loss of the quantile.
	Tau     number `json:"tau"`
	Pinball number `json:"pinball"`
	Below   number `json:"below"`
}

// MarshalJSON writes an object with the figures in the order in which texts have them. A map
// would lose the order, and a struct would need a field for every figure of every task. Package score
// decides which figures a task has. A new figure needs no change here.
func (e evaluation) MarshalJSON() ([]byte, error) {
	// n is the number of rows.
	b := fmt.Appendf(nil, `{"n":%d`, e.N)
	for _, f := range e.Figures {
		value, err := json.Marshal(number(f.Value))
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"%s":%s`, f.Key, value)
	}
	// Keys are words of this program, so they need no escapes.
	for _, d := range slices.Concat(e.byQuantile(), e.byClass(), e.details) {
		value, err := json.Marshal(d.value)
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"%s":%s`, d.key, value)
	}
	return append(b, '}'), nil
}

// byQuantile returns the figures of each of several quantiles, and nothing for other models.
func (e *evaluation) byQuantile() []detail {
	if e.Quantiles == nil {
		return nil
	}
	var list []quantileJSON
	for _, q := range e.Quantiles {
		list = append(list, quantileJSON{number(q.Tau), number(q.Loss), number(q.Below)})
	}
	return []detail{{"quantiles", list}}
}

// byClass returns the figures of each class and the confusion matrix, and nothing for models
// without classes. Rows of sets of labels have no confusion matrix, because a row may have several
// labels.
func (e *evaluation) byClass() []detail {
	if e.Classes == nil {
		return nil
	}
	classes := make([]classJSON, len(e.Classes))
	for k, c := range e.Classes {
		classes[k] = classJSON{c.Name, c.Known, c.Predicted, c.Right, number(c.Precision), number(c.Recall), number(c.F1), nil}
		// One-vs-one decides by votes, which order no rows.
		if e.Ranked {
			area := number(c.AUC)
			classes[k].AUC = &area
		}
	}
	list := []detail{{"classes", classes}}
	if e.Exclusive {
		list = append(list, detail{"confusion", e.Confusion})
	}
	// Rows of classes that the model does not have are counted apart.
	if e.Unknown != nil {
		list = append(list, detail{"confusion_unknown", e.Unknown})
	}
	return list
}
