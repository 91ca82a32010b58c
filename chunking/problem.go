// Package chunking solves the l_p-norm multiple kernel learning problem by chunking, with a weight
// step after every working-set step.
//
// The problem has signed dual variables alpha in a box with sum alpha = 0. With V_m = alpha'K_m
// alpha and ||v_m|| = V_m^(1/2) it is
//
//	max  D(alpha) = lin(alpha) - 1/2 || (||v_m||)_m ||_{p*}^2
//	min  P(theta, alpha, b) = 1/2 ||w||_{2,p}^2 + sum_i C_i loss(f(x_i), y_i),   w_m = theta_m v_m
//
// P is valid for every theta >= 0, so P - D of the very (alpha, theta, b) in hand bounds its
// distance from the optimum. This bound, the duality gap, is what a run reports and what ends it.
//
// A Solver is stepped by a Driver. The solver does no I/O, reads no clock and starts no thread: its
// loops over points run on the threads of a gradient that is a Sharer. It sees the data only
// through the Gradient interface. Losses (package loss) and norms (package norm) are values behind
// the small interfaces of this file, so another task or another norm is another value and not
// another solver. Users of the package can write their own: a Loss or a Norm has no unexported
// methods, and the optional interfaces state what else it may do.
//
// A norm that is a Mover keeps its weights until it moves them itself: package rule has the
// analytical wrapper and cutting planes. Such a norm may have a state that State does not hold.
//
// The solver takes a few vectors of length n (points) and M (kernels) and three matrices of the
// size of the working set squared. A Solver must not be used by two goroutines at once.
//
// The state has three layers, each of which embeds the one before: an iterate (iterate.go: variables,
// selection, weights, shrinking, certify), its evaluation by a gradient (evaluation.go: inactive, shrink,
// drift, trust) and the solver, which adds what moves it (weightmoves and ladder for weights, model, search
// and step for variables). A function takes the lowest layer that has what it needs, and Driver steps
// the highest.
//
// References: Kloft (2011), Problem II.3, Algorithms 3.1, 3.2 and D.1, Proposition 3.1; Fan, Chen
// and Lin (2005) for the pairs of the inner solver.
package chunking

import "context"

// Gradient is all that the solver needs of data and kernels. It holds g_m = K_m alpha for every
// kernel m on every point. A working set is a list of q different points.
//
// Package gradienttest has a suite that every implementation should pass.
type Gradient interface {
	// Hessian puts sum_m theta_m K_m[B,B] + sum_m rank_m g_m[B] g_m[B]' of the working set B in h,
	// which is q x q and row-major. A nil rank represents zeros. As no step sees more, a matrix
	// will do that is positive semi-definite and gives d'Hd for every d with sum d = 0.
	Hessian(ctx context.Context, set []int, theta, rank, h []float64) error
	// Directions puts b_m = d'g_m[B] and c_m = d'K_m[B,B]d in b and c, for a direction d on the
	// working set B. A d with a single 1 asks how large the values of K_m are: they are rounded in
	// proportion to that.
	Directions(ctx context.Context, set []int, d, b, c []float64) error
	// Pass adds K_m[:,B] delta to every g_m, for a change delta of alpha on the working set B. Then
	// it puts sum_m theta_m g_m in combined and V_m = alpha'g_m in v; alpha is the one after the
	// change. A nil set changes nothing. A Pass that ends with the error of its context is called
	// again with the same arguments, and goes on where it was cut.
	Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error
	// Rebuild computes every g_m from alpha. If double is true, all that follows is in double
	// precision.
	Rebuild(ctx context.Context, alpha []float64, double bool) error
}

// Mixer is a gradient that can sum its values on the working set over kernels. A norm that is
// Coupled needs one, and so does Point.Curvature.
type Mixer interface {
	// Mix puts sum_m factor_m g_m[B] over the kernels with row[m] = r in row r of mixed, which is
	// rows x q and row-major. A kernel with row[m] = -1 has no part.
	Mix(ctx context.Context, set []int, row []int32, factor, mixed []float64) error
}

// Shrinker is a gradient that can leave points out of its passes and bring them up to date later.
// With one the solver shrinks: points that nothing in sight will move cost no time.
type Shrinker interface {
	// Shrink restricts passes to the active points, which ascend and are part of those that are
	// active now. From then on Pass leaves the rest of combined as it is, and v, too. If its set is
	// empty and alpha is 0 on all points that are left out, it may put V_m in v.
	Shrink(ctx context.Context, active []int, alpha []float64) error
	// Wake makes all points active again and brings their g_m up to date.
	Wake(ctx context.Context, alpha []float64) error
}

// Looker is a Shrinker that can tell whether the points that are left out matter, for much less
// than it takes to bring them up to date.
type Looker interface {
	Shrinker
	// Look puts sum_m theta_m g_m of the points that are left out, as of this alpha, in combined. It
	// returns false if that takes as long as Wake, and has done nothing then. After an error combined
	// must not be used.
	Look(ctx context.Context, alpha, theta, combined []float64) (bool, error)
	// Rouse makes some of the points that are left out active, in ascending order, and brings their
	// g_m up to date.
	Rouse(ctx context.Context, points []int, alpha []float64) error
	// RebuildActive is Rebuild for the active points alone, which ascend. The others are left out,
	// and their g_m stay at alpha = 0 until they wake.
	RebuildActive(ctx context.Context, active []int, alpha []float64, double bool) error
}

// Checker is a gradient that can compute its values at a few points again, in double precision.
// With one the solver measures what rounding has done before it accepts a duality gap.
type Checker interface {
	// Afresh gives sum_m theta_m g_m at the points of the sample.
	Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error)
	// Deviations puts e_m = sum_s d_s ((K_m alpha)_s - g_m,s) of every kernel in e, where s goes
	// over the points of the sample: d has a number for each point, e one for each kernel.
	Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error
}

// magnifier is a Checker whose values may have more rounding than their size explains.
type magnifier interface {
	// Magnified gives by how many times the rounding of a value k(x,z) of each kernel exceeds a unit of
	// (k(x,x) k(z,z))^(1/2), as the value is a difference of larger ones. It is nil if all are 1.
	Magnified() []float64
}

// magnified gives these numbers of a gradient, or nil.
func magnified(c Checker) []float64 {
	if c, ok := c.(magnifier); ok {
		return c.Magnified()
	}
	return nil
}

// Scaler is a gradient that can follow alpha when all of it is multiplied by a number.
type Scaler interface {
	// Scale multiplies every g_m by c.
	Scale(c float64)
}

// Far is a gradient that can look along a direction over all points before a step is taken.
type Far interface {
	Gradient
	// Along puts b_m = d'g_m and c_m = d'K_m d in b and c, and keeps K_m d. It puts sum_m theta_m K_m d in image, unless
	// that is nil.
	Along(ctx context.Context, d, theta, b, c, image []float64) error
	// Advance adds t K_m d of the last direction to every g_m. It fills combined and v as Pass
	// does; alpha is the one after the step.
	Advance(ctx context.Context, t float64, alpha, theta, combined, v []float64) error
}

// Loss is the data term of the problem: the box of the dual variables, the conjugate lin, and the
// value with the best bias. Box may be called by several threads at once. A loss is Separable or Collective.
type Loss interface {
	// Box gives the bounds of dual variable i.
	Box(i int) (lower, upper float64)
	// Linear gives lin(alpha).
	Linear(alpha []float64) float64
	// Primal gives the bias at which the loss of f + bias is least, exactly, and that loss.
	Primal(f []float64) (bias, sum float64)
	// At gives the loss with the given bias.
	At(f []float64, bias float64) float64
}

// Separable is a loss that is a sum over the points, sum_i C_i loss(f_i + bias, y_i) with the cost C_i of point i. So is lin.
type Separable interface {
	Loss
	// Slope gives the derivative of lin by dual variable i where that has the value a. A kink at 0
	// is left out: Kinked states how large it is. It may be called by several threads at once.
	Slope(i int, a float64) float64
}

// Collective is a smooth convex loss L(f) of all points together, which is the same for f and f + bias. Its lin is
// -L*(-alpha), where L* is the conjugate, and is finite in a domain that lies within the box.
type Collective interface {
	Loss
	// Slopes puts the derivatives of lin by all dual variables in slopes. It returns false outside of the inside of the
	// domain, where lin has none. A variable that cannot move has the slope 0.
	Slopes(alpha, slopes []float64) bool
	// Reach gives the length of the longest step along d within the domain, +inf if there is none.
	Reach(alpha, d []float64) float64
	// Respond puts minus the gradient of L at f in alpha. These dual variables are inside of the domain.
	Respond(f, alpha []float64)
	// Curvature gives the product with the second derivative W of L at f, which puts Wz in wz.
	Curvature(f []float64) func(z, wz []float64)
}

// Kinked is a loss whose lin has a term -Kink(i) |alpha_i| for every i. Slope leaves it out.
type Kinked interface{ Kink(i int) float64 }

// Curved is a loss whose lin is curved. Curvature is minus its second derivative by dual variable
// i.
type Curved interface{ Curvature(i int) float64 }

// Sided is a Curved loss whose curvature is another one below 0. Curvature is that above 0, and Below that below 0,
// for every dual variable. The slope of lin has no jump at 0.
type Sided interface {
	Curved
	Below(i int) float64
}

// curvatureAt gives the curvature of a loss by dual variable i where that has the value a.
func curvatureAt(l Curved, i int, a float64) float64 {
	if sided, ok := l.(Sided); ok && a < 0 {
		return sided.Below(i)
	}
	return l.Curvature(i)
}

// Differentiable is a loss with two derivatives by the decision value, such as the log loss. The slope of its lin is
// infinite at the bounds, so all dual variables lie inside their boxes at the optimum; Slope gives a finite number there.
type Differentiable interface {
	Separable
	// Respond gives the dual variable of point i that is optimal at a decision value, which is minus the derivative of the
	// loss there, and the second derivative.
	Respond(i int, f float64) (alpha, curvature float64)
	// Excess gives the part of point i in the gap of a dual variable a and a decision value f: its loss at f, and a f, less
	// its part of lin. It is 0 where a is the response to f.
	Excess(i int, a, f float64) float64
}

// Summed is a loss whose dual variables sum to Sum() instead of 0. Its runs have to Start at a
// feasible alpha.
type Summed interface{ Sum() float64 }

// Norm is the regulariser, a function of the vector of V_m = ||v_m||^2. All vectors have one
// number for each kernel.
type Norm interface {
	// Weights puts the kernel weights in theta: the derivatives of 1/2 ||v||^2 by V_m / 2 at this
	// V. It returns the norm ||v||. At V = 0 it gives the weights that a run starts with and
	// returns 0.
	Weights(theta, V []float64) float64
	// Curvature gives what moving weights add to the Hessian of 1/2 ||v||^2 beside
	// sum_m theta_m K_m, namely sum_m rank_m g_m g_m' - back ghat ghat' with
	// ghat = sum_m theta_m g_m. ok is false if the first sum is left out. The term makes the model
	// of the dual exact to second order; without it steps are shorter, and the optimum is the same.
	Curvature(rank, theta, V []float64) (back float64, ok bool)
	// Primal gives ||w||_{2,p} of the vector of ||w_m||, none of which is negative.
	Primal(w []float64) float64
	// Dual gives the dual norm ||v||_{p*}, without any smoothing.
	Dual(V []float64) float64
}

// Coupled is a norm with a curvature that ties kernels to each other.
type Coupled interface {
	// Coupling gives what is to be added for the weights of this V, nil for nothing.
	Coupling(theta, V []float64) *Coupling
}

// Coupling is a part of the Hessian of 1/2 ||v||^2 that ties kernels to each other:
// sum_rs form_rs z_r z_s', with one z_r = sum_m factor_m g_m over the kernels of each row r.
type Coupling struct {
	Rows     int
	Row      []int32   // the row of each kernel, -1 for none
	Factor   []float64 // the factor of each kernel
	Diagonal []float64 // the diagonal of the form, if it has no other entries
	Full     []float64 // otherwise the whole form, Rows x Rows, row-major and symmetric
}

// Adaptive is a norm that changes as a run goes on, such as one that is smoothed at first.
type Adaptive interface {
	// Calibrate is shown V after each pass. It reports whether the weights have to be computed
	// again.
	Calibrate(V []float64) bool
	// Sharpen makes a smoothed norm sharper, by a small step if near means that the gap is near
	// its goal. It returns false if no step is left.
	Sharpen(near bool) bool
	// Snapshot gives what the norm has found out, for a checkpoint or for another problem.
	Snapshot() NormState
	// Resume takes over a state. It returns false, and changes nothing, if the state belongs to
	// another kind of norm.
	Resume(NormState) bool
}

// Invertible is an Adaptive norm whose weights determine V up to a factor. The first step after it has become
// sharper is expanded at the weights before, see expansion.
type Invertible interface {
	// Energies puts in V values for which Weights gives a multiple of theta. It returns false where theta
	// does not determine them.
	Energies(V, theta []float64) bool
}

// Smoothed is an Adaptive norm that can tell its primal value as it is smoothed now. A Joint loss
// goes with no other Adaptive norm.
type Smoothed interface {
	// SmoothPrimal gives the smoothed norm of the vector of ||w_m||.
	SmoothPrimal(w []float64) float64
}

// NormState is what an Adaptive norm has found out.
type NormState struct {
	Level     int       `json:"level"`             // steps taken on the ladder of exponents
	Smoothing float64   `json:"smoothing"`         // delta^2, which is added to V_m
	Least     float64   `json:"least"`             // the least delta^2 that will be used
	Dropped   []bool    `json:"dropped,omitempty"` // kernels that turned out indefinite
	Peak      []float64 `json:"peak,omitempty"`    // the largest |V_m| so far of each kernel
}

// Scaled is a norm whose weights have to be divided by a number before they are reported.
type Scaled interface {
	// Scale gives that number for weights theta and their V. It is above 0.
	Scale(theta, V []float64) float64
}

// Normalised is an Adaptive norm with weights that are reported as they are, also while the norm is smoothed. They are
// nearly the derivatives of a dual norm. The gap of a smoothed problem is then little more than the gap of alpha.
type Normalised interface{ Normalised() }

// Delicate is a norm that can tell whether small V_m matter. Where they do, single precision will
// not do, and a gap is only accepted after the gradients have been computed again.
type Delicate interface{ Delicate() bool }

// Excluder is a norm that leaves out kernels that turn out not to be positive semi-definite.
type Excluder interface {
	// Excludes reports whether kernel m is not part of the norm if V_m = v.
	Excludes(m int, v float64) bool
	// Dropped reports whether kernel m is left out for the rest of the run.
	Dropped(m int) bool
	// Indefinite reports whether any kernel may be indefinite. The dual need not be concave then.
	Indefinite() bool
}

// whole is the state that a direction over all points is to be found for. The slices are the solver's own and must not be
// changed.
type whole struct {
	Alpha  []float64
	Ascent []float64 // the derivative of the dual by alpha
	// Combined is sum_m theta_m g_m.
	Combined, Theta, V []float64
	Norm               Norm
}

// stepper replaces the working set: it chooses a direction over all points for each iteration.
// The solver searches along the direction and does everything else as ever.
type stepper interface {
	// Direction puts the direction to take from a state in d. The numbers in d have to sum to 0.
	Direction(ctx context.Context, at *whole, d []float64) error
	// Learn is shown the step d that was taken along the last direction, and the ascent after it.
	// d is nil if no step along the direction raises the dual.
	Learn(d, ascent []float64)
	// Snapshot gives what is remembered of past steps: vectors with a number for each point.
	Snapshot() [][]float64
	// Resume takes over what Snapshot gave. It returns false for what no run of this problem
	// remembers.
	Resume(state [][]float64) bool
}

// bent is a stepper whose directions are chords of a curved path.
type bent interface {
	// Retreat puts the chord to a nearer point of the path of the last direction in d. It returns false, and changes
	// nothing, if there is none.
	Retreat(d []float64) bool
}

// Dropped reports whether a norm leaves kernel m out for the rest of the run.
func Dropped(n Norm, m int) bool {
	e, ok := n.(Excluder)
	return ok && e.Dropped(m)
}

// excludes reports whether a norm gives kernel m no part if V_m = v.
func excludes(n Norm, m int, v float64) bool {
	e, ok := n.(Excluder)
	return ok && e.Excludes(m, v)
}

// delicate reports whether small V_m matter to a norm.
func delicate(n Norm) bool {
	d, ok := n.(Delicate)
	return ok && d.Delicate()
}

// scaleOf is the number that the weights of a norm are divided by before they are reported.
func scaleOf(n Norm, theta, V []float64) float64 {
	if n, ok := n.(Scaled); ok {
		return n.Scale(theta, V)
	}
	return 1
}
