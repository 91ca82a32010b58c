// Package peers compares trainings with other programs, and versions of this program with each other.
package peers

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
)

// peerRow is one program on one problem.
type peerRow struct {
	Problem    string  `json:"problem" table:"problem"`
	Points     int     `json:"n" table:"n|%d|blank"`
	Program    string  `json:"program" table:"program"`
	Threads    int     `json:"threads,omitempty" table:"threads|%d|blank"`
	Training   float64 `json:"train_seconds,omitempty" table:"training s|%.2f|blank"`
	Process    float64 `json:"process_seconds,omitempty" table:"reading and training s|%.2f|blank"`
	CPU        float64 `json:"cpu_seconds,omitempty" table:"CPU s|%.2f|blank"`
	Slower     float64 `json:"slower,omitempty" table:"times bigmkl's wall|%.1f|blank"`
	Resident   int64   `json:"peak_rss_bytes,omitempty" table:"peak MiB|MiB|blank"`
	Objective  float64 `json:"dual,omitempty" table:"dual objective|%.6f|blank"`
	Difference float64 `json:"dual_difference,omitempty" table:"differs from bigmkl's by|%.1e|blank"`
	Support    int     `json:"support_vectors,omitempty" table:"support vectors|%d|blank"`
	Bounded    int     `json:"bounded,omitempty" table:"bounded|%d|blank"`
	Error      float64 `json:"test_error_percent,omitempty" table:"test error|%.2f %%|blank"`
	Iterations int     `json:"iterations,omitempty" table:"iterations|%d|blank"`
	Passes     int64   `json:"passes,omitempty" table:"passes|%d|blank"`
	Rows       int64   `json:"rows,omitempty" table:"rows|%d|blank"`
	Gap        float64 `json:"relative_gap,omitempty" table:"relative gap|%.1e|blank"`
	Status     string  `json:"status" table:"status"`
}

const (
	// peerTolerance is the tolerance that the other programs stop at.
	peerTolerance = "0.001"
	// peerCache is the kernel cache of the other programs in MB.
	peerCache = 4000
)

// Peers compares with the programs that a user would take instead.
func Peers() harness.Experiment {
	var only []string
	return harness.Experiment{
		Name: "peers", Short: "what a user would take instead: svm-train and scikit-learn",
		Long: "Trains one Gaussian kernel with bigmkl (p = 2, no normalisation, relative gap 1e-3),\n" +
			"with svm-train (package libsvm-tools) and with scikit-learn (package python3-sklearn),\n" +
			"both at a tolerance of 1e-3. All of them read the same text file. The report names\n" +
			"programs that are not installed, and adds recorded figures.",
		Flags: func(f *pflag.FlagSet) {
			f.StringSliceVar(&only, "only", nil,
				"`SETS` of data to compare on (default a9a, w8a, ijcnn1, mnist)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			t := r.Table("One Gaussian kernel, the same file for every program")
			t.Note("Objectives are those of the dual problem. The gap is the certificate of bigmkl; the other "+
				"programs have none. svm-train does not report the time of reading separately. Recorded "+
				"figures are of LIBSVM 3.24 with one thread on a virtual machine with two processors (AMD "+
				"EPYC, Zen 5). The other programs have caches of %d MB.", peerCache)
			for _, p := range listProblems(s, r, only) {
				if err := comparePrograms(ctx, s, t, &p); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// comparePrograms runs every program on a problem.
func comparePrograms(ctx context.Context, s *harness.Session, t *harness.Table, p *peerProblem) error {
	dir, err := os.MkdirTemp(s.Scratch, "bigmkl-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s.Progress.ShowNow("%s: writing the text", p.name)
	train, test, err := p.write(ctx, dir)
	if err != nil {
		return err
	}
	ours, err := trainOurs(ctx, s, p, train, test)
	if err != nil {
		return err
	}
	t.Add(ours)
	for _, theirs := range []func(context.Context, *harness.Session, *peerProblem, string,
		string) (peerRow, error){runSVMTrain, runSklearn} {
		row, err := theirs(ctx, s, p, train, test)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			row.Status = "failed: " + err.Error()
		}
		s.PrintLine("%s, %s: %.2f s, %s", p.name, row.Program, row.Process, row.Status)
		t.Add(row.completeFrom(ours, p))
	}
	if p.recorded != nil {
		t.Add(recordedRow(p.recorded).completeFrom(ours, p))
	}
	return nil
}

// completeFrom completes the row of another program with comparisons to the row of bigmkl.
func (r peerRow) completeFrom(ours peerRow, p *peerProblem) peerRow {
	r.Problem, r.Points = ours.Problem, ours.Points
	r.Slower = harness.Ratio(r.Process, ours.Process)
	if r.Objective != 0 {
		r.Difference = harness.Difference(r.Objective, ours.Objective)
	}
	return r
}

// recordedRow converts recorded figures to a row of the table.
func recordedRow(r *harness.RecordedSVM) peerRow {
	return peerRow{
		Program: "svm-train 3.24, recorded", Threads: 1, Process: r.Seconds,
		Resident: r.Memory * 1e6, Objective: -r.Objective, Support: r.Support,
		Bounded: r.Bounded, Status: "recorded",
	}
}

// trainOurs trains with bigmkl.
func trainOurs(ctx context.Context, s *harness.Session, p *peerProblem, train, test string) (peerRow,
	error) {
	u := harness.Training{Data: harness.DataSet{Name: p.name, File: train}, Norm: "2", Options: bigmkl.Options{
		Kernels: "gauss:" + p.gamma, C: p.c, Gap: 1e-3, Normalize: "none",
	}}
	if test != "" {
		u.Test = &harness.DataSet{Name: p.name, File: test}
	}
	o, err := s.Train(ctx, u)
	return peerRow{
		Problem: fmt.Sprintf("%s, gamma %s, C %g", p.name, p.gamma, p.c), Points: o.Points,
		Program: "bigmkl", Threads: o.Threads, Training: o.Seconds,
		Process: o.Reading + o.Seconds, CPU: o.CPU, Resident: o.Resident, Objective: o.Dual,
		Support: o.Support, Error: o.Error,
		Iterations: o.Iterations, Passes: o.Passes, Rows: o.Rows, Gap: o.Gap, Status: o.Status,
	}, err
}

// runSVMTrain trains and predicts with the programs of LIBSVM.
func runSVMTrain(ctx context.Context, s *harness.Session, p *peerProblem, train, test string) (peerRow,
	error) {
	row := peerRow{Program: "svm-train"}
	if _, err := exec.LookPath("svm-train"); err != nil {
		row.Status = "not installed: apt-get install libsvm-tools"
		return row, nil
	}
	gamma, err := harness.ParseNorm(p.gamma)
	if err != nil {
		return row, err
	}
	s.Progress.ShowNow("%s: svm-train", p.name)
	model := train + ".model"
	out, used, err := harness.RunProgram(ctx, "svm-train", "-t", "2", "-g",
		strconv.FormatFloat(gamma, 'g', -1, 64), "-c", strconv.FormatFloat(p.c, 'g', -1, 64),
		"-e", peerTolerance, "-m", strconv.Itoa(peerCache), train, model)
	if err != nil {
		return row, err
	}
	row.Threads, row.Process, row.CPU, row.Resident = 1, used.Wall, used.CPU, used.Peak.Resident
	if row.Objective, row.Support, row.Bounded, err = parseLIBSVM(out); err != nil || test == "" {
		row.Status = "done"
		return row, err
	}
	s.Progress.ShowNow("%s: svm-predict", p.name)
	out, _, err = harness.RunProgram(ctx, "svm-predict", test, model, os.DevNull)
	if err == nil {
		row.Error, err = parsePrediction(out)
	}
	row.Status = "done"
	return row, err
}

var (
	objectiveLine = regexp.MustCompile(`(?m)^obj = (\S+), rho`)
	supportLine   = regexp.MustCompile(`(?m)^nSV = (\d+), nBSV = (\d+)`)
	accuracyLine  = regexp.MustCompile(`(?m)^Accuracy = (\S+)%`)
)

// parseLIBSVM parses what svm-train prints for two classes. The objective that it prints is minus
// the dual.
func parseLIBSVM(out string) (dual float64, support, bounded int, err error) {
	o, s := objectiveLine.FindStringSubmatch(out), supportLine.FindStringSubmatch(out)
	if o == nil || s == nil {
		return 0, 0, 0, fmt.Errorf("svm-train printed no objective: %q", harness.LastLine(out))
	}
	v, err := strconv.ParseFloat(o[1], 64)
	support, e1 := strconv.Atoi(s[1])
	bounded, e2 := strconv.Atoi(s[2])
	return -v, support, bounded, errors.Join(err, e1, e2)
}

// parsePrediction parses what svm-predict prints and returns the percentage of wrong labels.
func parsePrediction(out string) (float64, error) {
	m := accuracyLine.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("svm-predict printed no accuracy: %q", harness.LastLine(out))
	}
	v, err := strconv.ParseFloat(m[1], 64)
	return 100 - v, err
}

// svcScript is the Python program that trains the SVC of scikit-learn.
//
//go:embed svc.py
var svcScript []byte

// runSklearn runs the SVC of scikit-learn. It uses the first interpreter that can import it,
// because the package of Debian serves the interpreter of Debian alone.
func runSklearn(ctx context.Context, s *harness.Session, p *peerProblem, train, test string) (peerRow,
	error) {
	row := peerRow{Program: "scikit-learn SVC"}
	interpreter := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(ctx, name, "-c", "import sklearn").Run() == nil {
			interpreter = name
			break
		}
	}
	if interpreter == "" {
		row.Status = "not installed: apt-get install python3-sklearn"
		return row, nil
	}
	// A script with the name of the module that it imports would hide that module.
	script := filepath.Join(filepath.Dir(train), "svc.py")
	if err := os.WriteFile(script, svcScript, 0o666); err != nil {
		return row, err
	}
	gamma, err := harness.ParseNorm(p.gamma)
	if err != nil {
		return row, err
	}
	if test == "" {
		test = "-"
	}
	s.Progress.ShowNow("%s: scikit-learn", p.name)
	out, _, err := harness.RunProgram(ctx, interpreter, script, train, test,
		strconv.FormatFloat(gamma, 'g', -1, 64), strconv.FormatFloat(p.c, 'g', -1, 64),
		strconv.Itoa(peerCache))
	if err != nil {
		return row, err
	}
	var found struct {
		Version   string  `json:"version"`
		Reading   float64 `json:"read_seconds"`
		Training  float64 `json:"train_seconds"`
		CPU       float64 `json:"cpu_seconds"`
		Peak      int64   `json:"peak_rss_bytes"`
		Dual      float64 `json:"dual"`
		Support   int     `json:"support_vectors"`
		Bounded   int     `json:"bounded"`
		TestError float64 `json:"test_error_percent"`
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return row, err
	}
	row.Program += " " + found.Version
	row.Threads, row.Training, row.Process, row.CPU = 1, found.Training, found.Reading+found.Training, found.CPU
	row.Resident, row.Objective, row.Support, row.Bounded = found.Peak, found.Dual, found.Support, found.Bounded
	row.Error, row.Status = found.TestError, "done"
	return row, nil
}
