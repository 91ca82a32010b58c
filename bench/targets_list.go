package main

import (
	"fmt"
	"slices"

	"bigmkl"
	"bigmkl/cache"
)

// The large trainings have one of two memory budgets.
const (
	smallBudget = 1500 << 20
	largeBudget = 12 << 30
)

// trainSeconds returns the time of the only training of a target.
func trainSeconds(_ *session, o []outcome) (float64, string) { return o[0].Seconds, "training" }

// allTargets lists all targets. A target whose data are absent has no trainings.
func allTargets(s *session) []targetCase {
	list := digitTargets(s)
	list = append(list, otherTargets(s)...)
	list = append(list, peerTargets(s)...)
	return append(list, budgetTargets(s)...)
}

// digitTargets lists the targets for MNIST, even against odd digits, with 50 Gaussians.
func digitTargets(s *session) []targetCase {
	mnist, there := s.findData("mnist", "")
	of := func(points int, kernels, norm string, memory int64, threads int) []training {
		if !there {
			return nil
		}
		u := thesisTraining(mnist, evenDigits, kernels, norm, points)
		u.Options.Memory, u.Options.Threads = memory, threads
		return []training{u}
	}
	var list []targetCase
	for _, m := range []struct {
		name   string
		memory int64
		limit  float64
	}{{"1500MB", smallBudget, 120}, {"12GB", largeBudget, 60}} {
		first := of(60000, fiftyGaussians, "4/3", m.memory, 0)
		list = append(list, targetCase{
			name: "mnist-" + m.name, what: "MNIST even/odd 60,000 x 50, p = 4/3, " + m.name,
			data: "mnist", floor: atMost(m.limit, "s"),
			runs: first, measure: trainSeconds,
		})
		for _, p := range []string{"1", "1.0667"} {
			list = append(list, targetCase{
				name: "mnist-p" + p + "-" + m.name,
				what: "the same with p = " + p + ", against p = 4/3", data: "mnist",
				floor: atMost(3, "x its time"),
				runs:  slices.Concat(first, of(60000, fiftyGaussians, p, m.memory, 0)),
				measure: func(_ *session, o []outcome) (float64, string) {
					return ratio(o[1].Seconds, o[0].Seconds), fmt.Sprintf("%.1f s against %.1f s",
						o[1].Seconds, o[0].Seconds)
				},
			})
		}
	}
	return append(list,
		targetCase{
			name: "mnist-8000", what: "8,000 x 50 of it", data: "mnist", quick: true,
			floor: atMost(5, "s"),
			runs:  of(8000, fiftyGaussians, "4/3", 0, 0), measure: trainSeconds,
		},
		targetCase{
			name: "mnist-subsets",
			what: "MNIST even/odd 60,000 x 1,000 kernels of 10 features each, 3 GB", data: "mnist",
			floor: atMost(1200, "s"),
			runs:  of(60000, subsetKernels, "4/3", 3<<30, 0), measure: trainSeconds,
		},
		targetCase{
			name: "mnist-10000kernels", what: "MNIST even/odd 1,000 x 10,000 Gaussians",
			data: "mnist", floor: atMost(15, "s"),
			runs: of(1000, manyGaussians(10000), "4/3", 0, 0), measure: trainSeconds,
		},
		targetCase{
			name: "mnist-8000x10000", what: "8,000 x 10,000 Gaussians of it", data: "mnist",
			floor: atMost(10, "s"),
			runs:  of(8000, manyGaussians(10000), "4/3", 0, 0), measure: trainSeconds,
		},
		targetCase{
			name: "mnist-widths", what: "MNIST even/odd 60,000 x 1,000 Gaussians against 50 over the same widths",
			data: "mnist", floor: atMost(1.2, "x its time"),
			runs: slices.Concat(of(60000, manyGaussians(50), "4/3", smallBudget, 0),
				of(60000, manyGaussians(1000), "4/3", smallBudget, 0)),
			measure: func(_ *session, o []outcome) (float64, string) {
				return ratio(o[1].Seconds, o[0].Seconds), fmt.Sprintf("%.1f s against %.1f s",
					o[1].Seconds, o[0].Seconds)
			},
		},
		targetCase{
			name: "threads", what: "2 threads against 1, MNIST 60,000 x 50", data: "mnist",
			floor: atLeast(1.8, "x faster"),
			runs: slices.Concat(of(60000, fiftyGaussians, "4/3", smallBudget, 1),
				of(60000, fiftyGaussians, "4/3", smallBudget, 2)),
			measure: func(_ *session, o []outcome) (float64, string) {
				return ratio(o[0].Seconds, o[1].Seconds), fmt.Sprintf("%.1f s against %.1f s",
					o[0].Seconds, o[1].Seconds)
			},
		},
		targetCase{
			name: "pass",
			what: "the whole pass inside training, MNIST 60,000 x 50: wall clock against what its work takes at the floors of products " +
				"and tiles, with 30 % for the rest", data: "mnist", floor: atMost(1,
				"of the allowance"),
			runs: of(60000, fiftyGaussians, "4/3", smallBudget, 0), measure: passShare,
		})
}

// subsetKernels are Gaussians on ten random features each.
const subsetKernels = "gauss:0.5@random:10*1000"

// passShare compares the time in passes, including those that restore shrunken points, with
// (flops/0.85 peak + entries/0.045 peak)/0.7. The peak is measured by CPU time, so other work of
// the computer does not make it smaller.
func passShare(s *session, o []outcome) (float64, string) {
	peak := s.newSampler().measureTogether(s.threads,
		func(int) workload { return peakWork[float32]() }).cpu
	flops, entries, seconds := 2*float64(o[0].Products), float64(o[0].Entries), o[0].PassSeconds+o[0].SleepSeconds
	allowed := (flops/(productFloor/100.0*peak) + entries/(fusedFloor*peak)) / 0.7
	return ratio(seconds,
			allowed), fmt.Sprintf("%.1f s in passes of %.1f s of training against %.1f s for %.2e flops and %.2e entries at a peak of "+
			"%.0f GFLOP/s", seconds, o[0].Seconds, allowed, flops, entries, peak/giga)
}

// otherTargets lists targets for a problem with very many kernels and one with many points.
func otherTargets(s *session) []targetCase {
	sonar, there := s.findData("sonar", "")
	million := targetCase{
		name: "sonar-million",
		what: "sonar (208 points) x 1,000,000 kernels of 10 features each, 4 GB", data: "sonar",
		floor:   atMost(120, "s"),
		measure: trainSeconds,
	}
	if there {
		u := thesisTraining(sonar, nil, "gauss:1@random:10*1000000", "4/3", 0)
		u.Options.Memory = 4 << 30
		million.runs = []training{u}
	}
	kdd, there := s.findData("kddcup99", "")
	huge := targetCase{
		name: "kddcup99",
		what: "kddcup99 (494,020 x 41), largest class against the rest, 50 Gaussians, standardised, 4 GiB", data: "kddcup99",
		floor: atMost(1800, "s"), measure: trainSeconds,
	}
	// Class 18 is the largest, with 280,790 rows.
	if there {
		u := thesisTraining(kdd, []string{"18"}, "gauss:auto/50", "4/3", 0)
		u.Options.Memory, u.Options.Scale = 4<<30, "standard"
		huge.runs = []training{u}
	}
	return []targetCase{million, huge}
}

// peerTargets lists targets for the ratio to recorded seconds of other programs.
func peerTargets(s *session) []targetCase {
	var list []targetCase
	for _, theirs := range libsvm {
		if theirs.points > 0 {
			continue
		}
		least := 10.0
		if theirs.set == "mnist" {
			least = 20
		}
		c := targetCase{
			name: "libsvm-" + theirs.set,
			what: fmt.Sprintf("%s whole, one Gaussian of gamma %s, C = %g, against LIBSVM's recorded seconds", theirs.set,
				theirs.gamma, theirs.c), data: theirs.set, quick: theirs.set == "ijcnn1", floor: atLeast(least, "x less wall time"),
			measure: func(_ *session, o []outcome) (float64, string) {
				apart := difference(o[0].Dual, -theirs.objective)
				faster := ratio(theirs.seconds, o[0].Seconds+o[0].Reading)
				if apart > sameObjective {
					return 0, fmt.Sprintf("objectives differ by %.1e: no comparison", apart)
				}
				return faster, fmt.Sprintf("%.1f s (recorded, one thread) against %.2f s with reading on %d threads; objectives differ by %.1e",
					theirs.seconds, o[0].Seconds+o[0].Reading, o[0].Threads, apart)
			},
		}
		if u, there := singleKernelTarget(s, theirs); there {
			c.runs = []training{u}
		}
		list = append(list, c)
	}
	mnist, there := s.findData("mnist", "")
	floors := map[int]float64{2000: 50, 4000: 100, 8000: 200}
	for _, theirs := range shogun {
		least := floors[theirs.points]
		if least == 0 || theirs.norm != "4/3" {
			continue
		}
		c := targetCase{
			name: fmt.Sprintf("shogun-%d", theirs.points),
			what: fmt.Sprintf("MNIST even/odd %d x 50 against SHOGUN's recorded seconds at its true gap",
				theirs.points), data: "mnist", quick: theirs.points == 2000, floor: atLeast(least, "x less wall time"),
			measure: func(_ *session, o []outcome) (float64, string) {
				return ratio(theirs.seconds,
						o[0].Seconds),
					fmt.Sprintf("%.1f s (recorded, one thread) at a gap of %.1e against %.2f s on %d threads at %.1e",
						theirs.seconds, theirs.gap, o[0].Seconds, o[0].Threads, o[0].Gap)
			},
		}
		if there {
			u := thesisTraining(mnist, evenDigits, fiftyGaussians, theirs.norm, theirs.points)
			u.Options.Gap = shogunGap
			c.runs = []training{u}
		}
		list = append(list, c)
	}
	return list
}

// sameObjective is the largest relative difference of objectives at which times are compared.
const sameObjective = 1e-3

// singleKernelTarget returns the training that a recorded training of LIBSVM is compared with.
func singleKernelTarget(s *session, theirs recordedSVM) (training, bool) {
	d, there := s.findData(theirs.set, "")
	u := training{Data: d, Norm: "2", Options: bigmkl.Options{
		Kernels: "gauss:" + theirs.gamma, C: theirs.c, Gap: 1e-3, Limit: theirs.points,
		Normalize: "none",
	}}
	if theirs.set == "mnist" {
		u.Options.Positive, u.Options.Scale = evenDigits, "global"
	}
	if t, ok := s.findData(theirs.set, "t"); ok {
		u.Test = &t
	}
	return u, there
}

// budgetTargets lists targets for runs with little memory, with and without disk.
func budgetTargets(s *session) []targetCase {
	tier := fullTier.runs(cache.Never, cache.Auto)
	disk := targetCase{
		name: "disk",
		what: fmt.Sprintf("the disk tier: %d dense points of %d features, memory a tenth of the rows wanted, --cache auto against never",
			fullTier.points, fullTier.features), floor: atLeast(1.5, "x faster"), runs: tier,
		measure: func(_ *session, o []outcome) (float64, string) {
			return ratio(o[0].Seconds,
					o[1].Seconds),
				fmt.Sprintf("%.1f s against %.1f s, %d rows spilled, %d read back", o[0].Seconds,
					o[1].Seconds,
					o[1].Spills, o[1].DiskHits)
		},
	}
	quarter := targetCase{
		name: "quarter",
		what: "MNIST even/odd 60,000 x 1,000 kernels of 10 features: memory cut to 1/2 and 1/4 of what the run takes by default", data: "mnist",
		floor: atMost(2, "x the time"),
		measure: func(_ *session, o []outcome) (float64, string) {
			worst, how := 0.0, fmt.Sprintf("%.0f s taking %d MiB", o[0].Seconds, o[0].Anonymous>>20)
			for _, u := range o[1:] {
				worst = max(worst, ratio(u.Seconds, o[0].Seconds))
				how += fmt.Sprintf(", %.0f s in %d MiB", u.Seconds, u.Budget>>20)
			}
			return worst, how
		},
	}
	if mnist, there := s.findData("mnist", ""); there {
		of := func(memory int64) training {
			u := thesisTraining(mnist, evenDigits, subsetKernels, "4/3", 60000)
			u.Options.Memory = memory
			return u
		}
		quarter.runs = []training{of(0)}
		quarter.then = func(o []outcome) []training {
			return []training{of(o[0].Anonymous / 2),
				of(o[0].Anonymous / 4)}
		}
	}
	return []targetCase{disk, quarter}
}
