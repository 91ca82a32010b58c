// Package cache keeps base rows (the n products or squared distances of one training point for one feature group) in
// memory, and spills the dear ones to disk, under one budget of memory and one of disk.
//
// Purpose. A training pass needs the rows of its working set, and about half of a working set comes back in the next
// round. The caller acquires the rows of a round, reads the hits and fills the rest while it streams, and releases. The
// cache changes the time a training takes, never its result: a row that is not there, or that was damaged, is computed
// again. Faults of the disk tier are therefore no errors; they switch it off and Stats.DiskOff says why.
//
// Layouts. A row may lose elements, for all keys at once and several times (Narrow), and get them back (Widen). Rows in
// memory are cut in place and the room that this leaves holds more of them; rows on disk stay as they were written and are
// cut as they are read, so that a row that was spilled whole serves every shorter layout and the whole one again. Rows
// that were made short are forgotten when they are to be whole.
//
// Invariants. A Hit holds exactly the bytes that were filled for its key since the last Clear, or those of its elements
// that stayed. Rows of the current round are pinned: they are neither moved nor evicted before Release. A row that was
// being filled becomes valid only by Release(true). Every row on disk is written once under a key that is never used again,
// and checked when it is read against a hash that is kept in memory. Which rows are kept in memory depends on the requests
// (in Auto with their costs), on what is on disk and on what is just being written; without a disk tier the same requests
// get the same answers.
//
// Memory tier. One anonymous arena of equal slots, touched when first used, least recently used first out. When a round
// does not fit, its hits stay and the misses compete for what is left: rows that are on disk, dearer rows (Auto), rows
// that earlier rounds wanted, then the order of the request. A plain LRU would keep nothing of a round that is larger
// than the memory.
//
// Disk tier. Badger, opened at the first spill in a private folder of Options.Dir, values in the value log, no caches of
// its own. Rows are written straight from their slots, the next to be evicted first, between and during passes; what was
// not written when its slot is needed is written then, if that still pays. A row never changes, so one written stays good
// for as many returns to memory as there are. Databases are never reopened and nothing in them is overwritten or deleted:
// when one has grown to 45 % of the disk budget, or to its share of the memory for indices, a second is started, and when
// that is full the older is dropped whole (its files go; no value-log garbage collection, whose statistics come from
// compactions that a few small keys never cause). So at most 90 % of the budget is written to, and between two drops at
// least the younger half of the rows survives.
//
// Faults. Badger stores into mapped files in goroutines of its own, where a fault ends the process and an error is met with
// another try, for ever. So its memory table holds the whole index: there are no tables to be written, mapped or merged. The
// files that it maps, its log, that of the memory table and the statistics of the log, lose their names as soon as they are
// there, and are looked at before each batch: nobody can cut short what they cannot name. The first GiB of rows goes to
// a file that is made while the database opens, where a fault is an error. If the folder goes, the tier is off; a batch that
// stands still for 30 s, or a close that takes more than 5 s, is left behind, and the tier is off as well.
//
// A full disk ends a process that has mapped badger's files (SIGBUS in a goroutine of badger's), so before each batch the
// free space is checked against Options.Reserve; the tier takes no rows beyond it. Not covered: another process that eats
// the reserve within one batch, or that cuts a further file of the log short within the microseconds in which badger makes
// it, once a GiB, or any file by its descriptor (/proc): SIGBUS. A process that is killed leaves its folder behind, for
// scratch.Clean.
//
// Concurrency. Acquire, Release, Narrow, Widen, Clear and Close are for one goroutine at a time. Between Acquire and
// Release any number may read Row.Data of hits and write disjoint parts of the rows to fill. Stats may be called at any
// time. Release may start a goroutine that writes rows of which the slots are held meanwhile; a later call takes over what
// it did, and Narrow, Widen, Clear and Close wait for it.
//
// Memory. Options.Memory covers the arena, the bookkeeping (slotOverhead per slot), the places of the layouts (4 bytes an
// element and layout) and, where a disk tier is allowed, the anonymous memory of badger (see allowance). File pages of the
// value log are reclaimable and not counted.
//
// References: badger, github.com/dgraph-io/badger; T. Johnson and D. Shasha, 2Q, VLDB 1994, for keeping the history of
// rows that are not in memory.
package cache
