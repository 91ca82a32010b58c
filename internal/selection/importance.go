package selection

import (
	"path/filepath"
	"slices"

	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// What is a source of data worth? v(S) is the figure on held-out rows of the classifier that is trained on the
// sources S, and A is the set of all sources. Three answers are differences of figures fold by fold:
//
//	alone      v({s}) - v(nothing)            the gain over a constant prediction
//	left out   v(A) - v(A \ s)                leave one covariate out (Lei et al. 2018), trained again
//	pair       v(A) - v(A \ {s, t})           sources with the same information are missed together alone
//
// Two more measures need no training without the source: the loss where the rows of the source are permuted at
// prediction (Breiman 2001), and the figure of a classifier that was trained with the source's rows permuted. Noise
// of this shape has the latter figure. The share of ||w|| is none of these: noise has a share as well.
//
// What s adds while t is there is v(A) - v(A \ s), and while t is not v(A \ t) - v(A \ {s, t}). The difference of the
// two is the redundancy of the pair, the same for either.

// Importance is what each source of data is worth.
type Importance struct {
	// Measure is the key of the figure, and Smaller is set if a smaller figure is better. Differences are
	// in its direction: a difference above 0 is better.
	Measure string `json:"measure"`
	Smaller bool   `json:"smaller"`
	// Rows is the number of rows, and Fingerprint a hash of them.
	Rows        int    `json:"rows"`
	Fingerprint uint64 `json:"fingerprint,string"`
	// Folds names the sets of rows that are left out together. Ratio is the mean ratio of the rows that a fold tests
	// to the rows that it is trained on.
	Folds []string `json:"folds"`
	Ratio float64  `json:"ratio"`
	// Preparation names the rows from which scaling, widths, normalisation and the like were made, and SharedBecause
	// is the reason if they were made from all.
	Preparation   Preparation `json:"preparation"`
	SharedBecause string      `json:"shared_because,omitempty"`
	// Rope is half the width of the region of practical equivalence, in the unit of the measure.
	Rope float64 `json:"rope"`
	// Norms and Costs are what folds have chosen for the training on all sources, each value once.
	Norms []Norm    `json:"norms"`
	Costs []float64 `json:"costs"`
	// Samples is the number of samples of half of SampleRows rows on which shares were measured.
	Samples    int `json:"samples"`
	SampleRows int `json:"sample_rows"`
	// Missing is the number of steps that are not complete, of Steps. While there are any, all that follows is empty.
	Missing int `json:"missing"`
	Steps   int `json:"steps"`
	// Nothing is the figure of a constant prediction, and Whole the figure of all sources.
	Nothing Figure   `json:"nothing"`
	Whole   Figure   `json:"whole"`
	Sources []Source `json:"sources"`
	// Pairs has each two sources, if there are at most MostPaired; else it is empty.
	Pairs []SourcePair `json:"pairs"`
	// Trainings counts the trainings that are measured on held-out rows. Unconverged of them
	// ended above the gap.
	Trainings   int `json:"trainings"`
	Unconverged int `json:"unconverged"`
	// Warnings are about rows and folds that are legal and may be mistakes.
	Warnings []string `json:"-"`
}

// Source is a view, a group of kernels, or a kernel.
type Source struct {
	Name    string `json:"name"`
	Kernels int    `json:"kernels"` // their number
	// Features is the number of features that the source has to itself, 0 if it shares some.
	Features int `json:"features"`
	// Alone is the figure of the source by itself. Gain is this figure less the figure of a
	// constant prediction.
	Alone Figure `json:"alone"`
	Gain  Worth  `json:"gain"`
	// OverAll is the figure of the source alone less the figure of all sources.
	OverAll Worth `json:"over_all"`
	// LeftOut is the loss without the source.
	LeftOut Worth `json:"left_out"`
	// Permuted is the loss where its rows are permuted at prediction, and Null the gain of the source over a
	// permuted copy of itself in the training. Both are nil where the source has no features to itself.
	Permuted *Worth `json:"permuted,omitempty"`
	Null     *Worth `json:"null,omitempty"`
	// Share is its share of the norms ||w_m||, NullShare that of the permuted copy, and SampleShare that on samples of
	// half of the rows. NullShare is nil where Null is.
	Share       Figure  `json:"share"`
	NullShare   *Figure `json:"null_share,omitempty"`
	SampleShare Spread  `json:"sample_share"`
	// Active is the share of the samples in which the source has weight at p = 1 (stability selection).
	Active float64 `json:"active"`
	// Finding sums it up, and With names the source with which it is redundant.
	Finding Finding `json:"finding"`
	With    string  `json:"with,omitempty"`
	// RowsNeeded is about how many rows would decide it, if it is undecided; 0 if none are known to.
	RowsNeeded int `json:"rows_needed,omitempty"`
}

// Spread is the mean and the standard deviation of a number over samples.
type Spread struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// Worth is a difference of figures on held-out rows, in the direction of the measure.
type Worth struct {
	Figure
	// Above is the probability that it is above 0, and Relevant that it is above the region of practical
	// equivalence, by the correlated Bayesian t test. Negligible is the probability that it is below that region's
	// upper end.
	Above      float64 `json:"above"`
	Relevant   float64 `json:"relevant"`
	Negligible float64 `json:"negligible"`
}

// worthOf weighs a difference.
func worthOf(r evaluate.Resampled, rope float64) Worth {
	w := Worth{Figure: Figure{Mean: r.Mean, Error: r.Error, Folds: r.Count}}
	if r.Count < 2 {
		return w // Nothing is known to be above anything.
	}
	_, _, w.Above = r.Practical(0)
	if r.Error == 0 && r.Mean == 0 {
		w.Above = 0
	}
	_, _, w.Relevant = r.Practical(rope)
	w.Negligible = 1 - w.Relevant
	return w
}

// SourcePair is two sources by their numbers.
type SourcePair struct {
	First  int `json:"first"`
	Second int `json:"second"`
	// LeftOut is the loss without both, and Redundancy its excess over the sum of the losses without either. It is
	// above 0 if one replaces the other, and below if they help each other.
	LeftOut    Worth `json:"left_out"`
	Redundancy Worth `json:"redundancy"`
	// Redundant reports whether either source replaces the other, as far as the pair shows; see Finding. Both may be needed all the
	// same if the measure has a largest value, such as AUC: the loss without both is then more than two losses. See Substitutes.
	Redundant bool `json:"redundant"`
}

// Finding is the result for a source, in a word.
type Finding string

// These are the findings, in the order in which they are looked for. Each has a probability above 0.95.
const (
	Needed       Finding = "needed"         // without it the loss is above the region of practical equivalence
	Redundant    Finding = "redundant"      // it adds something while another source is missing, and little else
	Helps        Finding = "helps"          // without it there is a loss
	NoSign       Finding = "no sign of use" // neither alone nor beside the others is a gain shown, and none is likely
	UndecidedYet Finding = "undecided"      // none of these
)

// importanceFile is the file of a folder that Save writes.
const importanceFile = "importance.json"

// Save writes what was found to its folder, as JSON.
func (s *Importance) Save(folder string) error {
	return writeJSON(filepath.Join(folder, importanceFile), s)
}

// HasImportance reports whether a folder belongs to an importance, and not to a selection.
func HasImportance(folder string) bool {
	_, err := files.Stat(filepath.Join(folder, importanceSettings))
	return err == nil
}

// LoadImportance reads what Save wrote. A damaged file is of class fail.Corrupt.
func LoadImportance(folder string) (*Importance, error) {
	path := filepath.Join(folder, importanceFile)
	s := new(Importance)
	found, err := readJSON(path, s)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fail.New(fail.Input, "the folder has no complete importance").At(folder, 0, 0)
	}
	strange := func(p SourcePair) bool {
		return p.First < 0 || p.Second < 0 || p.First >= len(s.Sources) || p.Second >= len(s.Sources)
	}
	if _, known := measures[s.Measure]; !known || len(s.Sources) == 0 || slices.ContainsFunc(s.Pairs, strange) {
		return nil, fail.New(fail.Corrupt, "the file of an importance makes no sense").At(path, 0, 0)
	}
	return s, nil
}
