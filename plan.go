package bigmkl

import (
	"errors"
	"strings"

	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
)

// Part is something that takes memory or disk. Formula says how much in bytes, where it is short: n points, d features, M
// kernels, a working set of q points.
type Part struct {
	Name, Formula string
	Bytes         int64
}

// Share is a budget, of memory or of disk, and how it is divided. All figures are bytes.
type Share struct {
	Budget    int64
	Fixed     []Part // what the busiest moment of a run takes whatever the budget
	Gradients int64  // of the gradients, if they are held here, with copies of those of active points
	Rows      int64  // for the cache of base rows
	Least     int64  // the smallest budget that will do: the sum of Fixed
	InCore    int64  // from here on nothing is out of core
	Ample     int64  // from here on nothing is computed twice, whatever the run needs; more has no use
	outlined  string // shape of a run of which Least does, and less may; else ""
}

// Plan is what a run takes, as the run itself shares it out.
type Plan struct {
	dataset.Size
	Kernels, Groups int // groups of kernels share what is computed of their points
	WorkingSet      int
	Machines        int // of several, else 0
	Memory, Disk    Share
	Checkpoints     Checkpoints
	Time            Forecast // of NewPlan
	stages          stages
}

// The stages of a run by what the Go heap takes.
const (
	normalizing = iota
	single
	double
)

// stages are the shares that change while a run goes on, in bytes.
type stages struct {
	heap             [3]int64
	rows, doubleRows int64 // of memory for the row cache
}

// plan shares the budgets out for a store.
func (o *Options) plan(store *dataset.Store, b *bank) *Plan {
	k := b.kernels
	p := &Plan{Size: store.Size(), Kernels: k.Len(), Groups: len(k.Groups), WorkingSet: o.Tuning.Size(store.Len()), Machines: o.several.machines}
	p.Memory, p.stages = o.memory(store, k)
	p.Disk = o.disk(p.Size, p.Kernels, k.Multiplied(), p.Memory.Gradients == 0)
	if o.Cache == cache.Never {
		p.Memory.Rows, p.Disk.Rows, p.stages.rows, p.stages.doubleRows = 0, 0, 0, 0
	}
	inside := p.Disk
	if p.Disk.Gradients > 0 {
		inside = o.disk(p.Size, p.Kernels, k.Multiplied(), false)
	}
	p.Disk.InCore = inside.Least
	p.Disk.Ample = p.Disk.Least + cache.DiskBudget(rowsBytes(k, store.Len(), o.double()))
	p.Checkpoints = o.checkpoints(store.Len(), p.Kernels)
	row := 4 * padded(store.Len())
	p.stages.heap[single] += cache.HeapBytes(cache.Options{RowBytes: row, Memory: p.stages.rows, Disk: p.Disk.Rows, Mode: o.Cache})
	p.stages.heap[double] += cache.HeapBytes(cache.Options{RowBytes: 2 * row, Memory: p.stages.doubleRows, Disk: p.Disk.Rows, Mode: o.Cache})
	return p
}

// Check refuses budgets that are too small: a fail.Budget, as training gives it.
func (p *Plan) Check() error {
	return errors.Join(p.Memory.refuse("memory"), p.Disk.refuse("disk"))
}

// refuse says why a budget will not do, and which will. nil if it does.
func (s *Share) refuse(what string) error {
	if s.Least <= s.Budget {
		return nil
	}
	given := bytesize.Text(s.Budget)
	if s.Budget == 1 { // how the command line writes no disk at all
		given = "0"
	}
	var parts []string
	for _, p := range s.Fixed {
		if p.Formula != "" {
			p.Name += " " + p.Formula
		}
		parts = append(parts, p.Name+" = "+bytesize.Text(p.Bytes))
	}
	if s.outlined != "" {
		return fail.New(fail.Budget, "%s take up to %s of %s: %s; --%s is %s", s.outlined, bytesize.Text(s.Least), what, strings.Join(parts, " + "), what, given).
			WithHint("--%s %s does, and less may", what, bytesize.Flag(s.Least))
	}
	return fail.New(fail.Budget, "a run of this shape takes %s of %s: %s; --%s is %s", bytesize.Text(s.Least), what, strings.Join(parts, " + "), what, given).
		WithHint("the least that does is --%s %s", what, bytesize.Flag(s.Least))
}

func (p *Plan) gradient(o *Options) gradient.Options {
	return gradient.Options{
		Threads: o.Threads, Shards: o.Shards, Memory: p.Memory.Gradients, Scratch: o.Scratch, DoubleRows: p.stages.doubleRows,
		Cache: cache.Options{Memory: p.stages.rows, Disk: p.Disk.Rows, Dir: o.Scratch, Mode: o.Cache},
	}
}
