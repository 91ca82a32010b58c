// Package harness runs experiments: their command line, data sets, trainings in processes of their own, progress, and
// reports as Markdown and JSON. An experiment is a value of Experiment. A Session is used by one goroutine.
package harness

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"bigmkl/internal/atomicfile"
)

// Session holds what all experiments of one invocation share.
// Its fields are flags, apart from the writers and Progress.
type Session struct {
	stdout, stderr io.Writer
	Quick          bool
	third          int // 1, 2 or 3 where only each third experiment is run; 0 for all
	json           bool
	// Out is the folder of reports, or "" if none are written.
	Out  string
	Data Folder
	// Scratch is a folder for files of trainings. Its disk should be a real one where an experiment
	// measures disks.
	Scratch  string
	Threads  int
	Progress *progress
}

// NewSession returns a session that prints reports to stdout and its progress to stderr. Its scratch files go to the
// temporary folder of the system, and its trainings use all processors.
func NewSession(stdout, stderr io.Writer) *Session {
	return &Session{stdout: stdout, stderr: stderr, Scratch: os.TempDir(), Threads: runtime.GOMAXPROCS(0),
		Progress: newProgress(stderr)}
}

// addFlags defines the flags that all commands share.
func (s *Session) addFlags(f *pflag.FlagSet) {
	// The flags belong to the root, so each subcommand has them.
	f.BoolVar(&s.Quick, "quick", false,
		"run a short form that shows that the experiment works; its figures mean nothing")
	f.IntVar(&s.third, "third", 0, "of all experiments run each third one only, beginning with the first (1), the second (2) or the third (3)")
	f.BoolVar(&s.json, "json", false, "print JSON instead of Markdown")
	f.StringVar(&s.Out, "out", "", "also write NAME.md, NAME.json and plots into this `DIR`")
	f.StringVar((*string)(&s.Data), "data", os.Getenv("BIGMKL_DATA"), "`DIR` of the data sets")
	f.StringVar(&s.Scratch, "scratch", s.Scratch, "`DIR` for scratch files")
	f.IntVar(&s.Threads, "threads", s.Threads, "number of threads of a training")
}

// checkFlags checks the flags and makes the folder of reports.
func (s *Session) checkFlags() error {
	if s.Threads < 1 {
		return fmt.Errorf("%d threads", s.Threads)
	}
	if s.third < 0 || s.third > 3 {
		return fmt.Errorf("third %d is not 1, 2 or 3", s.third)
	}
	// The folder is made before the first experiment, since a fault after hours would lose its report.
	if s.Out != "" {
		return os.MkdirAll(s.Out, 0o777)
	}
	return nil
}

// PrintLine writes a line to standard error.
// Standard output has the reports alone, so it can go to a file.
func (s *Session) PrintLine(format string, args ...any) { s.Progress.printLine(format, args...) }

// saveReport writes a report and its attachments into the folder of reports. The folder has one
// Markdown file for readers and one JSON file for programs, with the same figures.
func (s *Session) saveReport(r *Report) error {
	if s.Out == "" {
		return nil
	}
	write := func(name string, content func(w io.Writer) error) error {
		f, err := atomicfile.Create(filepath.Join(s.Out, name))
		if err != nil {
			return err
		}
		defer f.Abort()
		if err := content(f); err != nil {
			return err
		}
		return f.Commit()
	}
	errs := []error{
		write(r.Experiment+".md", r.markdown),
		write(r.Experiment+".json", func(w io.Writer) error { return writeJSON(w, r) }),
	}
	// Files appear whole or not at all, so a report of an earlier run stays if this one is
	// interrupted.
	for _, a := range r.attached {
		errs = append(errs, write(r.Experiment+"-"+a.name, a.write))
	}
	return errors.Join(errs...)
}

// printReports writes reports to standard output.
func (s *Session) printReports(reports ...*Report) error {
	// Several reports are one JSON document.
	if s.json {
		return writeJSON(s.stdout, reports...)
	}
	// A blank line divides reports.
	for i, r := range reports {
		if i > 0 {
			if _, err := fmt.Fprintln(s.stdout); err != nil {
				return err
			}
		}
		if err := r.markdown(s.stdout); err != nil {
			return err
		}
	}
	return nil
}

// ChooseInts returns the list that was given, or else the list of a full or a quick run.
// A flag beats both lists, also in a quick run.
func (s *Session) ChooseInts(given, full, quick []int) []int {
	if s.Quick {
		full = quick
	}
	return OrDefault(given, full)
}

// OrDefault returns the given list, or the other one if it is empty.
func OrDefault[T any](given, otherwise []T) []T {
	if len(given) > 0 {
		return given
	}
	return otherwise
}
