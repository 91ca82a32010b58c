package chunking

// Sharer is a gradient with threads that the solver's own loops over points may use: without one
// they run on the thread of the caller. No result depends on it.
type Sharer interface {
	// Share calls do for the items 0..items-1, in any order and some at once. It returns when all
	// are done.
	Share(items int, do func(item int))
}

// Divided is a loss with loops over points that can be shared out. A solver hands it the blocks of
// its gradient before anything else.
type Divided interface{ Divide(Blocks) }

// Blocks cuts a loop over points into blocks of a fixed size, which threads may share. Sums are
// made for each block and added in the order of the blocks: they have the same bits whether
// anything is shared or not. The zero value shares nothing.
type Blocks struct{ sharer Sharer }

// BlockPoints is the number of points in a block. It is part of the bits of a sum. A loop over so
// many takes about as long as it takes to wake a thread.
const BlockPoints = 4096

// blocksOf gives the blocks of a gradient.
func blocksOf(g Gradient) Blocks {
	s, _ := g.(Sharer)
	return Blocks{s}
}

// Count is the number of blocks of n points.
func (b Blocks) Count(n int) int { return (n + BlockPoints - 1) / BlockPoints }

// Each calls do for every block of n points, from..to-1. Calls may overlap.
func (b Blocks) Each(n int, do func(block, from, to int)) {
	one := func(block int) { do(block, block*BlockPoints, min((block+1)*BlockPoints, n)) }
	if count := b.Count(n); b.sharer != nil && count > 1 {
		b.sharer.Share(count, one)
	} else {
		for block := range count {
			one(block)
		}
	}
}

// Share calls do for the items 0..items-1. Calls may overlap.
func (b Blocks) Share(items int, do func(item int)) {
	if b.sharer != nil && items > 1 {
		b.sharer.Share(items, do)
		return
	}
	for i := range items {
		do(i)
	}
}

// Sum adds what part gives for every block of n points.
func (b Blocks) Sum(n int, part func(from, to int) float64) float64 { return sumBlocks(b, n, part) }

// sumBlocks adds what part gives for every block of n points: a sum, or a number of points.
func sumBlocks[T int | float64](b Blocks, n int, part func(from, to int) T) T {
	if n <= BlockPoints {
		return part(0, n)
	}
	parts := make([]T, b.Count(n))
	b.Each(n, func(block, from, to int) { parts[block] = part(from, to) })
	var sum T
	for _, x := range parts {
		sum += x
	}
	return sum
}
