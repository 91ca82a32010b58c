package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/float"
)

// pathReport collects the facts to report about the models of a path.
type pathReport struct {
	trainReport
	// models holds the objects of the models that are written.
	models []trainJSON
	// stopped lists the models that did not reach their gap.
	stopped []string
}

// trainPath trains the models of a path, each from the one before it, and writes each of them as soon as it is
// trained. It replaces none of the input files.
func (r *trainRun) trainPath(ctx context.Context, t *pathFlags, inputs []string, team *shards.Team) error {
	// The points are all combinations of the lists of norms, powers of costs and C.
	t.setPoints(r.options)
	// A matrix of interactions or fixed weights decide the norm, so the names are final only here.
	for _, point := range t.points {
		if err := checkOutput(t.fileOfModel(point), inputs...); err != nil {
			return err
		}
	}
	// last is nil until a model is written. An error without any model is an error of the run.
	var last *bigmkl.Result
	// The report of a path extends the report of one training with its lists.
	told := &pathReport{trainReport: r.report}
	err := bigmkl.Path(ctx, r.rows, *r.options, t.points,
		func(point bigmkl.PathPoint, m *bigmkl.Model, result *bigmkl.Result) error {
			r.progress.finish()
			defer m.Close()
			// The status of the last model decides between an interrupt and a gap below.
			last = result
			file := t.fileOfModel(point)
			if err := r.write.model(ctx, m, file, time.Now()); err != nil { // Each has the same time to be written.
				return err
			}
			// The test follows at once: the model is closed before the next one is trained.
			s, err := r.test.evaluate(ctx, m)
			if err != nil {
				return afterModel(err, file)
			}
			return told.add(file, trained{m, result, s})
		})
	r.progress.finish()
	// Unfinished is the error of a training that had to end before it had a model. Its status has the
	// reason.
	var cut *bigmkl.Unfinished
	late := errors.As(err, &cut) && cut.Status == chunking.TimeLimit
	// After the first model, an end by time or signal does not fail the run: its models are
	// written and reported.
	if err != nil && (last == nil || !late && !errors.Is(err, context.Canceled)) {
		return nameFiles(err, r.files)
	}
	// The object has all models, so it is printed also if the path is incomplete.
	// The best model is named only if --test gave figures to compare.
	best, figure := bestModel(told.models)
	if told.json {
		if e := told.printJSON("train", struct {
			Models  []trainJSON `json:"models"`
			Best    string      `json:"best,omitempty"`
			Seconds number      `json:"seconds"`
			Ranks   []rankJSON  `json:"ranks,omitempty"`
		}{told.models, best, number(time.Since(told.start).Seconds()), newRanksJSON(team.Figures())}); e != nil {
			return e
		}
	} else if best != "" {
		if e := told.print("best on %s: %s, %s %.4f (optimistic: the same rows were used to choose it)\n", told.test,
			best, figure.Name, figure.Value); e != nil {
			return e
		}
	}
	// The exit code follows the worst event: time limit, interrupt, then gaps that were not reached.
	switch {
	// The limit holds for each training, and the one that it ended had no model yet. The models before it
	// are complete.
	case late:
		return &exitError{contract.ExitStopped,
			fmt.Sprintf("the time limit was reached after %d of %d models, which are written",
				len(told.models), len(t.points))}
	case err != nil || last.Status == chunking.Interrupted:
		return &exitError{contract.ExitInterrupted,
			fmt.Sprintf("interrupted after %d of %d models, which are written", len(told.models),
				len(t.points))}
	case len(told.stopped) > 0:
		return &exitError{contract.ExitStopped,
			fmt.Sprintf("%d of %d models are written with a larger gap than was asked for: %s",
				len(told.stopped), len(t.points),
				shorten(strings.Join(told.stopped, ", "), 200))}
	}
	return nil
}

// add reports one model of the path, or collects its report for the object of --json.
// An incomplete training is not an error here. Its file is listed at the end, and the path continues.
func (t *pathReport) add(file string, x trained) error {
	a, err := t.account(x, file)
	if err != nil {
		return err
	}
	m, r, b := a.model, a.result, a.bank
	// The object of a model is the object of train, with the name of its file.
	j := newTrainJSON(a, t.start)
	j.File = file
	t.models = append(t.models, j)
	if r.Status != chunking.Converged {
		t.stopped = append(t.stopped, j.File)
	}
	if t.json {
		return nil
	}
	text := fmt.Sprintf("%s: %s, C = %.6g, %s after %s at a gap of %.3g, %s, %s", j.File, describeNorm(&m.Model, b), m.C,
		strings.ReplaceAll(string(r.Status), "_",
			" "), count(r.Iterations, "iteration"), m.Certificate.RelativeGap, count(len(m.Support), "support vector"), formatFine(r.Train))
	if c := newCostsJSON(&m.Model, b, b.Costs()); c != nil {
		text += fmt.Sprintf(", total cost %.6g (%.3g %%)", float64(c.Total), float64(c.Percent))
	}
	if a.test != nil {
		text += fmt.Sprintf("; %s: %s", t.test, a.test)
	}
	return t.print("%s\n", text)
}

// pathFigures are the figures that identify the best model of a path, and whether a smaller one is
// better. Each task has one of these figures, so models of a path are compared by one measure.
var pathFigures = map[string]bool{"accuracy": false, "rmse": true, "pinball": true, "expectile_loss": true, "c_index": false, "ndcg": false}

// bestModel returns the file and the figure of the model that did best in its test: of the largest
// accuracy, for example, or of the smallest root mean squared error. Of equals it is the first, whose norm and C
// were named first. The file is "" if there was no test, or none with such a figure.
func bestModel(reports []trainJSON) (file string, best score.Figure) {
	// A figure can be undefined, such as the AUC of rows of one class. Such a model cannot be the best one.
	for _, r := range reports {
		if r.Test == nil {
			continue
		}
		for _, f := range r.Test.Figures {
			// A key that is not in the map has counts = false, and its figure is passed over.
			smaller, counts := pathFigures[f.Key]
			better := smaller && f.Value < best.Value || !smaller && f.Value > best.Value
			if counts && float.Finite(f.Value) && (file == "" || better) {
				file, best = r.File, f
			}
		}
	}
	return file, best
}
