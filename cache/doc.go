// Package cache keeps base rows, which are the n products or squared distances of one training
// point for one group of kernels. It keeps them in memory and spills expensive rows to disk, within
// one budget of memory and one of disk space.
//
// Purpose. A training pass needs the rows of its working set, and about half of a working set comes
// back in the next round. The caller acquires the rows of a round, reads the hits, computes the
// other rows into the memory that it was given, and releases the round. The cache changes the time
// that training takes and never its result, because a row that is missing or damaged is computed
// again. Faults of the disk tier are therefore no errors. They switch the tier off, and
// Stats.DiskOff states why.
//
// Layouts. All rows may lose elements, several times (Narrow), and get them back (Widen). Rows in
// memory are shortened in place, which makes room for more of them. Rows on disk stay as they were
// written and are shortened as they are read, so a row that was spilled whole serves every shorter
// layout and the whole one. Rows that were spilled short are forgotten when rows become whole
// again.
//
// Invariants. A Hit holds exactly the bytes that were filled for its key since the last clear, or
// the elements of these bytes that stayed. Rows of the current round are pinned: they are neither
// moved nor evicted before Release. A row that was being filled becomes valid only by
// Release(true). Every row on disk is checked when it is read against a hash in memory. Which rows
// stay in memory depends on the requests (in Auto with their costs), on the rows on disk and on
// those just being written. Without a disk tier the same requests get the same answers.
//
// Memory tier. It is one anonymous arena of equal slots, which are touched when first used. The
// least recently used row is evicted first. If a round does not fit, its hits stay, and the misses
// compete for the rest: first rows on disk, then expensive rows (in Auto), then rows that earlier
// rounds asked for, then the order of the request. A plain LRU would keep nothing of a round that
// is larger than the memory.
//
// Disk tier. It is one file in Options.Dir, created at the first spill. Rows are written straight
// from their slots, the next to be evicted first, between and during passes. A row that was not
// written when its slot is needed is written then, if that still pays. A row never changes, so it
// has to be written only once. The file is a ring (see ring): once it is as long as the disk budget
// allows, the newest rows overwrite the oldest. So nothing has to be collected or moved, and
// at least the younger half of the rows survives any list of new ones.
//
// A key-value store did the same before. A plain file writes faster, takes a few MiB of memory less,
// never maps its pages, and a full disk is an error of a write and not a signal that ends the
// process.
//
// Faults. Where the system allows it, the file has no name, so nobody can cut it short, and nothing
// is left of a process that was killed. A row that is damaged or missing is computed again. If an
// operation fails, or a row is not written within 30 s, the tier is switched off. Such a writing is
// left behind, and its slots stay held. Rows are only appended as long as the free space exceeds
// Options.Reserve.
//
// Concurrency. Acquire, Release, Narrow, Widen, clear and Close are for one goroutine at a time.
// Between Acquire and Release, any number of goroutines may read Row.Data of hits and write
// disjoint parts of the rows to fill. Any goroutine may call Stats at any time. Release may start a
// goroutine that writes rows, whose slots are held meanwhile. A later call takes over the result,
// and Narrow, Widen, clear and Close wait for it.
//
// Memory. Options.Memory covers the arena, the bookkeeping (slotOverhead for each slot), the places
// of the layouts (4 bytes for each element and layout) and, with a disk tier, the index of its rows
// (see allowance). Pages of the file can be reclaimed and are not counted.
//
// References. The history of rows that are not in memory follows T. Johnson and D. Shasha, 2Q, VLDB 1994.
package cache
