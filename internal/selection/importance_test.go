package selection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// sourceViews are views of three features each.
func sourceViews(names ...string) (views []dataset.View) {
	for k, name := range names {
		views = append(views, dataset.View{Name: name, First: 3*k + 1, Last: 3*k + 3})
	}
	return views
}

// fourSources draws rows of two classes with the views strong, noise, first and second. The last two show the same
// quantity with hardly an error.
func fourSources(rng *rand.Rand, n int) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := float64(1 - 2*(i%2))
		rows[i].Label, rows[i].Target = fmt.Sprint(y), y
		both := 1.1*y + rng.NormFloat64()
		for j := range 12 {
			x := rng.NormFloat64()
			switch j {
			case 0:
				x += 1.1 * y
			case 6, 9:
				x = both + 0.1*x
			}
			rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, x)
		}
	}
	return rows
}

// fourViews are the views of fourSources.
var fourViews = sourceViews("strong", "noise", "first", "second")

// quick is an importance of which every training is short.
func quick() ImportanceOptions {
	return ImportanceOptions{Samples: 3, Options: Options{
		Training: bigmkl.Options{Kernels: "linear@each-view", Views: fourViews, Threads: 2, Scale: "none"},
		Norms:    []float64{1, 2}, Costs: []float64{0.1, 1}, Splits: Splits{Folds: 3, Repeat: 1},
	}}
}

// measureRows measures an importance in a folder, and returns what Save wrote.
func measureRows(t *testing.T, ctx context.Context, rows []dataset.Row, o ImportanceOptions) (*Importance, []byte, error) {
	t.Helper()
	if o.Folder == "" {
		o.Folder = t.TempDir()
	}
	s, err := Measure(ctx, datasettest.Stream(rows), o)
	if err != nil || s.Missing > 0 {
		return s, nil, err
	}
	if err := s.Save(o.Folder); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(o.Folder, importanceFile))
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadImportance(o.Folder)
	if err != nil || fmt.Sprintf("%+v", again.Sources) == "" || len(again.Sources) != len(s.Sources) {
		t.Fatalf("it is read as %+v, %v", again, err)
	}
	return s, b, nil
}

// TestFindings: a source that no other source replaces is needed, noise shows no sign of use, and two sources that show the
// same are redundant with each other.
func TestFindings(t *testing.T) {
	t.Parallel()
	o := quick()
	o.Splits.Folds, o.Splits.Repeat = 5, 2
	s, _, err := measureRows(t, t.Context(), fourSources(datasettest.Random(t, 31), 300), o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Finding{"strong": Needed, "noise": NoSign, "first": Redundant, "second": Redundant}
	for k, x := range s.Sources {
		if x.Finding != want[x.Name] {
			t.Errorf("%s is %s: %s", x.Name, x.Finding, s.Describe(k))
		}
		if x.Features != 3 || x.Kernels != 1 || x.Permuted == nil || x.Null == nil || x.NullShare == nil {
			t.Errorf("%+v", x)
		}
	}
	if s.Sources[2].With != "second" || s.Sources[3].With != "first" {
		t.Errorf("redundant with %q and %q: %+v, %+v, %+v", s.Sources[2].With, s.Sources[3].With, s.Sources[2], s.Sources[3], s.Pairs[5])
	}
	for _, p := range s.Pairs {
		if p.Redundant != (p.First == 2 && p.Second == 3) {
			t.Errorf("%+v", p)
		}
	}
	if len(s.Pairs) != 6 || s.Nothing.Mean != 0.5 || s.Sources[0].Active != 1 || s.Sources[0].Permuted.Mean <= 0 {
		t.Errorf("%d pairs, %+v, %+v", len(s.Pairs), s.Nothing, s.Sources[0])
	}
	sum := 0.0
	for _, x := range s.Sources {
		sum += x.Share.Mean
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("shares add up to %g", sum)
	}
}

// TestLeftOutTrainings compares every figure of one fold with a training on the other rows and a prediction, each by
// itself: without a source, without two, and alone.
func TestLeftOutTrainings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		task, several, measure string
	}{
		{"", "", "auc"}, {"svr", "", "rmse"}, {"square", "", "r2"}, {"", "ovr", "accuracy"}, {"", "ovo", "accuracy"}, {"", "labels", "macro_auc"},
		{"rkda", "", "accuracy"}, {"med", "", "auc"}, {"mixture", "", "accuracy"}, {"", "single", "macro_f1"}, {"", "ovr, one theta", "accuracy"},
	} {
		t.Run(c.task+c.several, func(t *testing.T) {
			t.Parallel()
			testlevel.Sample(t, 2, 1)
			rng := datasettest.Random(t, 32)
			rows := fourSources(rng, 90)
			for i := range rows {
				rows[i].Target += 0.3 * rng.NormFloat64()
				if c.several != "" || c.task == "rkda" {
					rows[i].Label = strconv.Itoa(i % 3)
					rows[i].Value[i%3] += 2
				}
				if c.several == "labels" && i%4 == 0 {
					rows[i].Label += "," + strconv.Itoa((i+1)%3)
				}
			}
			o := quick()
			o.Training.Task, o.Training.Gap, o.Training.Precision = c.task, 1e-7, "64"
			o.Training.Multiclass, _, o.Training.OneTheta = strings.Cut(c.several, ", ")
			o.Norms, o.Costs, o.Samples = []float64{4. / 3}, []float64{0.7}, bigmkl.Zero
			if c.task == "med" || c.task == "mixture" {
				o.Norms, o.Training.Restarts = []float64{2}, 1
			}
			if c.task == "med" { // takes a minute to 1e-7, and comes to the same bits either way
				o.Training.Gap, o.Training.Rounds, rows = 1e-3, 2, rows[:45]
			}
			if !hasCost(&o.Training) {
				o.Costs = nil
			}
			h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), opening(o.Training))
			if err != nil {
				t.Fatal(err)
			}
			drawn, err := o.Splits.draw(h.Store(), 0)
			h.Close()
			if err != nil {
				t.Fatal(err)
			}
			o.Measure = c.measure
			s, _, err := measureRows(t, t.Context(), rows, o)
			if err != nil {
				t.Fatal(err)
			}
			value := func(out []int32, views ...string) float64 {
				return separately(t, rows, out, o.Training, c.measure, views...)
			}
			mean := func(views ...string) (sum float64) {
				for _, f := range drawn[0] {
					sum += value(f.rows, views...) / 3
				}
				return sum
			}
			near := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 2e-3 {
					t.Errorf("%s: %g, and trained separately %g", what, got, want)
				}
			}
			all := mean("strong", "noise", "first", "second")
			near("whole", s.Whole.Mean, all)
			sign := 1.0
			if s.Smaller {
				sign = -1
			}
			near("without strong", s.Sources[0].LeftOut.Mean, sign*(all-mean("noise", "first", "second")))
			near("first alone", s.Sources[2].Alone.Mean, mean("first"))
			near("without a pair", s.Pairs[5].LeftOut.Mean, sign*(all-mean("strong", "noise")))
		})
	}
}

// separately trains on some views without some rows, and returns the figure of these.
func separately(t *testing.T, rows []dataset.Row, out []int32, o bigmkl.Options, measure string, views ...string) float64 {
	t.Helper()
	o.Norm, o.Kernels = 4./3, "linear@"+views[0]
	if o.Task == "med" || o.Task == "mixture" {
		o.Norm = 2
	}
	if hasCost(&o) {
		o.C = 0.7
	}
	for _, v := range views[1:] {
		o.Kernels += ",linear@" + v
	}
	var in, held []dataset.Row
	for i, r := range rows {
		if slices.Contains(out, int32(i)) {
			held = append(held, r)
		} else {
			in = append(in, r)
		}
	}
	m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(in), o)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	return figuresOfModel(t, m, held)[measure]
}

// TestImportanceKilled ends an importance after each of its readings and goes on: all files are the same to the byte, and
// with other threads and in parts as well. So it is where trainings share nothing.
func TestImportanceKilled(t *testing.T) {
	t.Parallel()
	for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskRKDA} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			o := quick()
			o.Training.Views, o.Training.Kernels, o.Training.Task = fourViews[:3], "linear@each-view,gauss:auto@noise", task
			if !hasCost(&o.Training) {
				o.Costs = nil
			}
			testKilledImportance(t, fourSources(datasettest.Random(t, 33), 60), o)
		})
	}
}

// testKilledImportance ends an importance again and again.
func testKilledImportance(t *testing.T, rows []dataset.Row, o ImportanceOptions) {
	t.Helper()
	o.Folder = t.TempDir()
	if _, _, err := measureRows(t, t.Context(), rows, o); err != nil {
		t.Fatal(err)
	}
	want := filesOf(t, o.Folder)
	o.Folder, o.Resume, o.Training.Threads = t.TempDir(), true, 1
	for step := 1; ; step += testlevel.Stride(7, 3) {
		ctx, cancel := context.WithCancel(t.Context())
		readings, left := 0, 0
		o.Report = func(p Progress) {
			if readings++; readings == step {
				cancel()
			}
			left = p.Total - p.Done
		}
		_, _, err := measureRows(t, ctx, rows, o)
		cancel()
		if left == 0 {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d readings: %v", readings, err)
		}
	}
	sameFiles(t, "killed and resumed", want, filesOf(t, o.Folder))
	var parts []string
	for k := range 3 {
		part := o
		part.Part, part.Parts, part.Folder, part.Resume, part.Report = k+1, 3, t.TempDir(), false, nil
		s, _, err := measureRows(t, t.Context(), rows, part)
		if err != nil || s.Missing == 0 || len(s.Sources) > 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		parts = append(parts, part.Folder)
	}
	o.Merge, o.Folder, o.Report = parts, t.TempDir(), func(p Progress) { t.Errorf("a merge measures %+v", p) }
	if _, _, err := measureRows(t, t.Context(), rows, o); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, o.Folder); !bytes.Equal(got[importanceFile], want[importanceFile]) {
		t.Error("parts find something else than one run")
	}
}

// filesOf reads all files of a folder, by their names in it.
func filesOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		found[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// sameFiles compares the files of two folders.
func sameFiles(t *testing.T, what string, want, got map[string][]byte) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: %d files and %d", what, len(want), len(got))
	}
	for name, b := range want {
		if !bytes.Equal(b, got[name]) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// TestImportanceShared: of a file with a matrix of all rows sources are left out as well, and none is permuted.
func TestImportanceShared(t *testing.T) {
	t.Parallel()
	rows := fourSources(datasettest.Random(t, 34), 60)
	folder := t.TempDir()
	specs := ""
	for k := range 2 {
		path := filepath.Join(folder, fmt.Sprintf("k%d.npy", k))
		if err := os.WriteFile(path, matrixOf(rows, 3*k), 0o600); err != nil {
			t.Fatal(err)
		}
		specs += fmt.Sprintf("precomputed:%s group=g%d,", path, k)
	}
	o := quick()
	o.Training.Kernels = specs[:len(specs)-1]
	s, _, err := measureRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Preparation != PreparedShared || s.SharedBecause == "" || len(s.Pairs) != 1 || s.Sources[0].Name != "g0" {
		t.Errorf("%+v", s)
	}
	for _, x := range s.Sources {
		if x.Permuted != nil || x.Null != nil || x.Features != 0 {
			t.Errorf("%+v", x)
		}
	}
	if s.Sources[0].LeftOut.Mean <= 0 || s.Sources[1].Gain.Mean > 0.2 {
		t.Errorf("%+v", s.Sources)
	}
	// Of two sources nothing is left without both.
	if got, want := s.Pairs[0].LeftOut.Mean, s.Whole.Mean-s.Nothing.Mean; math.Abs(got-want) > 1e-12 {
		t.Errorf("without both %g, and above a constant %g", got, want)
	}
}

// TestConstantPredictions: a prediction without information is not better than chance.
func TestConstantPredictions(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 35)
	for _, c := range []struct {
		several, measure string
		want             float64
	}{{"", "auc", .5}, {"", "accuracy", .7}, {"ovr", "accuracy", .5}, {"ovo", "accuracy", .5}, {"labels", "macro_auc", .5}} {
		rows := fourSources(rng, 60)
		for i := range rows {
			switch {
			case c.several == "" && c.measure == "accuracy":
				rows[i].Label = []string{"1", "-1"}[min(i%10/7, 1)]
			case c.several != "":
				rows[i].Label = []string{"a", "a", "b", "c"}[i%4]
			}
		}
		o := quick()
		o.Training.Multiclass, o.Measure, o.Samples = c.several, c.measure, bigmkl.Zero
		o.Norms, o.Costs = o.Norms[:1], o.Costs[:1]
		s, _, err := measureRows(t, t.Context(), rows, o)
		if err != nil || math.Abs(s.Nothing.Mean-c.want) > 1e-9 {
			t.Errorf("%s %s: %v, %v", c.several, c.measure, s, err)
		}
	}
}

// TestNoiseIsRarelyNeeded simulates the null: of sources that are noise at most one in twenty, and two binomial errors, is
// called needed or said to help.
func TestNoiseIsRarelyNeeded(t *testing.T) {
	t.Parallel()
	sets, called, count := 3, 0, 0
	if testlevel.Reached(testlevel.ManyTimes) {
		sets = 60
	}
	rng := datasettest.Random(t, 36)
	for range sets {
		rows := fourSources(rng, 80)
		for i := range rows {
			for j := 6; j < 12; j++ {
				rows[i].Value[j] = rng.NormFloat64()
			}
		}
		o := quick()
		o.Samples, o.Norms, o.Costs = bigmkl.Zero, []float64{2}, []float64{1}
		o.Training.Gap, o.Splits.Folds, o.Splits.Repeat = 1e-2, 5, 3
		s, _, err := measureRows(t, t.Context(), rows, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range s.Sources[1:] {
			if count++; x.Finding == Needed || x.Finding == Helps {
				called++
			}
		}
	}
	if most := 0.05*float64(count) + 2*math.Sqrt(0.0475*float64(count)); float64(called) > most {
		t.Errorf("%d of %d sources of noise are called needed or said to help", called, count)
	}
}

// TestImportanceFaults: faults of the options are all listed, and faults of the data are found.
func TestImportanceFaults(t *testing.T) {
	t.Parallel()
	o := quick()
	o.Folder, o.Banks, o.Tune, o.Nested, o.Choose, o.Each, o.Samples = t.TempDir(), []string{"linear", "gauss:1"}, TuneCosts, true, ChooseBest, "row", -7
	o.SharedPreparation, o.CostPowers, o.Training.Regularizer.Weights = true, []float64{1}, []float64{1}
	err := o.Validate()
	for _, text := range []string{"one list", "no tuning", "nothing nested", "nothing to choose", "row", "-7 samples", "held out of everything", "powers", "fixed weights"} {
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte(text)) {
			t.Errorf("%q is not in %v", text, err)
		}
	}
	for name, change := range map[string]func(*ImportanceOptions){
		"one source":   func(o *ImportanceOptions) { o.Training.Kernels = "linear@noise,gauss:1@noise" },
		"one class":    func(o *ImportanceOptions) { o.Training.Task = "oneclass" },
		"no such rows": func(o *ImportanceOptions) { o.Splits.Folds = 500 },
	} {
		o := quick()
		change(&o)
		_, _, err := measureRows(t, t.Context(), fourSources(datasettest.Random(t, 37), 40), o)
		if !errors.Is(err, fail.Usage) && !errors.Is(err, fail.Input) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFlippedSteps: no byte of the file of a step can change without that being found, unless the file goes on saying the
// same.
func TestFlippedSteps(t *testing.T) {
	t.Parallel()
	rows := fourSources(datasettest.Random(t, 38), 40)
	o := quick()
	o.Folder, o.Resume, o.Norms, o.Samples = t.TempDir(), true, o.Norms[:1], bigmkl.Zero
	o.Training.Threads = 1 // one fold after the other
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Report = func(p Progress) {
		if p.Done == 6 {
			cancel()
		}
	}
	if _, _, err := measureRows(t, ctx, rows, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.Report = nil
	paths, err := filepath.Glob(filepath.Join(o.Folder, stepsFolder, "*.json"))
	if err != nil || len(paths) != 3 { // Beside the step lie the dual variables of all sources and without the first.
		t.Fatal(paths, err)
	}
	slices.Reverse(paths) // in the order in which they are read
	for _, path := range paths {
		flipBytes(t, path, func() error {
			_, _, err := measureRows(t, t.Context(), rows, o)
			return err
		})
	}
}

// flipBytes changes single bytes of a file, and expects that a run finds each change.
func flipBytes(t *testing.T, path string, run func() error) {
	t.Helper()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; k < len(sound); k += testlevel.Stride(len(sound)/12+7, 7) {
		if sound[k] == ' ' || sound[k] == '\n' {
			continue
		}
		bad := bytes.Clone(sound)
		if bad[k] ^= 1; sameJSON[step](sound, bad) || sameJSON[duals](sound, bad) {
			continue
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(); !errors.Is(err, fail.Corrupt) {
			t.Fatalf("%s, byte %d of %d, %q: %v", path, k, len(sound), bad[max(0, k-20):min(len(bad), k+20)], err)
		}
	}
	if err := os.WriteFile(path, sound, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWorth has closed forms.
func TestWorth(t *testing.T) {
	t.Parallel()
	if w := worthOf(evaluate.Resample([]float64{0, 0, 0, 0, 0}, .25), .01); w.Above != 0 || w.Relevant != 0 || w.Negligible != 1 {
		t.Errorf("%+v of a source that changes nothing", w)
	}
	if w := worthOf(evaluate.Resample([]float64{.1}, .25), .01); w.Above != 0 || w.Negligible != 0 {
		t.Errorf("%+v of one fold", w)
	}
	w := worthOf(evaluate.Resample([]float64{.1, .2, .3, .2, .1}, .25), .01)
	if !(w.Above > w.Relevant && w.Relevant > .9) || math.Abs(w.Relevant+w.Negligible-1) > 1e-15 {
		t.Errorf("%+v", w)
	}
}
