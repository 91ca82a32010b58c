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
		// 4,000 rows are more than the largest training of the list takes.
		text := filepath.Join(c.dir, "train.txt")
		if err := writeGenerated(ctx, text, digits, 4000); err != nil {
			return err
		}
		digits.File = text
	}
	// n is the number of points and m the number of kernels. The second list is for quick runs.
	n := c.ChooseInts(nil, []int{1000}, []int{200})[0]
	m := c.ChooseInts(nil, []int{1000}, []int{20})[0]
	for _, u := range []struct {
		name string
		harness.Training
	}{
		{"fifty/p=1", harness.ThesisTraining(digits, positive, harness.FiftyGaussians, "1", n)},
		{"fifty/p=1.33", harness.ThesisTraining(digits, positive, harness.FiftyGaussians, "4/3", n)},
		{"fifty/p=2", harness.ThesisTraining(digits, positive, harness.FiftyGaussians, "2", n)},
		// With n/2 points there are more kernels than points, so the weights take a larger part of the
		// time.
		{"many/p=1.33", harness.ThesisTraining(digits, positive, harness.ManyGaussians(m), "4/3", n/2)},
		{"subsets/p=1.33",
			harness.ThesisTraining(digits, positive, fmt.Sprintf("gauss:0.5@random:10*%d", m/5), "4/3", n)},
		// One kernel has no weights to learn. Its time is the time of the solver and of kernel values.
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
	// Every option that affects the time is named, because defaults differ between versions.
	o := u.Options
	// The scale and the normalisation are named for the same reason.
	args := []string{
		"train", "--json", "--quiet", "--kernels", o.Kernels, "--norm", u.Norm, "-C", strconv.FormatFloat(o.C, 'g', -1, 64),
		"--gap", strconv.FormatFloat(o.Gap, 'g', -1,
			64), "--scale", o.Scale, "--normalize", o.Normalize, "--limit", strconv.Itoa(o.Limit),
		"--threads", strconv.Itoa(c.Threads), "--scratch", c.Scratch, "-o", filepath.Join(c.dir,
			"model"),
	}
	// Generated rows have two classes already.
	if o.Positive != nil {
		args = append(args, "--positive", strings.Join(o.Positive, ","))
	}
	return append(args, u.Data.File)
}
