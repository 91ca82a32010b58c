package cache

// ring places rows in a file of bounded length, one behind the other. Behind the last row that fits it begins again at the
// start of the file, where the oldest rows give way to the new ones. So the file is written in order, nothing in it has to
// be collected or moved, and the rows that were written last stay longest.
//
// Rows of several lengths may follow each other. The ring only counts bytes: it does not touch the file.
type ring struct {
	limit int64 // limit is the largest length of the file in bytes.
	most  int   // most is the largest number of rows, whose index has to fit the memory.
	head  int64 // head is the place of the next row.
	end   int64 // end is the length of the file so far: it is the disk space in use.
	// rows lists the rows in the order in which they were written, which is the order of their places from head on.
	rows []*location
}

// location states where a row lies in the file, in which layout, and which hash it has.
type location struct {
	key    Key
	first  int64
	bytes  int64
	layout int
	sum    uint64
}

// fits returns how many of n rows of the given length a list may have. It takes at most half of the ring, so the younger
// half of the rows survives, and no list overwrites itself.
func (r *ring) fits(n int, bytes int64) int {
	return int(min(int64(n), max(r.limit/2/bytes, 1), int64(max(r.most/2, 1))))
}

// place returns the place of the next row, and passes each row that it overwrites to drop. The row must not be longer than
// the limit.
func (r *ring) place(bytes int64, drop func(*location)) int64 {
	if r.head+bytes > r.limit {
		r.release(r.limit, drop) // The rows between the head and the end of the file are the oldest.
		r.head = 0
	}
	first := r.head
	r.release(first+bytes, drop)
	r.head += bytes
	return first
}

// release drops the oldest rows that begin between the head and a place behind it. Rows before the head are younger.
func (r *ring) release(before int64, drop func(*location)) {
	for len(r.rows) > 0 && r.rows[0].first >= r.head && r.rows[0].first < before {
		drop(r.rows[0])
		r.rows = r.rows[1:]
	}
}

// keep adds a row that has been written at its place. If there are too many rows, the oldest is passed to drop.
func (r *ring) keep(at *location, drop func(*location)) {
	if len(r.rows) == r.most {
		drop(r.rows[0])
		r.rows = r.rows[1:]
	}
	r.rows = append(r.rows, at)
	r.head = at.first + at.bytes
	r.end = max(r.end, r.head)
}
