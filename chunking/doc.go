// Package chunking solves the l_p-norm multiple kernel learning problem by chunking, with a weight step after every
// working-set step.
//
// The problem, for signed dual variables alpha in a box with sum alpha = 0, V_m = alpha'K_m alpha and ||v_m|| = V_m^(1/2):
//
//	max  D(alpha) = lin(alpha) - 1/2 || (||v_m||)_m ||_{p*}^2
//	min  P(theta, alpha, b) = 1/2 ||w||_{2,p}^2 + sum_i C_i loss(f(x_i), y_i),   w_m = theta_m v_m
//
// P is valid for every theta >= 0, so P - D of the very (alpha, theta, b) in hand bounds its distance from the optimum.
//
// A Solver is stepped by a driver. It does no I/O, knows no clock and no threads, and sees the data only through the
// Gradient interface; Loss and Norm are values behind small interfaces, so that other tasks and regularisers are other
// values and not other solvers.
//
// A Held norm keeps its weights until a Rule moves them: the analytical wrapper, cutting planes, and solvers of the caller's own. Such a
// rule may have a state that State does not hold.
//
// Memory: a few vectors of length n and M and three matrices of the size of the working set squared.
//
// References: Kloft (2011), Problem II.3, Algorithms 3.1, 3.2 and D.1, Proposition 3.1; Fan, Chen and Lin (2005) for the pairs of the
// inner solver.
package chunking

import "context"

// Gradient is what the solver needs to know of data and kernels. g_m = K_m alpha; set is a working set B of q points.
type Gradient interface {
	// Hessian gives h = sum_m theta_m K_m[B,B] + sum_m rank_m g_m[B] g_m[B]'; rank may be nil. h: q x q, row-major.
	Hessian(ctx context.Context, set []int, theta, rank, h []float64) error
	// Directions gives b_m = d'g_m[B] and c_m = d'K_m[B,B]d.
	Directions(ctx context.Context, set []int, d, b, c []float64) error
	// Pass adds delta on the set to all gradients; then combined = sum_m theta_m g_m and v_m = alpha'g_m.
	Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error
	// Rebuild computes every g_m from alpha, from here on in double precision if double.
	Rebuild(ctx context.Context, alpha []float64, double bool) error
}

// Mixer is a gradient that can sum over kernels what it holds of the working set. A norm that couples kernels needs one.
type Mixer interface {
	// Mix gives mixed[r] = sum_m factor_m g_m[B] over the kernels with row[m] = r; -1 is none. mixed: rows x q, row-major.
	Mix(ctx context.Context, set []int, row []int32, factor, mixed []float64) error
}
