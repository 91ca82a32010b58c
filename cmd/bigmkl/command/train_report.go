package command

import (
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

// reportModel prints the warnings and the report of one training. The score may be nil.
func (t *trainCommand) reportModel(m *bigmkl.Model, r *bigmkl.Result, s *score.Score) error {
	b, err := m.Bank()
	if err != nil {
		return err
	}
	test, warnings := t.warnAbout(m, b, r, s, "")
	if t.json {
		return t.printJSON("train", t.newJSON(m, b, r, test, warnings))
	}
	out := t.stdout
	if isStandardOutput(t.out) {
		out = t.stderr
	}
	return t.printSummary(out, m, b, r, test)
}

// printSummary writes the report of one training as text.
func (t *trainCommand) printSummary(w io.Writer, m *bigmkl.Model, b *kernelspec.Bank,
	r *bigmkl.Result, test *evaluation) error {
	b = withFileNames(b, t.options.Kernels)
	cert, machine := m.Worst()
	status := strings.ReplaceAll(string(r.Status), "_", " ")
	if machine >= 0 {
		fmt.Fprintf(w,
			"%s after %s of %d machines: largest relative gap %.3g (asked %.3g)%s, of machine %s\n",
			status, count(r.Iterations, "iteration"), len(m.Machines), cert.RelativeGap, m.Gap, ofGates(&m.Model),
			m.ShortName(machine))
	} else {
		fmt.Fprintf(w,
			"%s after %s: relative gap %.3g (asked %.3g)%s, primal %.9g, dual %.9g\n",
			status, count(r.Iterations, "iteration"), cert.RelativeGap, m.Gap, ofGates(&m.Model), cert.Primal, cert.Dual)
	}
	if r.Resumed > 0 {
		fmt.Fprintf(w, "resumed from the checkpoint after iteration %d\n", r.Resumed)
	}
	fmt.Fprintf(w,
		"%s, %s, %s, %s, %s; %s; %s (%s to read)\n",
		count(m.Points, "row"), describeFeatures(&m.Model), count(m.Len(), "kernel"), describeNorm(&m.Model,
			b), describeCost(&m.Model), count(len(m.Support), "support vector"), formatTime(time.Since(t.start)), formatTime(r.Read))
	if s := m.ScalingOfData(); s.Choice != "" {
		fmt.Fprintf(w, "scaling %s\n", s.Choice)
	}
	if m.Scaling.Imputes() {
		fmt.Fprintf(w, "missing values filled in: %s of the training rows\n", describeImputation(m.Scaling.Impute))
	}
	if r.TargetUnit > 0 {
		fmt.Fprintf(w, "deviation of the targets %.4g: %s\n", r.TargetUnit, describeLossInUnits(&m.Model))
	}
	if p := describeProjection(&m.Model); p != "" {
		fmt.Fprintf(w, "%s\n", p)
	}
	if gates := describeGates(&m.Model); gates != "" {
		fmt.Fprintf(w, "%s\n", gates)
	}
	if d := m.Discriminant; d != nil {
		fmt.Fprintf(w, "criterion %.9g of %d classes\n", d.Criterion, len(m.Classes))
	}
	printMixture(w, &m.Model)
	printPosteriors(w, &m.Model)
	if f := r.Folding; f.Trainings > 0 {
		fmt.Fprintf(w, "probabilities from %d trainings without a fold: %d iterations, %s\n",
			f.Trainings, f.Iterations, formatFine(f.Time))
	}
	if cert.Kind == "stationary" {
		fmt.Fprintln(w, describeStationary(&m.Model, b))
	}
	if c := newCostsJSON(&m.Model, b, b.Costs()); c != nil {
		fmt.Fprintf(w, "total cost %s\n", c.describe(&m.Model))
	}
	if test != nil {
		fmt.Fprintf(w, "%s: %s\n", t.test, test)
	}
	fmt.Fprintln(w)
	if m.Several() {
		if err := printMachines(w, &m.Model, r.Sides, false); err != nil {
			return err
		}
		over := "averaged over " + describeTrained(&m.Model)
		if m.OneTheta {
			over = fmt.Sprintf("of all %d machines", len(m.Machines))
		}
		fmt.Fprintf(w, "\n%s:\n", over)
	}
	by, list := summarizeWeights(averageMachines(&m.Model), b)
	if err := printWeights(w, by, list); err != nil {
		return err
	}
	if m.Len() > 1 {
		fmt.Fprintf(w, "\n%s\n", howToReadWeights)
	}
	return nil
}

// warnAbout prints the warnings about a training and its test. It returns them with the figures of
// the test, which are nil if nothing was tested. Of several models, file is that of the one that the
// warnings are about.
func (t *trainCommand) warnAbout(m *bigmkl.Model, b *kernelspec.Bank, r *bigmkl.Result,
	s *score.Score, file string) (*evaluation, []string) {
	warnings := append([]string{}, r.Warnings...)
	stats := r.Gradient.And(r.Folding.Gradient)
	if off := stats.Cache.DiskOff; off != "" {
		warnings = append(warnings, "kernel rows are not cached on disk: "+off)
	}
	if n := stats.Cache.Damaged; n > 0 {
		warnings = append(warnings,
			fmt.Sprintf("%d cached rows were damaged on disk and have been computed again", n))
	}
	if t.costGiven && m.Task == model.TaskOneClass {
		warnings = append(warnings, "-C has no effect with --task oneclass: use --nu")
	}
	for _, advice := range []string{adviseSupport(&m.Model), adviseWidths(&m.Model, b)} {
		// Warnings about the data are the same for all models and are shown once. These are not.
		if advice != "" && file != "" {
			advice = file + ": " + advice
		}
		if advice != "" {
			warnings = append(warnings, advice)
		}
	}
	var test *evaluation
	if s != nil {
		e := evaluation{Evaluation: s.Evaluation()}
		test = &e
		warnings = append(warnings, s.Warnings()...)
	}
	t.warn(warnings...)
	return test, warnings
}

// newJSON converts a training to the object that --json prints.
func (t *trainCommand) newJSON(m *bigmkl.Model, b *kernelspec.Bank, r *bigmkl.Result,
	test *evaluation, warnings []string) trainJSON {
	c := r.Gradient.Cache
	j := trainJSON{
		Status: r.Status, N: m.Points, D: m.Features, Kernels: m.Len(), P: blockNorm(m.Norm),
		Norm: describeUnusualNorm(&m.Model, b), C: number(costOf(&m.Model)), CostWeight: newCostWeight(&m.Model),
		Primal: number(m.Certificate.Primal), Dual: number(m.Certificate.Dual),
		RelativeGap: number(m.Certificate.RelativeGap),
		Certificate: m.Certificate.Kind, Iterations: r.Iterations, Resumed: r.Resumed,
		Passes: r.Gradient.Passes, SupportVectors: len(m.Support),
		Bias: number(m.Bias), Seconds: number(time.Since(t.start).Seconds()),
		ReadSeconds:  number(r.Read.Seconds()),
		TrainSeconds: number(r.Train.Seconds()), PeakRSS: host.PeakRSS(),
		Ranks:     newRanksJSON(r.Ranks),
		Cache:     cacheJSON{c.Hits, c.Misses, c.DiskHits, c.SpilledBytes, c.Damaged},
		Costs:     newCostsJSON(&m.Model, b, b.Costs()),
		Untrained: m.Untrained(), Test: test, Warnings: warnings, Names: specifications(b),
		Theta:  numbers(m.Theta),
		WNorms: numbers(m.WNorms), Multiclass: m.Multiclass, Machines: newMachinesJSON(&m.Model, r.Each),
		Posteriors: newPosteriorsJSON(&m.Model), Gates: newGatingJSON(&m.Model),
		Projection:       newProjectionJSON(&m.Model, false),
		discriminantJSON: newDiscriminantJSON(&m.Model), mixtureJSON: newMixtureJSON(&m.Model),
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

// trainJSON is the object that train --json prints. If a model has several machines, the bias, the
// weights and the values that differ between machines are null.
type trainJSON struct {
	// File is the file of one model of a path.
	File    string          `json:"file,omitempty"`
	Status  chunking.Status `json:"status"`
	N       int             `json:"n"`
	D       int             `json:"d"`
	Kernels int             `json:"kernels"`
	P       blockNorm       `json:"p"`
	Norm    string          `json:"norm,omitempty"`
	C       number          `json:"C"`
	// CostWeight is absent unless C was found along with the weights.
	CostWeight  *number `json:"cost_weight,omitempty"`
	Primal      number  `json:"primal"`
	Dual        number  `json:"dual"`
	RelativeGap number  `json:"relative_gap"`
	// Untrained counts the machines for which no step was taken.
	Untrained   int    `json:"untrained,omitempty"`
	Certificate string `json:"certificate"`
	Iterations  int    `json:"iterations"`
	// Resumed is the iteration from whose checkpoint the run was resumed.
	Resumed        int   `json:"resumed_at,omitempty"`
	Passes         int64 `json:"passes"`
	SupportVectors int   `json:"support_vectors"`
	// Costs is absent if no kernel has a cost.
	Costs        *costsJSON `json:"costs,omitempty"`
	Bias         number     `json:"bias"`
	Seconds      number     `json:"seconds"`
	ReadSeconds  number     `json:"read_seconds"`
	TrainSeconds number     `json:"train_seconds"`
	PeakRSS      int64      `json:"peak_rss_bytes"`
	// Ranks is absent if one process trained.
	Ranks    []rankJSON  `json:"ranks,omitempty"`
	Cache    cacheJSON   `json:"cache"`
	Test     *evaluation `json:"test,omitempty"`
	Warnings []string    `json:"warnings"`
	// Names holds the specification of each kernel, in the order of theta and w_norms.
	Names      []string `json:"kernel_names"`
	Theta      []number `json:"theta"`
	WNorms     []number `json:"w_norms"`
	Multiclass string   `json:"multiclass,omitempty"`
	discriminantJSON
	mixtureJSON
	// Posteriors is absent if the labels are certain.
	Posteriors *posteriorsJSON `json:"posteriors,omitempty"`
	// Gates are those of the kernels, and nil if they have none.
	Gates *gatingJSON `json:"gates,omitempty"`
	// Projection is absent unless the kernel sees projected features.
	Projection *projectionJSON `json:"projection,omitempty"`
	// Machines is absent if the model has one machine.
	Machines []machineJSON `json:"machines,omitempty"`
}

// cacheJSON counts how often kernel rows were found in the cache.
type cacheJSON struct {
	Hits         int64 `json:"hits"`
	Misses       int64 `json:"misses"`
	DiskHits     int64 `json:"disk_hits"`
	SpilledBytes int64 `json:"spilled_bytes"`
	Damaged      int64 `json:"damaged"`
}
