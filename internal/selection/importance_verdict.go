package selection

import (
	"math"
	"slices"
)

// Every worth of a source is a sum of figures with factors +1 and -1, taken fold by fold before
// anything is averaged. The figures of one fold share its rows, so most of their noise cancels
// in such a sum. Sums of means would lose this. The test of the sums counts on their correlation
// between folds; see evaluate.Resampled.

// figuresIn finds the figures of trainings in the readings of the steps: one for each fold, NaN
// where a fold does not define it.
type figuresIn struct {
	*sources
	steps    []*step
	measure  string
	found    *Importance
	constant []float64 // of a constant prediction
	tests    tests
}

// weigh makes the importance from the readings of all steps.
func (r *importer) weigh() (*Importance, error) {
	o, store := r.options, r.pool.data.Store()
	s := &Importance{
		Measure: o.Measure, Smaller: measures[o.Measure], Rows: store.Len(), Fingerprint: store.Fingerprint(),
		Ratio: r.division.ratio(nil), Preparation: r.pool.preparation(), SharedBecause: r.pool.shared, Samples: o.Samples, Steps: len(r.steps),
		Folds: []string{}, Norms: []Norm{}, Costs: []float64{}, Sources: []Source{}, Pairs: []SourcePair{},
	}
	if o.Samples > 0 {
		s.SampleRows = min(s.Rows, sampleRows)
	}
	if r.division.twins != "" {
		s.Warnings = append(s.Warnings, r.division.twins)
	}
	for _, step := range r.steps {
		if len(step.Readings) < len(r.planOf(step)) {
			s.Missing++
		}
	}
	// Other parts of the run may still train. Findings from some of the folds would change once
	// the rest is there, so there are none.
	if s.Missing > 0 {
		return s, nil
	}
	f := &figuresIn{sources: &r.sources, steps: r.steps, measure: o.Measure, found: s, tests: r.division.countRows(sidesOf(store))}
	for _, step := range r.steps {
		// A step without a fold trains on samples, for the shares alone. It has no figure.
		if step.Fold == "" {
			continue
		}
		s.Folds = append(s.Folds, step.Fold)
		if !slices.Contains(s.Norms, step.Choice.Norm) {
			s.Norms = append(s.Norms, step.Choice.Norm)
		}
		if hasCost(&r.trained) && !slices.Contains(s.Costs, step.Choice.Cost) {
			s.Costs = append(s.Costs, step.Choice.Cost)
		}
		value, defined := r.pool.constantOn(r.division.rows[step.Fold])[o.Measure]
		if !defined {
			value = math.NaN()
		}
		f.constant = append(f.constant, value)
		for _, found := range step.Readings {
			if found.Status == "" {
				continue
			}
			if s.Trainings++; found.Status != "converged" {
				s.Unconverged++
			}
		}
	}
	slices.Sort(s.Norms)
	slices.Sort(s.Costs)
	// The region of practical equivalence needs the figure of all sources, and every source
	// needs the region. Findings come last, because they look at pairs.
	all := f.values(whole)
	s.Whole, s.Nothing = f.figure(all), f.figure(f.constant)
	if s.Rope = o.Rope; scaled[o.Measure] {
		s.Rope *= s.Whole.Mean
	}
	for k := range r.origins {
		s.Sources = append(s.Sources, f.source(k))
	}
	f.weighPairs()
	for k := range s.Sources {
		f.judge(k)
	}
	return s, nil
}

// values returns one figure for each fold: the figure of the reading of kind w on these sources.
func (f *figuresIn) values(w what, sources ...int) (values []float64) {
	for _, step := range f.steps {
		if step.Fold == "" {
			continue
		}
		value := math.NaN()
		for k := range step.Readings {
			found := &step.Readings[k]
			if found.is(reading{What: w, Sources: sources}) {
				if x, defined := found.Figures[f.measure]; defined {
					value = x
				}
				break
			}
		}
		values = append(values, value)
	}
	return values
}

// figure describes figures of the measure in the folds in which they are defined.
func (f *figuresIn) figure(values []float64) Figure {
	return f.tests.figure(f.found.Measure, slices.DeleteFunc(slices.Clone(values), math.IsNaN), f.found.Ratio)
}

// shareOf describes shares of a source in the folds in which they are defined.
func (f *figuresIn) shareOf(values []float64) Figure {
	return figureOf(slices.DeleteFunc(slices.Clone(values), math.IsNaN), f.found.Ratio)
}

// worth weighs a sum of figures fold by fold, in the direction of the measure: terms is figures and then the factor of each.
func (f *figuresIn) worth(factors []float64, terms ...[]float64) Worth {
	var sums []float64
	var folds []int
	for k := range terms[0] {
		sum := 0.0
		for t, values := range terms {
			sum += factors[t] * values[k]
		}
		if math.IsNaN(sum) {
			continue
		}
		// 0 - sum, and not -sum: a difference of 0 stays +0 in the files.
		if f.found.Smaller {
			sum = 0 - sum
		}
		sums, folds = append(sums, sum), append(folds, k)
	}
	return worthOf(f.tests.resample(f.found.Measure, f.found.Ratio, sums, folds), f.found.Rope)
}

// source weighs a source.
func (f *figuresIn) source(k int) Source {
	o, all := &f.origins[k], f.values(whole)
	left, single := f.values(without, k), f.values(alone, k)
	s := Source{Name: o.name, Kernels: len(o.kernels), Features: len(o.own), Alone: f.figure(single),
		Gain: f.worth([]float64{1, -1}, single, f.constant), LeftOut: f.worth([]float64{1, -1}, all, left), OverAll: f.worth([]float64{1, -1}, single, all)}
	if f.permutes(k) {
		mixed, noise := f.worth([]float64{1, -1}, all, f.values(permuted, k)), f.worth([]float64{1, -1}, f.values(null, k), left)
		s.Permuted, s.Null = &mixed, &noise
		share := f.shareOf(f.shares(null, k, k))
		s.NullShare = &share
	}
	s.Share = f.shareOf(f.shares(whole, k))
	// Samples have no held-out rows. They show how much a share depends on the rows that were
	// drawn; see spreadOf.
	active, halves, times := 0, []float64(nil), 0
	for _, step := range f.steps {
		for _, found := range step.Readings {
			switch found.What {
			case sample:
				halves = append(halves, found.Shares[k])
			case sparse:
				if times++; found.Shares[k] > activeShare {
					active++
				}
			}
		}
	}
	s.SampleShare, s.Active = spreadOf(halves), float64(active)/float64(max(times, 1))
	return s
}

// shares returns the share of a source in each fold.
func (f *figuresIn) shares(w what, source int, sources ...int) (values []float64) {
	for _, step := range f.steps {
		for _, found := range step.Readings {
			if found.is(reading{What: w, Sources: sources}) {
				values = append(values, found.Shares[source])
			}
		}
	}
	return values
}

// together returns the figures without two sources: if there are only two, they are the figures of
// a constant prediction.
func (f *figuresIn) together(a, b int) []float64 {
	if len(f.origins) == 2 {
		return f.constant
	}
	return f.values(without, a, b)
}

// weighPairs weighs each two sources.
func (f *figuresIn) weighPairs() {
	// The number of pairs grows with the square of the sources. The steps have not trained
	// without pairs of more sources.
	if len(f.origins) > MostPaired {
		return
	}
	all := f.values(whole)
	for a := range f.origins {
		for b := a + 1; b < len(f.origins); b++ {
			both := f.together(a, b)
			p := SourcePair{First: a, Second: b, LeftOut: f.worth([]float64{1, -1}, all, both)}
			// v(A) - v(A\st) - (v(A) - v(A\s)) - (v(A) - v(A\t))
			p.Redundancy = f.worth([]float64{1, 1, -1, -1}, f.values(without, a), f.values(without, b), all, both)
			f.found.Pairs = append(f.found.Pairs, p)
		}
	}
}

// standsIn reports whether source t replaces source s. Alone s has a gain. While t is missing it adds more than the
// region of practical equivalence in the mean, and while t is there at most half of that.
func (f *figuresIn) standsIn(p *SourcePair, s, t int) bool {
	gain := f.worth([]float64{1, -1}, f.values(without, t), f.together(p.First, p.Second))
	source := &f.found.Sources[s]
	return shows(source.Gain.Above) && shows(gain.Above) && gain.Mean > f.found.Rope &&
		shows(p.Redundancy.Above) && source.LeftOut.Mean <= gain.Mean/2
}

// shows reports whether a probability is high enough for a finding.
func shows(probability float64) bool { return probability > decided }

// judge makes the finding of a source, and marks its redundant pairs.
func (f *figuresIn) judge(k int) {
	s := &f.found.Sources[k]
	stand, most := "", 0.0
	for i := range f.found.Pairs {
		p := &f.found.Pairs[i]
		if p.First != k && p.Second != k {
			continue
		}
		// the source of the pair that is not k
		other := p.First + p.Second - k
		if f.standsIn(p, k, other) {
			p.Redundant = true
			if stand == "" || p.Redundancy.Mean > most {
				stand, most = f.found.Sources[other].Name, p.Redundancy.Mean
			}
		}
	}
	// The first case that holds is the finding. A source with a substitute is redundant even if
	// its loss is shown to be above 0: beside the substitute it adds at most half of its gain.
	// NoSign needs both: no gain is shown, and the mean loss is within the region or within one
	// standard error.
	switch {
	case shows(s.LeftOut.Relevant):
		s.Finding = Needed
	case stand != "":
		s.Finding, s.With = Redundant, stand
	case shows(s.LeftOut.Above):
		s.Finding = Helps
	case shows(s.Gain.Above) && shows(s.LeftOut.Negligible):
		s.Finding = Redundant // with all others
	case !shows(s.Gain.Above) && s.LeftOut.Mean <= max(f.found.Rope, s.LeftOut.Error):
		s.Finding = NoSign
	default:
		s.Finding, s.RowsNeeded = UndecidedYet, f.rowsNeeded(&s.LeftOut)
	}
}

const (
	// decidedAt is the 95 % point of the normal distribution.
	decidedAt = 1.6449
	// mostNeeded is the largest multiple of the present rows that RowsNeeded states. A larger
	// multiple means that the loss hardly differs from the end of the region, so no number of
	// rows can be foretold.
	mostNeeded = 1000
)

// rowsNeeded returns about how many rows would tell whether the loss is above the region of practical equivalence, if it
// stays what it is and its error falls with the root of the rows. It is 0 if they are too many. The
// test is decided if |mean - rope| is decidedAt errors, and the error falls as 1/sqrt(n).
func (f *figuresIn) rowsNeeded(w *Worth) int {
	times := decidedAt * w.Error / math.Abs(w.Mean-f.found.Rope)
	if times *= times; times <= 1 || times > mostNeeded {
		return 0
	}
	return int(math.Ceil(times * float64(f.found.Rows)))
}
