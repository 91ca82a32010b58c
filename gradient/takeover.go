package gradient

import (
	"context"

	"bigmkl/internal/simd"
)

// Held is the gradients of some points as they were, apart from their Gradient, which may be closed
// by now. Values are laid out as the values of the Gradient were.
type Held struct {
	State  State // all points active, and nothing cut
	Points int
	Values []float64
}

// TakeOver continues from the gradients of other points, of the same kernels and the same alpha:
// those from point without on are the first points here, in their order. Points behind them are
// new. Their gradients are left to Wake, which has to follow: the new points are taken for ones
// that have slept since alpha was 0, so each costs one value for every support vector and kernel.
// Points that are not taken over must have had dual variables of 0, and alpha must be 0 on the new
// points.
func (gr *Gradient) TakeOver(ctx context.Context, from *Held, without int) error {
	state := from.State
	if err := gr.Prepare(&state); err != nil {
		return err
	}
	n, count := gr.points.Len(), from.Points-without
	kernels, values := gr.bank.Len(), gr.Values()
	// Kernels of a point lie 32 numbers apart, and the points of a panel side by side. Points
	// change their panel and their lane unless a multiple of 32 is left out.
	for i := range count {
		at, to := (without+i)/simd.Width*kernels*simd.Width+(without+i)%simd.Width,
			i/simd.Width*kernels*simd.Width+i%simd.Width
		for k := range kernels {
			values[to+k*simd.Width] = from.Values[at+k*simd.Width]
		}
	}
	// The state is one in which points sleep, and Resume checks it as the state of a checkpoint.
	if count < n {
		left := Sleeper{Alpha: make([]float64, n)}
		state.Active = make([]int32, count)
		for i := range int32(n) {
			if int(i) < count {
				state.Active[i] = i
			} else {
				left.Index = append(left.Index, i)
			}
		}
		state.Sleepers = []Sleeper{left}
	}
	return gr.Resume(ctx, &state)
}

// Forget takes the dual variables of some points, which are all active, out of every gradient. What
// is left of the variables need not sum to 0, so nothing is combined: the gradients must not be
// used by a solver until others have made up for the sum. If ctx ends it in its midst, they must
// not be used at all.
func (gr *Gradient) Forget(ctx context.Context, points []int, alpha []float64) error {
	return gr.apply(ctx, gr.all, points, func(i int) float64 { return -alpha[i] }, gr.sum, nil)
}
