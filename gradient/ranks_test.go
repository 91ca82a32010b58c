package gradient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/cluster"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/testlevel"
)

// ranked returns the gradients of a bank that several ranks of this process hold, as rank 0 sees
// them. The others serve until the test ends.
func ranked(t testing.TB, b gradient.TestedBank, size int, o gradient.Options) *shards.Gradient {
	t.Helper()
	var serving sync.WaitGroup
	ranks := cluster.Local(size)
	make := func(r int) func() (*gradient.Gradient, error) {
		return func() (*gradient.Gradient, error) {
			o := o
			o.Scratch, o.Ranks, o.Threads = t.TempDir(), ranks[r], 1+r%2
			return gradient.New(b.Points, b.Bank, o)
		}
	}
	for r := 1; r < size; r++ {
		serving.Go(func() {
			team := shards.NewTeam(ranks[r])
			err := team.Join("", nil)
			if err == nil {
				err = shards.Serve(context.Background(), team, b.Bank.Len(), testedRun(make(r)), func() error { return nil })
			}
			if err = team.End(err); !errors.Is(err, shards.ErrServed) {
				t.Errorf("rank %d: %v", r, err)
			}
		})
	}
	team := shards.NewTeam(ranks[0])
	if err := team.Join("", nil); err != nil {
		t.Fatal(err)
	}
	g, err := shards.Make(team, nil, b.Points.Len(), make(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := team.End(g.Close()); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return g
}

// testedRun makes gradients for rank 0.
type testedRun func() (*gradient.Gradient, error)

func (r testedRun) NewGradients(context.Context, []int32) (*gradient.Gradient, func() error, error) {
	g, err := r()
	return g, nil, err
}

func (testedRun) MoveGates(context.Context, []int32, []float64, bool) error {
	return errors.New("there are no gates")
}

func (testedRun) SetPrecision(bool) {}

func (testedRun) PrepareProblem(context.Context, int) error { return errors.New("there is no path") }

// TestSuiteOfRanks: gradients that several ranks hold together keep the contract that the solver
// relies on.
func TestSuiteOfRanks(t *testing.T) {
	t.Parallel()
	n := 110 // four panels, the last of which is not full
	if testlevel.Reached(testlevel.ManyTimes) {
		n = 150
	}
	for i, b := range gradient.TestedBanks(t, 266011, n) {
		for size := 1; size <= 4; size++ {
			if !testlevel.Diagonal(t, i, size, 12, 4) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d ranks", b.Name, size), func(t *testing.T) {
				gradienttest.Run(t, gradienttest.Case{
					N: b.Points.Len(), Kernels: b.K(), Single: 1e-4, Double: 1e-6,
					New: func(t testing.TB) chunking.Gradient {
						return ranked(t, b, size, gradient.Options{
							Memory: 1 << 20, Cache: cache.Options{Memory: 1 << 16, Mode: cache.Always},
						})
					},
				})
			})
		}
	}
}

// TestRankThatFails: an operation in which another rank fails ends with the error of that rank, and
// nobody waits for it.
func TestRankThatFails(t *testing.T) {
	t.Parallel()
	b := gradient.TestedBanks(t, 266012, 150)[0]
	ranks, reason := cluster.Local(3), errors.New("the disk is full")
	var serving sync.WaitGroup
	for r := 1; r < 3; r++ {
		serving.Go(func() {
			team := shards.NewTeam(ranks[r])
			err := team.Join("", nil)
			if err == nil {
				err = shards.Serve(context.Background(), team, b.Bank.Len(), testedRun(func() (*gradient.Gradient, error) {
					if r == 2 {
						return nil, reason
					}
					return gradient.New(b.Points, b.Bank, gradient.Options{Scratch: t.TempDir(), Ranks: team})
				}), nil)
			}
			if err = team.End(err); !errors.Is(err, reason) {
				t.Errorf("rank %d: %v", r, err)
			}
		})
	}
	team := shards.NewTeam(ranks[0])
	if err := team.Join("", nil); err != nil {
		t.Fatal(err)
	}
	g, err := shards.Make(team, nil, b.Points.Len(), func() (*gradient.Gradient, error) {
		return gradient.New(b.Points, b.Bank, gradient.Options{Scratch: t.TempDir(), Ranks: team})
	})
	if err == nil {
		n, kernels := b.Points.Len(), b.Bank.Len()
		err = g.Pass(t.Context(), nil, nil, make([]float64, n), make([]float64, kernels),
			make([]float64, n), make([]float64, kernels))
		if e := g.Close(); e != nil {
			t.Error(e)
		}
	}
	if err = team.End(err); !errors.Is(err, reason) || !strings.Contains(err.Error(), "rank 2") {
		t.Errorf("rank 0: %v", err)
	}
	serving.Wait()
}
