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
// Release(true). Every row on disk is written once, under a key that is never used again, and is
// checked when it is read against a hash in memory. Which rows stay in memory depends on the
// requests (in Auto with their costs), on the rows on disk and on those just being written. Without
// a disk tier the same requests get the same answers.
//
// Memory tier. It is one anonymous arena of equal slots, which are touched when first used. The
// least recently used row is evicted first. If a round does not fit, its hits stay, and the misses
// compete for the rest: first rows on disk, then expensive rows (in Auto), then rows that earlier
// rounds asked for, then the order of the request. A plain LRU would keep nothing of a round that
// is larger than the memory.
//
// Disk tier. It is a badger database, opened at the first spill in a private folder of Options.Dir,
// with values in the value log and without caches of its own. Rows are written straight from their
// slots, the next to be evicted first, between and during passes. A row that was not written when
// its slot is needed is written then, if that still pays. A row never changes, so it has to be
// written only once. Databases are never reopened, and nothing in them is overwritten or deleted.
// When one has grown to 45 % of the disk budget, or to its share of the memory for indices, a
// second is started. When that is full, the older one is dropped with its files. There is no
// garbage collection of the value log, because its statistics come from compactions that a few
// small keys never cause. So at most 90 % of the budget is written to, and at least the younger
// half of the rows survives a drop.
//
// Faults. Badger stores into mapped files in goroutines of its own, where a fault ends the process
// and an error is tried again for ever. So its memory table holds the whole index, and there are no
// tables to be written, mapped or merged. The files that it maps (its log, that of the memory table
// and the statistics of the log) lose their names as soon as they exist, and their lengths are
// checked before each batch, because nobody can cut a file without a name short. The first GiB of
// rows goes to a file that is made while the database opens, where a fault is an error. If the
// folder is removed, the tier is switched off. A batch that makes no progress for 30 s, or a close
// that takes more than 5 s, is left behind, and the tier is switched off as well.
//
// A full disk ends a process that has mapped badger's files (SIGBUS in a goroutine of badger's). So
// before each batch the free space is compared with Options.Reserve, beyond which the tier takes no
// rows. Three things are not covered and end in SIGBUS: another process that uses up the reserve
// within one batch, one that cuts a further file of the log short within the microseconds in which
// badger makes it, once a GiB, and one that cuts any file short by its descriptor (/proc). A killed
// process leaves its folder behind for scratch.Clean.
//
// Where mapped files cannot lose their names (files.NamesLast: Windows), the system rejects to cut
// them short. A file then takes its whole length on the disk, so files of the log are smaller and
// more, and about two thirds of what a store may take hold rows.
//
// Concurrency. Acquire, Release, Narrow, Widen, clear and Close are for one goroutine at a time.
// Between Acquire and Release, any number of goroutines may read Row.Data of hits and write
// disjoint parts of the rows to fill. Any goroutine may call Stats at any time. Release may start a
// goroutine that writes rows, whose slots are held meanwhile. A later call takes over the result,
// and Narrow, Widen, clear and Close wait for it.
//
// Memory. Options.Memory covers the arena, the bookkeeping (slotOverhead for each slot), the places
// of the layouts (4 bytes for each element and layout) and, with a disk tier, the anonymous memory
// of badger (see allowance). Pages of the value log can be reclaimed and are not counted.
//
// References. Badger is github.com/dgraph-io/badger. The history of rows that are not in memory
// follows T. Johnson and D. Shasha, 2Q, VLDB 1994.
package cache
