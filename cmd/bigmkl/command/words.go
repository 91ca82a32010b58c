package command

import "bigmkl/predict"

// complainOfWords warns of rows without a known word. The source may be nil.
func (a *app) complainOfWords(s *predict.WatchedWords) {
	if text := s.Warning(); text != "" {
		a.complain("warning: %s", text)
	}
}

// complainOfCategories warns of words of a table that the training did not have.
func (a *app) complainOfCategories(unknown int) {
	if unknown > 0 {
		a.complain("warning: %d words are none of the categories that the model knows; all features "+
			"of their columns are 0 in these rows", unknown)
	}
}
