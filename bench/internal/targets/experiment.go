// Package targets compares trainings with the floors that they have to reach, among them trainings with little memory
// and with sequences.
package targets

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/limits"
)

// A floor is the least speed or the most memory that a version may have. It shows changes that make trainings
// slower. Seconds depend on the computer. Where another training on the same computer can be the measure, the floor
// is a ratio.

// Experiment runs the trainings of the targets and states which targets are met.
func Experiment() harness.Experiment {
	// only names targets or groups, and list prints the floors without a training.
	var only []string
	var list bool
	return harness.Experiment{
		Name: "targets", Short: "the floors that trainings have to reach, and whether they do",
		Long: "Runs the trainings of the targets and says which floors are met. Floors in seconds are\n" +
			"meant for a quiet computer with two AVX-512 cores. Ratios compare runs on this computer,\n" +
			"or compare with the recorded seconds of other programs.",
		Flags: func(f *pflag.FlagSet) {
			f.StringSliceVar(&only, "only", nil,
				"`NAMES` of targets, or of groups: what stands before a dash")
			f.BoolVar(&list, "list", false, "list the targets and run nothing")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			chosen, err := selectTargets(allTargets(s), only)
			if err != nil {
				return err
			}
			// The first table has a line for each target, and the second one a line for each training.
			t := r.Table("Targets")
			// One judgement serves all targets, so trainings are shared.
			b := judgement{Session: s, runs: map[string]harness.Outcome{}}
			if !list {
				b.table = r.Table("Their trainings")
			}
			// left lists the targets that a quick run leaves out.
			var left []string
			for _, c := range chosen {
				row := targetRow{Name: c.name, What: c.what, Floor: c.floor.String(),
					Unit: c.floor.unit}
				switch {
				case list:
				// Targets that are named on the command line are measured in a quick run, too.
				case s.Quick && !c.quick && len(only) == 0:
					left = append(left, c.name)
					continue
				// A target without its data is neither met nor missed.
				case c.data != "" && len(c.runs) == 0:
					row.Verdict, row.How = "not measured", s.Data.DescribeAbsence(c.data)
				default:
					if err := b.judge(ctx, c, &row); err != nil {
						return err
					}
				}
				t.Add(row)
			}
			if len(left) > 0 {
				r.Note("left out of a quick run: %s", strings.Join(left, ", "))
			}
			return nil
		},
	}
}

// selectTargets selects targets by name or group. Without names it returns all of them. A group is the
// part of a name before a dash, such as mnist or libsvm. A target is chosen once, even if two names
// match.
func selectTargets(all []targetCase, names []string) ([]targetCase, error) {
	if len(names) == 0 {
		return all, nil
	}
	var list []targetCase
	// The message of an unknown name lists all targets.
	known := make([]string, len(all))
	for i, c := range all {
		known[i] = c.name
	}
	for _, name := range names {
		found := false
		for _, c := range all {
			// mnist selects mnist-8000, and not another group that begins with the letters.
			if c.name == name || strings.HasPrefix(c.name, name+"-") {
				found = true
				if !slices.ContainsFunc(list, func(o targetCase) bool { return o.name == c.name }) {
					list = append(list, c)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("no target %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return list, nil
}

// targetRow is a target beside the value that was measured.
type targetRow struct {
	Name string `json:"name" table:"target"`
	// How states the measured numbers behind Measured, such as both times of a ratio.
	What     string  `json:"what" table:"what"`
	Floor    string  `json:"floor" table:"floor"`
	Measured float64 `json:"measured,omitempty" table:"measured|%.3g|blank"`
	Unit     string  `json:"unit"`
	Verdict  string  `json:"verdict" table:"verdict"`
	How      string  `json:"how,omitempty" table:"from"`
}

// targetRun is a training that was run for a target.
// Target is the first target that needed the training.
type targetRun struct {
	Target string `json:"target" table:"target"`
	harness.Outcome
}

// judgement remembers the trainings of one invocation.
type judgement struct {
	*harness.Session
	// runs has the outcome of each training by its JSON, for targets that share one.
	runs  map[string]harness.Outcome
	table *harness.Table
}

// judge runs the trainings of a target and compares. A training that missed its gap meets no
// target, nor does one that used more anonymous memory than its budget. A time without its gap, or
// within more memory than was given, is the time of another problem.
func (b *judgement) judge(ctx context.Context, c targetCase, row *targetRow) error {
	var outcomes []harness.Outcome
	var faults []string
	// do trains, and notes what makes the outcome useless for a floor.
	do := func(runs []harness.Training) error {
		for _, u := range runs {
			// A faulty outcome does not end the other trainings of the target.
			o, err := b.once(ctx, c.name, u)
			if err != nil {
				return err
			}
			outcomes = append(outcomes, o)
			if !o.Converged() {
				faults = append(faults, o.Status)
			} else if o.Budget > 0 && o.Anonymous > o.Budget {
				faults = append(faults,
					fmt.Sprintf("%d MiB of anonymous memory where %d were given", o.Anonymous>>20,
						o.Budget>>20))
			}
		}
		return nil
	}
	if err := do(c.runs); err != nil {
		return err
	}
	// Further trainings may depend on the outcomes of the first ones, such as a share of their memory.
	if c.then != nil && len(faults) == 0 {
		if err := do(c.then(outcomes)); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		row.Verdict = "not met: " + strings.Join(faults, "; ")
		return nil
	}
	row.Measured, row.How = c.measure(b.Session, outcomes)
	row.Verdict = limits.MetOrNot(c.floor.met(row.Measured))
	return nil
}

// once runs a training, or returns its outcome if an earlier target had the same one: several
// targets compare with one expensive training. The key is the training as JSON.
func (b *judgement) once(ctx context.Context, name string, u harness.Training) (harness.Outcome, error) {
	// Two trainings with the same options and data have the same JSON.
	key, err := json.Marshal(u)
	if err != nil {
		return harness.Outcome{}, err
	}
	if o, done := b.runs[string(key)]; done {
		return o, nil
	}
	o, err := b.Train(ctx, u)
	if err != nil {
		return o, err
	}
	b.runs[string(key)] = o
	b.table.Add(targetRun{name, o})
	return o, nil
}
