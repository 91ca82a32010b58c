package command

import (
	"strconv"
	"time"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/internal/model"
)

// selectionOptions are the options of selections and importances. Select and importance define these
// flags, as their values have no place in the options of a training.
var selectionOptions = []option{
	{name: "grid-C", kinds: listKinds}, {name: "grid-norm", kinds: listKinds, inPlaceOf: "norm"},
	{name: "grid-cost-power", kinds: listKinds},
	{name: "cost-base"}, {name: "splits"}, {name: "folds-file"}, {name: "groups-file", aboutRows: true}, {name: "hold-out", needs: "objects NAME=FILE"}, {name: "repeat"}, {name: "size"},
	{name: "contrast"}, {name: "least"}, {name: "noise"}, {name: "named-labels"}, {name: "nested"}, {name: "measure"},
	{name: "choose"}, {name: "rope"}, {name: "no-baselines"}, {name: "tune"}, {name: "tune-rows"}, {name: "each"},
	{name: "samples"}, {name: "part"}, {name: "merge"},
}

// modelsOptions are about several models, or begin at another model.
var modelsOptions = []option{
	// A path replaces the single value, so a file of options with C does not exclude --path-C.
	{name: "path-C", kinds: listKinds, inPlaceOf: "C"}, {name: "path-norm", kinds: listKinds, inPlaceOf: "norm"},
	{name: "path-cost", kinds: listKinds, inPlaceOf: "cost-power"}, {name: "init"}, {name: "theta-out"},
}

// streamOptions are about rows that keep coming.
var streamOptions = []option{
	{name: "stream"}, {name: "every", needs: "stream"}, {name: "window", needs: "stream"},
	{name: "refresh", needs: "stream"}, {name: "drift", needs: "stream"}, {name: "continue"},
}

// servingOptions are about models over HTTP.
var servingOptions = []option{
	{name: "listen"}, {name: "tls-cert"}, {name: "tls-key"}, {name: "token-file"}, {name: "max-body"}, {name: "max-rows"},
	{name: "max-requests"}, {name: "max-waiting"}, {name: "max-wait"}, {name: "max-connections"}, {name: "rate"},
	{name: "timeout"}, {name: "grace"}, {name: "watch"},
}

// runOptions are the limits of a run, and its checkpoints. They are for runs of hours, which may be cut
// by a queue of a cluster or a failure of the computer.
var runOptions = []option{
	{name: "checkpoint", takers: byTraining, usage: "save the state of the run in this `DIR`, for --resume",
		define: text(func(p *problemFlags) *string { return &p.options.Checkpoint })},
	// A crash loses at most the work of five minutes.
	{name: "checkpoint-every", kind: "TIME", def: "5m", takers: byTraining, needs: "checkpoint DIR",
		usage:  "time between two checkpoints, such as 90 (seconds), 10m or 1h",
		define: parsed(parseInterval, func(p *problemFlags) *time.Duration { return &p.options.CheckpointEvery })},
	{name: "resume", takers: byTraining, usage: "continue from the last checkpoint, or begin if there is none",
		define: yes(func(p *problemFlags) *bool { return &p.options.Resume })},
	// The run ends with a model and its gap, and exit code 4.
	{name: "max-time", kind: "TIME", def: "0", takers: byTraining,
		usage:  "end the run after this time, reading included, such as 90 (seconds), 10m or 2h30m; 0 for no limit",
		define: parsed(parseDuration, func(p *problemFlags) *time.Duration { return &p.options.MaxTime })},
	// Unlike a time, a number of iterations gives the same model on each computer.
	{name: "max-iter", kind: "N", def: "0", takers: byProblems, usage: "stop after N iterations, 0 for no limit",
		define: parsed(parseCount, func(p *problemFlags) *int { return &p.options.MaxIterations })},
	{name: "trace"},
}

// budgetOptions limit memory, disk and processors. Models have the same bits for all values of them.
// Less memory or disk makes a training slower.
var budgetOptions = []option{
	// The remaining 30 % are for the system, its cache of files, and parts of the process that no
	// budget counts.
	{name: "memory", kind: "BYTES", takers: byAll,
		usage:  "memory budget, such as 64MiB or 1GiB (default: 70 % of the memory of the computer or its cgroup)",
		define: parsed(parseMemory, func(p *problemFlags) *int64 { return &p.options.Memory })},
	{name: "disk", kind: "BYTES", takers: byAll,
		usage:  "disk budget of scratch files (default: a quarter of the free space, or more if the run needs it)",
		define: parsed(parseDisk, func(p *problemFlags) *int64 { return &p.options.Disk })},
	// always and never are for measurements of the cache.
	{name: "cache", kind: "MODE", def: "auto", takers: byProblems,
		words:  []string{cache.Auto.String(), cache.Always.String(), cache.Never.String()},
		usage:  "when to cache kernel rows: auto, always or never",
		define: parsed(cache.ParseMode, func(p *problemFlags) *cache.Mode { return &p.options.Cache })},
	{name: "threads", kind: "N", def: "0", takers: byAll, usage: "number of threads, 0 for all processors",
		define: parsed(parseCount, func(p *problemFlags) *int { return &p.options.Threads })},
	{name: "ranks"}, {name: "importance"}, {name: "trial"},
	{name: "scratch", takers: byAll, usage: "`DIR` for scratch files (default: the system's temporary folder)",
		define: text(func(p *problemFlags) *string { return &p.options.Scratch })},
	{name: "dry-run"},
}

// arithmeticOptions choose the solver, and how exactly it computes.
var arithmeticOptions = []option{
	// Solvers for comparison let a user repeat published figures with the same kernels, data and
	// certificate.
	{name: "solver", kind: "NAME", def: "chunking; newton for task cox; lbfgs for task square if all kernels are linear", takers: byTraining,
		words: bigmkl.Solvers, fact: "solver",
		usage: "chunking; for task cox newton alone; for task square also lbfgs. For comparison: wrapper, cpm and cpm-wrapper; for task " +
			"rkda cpm-wrapper, qcqp, sdp, sdp-approx and sdp-kim (the last two have other optima); for task med " +
			"with --entropy drop, smo",
		define: word(func(p *problemFlags) *string { return &p.options.Solver })},
	// auto computes in float32 and changes to float64 if the gap needs it.
	{name: "precision", kind: "BITS", def: "auto", takers: byProblems, words: []string{"auto", "32", "64"},
		usage: "precision of the kernel arithmetic: auto, 32 or 64", fact: "precision",
		define:  word(func(p *problemFlags) *string { return &p.options.Precision }),
		ofModel: func(m *model.Model) given { return givenText(m.Precision) }},
	// A fixed default makes two runs of the same command line equal.
	{name: "seed", kind: "SEED", def: "0", takers: byAll, usage: "seed of random features and samples", fact: "seed",
		define:  parsed(parseSeed, func(p *problemFlags) *uint64 { return &p.options.Seed }),
		ofModel: func(m *model.Model) given { return givenText(strconv.FormatUint(m.Seed, 10)) }},
}
