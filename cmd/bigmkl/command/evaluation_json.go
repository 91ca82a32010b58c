package command

import (
	"encoding/json"
	"fmt"
	"slices"

	"bigmkl/internal/evaluate/score"
)

// evaluation is a score as --json shows it; figures that are not defined are null.
type evaluation struct {
	score.Evaluation
	details []detail // what else is said
}

type detail struct {
	key   string
	value any
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

// quantileJSON is what became of one of several quantiles.
type quantileJSON struct {
	Tau     number `json:"tau"`
	Pinball number `json:"pinball"`
	Below   number `json:"below"`
}

// MarshalJSON gives an object.
func (e evaluation) MarshalJSON() ([]byte, error) {
	b := fmt.Appendf(nil, `{"n":%d`, e.N)
	for _, f := range e.Figures {
		value, err := json.Marshal(number(f.Value))
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"%s":%s`, f.Key, value)
	}
	for _, d := range slices.Concat(e.byQuantile(), e.byClass(), e.details) {
		value, err := json.Marshal(d.value)
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"%s":%s`, d.key, value)
	}
	return append(b, '}'), nil
}

// byQuantile is what is known of each of several quantiles.
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

// byClass is what is known class by class.
func (e *evaluation) byClass() []detail {
	if e.Classes == nil {
		return nil
	}
	classes := make([]classJSON, len(e.Classes))
	for k, c := range e.Classes {
		classes[k] = classJSON{c.Name, c.Known, c.Predicted, c.Right, number(c.Precision), number(c.Recall), number(c.F1), nil}
		if e.Ranked {
			area := number(c.AUC)
			classes[k].AUC = &area
		}
	}
	list := []detail{{"classes", classes}}
	if e.Exclusive {
		list = append(list, detail{"confusion", e.Confusion})
	}
	if e.Unknown != nil {
		list = append(list, detail{"confusion_unknown", e.Unknown})
	}
	return list
}
