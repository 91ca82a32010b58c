// Package contexttest has for tests a context that ends at a chosen place of the code under test.
package contexttest

import (
	"context"
	"sync/atomic"
)

// Countdown is a context that is done once it has been asked for its error a given number of times.
// It ends the operation in progress at any of the places that look, without a clock. Several
// goroutines may ask.
type Countdown struct {
	context.Context
	asked atomic.Int64
	most  int64
	over  chan struct{}
}

var _ context.Context = (*Countdown)(nil)

// NewCountdown returns a context that is canceled at the look of number most, counted from 1.
func NewCountdown(most int64) *Countdown {
	return &Countdown{Context: context.Background(), most: most, over: make(chan struct{})}
}

// Asked returns how often somebody has asked for the error.
func (c *Countdown) Asked() int64 { return c.asked.Load() }

// Done returns the channel that is closed at the last look.
func (c *Countdown) Done() <-chan struct{} { return c.over }

// Err counts the look. It returns nil before the last one, and context.Canceled from there on.
func (c *Countdown) Err() error {
	switch n := c.asked.Add(1); {
	case n < c.most:
		return nil
	case n == c.most:
		close(c.over)
	}
	return context.Canceled
}
