package command

import (
	"math"
	"time"

	"bigmkl/chunking"
	"bigmkl/internal/host"
)

// newTrainJSON converts a training to the object that --json prints. The process began at the given time.
func newTrainJSON(a *account, start time.Time) trainJSON {
	m, r, b := a.model, a.result, a.bank
	c := r.Gradient.Cache
	j := trainJSON{
		Status: r.Status, N: m.Points, D: m.Features, Kernels: m.Len(), P: blockNorm(m.Norm),
		Norm: describeUnusualNorm(&m.Model, b), C: number(costOf(&m.Model)), CostWeight: newCostWeight(&m.Model),
		Primal: number(m.Certificate.Primal), Dual: number(m.Certificate.Dual),
		RelativeGap: number(m.Certificate.RelativeGap),
		Certificate: m.Certificate.Kind, Iterations: r.Iterations, Resumed: r.Resumed,
		Passes: r.Gradient.Passes, SupportVectors: len(m.Support),
		Bias: number(m.Bias), Seconds: number(time.Since(start).Seconds()),
		ReadSeconds:  number(r.Read.Seconds()),
		TrainSeconds: number(r.Train.Seconds()), PeakRSS: host.PeakRSS(),
		Ranks:     newRanksJSON(r.Ranks),
		Cache:     cacheJSON{c.Hits, c.Misses, c.DiskHits, c.SpilledBytes, c.Damaged},
		Costs:     newCostsJSON(&m.Model, b, b.Costs()),
		Untrained: m.Convergence().Untrained(), Test: a.test, Warnings: a.warnings, Names: specifications(b),
		Theta:  numbers(m.Theta),
		WNorms: numbers(m.WNorms), Multiclass: m.Multiclass, Classifiers: newClassifiersJSON(&m.Model, r.Each),
		Posteriors: newPosteriorsJSON(&m.Model), Gates: newGatingJSON(&m.Model), HeldOut: newHeldOutProbabilitiesJSON(r),
		Projection:       newProjectionJSON(&m.Model, false),
		discriminantJSON: newDiscriminantJSON(&m.Model), mixtureJSON: newMixtureJSON(&m.Model),
	}
	if m.Several() {
		w, _ := m.Convergence().Worst()
		none := number(math.NaN())
		j.Bias, j.RelativeGap, j.Certificate, j.Theta, j.WNorms = none, number(w.RelativeGap), w.Kind, nil, nil
		if m.OneTheta {
			j.Theta, j.WNorms = numbers(m.Shared()), numbers(m.SharedNorms())
		} else {
			j.Primal, j.Dual = none, none
		}
	}
	return j
}

// trainJSON is the object that train --json prints. If a model has several classifiers, the bias,
// the weights and the values that differ between classifiers are null. Keys that a task does not have
// are absent, and values that are not defined are null. docs/JSON.md describes each key.
type trainJSON struct {
	// File is the file of one model of a path.
	File string `json:"file,omitempty"`
	// Status is the reason why the training ended, such as converged or time_limit.
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
	// Untrained counts the classifiers for which no step was taken.
	Untrained   int    `json:"untrained,omitempty"`
	Certificate string `json:"certificate"`
	// Iterations counts steps of the solver, and Passes computations of gradients over all points.
	Iterations int `json:"iterations"`
	// Resumed is the iteration from whose checkpoint the run was resumed.
	Resumed        int   `json:"resumed_at,omitempty"`
	Passes         int64 `json:"passes"`
	SupportVectors int   `json:"support_vectors"`
	// Costs is absent if no kernel has a cost.
	Costs *costsJSON `json:"costs,omitempty"`
	Bias  number     `json:"bias"`
	// Seconds is the time of the process, reading and testing included. TrainSeconds is the training
	// alone.
	Seconds      number `json:"seconds"`
	ReadSeconds  number `json:"read_seconds"`
	TrainSeconds number `json:"train_seconds"`
	PeakRSS      int64  `json:"peak_rss_bytes"`
	// Ranks is absent if one process trained.
	Ranks []rankJSON `json:"ranks,omitempty"`
	Cache cacheJSON  `json:"cache"`
	// Test has the figures of --test.
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
	// HeldOut is absent without probabilities, and of several classifiers.
	HeldOut *heldOutProbabilitiesJSON `json:"held_out_probabilities,omitempty"`
	// Gates are the gates of the kernels, and nil if they have none.
	Gates *gatingJSON `json:"gates,omitempty"`
	// Projection is absent unless the kernel sees projected features.
	Projection *projectionJSON `json:"projection,omitempty"`
	// Drift is absent without --drift.
	Drift *driftJSON `json:"drift,omitempty"`
	// Classifiers is absent if the model has one classifier.
	Classifiers []classifierJSON `json:"machines,omitempty"`
}

// cacheJSON counts how often kernel rows were found in the cache. Rows that do not fit into memory are
// spilled to disk. Damaged rows failed their checksum there, and were computed again.
type cacheJSON struct {
	Hits         int64 `json:"hits"`
	Misses       int64 `json:"misses"`
	DiskHits     int64 `json:"disk_hits"`
	SpilledBytes int64 `json:"spilled_bytes"`
	Damaged      int64 `json:"damaged"`
}
