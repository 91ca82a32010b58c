package ye

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/internal/discriminant"
)

// discriminantTimeRow is one way of solution on one set.
type discriminantTimeRow struct {
	Set    string `json:"set" table:"set"`
	Rows   int    `json:"rows" table:"rows"`
	Method string `json:"method" table:"method"`
	// Columns with two numbers have the solution with lambda given first, and with lambda found second.
	Seconds   string `json:"seconds" table:"seconds, lambda given"`
	Joint     string `json:"joint_seconds" table:"found"`
	Steps     string `json:"steps" table:"steps, given and found"`
	Criterion string `json:"criterion" table:"criterion, given and found"`
	Printed   string `json:"printed" table:"seconds in the paper"`
}

// discriminantPrograms are the ways of solution of Table 16, by the names of the paper, and what this
// program has in their place. The paper solves the semi-definite programs with one matrix inequality
// for all classes.
// An empty solver is a training by the library, for which the paper has no column.
var discriminantPrograms = []struct{ name, solver string }{
	{"SDP", discriminant.SDPApprox}, {"QCQP", discriminant.QCQP},
	{"SILP", discriminant.CPMWrapper}, {"--task rkda", ""},
}

// printedTimes has the seconds of Table 16 for lambda given and found, by the name of the set. The
// computer of the paper is another one, so only ratios between programs can be compared.
var printedTimes = map[string][][2]float64{
	"wine":                {{18.91, 27.02}, {1.15, 1.29}, {.30, .30}},
	"satimage, 3 classes": {{95.95, 130.51}, {4.23, 4.67}, {.59, .66}},
	"satimage, 5 classes": {{415.58, 710.70}, {36.56, 39.09}, {1.97, 2.29}},
	"satimage, 6 classes": {{753.07, 1172.55}, {79.61, 82.93}, {3.65, 4.38}},
	"segment, 3 classes":  {{74.38, 99.29}, {4.16, 4.50}, {.62, 1.03}},
	"segment, 4 classes":  {{163.26, 235.50}, {14.89, 16.20}, {1.03, 1.52}},
}

// discriminantTimes repeats Table 16: the time of each way of solution on one split of each set of
// more than two classes, one after the other.
func discriminantTimes(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	// The solutions run one after the other, because they would share the processors.
	t := r.Table("Table 16: seconds of one split of each set, matrices of kernels not counted but for --task rkda")
	for _, set := range discriminantSets() {
		// Table 16 has no times for the other sets.
		printed, ok := printedTimes[set.name]
		if !ok || s.Quick && set.classes > 3 {
			continue
		}
		d, ok := s.Data.FindFile(set.folder, set.file)
		if !ok {
			r.Note("%s", s.Data.DescribeAbsence(set.folder))
			continue
		}
		rows, err := readScaled(d)
		if err != nil {
			return err
		}
		// Seed and order of draws are as for the accuracy, so both use the same split.
		rng := rand.New(rand.NewPCG(seed, 18))
		if set.classes > 0 {
			rows = rows.draw(set.classes, drawnRows, rng)
		}
		// Only the training rows matter for the time.
		train := rng.Perm(len(rows.features))
		train = train[:int(set.share*float64(len(train))+0.5)]
		for k, p := range discriminantPrograms {
			s.Progress.ShowNow("%s by %s", set.name, p.name)
			row := discriminantTimeRow{Set: set.name, Rows: len(train), Method: p.name}
			// printed has the three programs of the paper in the order of discriminantPrograms.
			if k < len(printed) {
				row.Printed = fmt.Sprintf("%.2f, %.2f", printed[k][0], printed[k][1])
			}
			given, err := rows.timeProgram(ctx, s, p.solver, train, false)
			if err != nil {
				return err
			}
			found, err := rows.timeProgram(ctx, s, p.solver, train, true)
			if err != nil {
				return err
			}
			row.Seconds, row.Joint = fmt.Sprintf("%.2f", given.seconds), fmt.Sprintf("%.2f", found.seconds)
			row.Steps = fmt.Sprintf("%d, %d", given.steps, found.steps)
			row.Criterion = fmt.Sprintf("%.5g, %.5g", given.criterion, found.criterion)
			t.Add(row)
		}
	}
	t.Note("steps are linear systems, and working sets of --task rkda; all to a gap of 5e-4, on %d threads", s.Threads)
	return nil
}

// timedProgram is one solution.
// criterion is the value at the solution: equal values show that the programs solve the same problem.
type timedProgram struct {
	seconds, criterion float64
	steps              int
}

// timeProgram solves by a program of package discriminant, or by a training if solver is empty.
// The matrices are made before the clock starts, as in the paper; a training computes its
// kernels itself, so its time includes them.
func (d *scaledRows) timeProgram(ctx context.Context, s *harness.Session, solver string, train []int,
	joint bool) (timedProgram, error) {
	if solver == "" {
		o := bigmkl.Options{
			Task: bigmkl.TaskRKDA, Kernels: discriminantBank, JointCost: joint, Gap: paperGap,
			Threads: s.Threads, Scratch: s.Scratch,
		}
		start := time.Now()
		m, r, err := bigmkl.Train(ctx, d.source(train), harness.AsPosed(o))
		if err != nil {
			return timedProgram{}, err
		}
		return timedProgram{time.Since(start).Seconds(), m.Discriminant.Criterion, r.Iterations}, nil
	}
	p := d.problem(train)
	// With joint the program finds lambda, and the field must stay 0.
	if p.Gap, p.Joint = paperGap, joint; !joint {
		p.Lambda = paperLambda
	}
	start := time.Now()
	found, err := discriminant.Solve(ctx, solver, p)
	if err != nil {
		return timedProgram{}, err
	}
	return timedProgram{time.Since(start).Seconds(), found.Criterion, found.Steps}, nil
}
