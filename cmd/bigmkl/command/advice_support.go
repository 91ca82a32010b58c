package command

import (
	"fmt"

	"bigmkl/internal/model"
)

const (
	// mostSupport is the largest share of support vectors among the rows at which a model is
	// informative. Predictions of such a model take as long as with all rows, so the loss has lost its
	// advantage, too.
	mostSupport = 0.9
	// fewestRows is the number of rows below which most of them are support vectors by nature.
	fewestRows = 100
)

// adviseSupport returns a sentence if nearly all rows are support vectors of a loss that leaves the rows
// out that are right: every row is then far from the others, or the labels follow nothing. It returns ""
// otherwise, and for losses of which all rows are support vectors. Of classifiers of one class against
// the others, each has to be so. Classifiers of two classes each do not record how many rows they have.
func adviseSupport(m *model.Model) string {
	if !model.LeavesRowsOut(m.Task, &m.LossSettings) || m.Several() && m.Multiclass != model.OneVsRest || !m.Convergence().Reached() || m.Points < fewestRows || m.PosteriorsOf != "" {
		return ""
	}
	fewest := len(m.Support)
	for k := range m.Classifiers { // Each is trained on all rows. m.Support joins their support vectors.
		fewest = min(fewest, len(m.Classifiers[k].Support))
	}
	share := float64(fewest) / float64(m.Points)
	if share < mostSupport {
		return ""
	}
	// In that case the rows can be separated in many ways, and narrower kernels or another C are the
	// wrong advice.
	if m.Features > m.Points {
		return fmt.Sprintf("%.0f %% of the rows are support vectors, as is usual for more features (%d) than rows; bigmkl select measures on rows that are left out",
			100*share, m.Features)
	}
	return fmt.Sprintf("%.0f %% of the rows are support vectors: kernels may be too narrow (smaller V), C too small, or the "+
		"features do not determine the labels (bigmkl select measures on rows that are left out)", 100*share)
}
