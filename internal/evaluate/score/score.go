// Package score compares the predictions of a model with what is known of the rows: accuracy, areas
// under curves, errors and the likelihood of probabilities, by the kind of the model. It keeps a
// few bytes for each row, within a budget.
package score

import (
	"context"
	"fmt"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Score compares predictions with the classes of the rows, as far as those are known. It keeps 2
// bytes a row and, as long as there are not too many, 9 for its decision value; of several
// classifiers what multiclass states.
type Score struct {
	model            *model.Model
	several          *multiclass       // of several classifiers
	quantiles        *quantiles        // of several quantiles
	likelihood       *likelihood       // nil without probabilities
	estimator        predict.Estimator // of a task whose decision values are the logarithms of odds, nil for others
	rows             int
	predicted, known []class
	decisions        []float64
	positive         []bool
	most             int                        // decision values that are kept
	dropped          bool                       // they were more
	errors           evaluate.Errors            // of regression
	pinball          evaluate.Pinball           // of a quantile
	asymmetric       evaluate.AsymmetricSquares // of an expectile
	within           int                        // rows that one class holds
	times, uppers    []float64                  // known times and their upper bounds, in step with decisions
	timed            int                        // rows with a time
	ranking          *ranking                   // of relevances, nil for others
	intervals        bool                       // some of them have an upper bound
}

// class is a label as the model sees it.
type class uint8

const (
	negative class = iota
	positive
	foreign // neither of the model's
)

// New begins the score of a model.
func New(m *model.Model) *Score {
	s := &Score{model: m, most: mostDecisions, pinball: evaluate.Pinball{Tau: m.Tau}, asymmetric: evaluate.AsymmetricSquares{Tau: m.Tau}}
	switch {
	case m.Multiclass == model.Quantiles:
		s.quantiles = newQuantiles(m)
	case m.Several():
		s.several = newMulticlass(m)
	}
	if m.Labeling() == dataset.Relevances {
		s.ranking = &ranking{most: s.most}
	}
	if model.GivesOdds(m.Task) {
		s.likelihood, s.estimator = newLikelihood(m), (&predict.Model{Model: *m}).Estimator()
	}
	return s
}

// bytesOfDecision is what a decision value takes that is kept: 9 bytes in lists that grow, twice,
// and its place in order.
const bytesOfDecision = 32

// Keep limits what is kept of the rows to so many bytes.
func (s *Score) Keep(bytes int64) {
	s.most = int(min(mostDecisions, bytes/bytesOfDecision))
	if s.several != nil {
		s.several.most = s.most
	}
	if s.ranking != nil {
		s.ranking.most = s.most
	}
}

// Add takes the prediction of the next row.
func (s *Score) Add(p predict.Prediction) {
	s.rows++
	if s.estimator != nil && p.Probabilities == nil {
		decisions := p.Decisions
		if decisions == nil {
			decisions = []float64{p.Decision}
		}
		p.Probabilities = s.estimator(decisions)
	}
	if p.Probabilities != nil {
		if s.likelihood == nil {
			s.likelihood = newLikelihood(s.model)
		}
		s.likelihood.add(p)
	}
	switch {
	case s.several != nil:
		s.several.add(p)
		return
	case s.quantiles != nil:
		s.quantiles.add(p)
		return
	case model.DescribesSupport(s.model.Task):
		if p.Decision >= 0 {
			s.within++
		}
		return
	case s.ranking != nil:
		if !math.IsNaN(p.Target) && p.Known != "" {
			s.ranking.add(p)
		}
		return
	case s.model.Labeling() == dataset.Times:
		if !math.IsNaN(p.Target) {
			s.addTime(p)
		}
		return
	case !s.model.HasClasses():
		if !math.IsNaN(p.Target) {
			s.errors.Add(p.Decision, p.Target)
			s.pinball.Add(p.Decision, p.Target)
			s.asymmetric.Add(p.Decision, p.Target)
		}
		return
	case p.Known == "":
		return
	}
	s.predicted, s.known = append(s.predicted, s.class(p.Label)), append(s.known, s.class(p.Known))
	if s.dropped = s.dropped || len(s.decisions) >= s.most; s.dropped {
		s.decisions, s.positive = nil, nil
		return
	}
	s.decisions, s.positive = append(s.decisions, p.Decision), append(s.positive, p.Known == s.model.Positive)
}

// addTime keeps a prediction and the time of its row.
func (s *Score) addTime(p predict.Prediction) {
	s.timed++
	if s.dropped = s.dropped || s.timed > s.most/timesOfDecision; s.dropped {
		s.decisions, s.times, s.uppers = nil, nil, nil
		return
	}
	decision := p.Decision
	if model.GivesHazards(s.model.Task) {
		decision = -decision // The larger the hazard, the earlier is the event.
	}
	s.decisions, s.times, s.uppers = append(s.decisions, decision), append(s.times, p.Target), append(s.uppers, p.Upper)
	s.intervals = s.intervals || p.Upper != 0
}

// timesOfDecision is how many decision values take as much as one with the time of its row.
const timesOfDecision = 2

// concordance returns the figures of times. A pair of an event at which all rows are censored has no weight. Uno's C is for times that are
// censored on the right alone.
func (s *Score) concordance() []Figure {
	figures := []Figure{{"c_index", "Harrell's C", evaluate.Concordance(s.decisions, s.times, s.uppers, nil)}}
	if s.intervals || s.model.Censoring.Intervals {
		return figures
	}
	at, share := s.model.Censoring.Times, s.model.Censoring.Shares
	return append(figures, Figure{"uno_c", "Uno's C", evaluate.Concordance(s.decisions, s.times, nil, func(t float64) float64 {
		g := evaluate.ShareLeft(at, share, t)
		if g == 0 {
			return 0
		}
		return 1 / (g * g)
	})})
}

func (s *Score) class(label string) class {
	switch label {
	case s.model.Positive:
		return positive
	case s.model.Negative:
		return negative
	}
	return foreign
}

// Evaluation is what is reported of a score.
type Evaluation struct {
	N       int // rows
	Figures []Figure

	Quantiles []Quantile // each of several quantiles, else nil

	// Of several classifiers that are compared class by class, or label by label; else nil.
	Classes   []Class
	Exclusive bool // each row has one class, so there is a matrix of confusions
	Ranked    bool // classes have areas under curves

	// Confusion counts the rows of each class by the class that was predicted, nil if there are too
	// many classes to be read; Unknown counts those of classes that the model does not know, nil
	// if there are none.
	Confusion [][]int
	Unknown   []int
}

// Figure is one number of an evaluation: NaN where it is not defined.
type Figure struct {
	Key, Name string
	Value     float64
}

// Class is what became of the rows of a class or label.
type Class struct {
	Name                       string
	Known, Predicted, Right    int
	Precision, Recall, F1, AUC float64
}

// Evaluation sums the score up.
func (s *Score) Evaluation() Evaluation {
	e := Evaluation{N: s.rows}
	switch {
	case s.several != nil:
		s.several.evaluate(&e)
	case s.quantiles != nil:
		s.quantiles.evaluate(&e)
	case s.model.Labeling() == dataset.Ignored:
		e.Figures = []Figure{{"within", "share within", float64(s.within) / float64(s.rows)}}
	case model.EstimatesQuantile(s.model.Task):
		e.Figures = []Figure{{"pinball", "pinball loss", s.pinball.Loss()}, {"below", "share of targets below", s.pinball.Below()}, {"mae", "MAE", s.errors.MAE()}}
	case model.EstimatesExpectile(s.model.Task):
		e.Figures = []Figure{{"expectile_loss", "asymmetric squared loss", s.asymmetric.Loss()}, {"mae", "MAE", s.errors.MAE()}, {"r2", "R2", s.errors.R2()}}
	case s.ranking != nil:
		e.Figures = s.ranking.figures()
	case s.model.Labeling() == dataset.Times:
		e.Figures = s.concordance()
	case !s.model.HasClasses():
		e.Figures = []Figure{{"rmse", "RMSE", s.errors.RMSE()}, {"mae", "MAE", s.errors.MAE()}, {"r2", "R2", s.errors.R2()}}
	default:
		e.Figures = []Figure{{"accuracy", "accuracy", evaluate.Accuracy(s.predicted, s.known)}, {"auc", "AUC", evaluate.AUC(s.decisions, s.positive)},
			{"average_precision", "average precision", evaluate.AveragePrecision(s.decisions, s.positive)}, {"mcc", "MCC", evaluate.MCC(s.predicted, s.known)}}
	}
	if s.likelihood != nil {
		e.Figures = append(e.Figures, s.likelihood.figures()...)
	}
	return e
}

// Warnings are about labels that make the figures doubtful.
func (s *Score) Warnings() []string {
	var out []string
	if s.dropped || s.several != nil && s.several.dropped || s.ranking != nil && s.ranking.dropped {
		what := "areas under curves"
		if s.ranking != nil {
			what = "figures of groups"
		}
		if s.timed > 0 {
			what = "C-indices"
		}
		out = append(out, fmt.Sprintf("%s are left out: more than the %d decision values that there is memory for", what, s.most))
	}
	if s.several != nil {
		return append(out, s.several.warnings(s.rows)...)
	}
	n := s.errors.Len()
	if s.quantiles != nil {
		n = s.quantiles.rows
	}
	if n > 0 && n < s.rows {
		out = append(out, fmt.Sprintf("%d of %d rows have no target: the errors are those of the others", s.rows-n, s.rows))
	}
	if s.timed > 0 && s.timed < s.rows {
		out = append(out, lackOf("time", s.rows-s.timed, s.rows))
	}
	if r := s.ranking; r != nil && r.rows > 0 && r.rows < s.rows {
		out = append(out, lackOf("relevance and group", s.rows-r.rows, s.rows))
	}
	if n := len(s.known); n > 0 && n < s.rows {
		out = append(out, lackOf("label", s.rows-n, s.rows))
	}
	strange := 0
	for _, k := range s.known {
		if k == foreign {
			strange++
		}
	}
	if strange > 0 {
		out = append(out, fmt.Sprintf("%d rows have labels that are neither %s nor %s: they count as wrong", strange, fail.Word(s.model.Negative), fail.Word(s.model.Positive)))
	}
	return out
}

// String writes the figures that are defined on one line.
func (e Evaluation) String() string {
	text := fmt.Sprintf("%d rows", e.N)
	for _, f := range e.Figures {
		if !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0) {
			text += fmt.Sprintf(", %s %.4f", f.Name, f.Value)
		}
	}
	return text + e.below()
}

// Of predicts a source for the sake of its score. It sets o.Left.
func Of(ctx context.Context, m *predict.Model, src dataset.Source, o predict.Options) (*Score, error) {
	s := New(&m.Model)
	o.Left = s.Keep
	err := m.Predict(ctx, src, o, func(p predict.Prediction) error { s.Add(p); return nil })
	return s, err
}

// lackOf reports that rows have nothing to be compared with.
func lackOf(what string, lacking, rows int) string {
	return fmt.Sprintf("%d of %d rows have no %s: the figures are those of the others", lacking, rows, what)
}
