package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/machine"
)

// run is one training.
type run struct {
	Points     int     `json:"n"`
	Kernels    int     `json:"kernels"`
	Norm       string  `json:"p"`
	Seconds    float64 `json:"train_seconds"`
	Reading    float64 `json:"read_seconds"`
	Iterations int     `json:"iterations"`
	Passes     int64   `json:"passes"`
	Rows       int64   `json:"rows"`
	Support    int     `json:"support_vectors"`
	Primal     float64 `json:"primal"`
	Dual       float64 `json:"dual"`
	Gap        float64 `json:"relative_gap"`
	Status     string  `json:"status"`
	Peak       int64   `json:"peak_rss_bytes"` // of the process so far
}

// figure31 is MNIST, even against odd digits, C = 1, pixels in [0,1], Gaussians with 2 sigma^2 = 1.2^0 .. 1.2^49.
func figure31() *cobra.Command {
	var sizes []int
	var norms []string
	var memory int64
	var gap float64
	var asJSON bool
	c := &cobra.Command{
		Use: "figure31 MNIST", Short: "time against the number of points for 50 Gaussians (Kloft 2011, Figure 3.1)", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := newReport("Figure 3.1, MNIST even against odd")
			for _, n := range sizes {
				for _, norm := range norms {
					u, err := train(cmd, args[0], n, norm, gap, memory<<20)
					if err != nil {
						return err
					}
					r.Runs = append(r.Runs, u)
					fmt.Fprintf(os.Stderr, "n %d, p %s: %.2f s, gap %.2e\n", n, norm, u.Seconds, u.Gap)
				}
			}
			if asJSON {
				return r.writeJSON(os.Stdout)
			}
			return r.writeMarkdown(os.Stdout)
		},
	}
	c.Flags().IntSliceVar(&sizes, "sizes", []int{500, 1000, 2000, 4000, 8000, 20000, 60000}, "numbers of points")
	c.Flags().StringSliceVar(&norms, "norms", []string{"1", "4/3", "2"}, "block norms")
	c.Flags().Int64Var(&memory, "memory", 0, "budget in MiB, 0 for the default")
	c.Flags().Float64Var(&gap, "gap", 1e-3, "relative gap to reach")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func train(cmd *cobra.Command, path string, n int, norm string, gap float64, memory int64) (run, error) {
	p, err := exponent(norm)
	if err != nil {
		return run{}, err
	}
	src, err := dataset.Open([]string{path}, dataset.ReadOptions{})
	if err != nil {
		return run{}, err
	}
	defer src.Close()
	m, r, err := bigmkl.Train(cmd.Context(), src, bigmkl.Options{
		Kernels: fmt.Sprintf("gauss:%.17g..1/50", math.Pow(1.2, -49)), Norm: p, Gap: gap, Memory: memory, Limit: n,
		Scale: "global", Normalize: "none", Positive: []string{"0", "2", "4", "6", "8"},
	})
	if err != nil {
		return run{}, err
	}
	return run{
		Points: m.Points, Kernels: len(m.Theta), Norm: norm, Seconds: r.Train.Seconds(), Reading: r.Read.Seconds(), Iterations: r.Iterations,
		Passes: r.Gradient.Passes, Rows: r.Gradient.Rows, Support: len(m.Support), Primal: m.Certificate.Primal, Dual: m.Certificate.Dual,
		Gap: m.Certificate.RelativeGap, Status: string(r.Status), Peak: machine.PeakRSS(),
	}, nil
}

// exponent reads a norm such as 1, 4/3 or inf.
func exponent(s string) (float64, error) {
	a, b, fraction := strings.Cut(s, "/")
	p, err := strconv.ParseFloat(a, 64)
	if err == nil && fraction {
		var q float64
		if q, err = strconv.ParseFloat(b, 64); err == nil {
			p /= q
		}
	}
	if err != nil {
		return 0, fmt.Errorf("norm %q: %w", s, err)
	}
	return p, nil
}

// processor names the CPU.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if name, ok := strings.CutPrefix(scan.Text(), "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return "unknown processor"
}
