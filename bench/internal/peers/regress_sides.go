package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"bigmkl/bench/internal/harness"
)

// comparison compares two versions of the program.
type comparison struct {
	*harness.Session
	report *harness.Report
	// dir has the programs and files of the comparison.
	dir string
	// root is the folder of the repository.
	root       string
	versions   [2]*programVersion
	benchmarks []benchmarkCase
}

// programVersion is one version of the program, with its results in the Go benchmark format.
type programVersion struct {
	// label is base or head.
	label string
	// source is the folder of the files of this version.
	source  string
	program string
	// inner is the test binary of the inner loops, or "" if it does not build.
	inner     string
	trainings bytes.Buffer
	routines  bytes.Buffer
}

// benchmarkCase is a training by a command line that every commit understands, and its results for
// each version.
type benchmarkCase struct {
	// name is the name in the Go benchmark format.
	name    string
	args    []string
	samples map[*programVersion][]trainedJSON
	// failed is set once a version could not run it. Both versions then leave it out, as one alone
	// compares nothing.
	failed bool
}

// run trains once and keeps the result, also as a line in the Go benchmark format.
func (b *benchmarkCase) run(ctx context.Context, v *programVersion) error {
	out, _, err := harness.RunProgram(ctx, v.program, b.args...)
	if err != nil {
		return fmt.Errorf("%s at %s: %w", b.name, v.label, err)
	}
	var t trainedJSON
	if err := json.Unmarshal([]byte(out), &t); err != nil {
		return fmt.Errorf("%s at %s: %w", b.name, v.label, err)
	}
	b.samples[v] = append(b.samples[v], t)
	_, err = fmt.Fprintf(&v.trainings, "Benchmark%s 1 %.0f ns/op %d peak-RSS-bytes\n", b.name,
		t.Seconds*1e9, t.Resident)
	return err
}

// rows adds a row for each version to the table.
func (b *benchmarkCase) rows(t *harness.Table, sides []*programVersion) {
	for _, v := range sides {
		samples := b.samples[v]
		if len(samples) == 0 {
			continue
		}
		var times []float64
		for _, s := range samples {
			times = append(times, s.Seconds)
		}
		last := samples[len(samples)-1]
		t.Add(regressRow{b.name, v.label, len(samples), harness.MedianOf(times), last.TrainedFigures,
			last.Dual})
	}
}

// trainedJSON holds the fields of train --json that are compared. Fields that an old commit does not
// print are 0.
type trainedJSON struct {
	Seconds float64 `json:"train_seconds"`
	// Seconds is the training without the reading, as every version reports it.
	Reading float64 `json:"read_seconds"`
	harness.TrainedFigures
	Dual float64 `json:"dual"`
}

// regressRow is a training with one version. Seconds are the median; the other figures belong to
// the last run.
type regressRow struct {
	Benchmark string  `json:"benchmark" table:"training"`
	Side      string  `json:"side" table:"side"`
	Runs      int     `json:"runs" table:"runs"`
	Seconds   float64 `json:"median_seconds" table:"median s|%.3f"`
	harness.TrainedFigures
	Dual float64 `json:"dual"`
}
