package peers

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"

	"bigmkl/bench/internal/harness"
)

// peer is another program that is installed.
// train writes the model of LIBSVM's format that gapOf reads.
type peer struct {
	name       string
	regression bool // it trains regressions, too
	train      func(ctx context.Context, l *workLine, file string) (peerTraining, error)
}

// peerTraining is one training of a peer, whose model is in the file of the rows with .model behind its name.
type peerTraining struct {
	cpu  float64 // seconds
	dual float64 // the dual value that it prints; 0 if it prints none
}

const (
	// peerTolerance is the tolerance that the other programs stop at. It is the default of all three.
	peerTolerance = "0.001"
	// peerCache is the kernel cache of the other programs in MB. The default of LIBSVM, 100 MB, would
	// make it slow for want of memory.
	peerCache = "4000"
)

// installedPeers lists the other programs that are installed, and notes which are not.
// Only ThunderSVM and LIBSVM are programs. scikit-learn runs in Python.
func installedPeers(ctx context.Context, r *harness.Report) []peer {
	var list []peer
	if _, err := exec.LookPath("svm-train"); err == nil {
		list = append(list, peer{"LIBSVM", true, trainerOf("svm-train", "-m", peerCache)})
	} else {
		r.Note("LIBSVM is not installed: apt-get install libsvm-tools")
	}
	if _, err := exec.LookPath("thundersvm-train"); err == nil {
		list = append(list, peer{"ThunderSVM", false, trainerOf("thundersvm-train", "-o", "1")})
	} else {
		r.Note("ThunderSVM is not installed: no thundersvm-train in PATH")
	}
	if python := findSklearn(ctx); python != "" {
		list = append(list, peer{"scikit-learn", false, sklearnOf(python)})
	} else {
		r.Note("scikit-learn is not installed: apt-get install python3-sklearn")
	}
	return list
}

// trainerOf returns the training by a program that has the options of LIBSVM, and some of its own.
func trainerOf(program string, own ...string) func(context.Context, *workLine, string) (peerTraining, error) {
	return func(ctx context.Context, l *workLine, file string) (peerTraining, error) {
		// -s 0 is C-SVC, -t 2 the Gaussian kernel, and -e the tolerance.
		args := append([]string{"-s", "0", "-t", "2", "-e", peerTolerance,
			"-g", strconv.FormatFloat(l.gamma, 'g', -1, 64), "-c", strconv.FormatFloat(l.c, 'g', -1, 64)}, own...)
		if l.regression {
			// -s 3 is epsilon-SVR.
			args[1] = "3"
			args = append(args, "-p", strconv.FormatFloat(l.epsilon, 'g', -1, 64))
		}
		out, used, err := harness.RunProgram(ctx, program, append(args, file, file+".model")...)
		if err != nil {
			return peerTraining{}, err
		}
		// For classes the dual value follows from the model.
		t := peerTraining{cpu: used.CPU}
		if l.regression {
			t.dual, err = parseDual(out)
		}
		return t, err
	}
}

// objectiveLine matches the line of svm-train with its objective, which is minus the dual value.
var objectiveLine = regexp.MustCompile(`(?m)^obj = (\S+), rho`)

// parseDual parses the dual value that svm-train prints, which is minus its objective.
func parseDual(out string) (float64, error) {
	// A version with another text would otherwise give a gap of another problem.
	o := objectiveLine.FindStringSubmatch(out)
	if o == nil {
		return 0, fmt.Errorf("svm-train printed no objective: %q", harness.LastLine(out))
	}
	v, err := strconv.ParseFloat(o[1], 64)
	return -v, err
}

// svcScript is the Python program that trains the SVC of scikit-learn.
//
//go:embed svc.py
var svcScript []byte

// findSklearn returns the first interpreter that can import scikit-learn, or "". The package of Debian serves
// the interpreter of Debian alone.
func findSklearn(ctx context.Context) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(ctx, name, "-c", "import sklearn").Run() == nil {
			return name
		}
	}
	return ""
}

// sklearnOf returns the training by the SVC of scikit-learn. Its processor time leaves out the imports.
func sklearnOf(python string) func(context.Context, *workLine, string) (peerTraining, error) {
	return func(ctx context.Context, l *workLine, file string) (peerTraining, error) {
		// A script with the name of the module that it imports would hide that module.
		script := file + ".svc.py"
		if err := os.WriteFile(script, svcScript, 0o666); err != nil {
			return peerTraining{}, err
		}
		out, _, err := harness.RunProgram(ctx, python, script, file, file+".model",
			strconv.FormatFloat(l.gamma, 'g', -1, 64), strconv.FormatFloat(l.c, 'g', -1, 64), peerTolerance, peerCache)
		if err != nil {
			return peerTraining{}, err
		}
		// The script measures itself, after its imports.
		var found struct {
			CPU float64 `json:"cpu_seconds"`
		}
		err = json.Unmarshal([]byte(out), &found)
		return peerTraining{cpu: found.CPU}, err
	}
}
