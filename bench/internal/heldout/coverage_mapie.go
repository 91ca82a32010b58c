package heldout

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/bench/internal/harness"
)

// coverageScript is the Python program that makes the regions of MAPIE.
//
//go:embed coverage.py
var coverageScript []byte

// compare lets MAPIE make regions of the same predictions. The same predictions go to both programs, so
// a difference is a difference of the regions and not of the models.
func (c *coverageStudy) compare(ctx context.Context, python string, found *coverageFound, row *coverageRow) error {
	c.session.Progress.ShowNow("%s: MAPIE", found.data.name)
	theirs, err := measureMAPIE(ctx, c.session, python, found)
	if err != nil {
		return err
	}
	// absolute is the score of a regression, |y - f(x)|, and lac the score of classes.
	plain, ok := theirs["absolute"]
	size := plain.Median
	if !ok {
		plain = theirs["lac"]
		size = plain.Size
	}
	row.LAC, row.LACSize = average(plain.Met), average(size)
	// With more than two classes both programs have other scores, so only means can be compared.
	if found.data.classes <= 2 || found.data.task == bigmkl.TaskSVR {
		same := 0
		for k, s := range found.splits {
			// Sizes are sums of rounded numbers in another order.
			if math.Abs(s.met-plain.Met[k]) < 1e-9 && math.Abs(s.size-size[k]) <= 1e-6*s.size {
				same++
			}
		}
		row.Same = fmt.Sprintf("%d of %d", same, len(found.splits))
	}
	// aps are adaptive prediction sets, which MAPIE makes of probabilities.
	if aps, ok := theirs["aps"]; ok {
		row.APS, row.APSSize = average(aps.Met), average(aps.Size)
	}
	return nil
}

// findMAPIE returns the Python that has MAPIE, or "" with a note. The experiment runs without MAPIE,
// since its own figures are compared with theory.
func (c *coverageStudy) findMAPIE(ctx context.Context, r *harness.Report) string {
	versions, err := runScript(ctx, c.session.Scratch, c.python, coverageScript)
	if err != nil {
		r.Note("%s has no MAPIE (pip install mapie, and --python): its columns are absent", c.python)
		return ""
	}
	r.Note("beside: %s", strings.TrimSpace(versions))
	return c.python
}

// mapieFigures are what MAPIE's regions hold on each split, and how large they are. All lists have one
// number for each split.
type mapieFigures struct {
	// Met is the share of test rows in their regions. Size is the mean size, and Median the median.
	Met    []float64 `json:"met"`
	Size   []float64 `json:"size"`
	Median []float64 `json:"median"`
}

// measureMAPIE returns what MAPIE's regions of the same predictions hold, by the names of its scores.
// One process measures all splits, because Python takes seconds to start with these libraries.
func measureMAPIE(ctx context.Context, s *harness.Session, python string, f *coverageFound) (map[string]mapieFigures, error) {
	dir, err := os.MkdirTemp(s.Scratch, "bigmkl-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// Classes is 0 for a regression.
	given := struct {
		Classes int             `json:"classes"`
		Splits  []coverageSplit `json:"splits"`
	}{Splits: f.splits}
	if f.data.task == bigmkl.TaskClass {
		given.Classes = f.data.classes
	}
	// The program needs a value for each class in each split.
	for _, split := range f.splits {
		if len(split.Values[0]) != max(given.Classes, 1) || slices.Contains(split.Known, -1) || slices.Contains(split.Truth, -1) {
			return nil, fmt.Errorf("a split lacks a class, for which MAPIE has no place")
		}
	}
	b, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "predictions.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		return nil, err
	}
	out, err := runScript(ctx, dir, python, coverageScript, file, strconv.FormatFloat(f.coverage, 'g', -1, 64))
	if err != nil {
		return nil, err
	}
	var found map[string]mapieFigures
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return nil, fmt.Errorf("MAPIE printed %q: %w", harness.LastLine(out), err)
	}
	// A shorter list would be compared with other splits.
	for name, x := range found {
		if len(x.Met) != len(f.splits) || len(x.Size) != len(f.splits) || len(x.Median) != len(f.splits) {
			return nil, fmt.Errorf("MAPIE has %d splits of %s, not %d", len(x.Met), name, len(f.splits))
		}
	}
	return found, nil
}
