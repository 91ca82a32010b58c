// Command outside is a program of another module: it trains on rows of its own, with a kernel, a
// loss and a recorder of its own. A test builds and runs it, so nothing which it needs can become
// internal to the library without somebody noticing.
package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/kernels"
	"bigmkl/verify"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	for _, do := range []func(context.Context) error{trainOnce, trainStream, trainOwnLoss} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// spiral yields the rows from..to-1 of two classes that wind around each other.
func spiral(from, to int) iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		for i := from; i < to; i++ {
			radius := 0.5 + float64(i*37%101)/40
			angle, label := 2*radius, "in"
			if i%2 == 1 {
				angle, label = angle+math.Pi, "out"
			}
			row := dataset.Row{Label: label, Index: []int32{0, 1},
				Value: []float64{radius * math.Cos(angle), radius * math.Sin(angle)}}
			if !yield(row) {
				return
			}
		}
	}
}

// matern is the kernel (1 + r) exp(-r) of the distance r.
type matern struct{}

func (matern) Values(dst []float64, x []float32, z [][]float32) {
	for i := range z {
		sum := 0.0
		for j, v := range x {
			d := float64(v) - float64(z[i][j])
			sum += d * d
		}
		r := math.Sqrt(sum)
		dst[i] = (1 + r) * math.Exp(-r)
	}
}

func (matern) Definite() bool { return true }

var users = map[string]bigmkl.UserKernel{"matern": matern{}}

// counter is a recorder.
type counter struct{ events int }

func (c *counter) Record(e bigmkl.Event) error {
	c.events++
	return nil
}

func options(r bigmkl.Recorder) bigmkl.Options {
	return bigmkl.Options{Kernels: "user:matern,gauss:auto/3", UserKernels: users, C: 10, Recorder: r}
}

// trainOnce trains and verifies a model with the kernel and the recorder of this program.
func trainOnce(ctx context.Context) error {
	source := dataset.FromSeq(spiral(0, 300))
	defer source.Close()
	c := &counter{}
	m, r, err := bigmkl.Train(ctx, source, options(c))
	if err != nil {
		return err
	}
	fmt.Println("once:", r.Status, c.events == r.Iterations)
	return check(ctx, m, 0, 300)
}

// check prints whether a model is what it claims to be on some rows.
func check(ctx context.Context, m *bigmkl.Model, from, to int) error {
	source := dataset.FromSeq(spiral(from, to))
	defer source.Close()
	report, err := verify.Run(ctx, &m.Model, source, verify.Options{UserKernels: users})
	if err == nil {
		fmt.Println("faults:", len(report.Faults))
	}
	return err
}

// trainStream feeds a trainer.
func trainStream(ctx context.Context) error {
	t, err := bigmkl.NewTrainer(options(nil))
	if err != nil {
		return err
	}
	defer t.Close()
	if err := t.Window(250); err != nil {
		return err
	}
	for from := 0; from < 400; from += 100 {
		source := dataset.FromSeq(spiral(from, from+100))
		err := t.Add(ctx, source)
		source.Close()
		if err != nil {
			return err
		}
		if _, err := t.Fit(ctx); err != nil {
			return err
		}
	}
	m, err := t.Snapshot()
	if err != nil {
		return err
	}
	fmt.Println("stream:", m.Points, "of", m.Stream.Seen)
	return check(ctx, m, 150, 400)
}

// squaredHinge is the loss C max(0, 1 - y f)^2. Its conjugate gives
// lin(alpha) = sum_i y_i alpha_i - alpha_i^2 / (4 C) for y_i alpha_i >= 0.
type squaredHinge struct {
	y    []float64
	cost float64
}

func (l squaredHinge) Box(i int) (lower, upper float64) {
	if l.y[i] > 0 {
		return 0, math.Inf(1)
	}
	return math.Inf(-1), 0
}

func (l squaredHinge) Linear(alpha []float64) (sum float64) {
	for i, a := range alpha {
		sum += l.y[i]*a - a*a/(4*l.cost)
	}
	return sum
}

func (l squaredHinge) Slope(i int, a float64) float64 { return l.y[i] - a/(2*l.cost) }

func (l squaredHinge) Curvature(int) float64 { return 1 / (2 * l.cost) }

// Primal halves an interval around the bias, of which the loss is a convex function.
func (l squaredHinge) Primal(f []float64) (bias, sum float64) {
	low, high := -1.0, 1.0
	for _, x := range f {
		low, high = min(low, -x-1), max(high, -x+1)
	}
	for range 200 {
		bias = (low + high) / 2
		slope := 0.0
		for i, x := range f {
			slope -= l.y[i] * max(0, 1-l.y[i]*(x+bias))
		}
		if slope > 0 {
			high = bias
		} else {
			low = bias
		}
	}
	return bias, l.At(f, bias)
}

func (l squaredHinge) At(f []float64, bias float64) (sum float64) {
	for i, x := range f {
		h := max(0, 1-l.y[i]*(x+bias))
		sum += l.cost * h * h
	}
	return sum
}

// trainOwnLoss puts the parts together: rows, kernels, gradients, and a solver with another loss.
func trainOwnLoss(ctx context.Context) error {
	source := dataset.FromSeq(spiral(0, 300))
	defer source.Close()
	store, err := dataset.Build(ctx, source, dataset.StoreOptions{})
	if err != nil {
		return err
	}
	defer store.Close()
	specs := []string{"user:matern", "gauss:auto/3"}
	bank, err := kernels.Prepare(ctx, store, specs, kernels.PrepareOptions{Threads: 1, Users: users})
	if err != nil {
		return err
	}
	defer bank.Close()
	g, err := gradient.New(store, bank.Bank, gradient.Options{Threads: 1, Memory: 1 << 30})
	if err != nil {
		return err
	}
	defer g.Close()
	loss := squaredHinge{cost: 10}
	for _, c := range store.Labels() {
		loss.y = append(loss.y, float64(2*c-1))
	}
	s := chunking.New(store.Len(), bank.Len(), loss, norm.NewBlock(4.0/3, nil), g, 1e-4,
		chunking.Tuning{})
	status, err := chunking.NewDriver(s, chunking.Limits{}).Run(ctx)
	if err != nil {
		return err
	}
	right := 0
	for i, f := range s.Decisions() {
		if f*loss.y[i] > 0 {
			right++
		}
	}
	fmt.Println("own loss:", status, s.Solution().Certificate.RelativeGap <= 1e-4, right > 290)
	return nil
}
