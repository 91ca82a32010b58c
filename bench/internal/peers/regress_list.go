package peers

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"bigmkl/bench/internal/harness"
)

// listBenchmarks lists the trainings: many kernels on a common base at three norms, more kernels
// than points, kernels with features of their own, and a single kernel.
func (c *comparison) listBenchmarks(ctx context.Context) error {
	digits, positive := c.Data.FindDigits(c.report)
	// The command line reads files, so generated rows have to be written to one.
	if digits.File == "" {
		text := filepath.Join(c.dir, "train.txt")
		if err := writeGenerated(ctx, text, digits, 4000); err != nil {
			return err
		}
		digits.File = text
	}
	n := c.ChooseInts(nil, []int{1000}, []int{200})[0]
	m := c.ChooseInts(nil, []int{1000}, []int{20})[0]
	for _, u := range []struct {
		name string
		harness.Training
	}{
		{"fifty/p=1", harness.ThesisTraining(digits, positive, harness.FiftyGaussians, "1", n)},
		{"fifty/p=1.33", harness.ThesisTraining(digits, positive, harness.FiftyGaussians, "4/3", n)},
		{"fifty/p=2", harness.ThesisTraining(digits, positive, harness.FiftyGaussians, "2", n)},
		{"many/p=1.33", harness.ThesisTraining(digits, positive, harness.ManyGaussians(m), "4/3", n/2)},
		{"subsets/p=1.33",
			harness.ThesisTraining(digits, positive, fmt.Sprintf("gauss:0.5@random:10*%d", m/5), "4/3", n)},
		{"single/p=2", harness.ThesisTraining(digits, positive, "gauss:0.02", "2", 3*n)},
	} {
		c.benchmarks = append(c.benchmarks,
			benchmarkCase{name: "Train/" + u.name, args: c.commandLine(u.Training),
				samples: map[*programVersion][]trainedJSON{}})
	}
	return nil
}

// commandLine returns the command line of a training. It has only options that old commits have, too.
func (c *comparison) commandLine(u harness.Training) []string {
	o := u.Options
	args := []string{
		"train", "--json", "--quiet", "--kernels", o.Kernels, "--norm", u.Norm, "-C", strconv.FormatFloat(o.C, 'g', -1, 64),
		"--gap", strconv.FormatFloat(o.Gap, 'g', -1,
			64), "--scale", o.Scale, "--normalize", o.Normalize, "--limit", strconv.Itoa(o.Limit),
		"--threads", strconv.Itoa(c.Threads), "--scratch", c.Scratch, "-o", filepath.Join(c.dir,
			"model"),
	}
	if o.Positive != nil {
		args = append(args, "--positive", strings.Join(o.Positive, ","))
	}
	return append(args, u.Data.File)
}
