package cluster

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// onAll runs f on every rank at the same time, and returns what each has returned.
func onAll(size int, f func(c Collective) error) []error {
	list := make([]error, size)
	var running sync.WaitGroup
	for rank, c := range Local(size) {
		running.Go(func() { list[rank] = f(c) })
	}
	running.Wait()
	return list
}

// TestLocal: frames come to whom they are for, whole and in their order, however large they are, and are
// spoiled once they are no longer valid.
func TestLocal(t *testing.T) {
	for size := 1; size <= 4; size++ {
		for rank, err := range onAll(size, func(c Collective) error {
			for round := range 50 {
				frame := []byte(fmt.Sprintf("%d from %d ", round, c.Rank()) + strings.Repeat("x", round*1000))
				told, err := c.Broadcast(frame)
				if err != nil || !strings.HasPrefix(string(told), fmt.Sprintf("%d from 0 ", round)) {
					return fmt.Errorf("round %d: told %.20q: %v", round, told, err)
				}
				list, err := c.Gather(frame)
				if err != nil || (list != nil) != (c.Rank() == 0) {
					return fmt.Errorf("round %d: %d frames: %v", round, len(list), err)
				}
				for r, got := range list {
					if !strings.HasPrefix(string(got), fmt.Sprintf("%d from %d ", round, r)) {
						return fmt.Errorf("round %d: %.20q from rank %d", round, got, r)
					}
				}
				if c.Rank() > 0 && told[0] != spoiled {
					return fmt.Errorf("round %d: a frame is still %.20q after the next operation", round, told)
				}
				if list == nil {
					list = make([][]byte, c.Size())
				}
				back, err := c.Scatter(list)
				if err != nil || !strings.HasPrefix(string(back), fmt.Sprintf("%d from %d ", round, c.Rank())) {
					return fmt.Errorf("round %d: back %.20q: %v", round, back, err)
				}
			}
			return nil
		}) {
			if err != nil {
				t.Errorf("%d ranks, rank %d: %v", size, rank, err)
			}
		}
	}
}

// TestAbort: a rank that gives up ends what the others wait for, with its reason.
func TestAbort(t *testing.T) {
	reason := errors.New("the disk is full")
	for culprit := range 3 {
		for rank, err := range onAll(3, func(c Collective) error {
			if c.Rank() == culprit {
				c.Abort(reason)
			}
			for {
				if _, err := c.Broadcast(nil); err != nil {
					return err
				}
				if _, err := c.Gather(nil); err != nil {
					return err
				}
			}
		}) {
			if !errors.Is(err, reason) || !strings.Contains(err.Error(), fmt.Sprintf("rank %d", culprit)) {
				t.Errorf("rank %d gives up, and rank %d gets %v", culprit, rank, err)
			}
		}
	}
}
