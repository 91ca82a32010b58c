package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// benchmark is a training by the command line, in terms that every commit knows, and what it gave on each side.
type benchmark struct {
	name    string // in the Go benchmark format
	args    []string
	samples map[*side][]trained
	failed  bool
}

// trained is what train --json prints, as far as it is compared.
type trained struct {
	Seconds    float64 `json:"train_seconds"`
	Reading    float64 `json:"read_seconds"`
	Iterations int     `json:"iterations"`
	Passes     int64   `json:"passes"`
	Support    int     `json:"support_vectors"`
	Gap        float64 `json:"relative_gap"`
	Status     string  `json:"status"`
	Resident   int64   `json:"peak_rss_bytes"`
	Dual       float64 `json:"dual"`
}

// regressRow is a training on one side: median seconds, the rest of the last run.
type regressRow struct {
	Benchmark  string  `json:"benchmark" table:"training"`
	Side       string  `json:"side" table:"side"`
	Runs       int     `json:"runs" table:"runs"`
	Seconds    float64 `json:"median_seconds" table:"median s|%.3f"`
	Iterations int     `json:"iterations" table:"iterations"`
	Passes     int64   `json:"passes" table:"passes"`
	Support    int     `json:"support_vectors" table:"support vectors"`
	Gap        float64 `json:"relative_gap" table:"relative gap|%.2e"`
	Status     string  `json:"status" table:"status"`
	Resident   int64   `json:"peak_rss_bytes" table:"peak MiB|MiB"`
	Dual       float64 `json:"dual"`
}

// prepare lists the trainings: many kernels on a common base at three norms, more kernels than points, kernels with
// features of their own, and a single one.
func (c *comparison) prepare(ctx context.Context) error {
	digits, positive := c.digits(c.report)
	if digits.File == "" { // the command line reads files
		p := problem{name: digits.Name, train: digits, scale: 1, points: 4000}
		text, _, err := p.write(ctx, c.dir)
		if err != nil {
			return err
		}
		digits.File = text
	}
	n := c.choose(nil, []int{1000}, []int{200})[0]
	m := c.choose(nil, []int{1000}, []int{20})[0]
	for _, u := range []struct {
		name string
		run
	}{
		{"fifty/p=1", thesis(digits, positive, fiftyGaussians, "1", n)},
		{"fifty/p=1.33", thesis(digits, positive, fiftyGaussians, "4/3", n)},
		{"fifty/p=2", thesis(digits, positive, fiftyGaussians, "2", n)},
		{"many/p=1.33", thesis(digits, positive, manyGaussians(m), "4/3", n/2)},
		{"subsets/p=1.33", thesis(digits, positive, fmt.Sprintf("gauss:0.5@random:10*%d", m/5), "4/3", n)},
		{"single/p=2", thesis(digits, positive, "gauss:0.02", "2", 3*n)},
	} {
		c.list = append(c.list, benchmark{name: "Train/" + u.name, args: c.arguments(u.run), samples: map[*side][]trained{}})
	}
	return nil
}

// arguments are the command line of a run.
func (c *comparison) arguments(u run) []string {
	o := u.Options
	args := []string{
		"train", "--json", "--quiet", "--kernels", o.Kernels, "--norm", u.Norm, "-C", strconv.FormatFloat(o.C, 'g', -1, 64),
		"--gap", strconv.FormatFloat(o.Gap, 'g', -1, 64), "--scale", o.Scale, "--normalize", o.Normalize, "--limit", strconv.Itoa(o.Limit),
		"--threads", strconv.Itoa(c.threads), "--scratch", c.scratch, "-o", filepath.Join(c.dir, "model"),
	}
	if o.Positive != nil {
		args = append(args, "--positive", strings.Join(o.Positive, ","))
	}
	return append(args, u.Data.File)
}

// run trains once and notes the result, also as a line of the Go benchmark format.
func (b *benchmark) run(ctx context.Context, v *side) error {
	out, _, err := execute(ctx, v.program, b.args...)
	if err != nil {
		return fmt.Errorf("%s at %s: %w", b.name, v.label, err)
	}
	var t trained
	if err := json.Unmarshal([]byte(out), &t); err != nil {
		return fmt.Errorf("%s at %s: %w", b.name, v.label, err)
	}
	b.samples[v] = append(b.samples[v], t)
	_, err = fmt.Fprintf(&v.trainings, "Benchmark%s 1 %.0f ns/op %d peak-RSS-bytes\n", b.name, t.Seconds*1e9, t.Resident)
	return err
}

// rows adds what each side gave.
func (b *benchmark) rows(t *table, sides []*side) {
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
		t.add(regressRow{b.name, v.label, len(samples), medianOf(times), last.Iterations, last.Passes, last.Support, last.Gap, last.Status,
			last.Resident, last.Dual})
	}
}
