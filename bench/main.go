// Command bench runs runtime experiments and prints a Markdown table, or JSON, with the machine that it ran on.
//
//	go run ./bench figure31 mnist.libsvm.gz     the thesis's first runtime experiment (Kloft 2011, Figure 3.1)
//	go run ./bench figure31 --sizes 1000,4000 --norms 1,4/3 mnist.libsvm.gz
//
// Every row is a training run of its own that ends in a certificate; seconds are wall clock, reading apart.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"bigmkl/internal/simd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := &cobra.Command{Use: "bench", Short: "runtime experiments", SilenceUsage: true}
	root.AddCommand(figure31())
	if err := root.ExecuteContext(ctx); err != nil {
		os.Exit(1)
	}
}

// report is one experiment: the machine and the runs.
type report struct {
	Experiment string `json:"experiment"`
	Machine    string `json:"machine"`
	SIMD       string `json:"simd"`
	Threads    int    `json:"threads"`
	Go         string `json:"go"`
	Commit     string `json:"commit"`
	Runs       []run  `json:"runs"`
}

func newReport(experiment string) *report {
	r := &report{Experiment: experiment, Machine: processor(), SIMD: simd.Level(), Threads: runtime.GOMAXPROCS(0), Go: runtime.Version(), Commit: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				r.Commit = s.Value
			}
		}
	}
	return r
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r *report) writeMarkdown(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %s, %s, %d threads, %s, commit %s\n\n", r.Experiment, r.Machine, r.SIMD, r.Threads, r.Go, r.Commit)
	_, e := fmt.Fprintln(w, "| n | kernels | p | seconds | reading | iterations | passes | rows | support vectors | relative gap | status | peak MiB |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
	err = errors.Join(err, e)
	for _, u := range r.Runs {
		_, e := fmt.Fprintf(w, "| %d | %d | %s | %.2f | %.2f | %d | %d | %d | %d | %.2e | %s | %d |\n", u.Points, u.Kernels, u.Norm, u.Seconds, u.Reading,
			u.Iterations, u.Passes, u.Rows, u.Support, u.Gap, u.Status, u.Peak>>20)
		err = errors.Join(err, e)
	}
	return err
}
