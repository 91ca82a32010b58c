package verify

import (
	"fmt"

	"bigmkl/internal/fail"
)

// This file names the claims of a model that nothing here can refute: what was made of trainings or rows
// that are gone, and what a user chose. docs/MODEL.md lists the settings that claim nothing.

// unchecked returns a line for each claim that was not checked, which begins with the key of the settings or
// with the name of the array.
func (p *judgement) unchecked() []string {
	m := p.m
	var list []string
	add := func(key, format string, args ...any) {
		list = append(list, key+": "+fmt.Sprintf(format, args...))
	}
	if m.Folds != 0 {
		add("sigmoids", "A and B come from decision values of %d folds, which are not trained again", m.Folds)
		add("folds", "the number of these folds")
		add("folds_apart", "whether the rows of these folds were held out of everything")
	}
	if c := m.Conformal; c != nil {
		add("conformal_scores", "scores of rows that were held out, which are not predicted again")
		if c.Shares != nil {
			add("conformal_shares", "shares of held-out rows with larger residuals than these")
		}
		if c.ByClass {
			add("conformal_counts", "how many of these scores are of each class")
		}
		if !c.Split() {
			add("conformal.folds", "the number of folds that held these rows out")
		}
	}
	list = append(list, p.traits.unchecked...)
	if r := m.WeightRule; r != nil {
		add("rule_sums", "the figures of the rule %s, which are not made again; the weights are what it makes of them", fail.Quote(r.Text))
		add("weight_rule.sample", "the rows that these figures come from")
		add("weight_rule.folds", "the folds that they come from")
	}
	if m.Normalization.StandardError != nil {
		add("normalizer_error", "the standard errors of the factors of kernels")
	}
	if s := m.Stream; s != nil {
		add("stream", "which of %d rows came before these", s.Seen)
		if m.RowWeights {
			add("row_weights", "that some row had a weight")
		}
		if m.Normalization.Scale != nil {
			add("normalizer", "factors of kernels from rows that are gone")
			add("normalization.sample_size", "how many of them these factors come from")
		}
	}
	if len(p.bank.Files) > 0 {
		add("kernels[]", "names of matrix files, because their values are checked and not their names")
	}
	if p.scarce {
		add("w_norms", "norms of kernels whose gates are open at too few rows of the sample")
	}
	if p.sampled {
		list = append(list, p.extended.unsampled...)
		list = append(list, p.traits.unsampled...)
	}
	return list
}
