// Package gradient keeps the gradients g_m = K_m alpha of every kernel and streams over the points
// to update them.
//
// The points are cut into units, ranges of panels of 32 points with their part of every g_m; a
// shard is a range of units that one thread takes. After a working set has been solved one pass
// over the shards adds the change of the dual variables to all gradients, combines them under the
// new weights and sums alpha'g_m over each unit. Nothing of size M x q x n is ever stored: a tile
// of base values is turned into all kernels of its group and consumed at once.
//
// Invariants. The cut into units and blocks of kernels is a function of n and the bank alone, sums
// are merged in the order of units, and cached base rows have the bits of computed ones: results
// have the same bits for any number of threads and shards, any budget and any cache mode.
//
// Concurrency. One method runs at a time; each spreads over the threads of the options and returns
// when all are done. Only the row cache may go on writing rows to disk behind it, until the next
// call or Close.
//
// Memory. 8 n M bytes of gradients, in RAM or in a mapped scratch file, n-vectors, and what
// Footprint counts: the working set and per thread a few tiles of it. Row caches live under their
// own budget (package cache).
package gradient
