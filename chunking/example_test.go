package chunking_test

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
)

// twelve gives twelve points on a line with targets, and two kernel matrices: a wide and a narrow
// Gaussian.
func twelve() (targets []float64, kernels [][]float64) {
	const n = 12
	kernels = [][]float64{make([]float64, n*n), make([]float64, n*n)}
	for i := range n {
		targets = append(targets, math.Sin(float64(i)))
		for j := range n {
			d := float64(i - j)
			kernels[0][i*n+j], kernels[1][i*n+j] = math.Exp(-d*d/8), math.Exp(-d*d)
		}
	}
	return targets, kernels
}

// train solves a problem to a relative duality gap of 1e-6.
func train(l chunking.Loss, r chunking.Norm, kernels [][]float64, n int) chunking.Solution {
	s := chunking.New(n, len(kernels), l, r, gradienttest.NewDense(n, kernels), 1e-6, chunking.Tuning{})
	if status, err := chunking.NewDriver(s, chunking.Limits{}).Run(context.Background()); err != nil || status != chunking.Converged {
		panic(fmt.Sprint(status, err))
	}
	return s.Solution()
}

// power is the block norm p for 1 < p < 2, written outside the module: theta_m = (||v_m|| /
// ||v||_q)^(q-2) with 1/p + 1/q = 1.
type power struct{ p float64 }

func (n power) Weights(theta, V []float64) float64 {
	q, length := n.p/(n.p-1), n.Dual(V)
	for m, x := range V {
		if length == 0 {
			theta[m] = 1 // the weights that a run starts with
			continue
		}
		theta[m] = math.Pow(math.Sqrt(max(x, 0))/length, q-2)
	}
	return length
}

// Curvature leaves out how weights answer to a step: it takes more iterations, and the optimum is
// the same.
func (n power) Curvature(rank, theta, V []float64) (back float64, ok bool) { return 0, false }

func (n power) Primal(w []float64) float64 { return pNorm(w, n.p) }

func (n power) Dual(V []float64) float64 {
	v := make([]float64, len(V))
	for m, x := range V {
		v[m] = math.Sqrt(max(x, 0))
	}
	return pNorm(v, n.p/(n.p-1))
}

func pNorm(x []float64, p float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Pow(v, p)
	}
	return math.Pow(sum, 1/p)
}

// A norm of the caller's own has four methods. This one is a block norm, so it has the optimum
// of the built-in one.
func ExampleNorm() {
	y, kernels := twelve()
	own := train(loss.NewLeastSquares(y, 10, nil), power{4.0 / 3}, kernels, len(y))
	built := train(loss.NewLeastSquares(y, 10, nil), norm.NewBlock(4.0/3, nil), kernels, len(y))
	fmt.Printf("dual value %.4f, of the built-in norm %.4f\n", own.Certificate.Dual, built.Certificate.Dual)
	fmt.Printf("theta %.2f, of the built-in norm %.2f\n", own.Theta, built.Theta)
	// Output:
	// dual value 1.8465, of the built-in norm 1.8465
	// theta [0.47 0.88], of the built-in norm [0.47 0.88]
}

// absolute is the loss C |y_i - f_i|, written outside the module. Its conjugate is lin(alpha) =
// sum_i y_i alpha_i for |alpha_i| <= C.
type absolute struct {
	y    []float64
	cost float64
}

func (l absolute) Box(int) (lower, upper float64) { return -l.cost, l.cost }

func (l absolute) Linear(alpha []float64) float64 {
	sum := 0.0
	for i, a := range alpha {
		sum += l.y[i] * a
	}
	return sum
}

func (l absolute) Slope(i int, _ float64) float64 { return l.y[i] }

// Primal: the best bias is a median of what is left.
func (l absolute) Primal(f []float64) (bias, sum float64) {
	left := make([]float64, len(f))
	for i, x := range f {
		left[i] = l.y[i] - x
	}
	slices.Sort(left)
	bias = left[len(left)/2]
	return bias, l.At(f, bias)
}

func (l absolute) At(f []float64, bias float64) (sum float64) {
	for i, x := range f {
		sum += l.cost * math.Abs(l.y[i]-x-bias)
	}
	return sum
}

// A loss of the caller's own has five methods. This one is the epsilon-insensitive loss with a tube
// of no width, so it has the optimum of the built-in one.
func ExampleLoss() {
	y, kernels := twelve()
	own := train(absolute{y, 0.5}, norm.NewBlock(2, nil), kernels, len(y))
	built := train(loss.NewInsensitive(y, 0.5, nil, 0), norm.NewBlock(2, nil), kernels, len(y))
	fmt.Printf("dual value %.4f, of the built-in loss %.4f\n", own.Certificate.Dual, built.Certificate.Dual)

	// With one point at 0 and one at 1, the kernel matrix I and a large C, the function goes
	// through both: alpha = (-a, a), f_1 = -a + b = 0, f_2 = a + b = 1, so a = 1/2 and D = 1/2
	// - a^2 = 1/4.
	two := train(absolute{[]float64{0, 1}, 9}, norm.NewBlock(2, nil), [][]float64{{1, 0, 0, 1}}, 2)
	fmt.Printf("alpha %.2f, bias %.2f, dual value %.2f\n", two.Alpha, two.Certificate.Bias, two.Certificate.Dual)
	// Output:
	// dual value 1.4677, of the built-in loss 1.4677
	// alpha [-0.50 0.50], bias 0.50, dual value 0.25
}
