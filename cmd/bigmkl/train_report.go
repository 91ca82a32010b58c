package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/evaluate/score"
	"bigmkl/internal/host"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// trainJSON is what --json prints.
type trainJSON struct {
	File           string          `json:"file,omitempty"` // of a path's model
	Status         chunking.Status `json:"status"`
	N              int             `json:"n"`
	D              int             `json:"d"`
	Kernels        int             `json:"kernels"`
	P              blockNorm       `json:"p"`
	Norm           string          `json:"norm,omitempty"`
	C              number          `json:"C"`
	Primal         number          `json:"primal"`
	Dual           number          `json:"dual"`
	RelativeGap    number          `json:"relative_gap"`
	Untrained      int             `json:"untrained,omitempty"` // machines that no step has been taken for
	Certificate    string          `json:"certificate"`
	Iterations     int             `json:"iterations"`
	Resumed        int             `json:"resumed_at,omitempty"` // iteration
	Passes         int64           `json:"passes"`
	SupportVectors int             `json:"support_vectors"`
	Bias           number          `json:"bias"`
	Seconds        number          `json:"seconds"`
	ReadSeconds    number          `json:"read_seconds"`
	TrainSeconds   number          `json:"train_seconds"`
	PeakRSS        int64           `json:"peak_rss_bytes"`
	Cache          cacheJSON       `json:"cache"`
	Test           *evaluation     `json:"test,omitempty"`
	Warnings       []string        `json:"warnings"`
	Theta          []number        `json:"theta"`
	WNorms         []number        `json:"w_norms"`
	Multiclass     string          `json:"multiclass,omitempty"`
	Machines       []machineJSON   `json:"machines,omitempty"` // of a model of several, which has no bias, theta and values of its own
}

type cacheJSON struct {
	Hits         int64 `json:"hits"`
	Misses       int64 `json:"misses"`
	DiskHits     int64 `json:"disk_hits"`
	SpilledBytes int64 `json:"spilled_bytes"`
	Damaged      int64 `json:"damaged"`
}

// warnings tells what is doubtful about a run, and gives it with its score. s may be nil.
func (t *training) warnings(m *bigmkl.Model, r *bigmkl.Result, s *score.Score) (*evaluation, []string) {
	warnings := append([]string{}, r.Warnings...)
	stats := r.Gradient.And(r.Folding.Gradient)
	if off := stats.Cache.DiskOff; off != "" {
		warnings = append(warnings, "no rows go to disk: "+off)
	}
	if n := stats.Cache.Damaged; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d rows came back damaged from disk and were computed again", n))
	}
	if t.costly && m.Task == model.TaskOneClass {
		warnings = append(warnings, "-C has no part in one class: --nu says what may be left out")
	}
	var test *evaluation
	if s != nil {
		e := evaluation{Evaluation: s.Evaluation()}
		test = &e
		warnings = append(warnings, s.Warnings()...)
	}
	for _, w := range warnings {
		t.complain("warning: %s", w)
	}
	return test, warnings
}

// report prints what the run has given. s may be nil.
func (t *training) report(m *bigmkl.Model, r *bigmkl.Result, s *score.Score) error {
	test, warnings := t.warnings(m, r, s)
	b, err := m.Bank()
	if err != nil {
		return err
	}
	if t.json {
		return t.printJSON(t.object(m, b, r, test, warnings))
	}
	out := t.stdout
	if standard(t.out) {
		out = t.stderr
	}
	return t.summary(out, m, b, r, test)
}

func (t *training) object(m *bigmkl.Model, b *kernelspec.Bank, r *bigmkl.Result, test *evaluation, warnings []string) trainJSON {
	c := r.Gradient.Cache
	j := trainJSON{
		Status: r.Status, N: m.Points, D: m.Features, Kernels: m.Len(), P: blockNorm(m.Norm), Norm: normWords(&m.Model, b), C: number(m.C),
		Primal: number(m.Certificate.Primal), Dual: number(m.Certificate.Dual), RelativeGap: number(m.Certificate.RelativeGap),
		Certificate: m.Certificate.Kind, Iterations: r.Iterations, Resumed: r.Resumed, Passes: r.Gradient.Passes, SupportVectors: len(m.Support),
		Bias: number(m.Bias), Seconds: number(time.Since(t.start).Seconds()), ReadSeconds: number(r.Read.Seconds()),
		TrainSeconds: number(r.Train.Seconds()), PeakRSS: host.PeakRSS(),
		Cache:     cacheJSON{c.Hits, c.Misses, c.DiskHits, c.SpilledBytes, c.Damaged},
		Untrained: m.Untrained(), Test: test, Warnings: warnings, Theta: numbers(m.Theta), WNorms: numbers(m.WNorms), Multiclass: m.Multiclass, Machines: newMachinesJSON(&m.Model),
	}
	if m.Several() {
		w, _ := m.Worst()
		none := number(math.NaN())
		j.Bias, j.RelativeGap, j.Certificate, j.Theta, j.WNorms = none, number(w.RelativeGap), w.Kind, nil, nil
		if m.OneTheta {
			j.Theta, j.WNorms = numbers(m.Shared()), numbers(model.Together(&m.Model))
		} else {
			j.Primal, j.Dual = none, none
		}
	}
	return j
}

// summary writes the same for people.
func (t *training) summary(w io.Writer, m *bigmkl.Model, b *kernelspec.Bank, r *bigmkl.Result, test *evaluation) error {
	cert, machine := m.Worst()
	status := strings.ReplaceAll(string(r.Status), "_", " ")
	if machine >= 0 {
		fmt.Fprintf(w, "%s after %d iterations of %d machines: largest relative gap %.3g (asked %.3g), of machine %s\n",
			status, r.Iterations, len(m.Machines), cert.RelativeGap, m.Gap, m.ShortName(machine))
	} else {
		fmt.Fprintf(w, "%s after %d iterations: relative gap %.3g (asked %.3g), primal %.9g, dual %.9g\n",
			status, r.Iterations, cert.RelativeGap, m.Gap, cert.Primal, cert.Dual)
	}
	if r.Resumed > 0 {
		fmt.Fprintf(w, "resumed from the checkpoint after iteration %d\n", r.Resumed)
	}
	fmt.Fprintf(w, "%d rows, %d features, %d kernels, %s, C = %g; %d support vectors; %s (%s to read)\n",
		m.Points, m.Features, m.Len(), describeNorm(&m.Model, b), m.C, len(m.Support), formatTime(time.Since(t.start)), formatTime(r.Read))
	if f := r.Folding; f.Trainings > 0 {
		fmt.Fprintf(w, "probabilities from %d trainings without a fold: %d iterations, %s\n", f.Trainings, f.Iterations, formatFine(f.Time))
	}
	if cert.Kind == "stationary" {
		fmt.Fprintln(w, "an indefinite kernel is in use: the gap shows a stationary point, it proves no optimum")
	}
	if test != nil {
		fmt.Fprintf(w, "%s: %s\n", t.test, test)
	}
	fmt.Fprintln(w)
	if m.Several() {
		if err := printMachines(w, &m.Model, r.Sides, false); err != nil {
			return err
		}
		over := "averaged over " + overMachines(&m.Model)
		if m.OneTheta {
			over = fmt.Sprintf("of all %d machines", len(m.Machines))
		}
		fmt.Fprintf(w, "\n%s:\n", over)
	}
	by, list := parts(averaged(&m.Model), b)
	return printParts(w, by, list)
}

// ending is the exit code of a run that has written its model. s is the score on the test file, nil if there is none.
func (t *training) ending(ctx context.Context, m *bigmkl.Model, r *bigmkl.Result, s *score.Score) error {
	c, _ := m.Worst()
	where := fmt.Sprintf("at a relative gap of %.3g (asked %.3g); the model is written", c.RelativeGap, m.Gap)
	switch r.Status {
	case chunking.Converged:
		if t.test != "" && s == nil && ctx.Err() != nil {
			return &ending{exitInterrupted, "interrupted while testing; the model is written"}
		}
		return nil
	case chunking.Interrupted:
		return &ending{exitInterrupted, "interrupted " + where}
	case chunking.TimeLimit:
		return &ending{exitStopped, "the time limit came " + where}
	case chunking.IterationLimit:
		return &ending{exitStopped, "the iteration limit came " + where}
	}
	hint := ""
	if m.Precision == string(chunking.Single) {
		hint = " (--precision auto goes further)"
	}
	return &ending{exitStopped, "no step improves the solution any more, " + where + hint}
}
