package main

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

// session holds what all experiments of one invocation share.
type session struct {
	stdout, stderr io.Writer
	quick          bool
	third          int // 1, 2 or 3 where only each third experiment is run; 0 for all
	json           bool
	// out is the folder of reports, or "" if none are written.
	out string
	// data is the folder of the data sets.
	data     string
	scratch  string
	threads  int
	progress *progress
}

// addFlags defines the flags that all commands share.
func (s *session) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&s.quick, "quick", false,
		"run a short form that shows that the experiment works; its figures mean nothing")
	f.IntVar(&s.third, "third", 0, "of all experiments run each third one only, beginning with the first (1), the second (2) or the third (3)")
	f.BoolVar(&s.json, "json", false, "print JSON instead of Markdown")
	f.StringVar(&s.out, "out", "", "also write NAME.md, NAME.json and plots into this `DIR`")
	f.StringVar(&s.data, "data", os.Getenv("BIGMKL_DATA"), "`DIR` of the data sets")
	f.StringVar(&s.scratch, "scratch", "",
		"`DIR` for scratch files (default: the system's temporary folder)")
	f.IntVar(&s.threads, "threads", runtime.GOMAXPROCS(0), "number of threads of a training")
}

// completeFlags checks the flags and fills in defaults.
func (s *session) completeFlags() error {
	s.progress = newProgress(s.stderr)
	if s.scratch == "" {
		s.scratch = os.TempDir()
	}
	if s.threads < 1 {
		return fmt.Errorf("%d threads", s.threads)
	}
	if s.third < 0 || s.third > 3 {
		return fmt.Errorf("third %d is not 1, 2 or 3", s.third)
	}
	if s.out != "" {
		return os.MkdirAll(s.out, 0o777)
	}
	return nil
}

// printLine writes a line to standard error.
func (s *session) printLine(format string, args ...any) { s.progress.printLine(format, args...) }

// saveReport writes a report and its attachments into the folder of reports.
func (s *session) saveReport(r *experimentReport) error {
	if s.out == "" {
		return nil
	}
	write := func(name string, content func(w io.Writer) error) error {
		f, err := atomicfile.Create(filepath.Join(s.out, name))
		if err != nil {
			return err
		}
		defer f.Abort()
		return errors.Join(content(f), f.Commit())
	}
	errs := []error{
		write(r.Experiment+".md", r.markdown),
		write(r.Experiment+".json", func(w io.Writer) error { return writeJSON(w, r) }),
	}
	for _, a := range r.attached {
		errs = append(errs, write(r.Experiment+"-"+a.name, a.write))
	}
	return errors.Join(errs...)
}

// printReports writes reports to standard output.
func (s *session) printReports(reports ...*experimentReport) error {
	if s.json {
		return writeJSON(s.stdout, reports...)
	}
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

// chooseInts returns the list that was given, or else the list of a full or a quick run.
func (s *session) chooseInts(given, full, quick []int) []int {
	if s.quick {
		full = quick
	}
	return orDefault(given, full)
}

// orDefault returns the given list, or the other one if it is empty.
func orDefault[T any](given, otherwise []T) []T {
	if len(given) > 0 {
		return given
	}
	return otherwise
}
