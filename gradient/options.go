package gradient

import (
	"bigmkl/cache"
	"bigmkl/internal/cluster"
	"bigmkl/kernels"
)

// Options sizes a Gradient.
type Options struct {
	Threads int // threads of every method; 0 is one

	// Shards is the number of ranges of points that the threads take alternately. If it equals
	// zero there are as many as sums are cut into. No result depends on it.
	Shards int

	// Memory bounds the gradients that are held in RAM, in bytes. Those that do not fit live in a
	// mapped file in the folder Scratch.
	Memory  int64
	Scratch string

	// Cache is for base rows; RowBytes and Threads are set here. DoubleRows replaces Cache.Memory
	// in float64 arithmetic, which leaves less of a budget.
	Cache      cache.Options
	DoubleRows int64

	// Workspace is memory that the gradients share with others. If it is nil, they have their own.
	Workspace *Workspace

	// Repeated means that many trainings share the gradients. A table of more than a few points is of use to them
	// alone: to make its pages costs as much as one training saves.
	Repeated bool

	// Starts keeps the gradients that trainings begin with, for many trainings from the same dual variables; nil keeps
	// none. It takes a part of Cache.Memory. GroupNames has a name for each group of the bank, by which Starts separates the
	// groups of several banks apart; nil or "" is for groups that are not kept.
	Starts     *Starts
	GroupNames []string

	// Columns is the number of columns of dual variables, each with gradients of its own; 0 is one.
	// The variables of n points are numbered column by column: that of point i in column c is c n + i.
	// Several ranks have one column.
	Columns int

	// Ranks are the gradients that hold the points together; see team. If it is nil, this one holds
	// all of them.
	Ranks cluster.Collective

	// Skeletons are the skeletons of the bank for float32 and for float64. Nil ones keep all
	// kernels, as several columns do.
	Skeletons [2]*kernels.Skeleton
}

// columns is Columns, at least 1.
func (o *Options) columns() int { return max(1, o.Columns) }

// skeleton is the one for a precision, or nil.
func (o *Options) skeleton(double bool) *kernels.Skeleton {
	if o.columns() > 1 {
		return nil
	}
	if double {
		return o.Skeletons[1]
	}
	return o.Skeletons[0]
}

// Stats counts what has been done.
type Stats struct {
	Passes   int64 // streams over the points
	Rows     int64 // working points over all passes
	Entries  int64 // kernel values that were added to gradients
	Products int64 // multiplications for their bases
	Cache    cache.Stats
}

// And returns the sum of two counts. The sizes in memory and on disk are the later ones.
func (s Stats) And(later Stats) Stats {
	s.Passes += later.Passes
	s.Rows += later.Rows
	s.Entries += later.Entries
	s.Products += later.Products
	s.Cache = addStats(s.Cache, later.Cache)
	return s
}

// Since returns what was counted after an earlier moment. The sizes in memory and on disk are the
// present ones.
//
// Fields of the cache that are not counts, such as the bytes that it holds, are not subtracted.
func (s Stats) Since(before Stats) Stats {
	s.Passes -= before.Passes
	s.Rows -= before.Rows
	s.Entries -= before.Entries
	s.Products -= before.Products
	c, b := &s.Cache, &before.Cache
	c.Hits -= b.Hits
	c.Misses -= b.Misses
	c.DiskHits -= b.DiskHits
	c.Spills -= b.Spills
	c.Damaged -= b.Damaged
	c.SpilledBytes -= b.SpilledBytes
	return s
}

// addStats adds the counts of two caches. The sizes in memory and on disk come from b, the later
// one.
func addStats(a, b cache.Stats) cache.Stats {
	a.Hits += b.Hits
	a.Misses += b.Misses
	a.DiskHits += b.DiskHits
	a.Spills += b.Spills
	a.Damaged += b.Damaged
	a.SpilledBytes += b.SpilledBytes
	a.RAMBytes, a.DiskBytes = b.RAMBytes, b.DiskBytes
	// The reason why the disk was given up stays, even if a later cache has none.
	if b.DiskOff != "" {
		a.DiskOff = b.DiskOff
	}
	return a
}
