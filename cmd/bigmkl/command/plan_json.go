package command

import (
	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/selection"
	"bigmkl/internal/trial"
)

// newPlanJSON converts a plan to the object that --json prints.
// named, w and tried are nil if they were not requested.
func newPlanJSON(p *bigmkl.Plan, named *objects.Set, w *selection.Work, tried *trial.Estimate) planJSON {
	f := &p.Time
	j := planJSON{
		N: p.Rows, D: p.Features, Nonzeros: p.Nonzeros, Store: storedLayout(p), Kernels: p.Kernels, Objects: newObjectsJSON(named),
		Groups: p.Groups, WorkingSet: p.WorkingSet, Classifiers: p.Classifiers,
		Memory: newShareJSON(&p.Memory), Disk: newShareJSON(&p.Disk),
		Checkpoint: newCheckpointJSON(&p.Checkpoints), Exchange: newExchangeJSON(p.Exchange), Values: numbers(p.Values),
		Time: forecastJSON{number(f.Read.Seconds()), number(f.Prepare.Seconds()),
			number(f.Normalize.Seconds()), number(f.Pass.Seconds()), number(f.Model.Seconds()),
			f.Iterations,
			[2]number{number(f.Train[0].Seconds()), number(f.Train[1].Seconds())}},
	}
	if tried != nil {
		j.Trial = newTrialJSON(tried)
	}
	if w != nil {
		took := workTime(p, w)
		j.Importance = &workJSON{*w, [2]number{number(took[0].Seconds()), number(took[1].Seconds())}}
	}
	return j
}

// workJSON has the numbers of trainings of an importance, and the ends of the range of its time.
type workJSON struct {
	selection.Work
	Seconds [2]number `json:"seconds"`
}

// planJSON is the object that plan --json prints. Keys that end in bytes or seconds have these units.
// docs/JSON.md describes each.
type planJSON struct {
	// N is the number of rows, D the number of features.
	N int `json:"n"`
	D int `json:"d"`
	// Groups counts the groups of kernels with shared computations. WorkingSet is q, the points of an
	// iteration.
	Nonzeros    int64          `json:"nonzeros"`
	Store       dataset.Layout `json:"store"`
	Kernels     int            `json:"kernels"`
	Groups      int            `json:"groups"`
	WorkingSet  int            `json:"working_set"`
	Objects     []objectsJSON  `json:"objects,omitempty"` // if rows name objects
	Classifiers int            `json:"machines,omitempty"`
	Memory      shareJSON      `json:"memory"`
	Disk        shareJSON      `json:"disk"`
	Checkpoint  checkpointJSON `json:"checkpoint"`
	Exchange    *exchangeJSON  `json:"exchange,omitempty"` // of several ranks
	Time        forecastJSON   `json:"time"`
	Importance  *workJSON      `json:"importance,omitempty"` // with --importance
	Trial       *trialJSON     `json:"trial,omitempty"`      // with --trial
	// Values is null above mostNumbers kernels.
	Values []number `json:"relative_times"`
}

// shareJSON is the distribution of a budget of memory or disk, in bytes. Least is the smallest
// budget that is accepted, InCore the smallest with gradients in memory, and Ample the budget
// beyond which more has no effect.
type shareJSON struct {
	// Gradients and Rows are what the fixed items leave: gradients first, and then cached kernel rows.
	Budget    int64       `json:"budget_bytes"`
	Least     int64       `json:"least_bytes"`
	InCore    int64       `json:"in_core_bytes"`
	Ample     int64       `json:"ample_bytes"`
	Fixed     []fixedJSON `json:"fixed"`
	Gradients int64       `json:"gradient_bytes"`
	Rows      int64       `json:"row_cache_bytes"`
}

// newShareJSON converts the distribution of one budget.
func newShareJSON(s *budget.Share) shareJSON {
	j := shareJSON{Budget: s.Budget, Least: s.Least, InCore: s.InCore, Ample: s.Ample,
		Gradients: s.Gradients, Rows: s.Rows}
	for _, p := range s.Fixed {
		j.Fixed = append(j.Fixed, fixedJSON(p))
	}
	return j
}

// fixedJSON is one item that takes a fixed part of a budget. The formula has the letters of plan's
// text, so a program can explain the number to its user.
type fixedJSON struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	Bytes   int64  `json:"bytes"`
}

// checkpointJSON has the bytes that checkpoints need in their folder. Free is null if the free
// space is unknown. Bytes is the size of one checkpoint at most. Most is the largest size of all
// checkpoints at a time, which are three.
type checkpointJSON struct {
	Folder  string `json:"folder,omitempty"`
	Formula string `json:"formula"`
	Bytes   int64  `json:"bytes"`
	Most    int64  `json:"most_bytes"`
	Free    *int64 `json:"free_bytes,omitempty"`
}

// newCheckpointJSON converts the space that checkpoints need. A free space below 0 is not known,
// and its key is then absent.
func newCheckpointJSON(c *budget.Checkpoints) checkpointJSON {
	j := checkpointJSON{Folder: c.Folder, Formula: c.Formula, Bytes: c.Bytes, Most: c.Most}
	if c.Free >= 0 {
		j.Free = &c.Free
	}
	return j
}

// exchangeJSON is the exchange between ranks in an iteration, in bytes.
type exchangeJSON struct {
	// Rows is the largest number of rows of a rank. The formulas of the others are in the text of plan.
	Ranks    int   `json:"ranks"`
	Rows     int   `json:"rows"`
	ToEach   int64 `json:"to_each_bytes"`
	Combined int64 `json:"combined_bytes"`
	Sums     int64 `json:"sums_bytes"`
	Model    int64 `json:"model_bytes"`
}

// newExchangeJSON converts what ranks send each other, nil if there is one process.
func newExchangeJSON(x *budget.Exchange) *exchangeJSON {
	if x == nil {
		return nil
	}
	return &exchangeJSON{x.Ranks, x.Rows, x.ToEach, x.Combined, x.Sums, x.Model}
}

// forecastJSON holds the times that are expected, in seconds. Iterations and Train are the ends of
// a range. Pass is the time of one pass over all points, and Model of one quadratic model without
// cached rows.
type forecastJSON struct {
	Read       number    `json:"read_seconds"`
	Prepare    number    `json:"prepare_seconds"`
	Normalize  number    `json:"normalize_seconds"`
	Pass       number    `json:"pass_seconds"`
	Model      number    `json:"model_seconds"`
	Iterations [2]int    `json:"iterations"`
	Train      [2]number `json:"train_seconds"`
}
