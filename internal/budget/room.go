package budget

// room is a memory budget for a Go heap that grows, and what else is in memory.
type room struct {
	memory int64 // in bytes
	kept   bool  // somebody keeps the heap to its share
}

// anonymous returns the anonymous memory of a process in whose heap so many bytes live.
func anonymous(live int64) int64 { return runtimeBytes + int64(Slack*float64(live)) }

// inCore means that gradients are in memory if they take no more than one in so many bytes of
// what the heap leaves. What remains goes to the row cache.
const inCore = 2

// limit returns the limit of a heap while no rows are cached and the gradients are not there yet. The heap may
// then grow a little beyond its share, as a heap that has room for what lives in it alone is collected
// without a pause.
func (r room) limit(share int64) int64 {
	const most = 64 << 20
	return share + min(max(r.memory-share, 0)/2, most)
}

// left returns what a heap leaves of the budget. The room for its growth takes no more than half of
// what is free.
func (r room) left(live int64) int64 {
	free := max(r.memory-anonymous(live), 0)
	return max(free-r.spare(live), free/2)
}

// budget returns the least budget of which a heap leaves so much. It is the inverse of left.
func (r room) budget(live, left int64) int64 {
	return anonymous(live) + min(left+r.spare(live), 2*left)
}

// spare returns the room for the growth of a heap from Slack to twice of what lives in it. It is 0
// if the heap is kept to its share.
func (r room) spare(live int64) int64 {
	if r.kept {
		return 0
	}
	return int64((2 - Slack) * float64(live))
}
