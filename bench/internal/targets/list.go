package targets

import (
	"fmt"
	"slices"

	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/limits"
	"bigmkl/cache"
)

// The large trainings have one of two memory budgets. The first one is a small share of what a large
// training would use. The second one is the memory of an ordinary computer.
const (
	smallBudget = 1500 << 20
	largeBudget = 12 << 30
)

// trainSeconds returns the time of the only training of a target.
// The text names the number for the column "from".
func trainSeconds(_ *harness.Session, o []harness.Outcome) (float64, string) {
	return o[0].Seconds, "training"
}

// allTargets lists all targets. A target whose data are absent has no trainings, and the table
// notes it. Ratios are preferred to seconds, because both sides then depend on the computer
// alike.
func allTargets(s *harness.Session) []targetCase {
	list := digitTargets(s)
	list = append(list, otherTargets(s)...)
	list = append(list, peerTargets(s)...)
	return append(list, budgetTargets(s)...)
}

// digitTargets lists the targets for MNIST, even against odd digits, with 50 Gaussians. Floors at p
// near 1 are relative to p = 4/3: sparse weights must not cost much more than dense ones.
func digitTargets(s *harness.Session) []targetCase {
	mnist, there := s.Data.Find("mnist", "")
	// of returns a list of one training, or nothing without the data.
	of := func(points int, kernels, norm string, memory int64, threads int) []harness.Training {
		if !there {
			return nil
		}
		u := harness.ThesisTraining(mnist, harness.EvenDigits, kernels, norm, points)
		u.Options.Memory, u.Options.Threads = memory, threads
		return []harness.Training{u}
	}
	var list []targetCase
	for _, m := range []struct {
		name   string
		memory int64
		limit  float64
	}{{"1500MB", smallBudget, 120}, {"12GB", largeBudget, 60}} {
		// The training at p = 4/3 is a target itself and the measure of the next two.
		first := of(60000, harness.FiftyGaussians, "4/3", m.memory, 0)
		list = append(list, targetCase{
			name: "mnist-" + m.name, what: "MNIST even/odd 60,000 x 50, p = 4/3, " + m.name,
			data: "mnist", floor: atMost(m.limit, "s"),
			runs: first, measure: trainSeconds,
		})
		// 1.0667 is 16/15. The norm of the weights is then q = p/(2-p) = 8/7.
		for _, p := range []string{"1", "1.0667"} {
			list = append(list, targetCase{
				name: "mnist-p" + p + "-" + m.name,
				what: "the same with p = " + p + ", against p = 4/3", data: "mnist",
				floor: atMost(3, "x its time"),
				runs:  slices.Concat(first, of(60000, harness.FiftyGaussians, p, m.memory, 0)),
				measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) {
					return harness.Ratio(o[1].Seconds, o[0].Seconds), fmt.Sprintf("%.1f s against %.1f s",
						o[1].Seconds, o[0].Seconds)
				},
			})
		}
	}
	return append(list,
		targetCase{
			name: "mnist-8000", what: "8,000 x 50 of it", data: "mnist", quick: true,
			floor: atMost(5, "s"),
			runs:  of(8000, harness.FiftyGaussians, "4/3", 0, 0), measure: trainSeconds,
		},
		targetCase{
			// Kernels without a common base are the slowest kind for each kernel.
			name: "mnist-subsets",
			what: "MNIST even/odd 60,000 x 1,000 kernels of 10 features each, 3 GB", data: "mnist",
			floor: atMost(1200, "s"),
			runs:  of(60000, subsetKernels, "4/3", 3<<30, 0), measure: trainSeconds,
		},
		targetCase{
			// Here the weights and the vectors g_m take more time than kernel values.
			name: "mnist-10000kernels", what: "MNIST even/odd 1,000 x 10,000 Gaussians",
			data: "mnist", floor: atMost(15, "s"),
			runs: of(1000, harness.ManyGaussians(10000), "4/3", 0, 0), measure: trainSeconds,
		},
		targetCase{
			name: "mnist-8000x10000", what: "8,000 x 10,000 Gaussians of it", data: "mnist",
			floor: atMost(10, "s"),
			runs:  of(8000, harness.ManyGaussians(10000), "4/3", 0, 0), measure: trainSeconds,
		},
		targetCase{
			// Kernels with a common base share their products, so many widths must cost little more than
			// few.
			name: "mnist-widths", what: "MNIST even/odd 60,000 x 1,000 Gaussians against 50 over the same widths",
			data: "mnist", floor: atMost(1.2, "x its time"),
			runs: slices.Concat(of(60000, harness.ManyGaussians(50), "4/3", smallBudget, 0),
				of(60000, harness.ManyGaussians(1000), "4/3", smallBudget, 0)),
			measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) {
				return harness.Ratio(o[1].Seconds, o[0].Seconds), fmt.Sprintf("%.1f s against %.1f s",
					o[1].Seconds, o[0].Seconds)
			},
		},
		targetCase{
			// Serial parts of an iteration keep two threads below twice the speed.
			name: "threads", what: "2 threads against 1, MNIST 60,000 x 50", data: "mnist",
			floor: atLeast(1.8, "x faster"),
			runs: slices.Concat(of(60000, harness.FiftyGaussians, "4/3", smallBudget, 1),
				of(60000, harness.FiftyGaussians, "4/3", smallBudget, 2)),
			measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) {
				return harness.Ratio(o[0].Seconds, o[1].Seconds), fmt.Sprintf("%.1f s against %.1f s",
					o[0].Seconds, o[1].Seconds)
			},
		},
		targetCase{
			name: "pass",
			what: "the whole pass inside training, MNIST 60,000 x 50: wall clock against what its work takes at the floors of products " +
				"and tiles, with 30 % for the rest", data: "mnist", floor: atMost(1,
				"of the allowance"),
			runs: of(60000, harness.FiftyGaussians, "4/3", smallBudget, 0), measure: passShare,
		})
}

// subsetKernels are Gaussians on ten random features each. They have no base in common, so each kernel
// costs its own products.
const subsetKernels = "gauss:0.5@random:10*1000"

// passShare compares the time in passes, including those that restore shrunken points, with
// (flops/0.85 peak + entries/0.045 peak)/0.7. The peak is measured by CPU time, so other work of
// the computer does not make it smaller. The divisor 0.7 leaves 30 % of the time for everything else in
// a pass, such as loads, stores and waiting.
func passShare(s *harness.Session, o []harness.Outcome) (float64, string) {
	peak := s.NewSampler().MeasureTogether(s.Threads,
		func(int) harness.Workload { return limits.PeakWork[float32]() }).CPU
	// A product is a multiplication and an addition, two flops. Entries are kernel values, each
	// an exponential and a sum.
	flops, entries, seconds := 2*float64(o[0].Products), float64(o[0].Entries), o[0].PassSeconds+o[0].SleepSeconds
	allowed := (flops/(limits.ProductFloor/100.0*peak) + entries/(limits.FusedFloor*peak)) / 0.7
	return harness.Ratio(seconds,
			allowed), fmt.Sprintf("%.1f s in passes of %.1f s of training against %.1f s for %.2e flops and %.2e entries at a peak of "+
			"%.0f GFLOP/s", seconds, o[0].Seconds, allowed, flops, entries, peak/limits.Giga)
}

// otherTargets lists targets for a problem with very many kernels and one with many points.
// Both have budgets far below what all vectors g_m and kernel rows would take.
func otherTargets(s *harness.Session) []targetCase {
	sonar, there := s.Data.Find("sonar", "")
	million := targetCase{
		name: "sonar-million",
		what: "sonar (208 points) x 1,000,000 kernels of 10 features each, 4 GB", data: "sonar",
		floor:   atMost(120, "s"),
		measure: trainSeconds,
	}
	if there {
		u := harness.ThesisTraining(sonar, nil, "gauss:1@random:10*1000000", "4/3", 0)
		u.Options.Memory = 4 << 30
		million.runs = []harness.Training{u}
	}
	kdd, there := s.Data.Find("kddcup99", "")
	huge := targetCase{
		name: "kddcup99",
		what: "kddcup99 (494,020 x 41), largest class against the rest, 50 Gaussians, standardised, 4 GiB", data: "kddcup99",
		floor: atMost(1800, "s"), measure: trainSeconds,
	}
	// Class 18 is the largest, with 280,790 rows.
	if there {
		u := harness.ThesisTraining(kdd, []string{"18"}, "gauss:auto/50", "4/3", 0)
		u.Options.Memory, u.Options.Scale = 4<<30, "standard"
		huge.runs = []harness.Training{u}
	}
	return []targetCase{million, huge}
}

// peerTargets lists targets for the ratio to recorded seconds of other programs. Experiment
// peers measures the programs on this computer; these targets need none of them.
func peerTargets(s *harness.Session) []targetCase {
	var list []targetCase
	// A record with a number of points is of a part of the set.
	for _, theirs := range harness.LIBSVM {
		if theirs.Points > 0 {
			continue
		}
		// On MNIST the features are many, so products on panels gain more.
		least := 10.0
		if theirs.Set == "mnist" {
			least = 20
		}
		c := targetCase{
			name: "libsvm-" + theirs.Set,
			what: fmt.Sprintf("%s whole, one Gaussian of gamma %s, C = %g, against LIBSVM's recorded seconds", theirs.Set,
				theirs.Gamma, theirs.C), data: theirs.Set, quick: theirs.Set == "ijcnn1", floor: atLeast(least, "x less wall time"),
			measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) {
				apart := harness.Difference(o[0].Dual, -theirs.Objective)
				// LIBSVM's seconds include the reading of the file, so reading is added here as well.
				faster := harness.Ratio(theirs.Seconds, o[0].Seconds+o[0].Reading)
				// Times at different objectives are times of different work.
				if apart > sameObjective {
					return 0, fmt.Sprintf("objectives differ by %.1e: no comparison", apart)
				}
				return faster, fmt.Sprintf("%.1f s (recorded, one thread) against %.2f s with reading on %d threads; objectives differ by %.1e",
					theirs.Seconds, o[0].Seconds+o[0].Reading, o[0].Threads, apart)
			},
		}
		if u, there := harness.SingleKernelTraining(s, theirs); there {
			c.runs = []harness.Training{u}
		}
		list = append(list, c)
	}
	mnist, there := s.Data.Find("mnist", "")
	// SHOGUN's time grows faster with the rows, so the floors do, too.
	// The floors are factors by number of points.
	floors := map[int]float64{2000: 50, 4000: 100, 8000: 200}
	for _, theirs := range harness.SHOGUN {
		least := floors[theirs.Points]
		if least == 0 || theirs.Norm != "4/3" {
			continue
		}
		c := targetCase{
			name: fmt.Sprintf("shogun-%d", theirs.Points),
			what: fmt.Sprintf("MNIST even/odd %d x 50 against SHOGUN's recorded seconds at its true gap",
				theirs.Points), data: "mnist", quick: theirs.Points == 2000, floor: atLeast(least, "x less wall time"),
			measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) {
				return harness.Ratio(theirs.Seconds,
						o[0].Seconds),
					fmt.Sprintf("%.1f s (recorded, one thread) at a gap of %.1e against %.2f s on %d threads at %.1e",
						theirs.Seconds, theirs.Gap, o[0].Seconds, o[0].Threads, o[0].Gap)
			},
		}
		if there {
			u := harness.ThesisTraining(mnist, harness.EvenDigits, harness.FiftyGaussians, theirs.Norm, theirs.Points)
			u.Options.Gap = harness.SHOGUNGap
			c.runs = []harness.Training{u}
		}
		list = append(list, c)
	}
	return list
}

// sameObjective is the largest relative difference of objectives at which times are compared.
const sameObjective = 1e-3

// budgetTargets lists targets for runs with little memory, with and without disk. They find a
// change that makes a budget smaller at the cost of far more time.
func budgetTargets(s *harness.Session) []targetCase {
	// The first run has no disk, and the second one spills rows to it.
	tier := fullTier.runs(cache.Never, cache.Auto)
	disk := targetCase{
		name: "disk",
		what: fmt.Sprintf("the disk tier: %d dense points of %d features, memory a tenth of the rows wanted, --cache auto against never",
			fullTier.points, fullTier.features), floor: atLeast(1.5, "x faster"), runs: tier,
		measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) {
			return harness.Ratio(o[0].Seconds,
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
		measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) {
			// The floor is for the slower of both budgets.
			worst, how := 0.0, fmt.Sprintf("%.0f s taking %d MiB", o[0].Seconds, o[0].Anonymous>>20)
			for _, u := range o[1:] {
				worst = max(worst, harness.Ratio(u.Seconds, o[0].Seconds))
				how += fmt.Sprintf(", %.0f s in %d MiB", u.Seconds, u.Budget>>20)
			}
			return worst, how
		},
	}
	if mnist, there := s.Data.Find("mnist", ""); there {
		of := func(memory int64) harness.Training {
			u := harness.ThesisTraining(mnist, harness.EvenDigits, subsetKernels, "4/3", 60000)
			u.Options.Memory = memory
			return u
		}
		// The first run shows what the training takes by default. The budgets of the others are
		// shares of this, and known only afterwards.
		quarter.runs = []harness.Training{of(0)}
		quarter.then = func(o []harness.Outcome) []harness.Training {
			return []harness.Training{of(o[0].Anonymous / 2),
				of(o[0].Anonymous / 4)}
		}
	}
	return []targetCase{disk, quarter}
}
