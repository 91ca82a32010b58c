// Package gradient keeps the gradients g_m = K_m alpha of every kernel and streams over the points
// to update them. It is the part of the solver whose work grows with the number of points.
//
// The points are cut into units: ranges of panels of 32 points, with their part of every g_m. A
// shard is a range of units that one thread takes. After a working set has been solved one pass
// over the shards adds the change of the dual variables to all gradients, combines them under the
// new weights and sums alpha'g_m over each unit. Nothing of size M x q x n is ever stored: a tile
// of base values is turned into the values of all kernels of its group, and these are consumed at
// once.
//
// # Invariants
//
// The cut into units and blocks of kernels is a function of n and the bank alone, sums are merged
// in the order of units, and cached base rows have the bits of computed ones. Results therefore
// have the same bits for any number of threads and shards, for any budget and for any mode of the
// cache.
//
// Gradients are float64 and so are the sums over points. Kernel values are float32 until a gap is
// asked for that their rounding would hide; Rebuild then goes over to float64.
//
// # Concurrency
//
// One method runs at a time. It spreads over the threads of the options and returns when all of
// them are done. Only the cache of rows may go on writing to disk behind it, until the next call or
// Close.
//
// # Ranks
//
// Several processes may hold the gradients together, each the units of its rank (Options.Ranks). All
// of them call the same methods; results are valid on rank 0.
//
// # Memory
//
// A Gradient takes 8 n M bytes of gradients, in RAM or in a mapped scratch file, a few n-vectors,
// and what Footprint counts: the working set and for each thread a few tiles of it. Cached rows
// live under a budget of their own (package cache).
package gradient
