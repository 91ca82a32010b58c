package selection

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/train"
)

// The folder of an importance has the settings in settings.json and a file for each step in steps/: a fold, or the
// samples. The file has the readings of the step in the order in which they are measured. A run which is resumed
// therefore continues behind the last one. Dual variables that later trainings start from have files of their own
// until the step is complete.

const (
	importanceSettings = "settings.json"
	stepsFolder        = "steps"
)

// importanceVersion is the version of the files of an importance. Version 1 had no norms of sources alone.
const importanceVersion = 2

// importanceShape is the file settings.json: what the figures of an importance depend on.
type importanceShape struct {
	Version int          `json:"version"`
	Facts   []train.Fact `json:"facts"`
	Measure string       `json:"measure"`
	Norms   []Norm       `json:"norms"`
	Costs   []float64    `json:"costs"`
	Each    Each         `json:"each,omitempty"`
	Sources []string     `json:"sources"`
	Samples int          `json:"samples"`
	Folds   []string     `json:"folds"` // a hash of the rows of each, by name
	// Preparation names the rows from which scaling, widths and the like are prepared.
	Preparation Preparation `json:"preparation"`
}

// step is the file of a fold, or of the samples, whose name is empty.
type step struct {
	Fold string `json:"fold"`
	// Choice is what the rows of the training have chosen, nil at the beginning.
	Choice *chosen `json:"choice,omitempty"`
	// Readings are what was measured so far.
	Readings []reading `json:"readings"`
	// Sum is a hash of the settings and of the rest of the file.
	Sum string `json:"sum"`
}

// chosen has the norm and the cost of the training on all sources, and the costs and norms of the
// trainings on each source alone.
type chosen struct {
	Norm       Norm      `json:"norm"`
	Cost       float64   `json:"C"`
	Alone      []float64 `json:"alone"`
	AloneNorms []Norm    `json:"alone_norms"`
}

// addAlone adds the norm and the cost of the next source alone.
func (c *chosen) addAlone(at bigmkl.PathPoint) {
	c.Alone, c.AloneNorms = append(c.Alone, at.C), append(c.AloneNorms, Norm(at.Norm))
}

// reading has the figures of one training, or of one prediction with permuted rows. A prediction has no
// status.
type reading struct {
	What    what  `json:"what"`
	Sources []int `json:"sources,omitempty"`
	// Figures holds the figures on the rows of the fold. Those that are not defined are missing.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Shares is the share of ||w|| of each source.
	Shares     []float64 `json:"shares,omitempty"`
	Status     string    `json:"status,omitempty"`
	Gap        float64   `json:"gap,omitempty"`
	Iterations int       `json:"iterations,omitempty"`
}

// what is the subject of a reading.
type what string

// These are the readings, in the order in which a step has them.
const (
	whole    what = "whole"    // trained on all sources
	permuted what = "permuted" // the same classifier, the rows of the source permuted at prediction
	without  what = "without"  // trained without one source, or two
	alone    what = "alone"    // trained on one source
	null     what = "null"     // trained with the rows of the source permuted
	sample   what = "sample"   // shares on half of the rows
	sparse   what = "sparse"   // the same at p = 1
)

// is reports whether a reading is the one that is planned.
func (r *reading) is(planned reading) bool {
	return r.What == planned.What && slices.Equal(r.Sources, planned.Sources)
}

// enter takes the course of a training.
func (found *reading) enter(held *bigmkl.Held) {
	found.Status, found.Gap, found.Iterations = string(held.Status), held.Gap, held.Iterations
}

// point returns the problem of a step.
func (s *step) point() bigmkl.PathPoint {
	return bigmkl.PathPoint{Norm: float64(s.Choice.Norm), C: s.Choice.Cost}
}

// pointAlone returns the problem of a source alone.
func (s *step) pointAlone(source int) bigmkl.PathPoint {
	return bigmkl.PathPoint{Norm: float64(s.Choice.AloneNorms[source]), C: s.Choice.Alone[source]}
}

// pathOf returns where the file of a step lies in a folder.
func (s *step) pathOf(folder string) string {
	name := "samples"
	if s.Fold != "" {
		name = "fold-" + fileName(s.Fold)
	}
	return filepath.Join(folder, stepsFolder, name+".json")
}

// sum returns what Sum has to be under settings with the given hash.
func (s step) sum(settings string) (string, error) {
	s.Sum = ""
	b, err := json.Marshal(s)
	return hashOf([]byte(settings), b), err
}

// duals is the file of the dual variables after the training on all sources, or on all but one. A
// resumed run starts its trainings from the same dual variables as a run without a break, so both end
// in the same bits.
type duals struct {
	// Alpha holds classifiers x rows float64, as in a chain.
	Alpha string `json:"alpha"`
	// Sum is a hash of the settings, of the name of the file and of Alpha.
	Sum string `json:"sum"`
}

// allSources is the number of the training on all sources.
const allSources = -1

// dualsPath returns where the dual variables of the training without a source lie.
func (s *step) dualsPath(folder string, left int) string {
	name := "all"
	if left != allSources {
		name = fmt.Sprintf("%03d", left)
	}
	return strings.TrimSuffix(s.pathOf(folder), ".json") + "-without-" + name + ".json"
}

// check returns an error if the file of a step does not fit this run, which could then not resume
// from it.
func (s *step) check(path, settings string, want *step, plan []reading) error {
	sum, err := s.sum(settings)
	if err != nil {
		return err
	}
	sound := s.Sum == sum && s.Fold == want.Fold && len(s.Readings) <= len(plan) && (s.Choice != nil || len(s.Readings) == 0)
	for k := range s.Readings {
		sound = sound && s.Readings[k].is(plan[k])
	}
	if !sound {
		return damaged(path, "the file is damaged or is that of another importance")
	}
	return nil
}

// openImportance makes the folder, or finds that it has this importance.
func openImportance(folder string, s *importanceShape, command []string, resume bool) error {
	path := filepath.Join(folder, importanceSettings)
	var there importanceShape
	found, err := readJSON(path, &there)
	switch {
	case err != nil:
		return err
	case found && !resume:
		return fail.New(fail.Usage, "the folder has an importance already").At(folder, 0, 0).
			WithHint("--resume goes on with it; another -o begins a new one")
	case found:
		return rejectOtherImportance(folder, &there, s)
	}
	steps := filepath.Join(folder, stepsFolder)
	if err := files.MkdirAll(steps, 0o777); err != nil {
		return files.OwnFault("cannot make the folder", steps, err)
	}
	if command != nil {
		if err := writeJSON(filepath.Join(folder, commandFile), command); err != nil {
			return err
		}
	}
	return writeJSON(path, s)
}

// rejectOtherImportance returns an error if the folder has another importance than this one.
func rejectOtherImportance(folder string, there, here *importanceShape) error {
	if there.Version != here.Version {
		return fail.New(fail.Version, "the folder is of version %d, this program writes version %d",
			there.Version, here.Version).At(folder, 0, 0)
	}
	other := func(what string, a, b any) error {
		return fail.New(fail.Usage, "the folder has another importance: %s is %s there and %s here",
			what, fail.Cut(fmt.Sprint(a)), fail.Cut(fmt.Sprint(b))).At(folder, 0, 0)
	}
	for i, f := range here.Facts {
		if i < len(there.Facts) && there.Facts[i].Name == f.Name && there.Facts[i] != f {
			return other(f.Name, there.Facts[i].Value, f.Value)
		}
	}
	switch {
	case !slices.Equal(there.Facts, here.Facts):
		return other("what it depends on", len(there.Facts), len(here.Facts))
	case there.Measure != here.Measure:
		return other("the measure", there.Measure, here.Measure)
	case !slices.Equal(there.Norms, here.Norms):
		return other("the norm", there.Norms, here.Norms)
	case !slices.Equal(there.Costs, here.Costs):
		return other("C", there.Costs, here.Costs)
	case there.Each != here.Each || !slices.Equal(there.Sources, here.Sources):
		return other("the list of sources", there.Sources, here.Sources)
	case there.Samples != here.Samples:
		return other("the number of samples", there.Samples, here.Samples)
	case there.Preparation != here.Preparation:
		return other("the preparation", there.Preparation, here.Preparation)
	case !slices.Equal(there.Folds, here.Folds):
		return other("the folds", len(there.Folds), len(here.Folds)).(*fail.Error).
			WithHint("the same seed, splits, groups and data give the same folds")
	}
	return nil
}
