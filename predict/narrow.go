package predict

import (
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// CheckNarrow returns an error for a model whose rows cannot do without features that it does not know
// (dataset.Narrow): a letter of a sequence is never left out.
func CheckNarrow(m *model.Model) error {
	if m.Sequences == dataset.Numbers {
		return nil
	}
	return fail.New(fail.Usage, "--ignore-extra-features with a model of sequences, whose letters are no features").
		WithHint("leave it out")
}
