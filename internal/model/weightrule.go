package model

import (
	"errors"
	"math"

	"bigmkl/internal/float"
)

// WeightRule states which rule has made the fixed weights of a model, and from what; see package
// train for the rules.
type WeightRule struct {
	// Text is the rule as the user has given it, such as frobenius or kandola:0.5.
	Text string `json:"rule"`
	// Sample is the number of rows whose pairs the sums are of, 0 for all, and Folds that of the folds
	// of rules that look at rows held out, or 0.
	Sample int `json:"sample,omitzero"`
	Folds  int `json:"folds,omitzero"`
	// Sums are what the weights were made from.
	Sums []float64 `json:"-"`
}

// maxRuleText is the largest length of the text of a rule.
const maxRuleText = 64

// scalars returns what is recorded as text.
func (r *WeightRule) scalars() *WeightRule {
	if r == nil {
		return nil
	}
	s := *r
	s.Sums = nil
	return &s
}

// check checks what can be checked without knowing the rule. verify knows it.
func (r *WeightRule) check(m *Model, f *faults) {
	if r == nil {
		return
	}
	f.check(m.Weights != nil, "a rule for weights that are not fixed")
	f.check(r.Text != "" && len(r.Text) <= maxRuleText, "the rule %s", clip(r.Text))
	f.check(r.Sample >= 0 && r.Sample <= math.MaxInt32 && r.Folds >= 0 && r.Folds <= math.MaxInt32,
		"a rule of %d rows and %d folds", r.Sample, r.Folds)
	f.check(len(r.Sums) > 0, "a rule without sums")
	f.each("rule_sums", r.Sums, float.Finite[float64], "finite")
}

// ruleSection is the rule for weights.
type ruleSection struct{ sums []float64 }

var _ section = (*ruleSection)(nil)

func (p *ruleSection) since(m *Model) int { return sinceIf(m.WeightRule != nil, presentVersion) }

func (p *ruleSection) tensors(m *Model) []field {
	if m.WeightRule != nil {
		p.sums = m.WeightRule.Sums
	}
	return []field{{name: "rule_sums", f64: &p.sums}}
}

func (p *ruleSection) join(m *Model, _ *header) error {
	if m.WeightRule != nil {
		m.WeightRule.Sums = p.sums
	} else if p.sums != nil {
		return errors.New("sums of no rule")
	}
	return nil
}

func (p *ruleSection) check(m *Model, f *faults) { m.WeightRule.check(m, f) }
