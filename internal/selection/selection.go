package selection

import (
	"math"
	"path/filepath"
	"slices"

	"bigmkl"
	"bigmkl/internal/fail"
)

// Selection has the figures of all cells, the comparisons of the best cell, and the choice. table.json
// is this value.
type Selection struct {
	// Measure is the key of the figure that is optimised, and Smaller is set if a smaller figure is better.
	Measure string `json:"measure"`
	Smaller bool   `json:"smaller"`
	// Rows is the number of rows, and Fingerprint a hash of them.
	Rows        int    `json:"rows"`
	Fingerprint uint64 `json:"fingerprint,string"`
	// Folds names the sets of rows that are left out together.
	Folds []string `json:"folds"`
	// Preparation names the rows from which scaling, widths, normalisation and the like were made.
	// SharedBecause is the reason if they were made from all without a request.
	Preparation   Preparation `json:"preparation,omitempty"`
	SharedBecause string      `json:"shared_because,omitempty"`
	// Ratio is the mean ratio of the rows that a fold tests to the rows that it is trained on.
	Ratio float64 `json:"ratio"`
	// CostUnit is the deviation of the targets that default costs of task svr count: costs are 0.1, 1, .. times
	// that. It is 0 where costs were given or have no unit.
	CostUnit float64 `json:"cost_unit,omitempty"`
	Arms     []Arm   `json:"arms"`
	// Cells has a cell for each arm and cost, in this order. It is empty while chains are missing. A
	// cost beyond the grid that was asked for has figures for arms that are best at that end.
	Cells []Cell `json:"cells"`
	// Missing is the number of chains that are not complete, of Chains.
	Missing int `json:"missing"`
	Chains  int `json:"chains"`
	// Best is the number of the best cell: that with the best mean, of means that are equal to four
	// digits the simplest. It is -1 if there is none.
	Best int `json:"best"`
	// Simplest is the number of the simplest cell that is not shown to be worse than the best, -1 if
	// there is none.
	Simplest int `json:"simplest"`
	// Choose is the rule by which one of them is trained on all rows, and Chosen is its number.
	Choose Choice `json:"choose,omitempty"`
	Chosen int    `json:"chosen"`
	// Baselines compares the best cell with the best one of each other kind.
	Baselines []Comparison `json:"baselines"`
	// Simpler compares the best cell with the simplest, nil if they are the same.
	Simpler *Comparison `json:"simpler,omitempty"`
	// Ends describe at which ends of the grid the best cell is, one sentence each.
	Ends []string `json:"ends,omitempty"`
	// Pairs has, for each two arms at their best costs, the one-sided p-value that the first is better.
	Pairs []Pair `json:"pairs,omitempty"`
	// Problems are the problems of a contrast of classes.
	Problems []Problem `json:"problems,omitempty"`
	// Compares is set if there are trials, whose combinations are compared and of which none is chosen.
	Compares bool `json:"compares,omitempty"`
	// Nested is an estimate of what the selection achieves on rows that it has not seen, nil if it
	// was not asked for or is not defined.
	Nested *Figure `json:"nested,omitempty"`
	// Tuning is the result of the tuning of the best cell, nil if nothing was tuned.
	Tuning *Tuning `json:"tuning,omitempty"`
	// Warnings are about rows and folds that are legal and may be mistakes, and about files that could
	// not be written.
	Warnings []string `json:"-"`
	// HeldOut has decision values of held-out rows by the chosen cell, nil if they were not kept.
	HeldOut *HeldOutRows `json:"-"`

	// groups has the group of each row that is left out with it: the given one, or the given fold. It is nil if rows are
	// left out one by one.
	groups []string
	byFold [][]float64 // of each cell the figure that is optimised, NaN where it is not defined
	tests
}

// Cell is an arm with a cost.
type Cell struct {
	Arm  int     `json:"arm"` // its number
	Cost float64 `json:"C"`
	// Figures holds the figures by their keys.
	Figures map[string]Figure `json:"figures"`
	// Values has the figure that is optimised for each fold. Those that are not defined are left
	// out.
	Values []float64 `json:"values"`
	// Unconverged counts the trainings that ended above the gap.
	Unconverged int `json:"unconverged"`
}

// summarize sums up the chains.
func (r *runner) summarize() (*Selection, error) {
	o := r.options
	s := &Selection{
		CostUnit: o.costUnit, Measure: o.Measure, Smaller: measures[o.Measure], Rows: r.pool.data.Store().Len(), Arms: r.grid.arms,
		Fingerprint: r.pool.data.Store().Fingerprint(), Compares: r.trials != nil,
		Chains: len(r.grid.chains), Best: -1, Simplest: -1, Chosen: -1, Choose: o.Choose, Cells: []Cell{}, Baselines: []Comparison{},
	}
	if r.trials != nil {
		s.Rows, s.Fingerprint = len(r.trials.rows), 0 // each trial has rows of its own
	}
	side := r.sides()
	s.groups = r.division.groups
	s.Ratio, s.tests = r.division.ratio(nil), r.division.countRows(side)
	if r.trials == nil {
		s.Preparation = r.pool.preparation()
		if !o.SharedPreparation {
			s.SharedBecause = r.pool.shared
		}
	}
	for _, list := range r.division.folds {
		for _, f := range list {
			s.Folds = append(s.Folds, f.Name)
		}
	}
	// of finds the chain of an arm by its folds.
	type key struct {
		arm         int
		fold, other string
	}
	of := map[key]*chain{}
	for _, c := range r.grid.chains {
		if !c.Wide {
			of[key{c.Arm, c.Fold, c.Other}] = c
		}
		if len(c.Cells) < len(r.grid.costsOf(c)) {
			s.Missing++
		}
	}
	if s.Missing > 0 {
		return s, nil
	}
	for k := range r.grid.arms {
		for _, cost := range r.grid.allCosts() {
			// values has the figures that are defined, and byFold a place for every fold: a
			// comparison of two cells needs the same fold at the same place.
			found := Cell{Arm: k, Cost: cost, Figures: map[string]Figure{}}
			values := map[string][]float64{o.Measure: {}}
			var byFold []float64
			for _, name := range s.Folds {
				c := r.grid.cellAt(of[key{k, name, ""}], cost)
				value := math.NaN()
				if c != nil {
					for key, v := range c.Figures[0] {
						values[key] = append(values[key], v)
					}
					if v, defined := c.Figures[0][o.Measure]; defined {
						value = v
					}
					if c.Status != "converged" {
						found.Unconverged++
					}
				}
				byFold = append(byFold, value)
			}
			for key, list := range values {
				if len(list) > 0 {
					found.Figures[key] = s.tests.figure(key, list, s.Ratio)
				}
			}
			found.Values = values[o.Measure]
			s.Cells, s.byFold = append(s.Cells, found), append(s.byFold, byFold)
		}
	}
	find := func(arm int, fold string) *chain { return of[key{arm, fold, ""}] }
	if s.Pairs = s.comparePairs(); r.trials != nil {
		s.Problems = r.trials.problemsOf(s, side, find)
		return s, nil
	}
	if s.choose(o); s.Best < 0 {
		return s, nil // Figures are not defined where folds are too poor.
	}
	s.Ends = r.grid.ends(s)
	r.warnOfFolds(s)
	s.HeldOut = newHeldOutRows(r.pool, r.division.folds[0], func(fold string) *cell {
		best := &s.Cells[s.Chosen]
		return r.grid.cellAt(find(best.Arm, fold), best.Cost)
	})
	if o.Nested {
		s.Nested = s.estimateNested(r.division.folds, o.Costs, func(arm int, fold, other string) *chain {
			return of[key{arm, fold, other}]
		})
	}
	return s, nil
}

// warnOfFolds warns of folds that are legal and may be mistakes.
func (r *runner) warnOfFolds(s *Selection) {
	o := r.options
	s.Warnings = append(s.Warnings, r.untried...)
	if r.division.twins != "" {
		s.Warnings = append(s.Warnings, r.division.twins)
	}
	// Random samples have no folds that go round a class.
	if o.Splits.Random == 0 && o.Training.Multiclass != bigmkl.MultiLabel {
		if text := r.pool.data.Store().DescribeRare(len(r.division.folds[0])); text != "" {
			s.Warnings = append(s.Warnings, text)
		}
	}
}

// tableFile is the file of a folder that Save writes.
const tableFile = "table.json"

// Save writes the selection to its folder, as JSON, and its decision values beside it.
func (s *Selection) Save(folder string) error {
	if s.HeldOut != nil {
		if err := writeJSON(filepath.Join(folder, heldOutFile), s.HeldOut); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(folder, tableFile), s)
}

// Load reads what Save wrote. A damaged file is of class fail.Corrupt. The numbers of cells and arms in
// it are checked, because readers use them as indices.
func Load(folder string) (*Selection, error) {
	path := filepath.Join(folder, tableFile)
	s := new(Selection)
	found, err := readTable(path, s)
	if err == nil && !found {
		err = fail.New(fail.Input, "the folder has no complete selection").At(folder, 0, 0)
	}
	beyond := func(k int) bool { return k < -1 || k >= len(s.Cells) }
	strange := func(c Cell) bool { return c.Arm < 0 || c.Arm >= len(s.Arms) }
	stray := func(p Pair) bool {
		return p.First < 0 || p.First >= len(s.Cells) || p.Second < 0 || p.Second >= len(s.Cells)
	}
	cut := func(p Problem) bool { return len(p.Cells) != len(s.Cells) }
	lost := func(c Comparison) bool { return c.Cell < 0 || c.Cell >= len(s.Cells) }
	if err == nil && s.Choose == "" {
		s.Simplest, s.Chosen = -1, s.Best // tables of former versions
	}
	if err == nil && (beyond(s.Best) || beyond(s.Simplest) || beyond(s.Chosen) || s.Simpler != nil && lost(*s.Simpler) ||
		slices.ContainsFunc(s.Cells, strange) || slices.ContainsFunc(s.Baselines, lost) ||
		slices.ContainsFunc(s.Pairs, stray) || slices.ContainsFunc(s.Problems, cut) ||
		s.Tuning != nil && !s.Tuning.Sound()) {
		err = fail.New(fail.Corrupt, "the table of the selection makes no sense").At(path, 0, 0)
	}
	return s, err
}

// estimateNested chooses, for each fold, the cell that is best on the other folds of its repetition
// where it is trained without either, and averages its figure on the fold itself. It returns nil if no
// fold has such a cell. Figures of a fold have no influence on the choice that is measured on it, so
// the mean has no optimism.
func (s *Selection) estimateNested(folds [][]fold, costs []float64, of func(arm int, fold, other string) *chain) *Figure {
	var values []float64
	for _, list := range folds {
		for i, outer := range list {
			best, value, mean := -1, 0.0, 0.0
			for k := range s.Cells {
				cell := &s.Cells[k]
				j := slices.Index(costs, cell.Cost)
				m, defined := innerMean(list, i, j, s.Measure, func(fold, other string) *chain {
					return of(cell.Arm, fold, other)
				})
				v, ok := of(cell.Arm, outer.Name, "").Cells[j].Figures[0][s.Measure]
				if defined && ok && (best < 0 || s.prefers(k, best, m, mean)) {
					best, value, mean = k, v, m
				}
			}
			if best >= 0 {
				values = append(values, value)
			}
		}
	}
	if values == nil {
		return nil
	}
	f := s.tests.figure(s.Measure, values, s.Ratio)
	return &f
}

// innerMean returns the mean figure of an arm with cost j on the folds of a list but fold i, where it
// is trained without either, and whether it is defined on each of them. of finds the chains of the
// arm.
func innerMean(list []fold, i, j int, measure string,
	of func(fold, other string) *chain) (mean float64, defined bool) {
	sum := 0.0
	for t, inner := range list {
		if t == i {
			continue
		}
		// A pair is trained once. It has the figures of the first fold and of the second.
		c, at := of(list[i].Name, inner.Name), 1
		if t < i {
			c, at = of(inner.Name, list[i].Name), 0
		}
		v, ok := c.Cells[j].Figures[at][measure]
		if !ok {
			return 0, false
		}
		sum += v
	}
	return sum / float64(len(list)-1), true
}
