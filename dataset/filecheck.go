package dataset

import (
	"cmp"
	"context"
)

// fileCheck is the check of a file of points that were packed beforehand, beside what is done with
// them. The zero value belongs to the points of other stores.
type fileCheck struct {
	// checked is closed once the file has been checked, with the result in fault. stop ends the check,
	// and unchanged reports whether the file is as it was.
	checked   chan struct{}
	stop      func()
	unchanged func() error
	fault     *error
}

// newFileCheck begins to check a part of the file of the points.
func newFileCheck(p *Points, share Share) fileCheck {
	ctx, cancel := context.WithCancel(context.Background())
	done, fault := make(chan struct{}), new(error)
	go func() {
		defer close(done)
		*fault = p.Check(ctx, share)
	}()
	return fileCheck{checked: done, unchanged: p.Unchanged, fault: fault, stop: func() {
		cancel()
		<-done
		p.File.Close()
	}}
}

// stopCheck ends the check, if it has not ended before.
func (c *fileCheck) stopCheck() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
}

// Changed waits until the file of points that were packed beforehand, or the part of it that is
// checked here (StoreOptions.Share), has been read and compared with its checksums. It returns an
// error if it is damaged or was written to, because what was made of the points is then worthless.
// The points of other stores are in a file of their own, for which Changed returns nil.
func (c *fileCheck) Changed() error {
	if c.checked == nil {
		return nil
	}
	<-c.checked
	return cmp.Or(*c.fault, c.unchanged())
}
