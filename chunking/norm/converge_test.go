package norm

import (
	"bigmkl/chunking"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
	"fmt"
	"math"
	"slices"
	"testing"

	"bigmkl/internal/testlevel"
)

// values recomputes the certificate of a solution by the definitions.
func values(p *toy.Problem, d *defined, r *chunking.Solution) (primal, dual float64) {
	n := len(p.Y)
	v := roots(p.Energies(r.Alpha))
	w := divided(v, r.Theta, 1)
	if d.make(nil).(chunking.Delicate).Delicate() { // V_m ~ 1e-15 is rounding, and weights are as large
		w = r.WNorms
	}
	a, b := d.primal(w), d.dual(v)
	primal, dual = a*a/2, toy.Dot(p.Y, r.Alpha)-b*b/2
	for i, y := range p.Y {
		f := r.Certificate.Bias
		for m, k := range p.K {
			f += r.Theta[m] * toy.Dot(k[i*n:(i+1)*n], r.Alpha)
		}
		primal += p.Cost[i] * max(0, 1-y*f)
	}
	return primal, dual
}

func regularized(t *testing.T, p *toy.Problem, norm chunking.Norm, gap float64) (chunking.Status, chunking.Solution) {
	t.Helper()
	s := chunking.New(len(p.Y), len(p.K), loss.NewHinge(p.Signs(), [2]float64{1, 1}, p.Cost), norm, gradienttest.NewDense(len(p.Y), p.K), gap, chunking.Tuning{})
	status, err := chunking.NewDriver(s, chunking.Limits{Iterations: 1000}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return status, s.Solution()
}

// TestRegularizersConverge: every norm on every small problem reaches its gap, and its values agree with
// the definitions.
func TestRegularizersConverge(t *testing.T) {
	rng := toy.Random(t, 33)
	for _, p := range toy.Problems(rng) {
		for _, d := range defineds(rng, len(p.K)) {
			t.Run(p.Name+"/"+d.name, func(t *testing.T) {
				gap := 1e-6
				if p.Name == "one kernel a feature" && d.make(nil).(chunking.Delicate).Delicate() {
					gap = 1e-5 // V_m ~ 1e-15 come of a sum that cancels
				}
				status, r := regularized(t, p, d.make(nil), gap)
				if status != chunking.Converged {
					t.Fatalf("%s after %d iterations with gap %.3g", status, r.Iterations, r.Certificate.RelativeGap)
				}
				if r.Iterations > 300 {
					t.Errorf("%d iterations", r.Iterations)
				}
				p.Feasible(t, r.Alpha)
				primal, dual := values(p, &d, &r)
				if !toy.Near(r.Certificate.Primal, primal, 1e-7) || !toy.Near(r.Certificate.Dual, dual, 1e-7) {
					t.Errorf("certificate P = %.12g, D = %.12g; by definition %.12g, %.12g", r.Certificate.Primal, r.Certificate.Dual, primal, dual)
				}
			})
		}
	}
}

// TestRegularizedOptima compares with an exhaustive search on the definition of the dual.
func TestRegularizedOptima(t *testing.T) {
	rng := toy.Random(t, 23)
	for _, n := range testlevel.Some(t, "", 1, []int{3, 4}) {
		p, x := toy.Cloud("tiny", rng, n, 2)
		p.K = [][]float64{toy.Gauss(x, 0.5), toy.Times(toy.Linear(x, 0, 1), 2), toy.Linear(x, 1, 2), toy.Gauss(x, 3)}
		for _, d := range defineds(rng, len(p.K)) {
			status, r := regularized(t, p, d.make(nil), 1e-7)
			want := p.Optimum(func(alpha []float64) float64 {
				r := d.dual(roots(p.Energies(alpha)))
				return toy.Dot(p.Y, alpha) - r*r/2
			})
			if c := r.Certificate; status != chunking.Converged || !toy.Near(c.Dual, want, 1e-5) || c.Dual > want*(1+1e-6) || c.Primal < want*(1-1e-6) {
				t.Errorf("n = %d, %s: %s, D = %.10g, P = %.10g, the optimum is %.10g", n, d.name, status, c.Dual, c.Primal, want)
			}
		}
	}
}

// TestIdentities: norms that are others in disguise have their optimum to 1e-6.
func TestIdentities(t *testing.T) {
	rng := toy.Random(t, 24)
	p, x := toy.Cloud("identities", rng, 40, 3)
	p.K = [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1), toy.Linear(x, 0, 3), toy.Poly(x, 2), toy.Linear(x, 1, 2)}
	m := len(p.K)
	each, one := make([]int32, m), make([]int32, m)
	identity := make([]float64, m*m)
	for i := range m {
		each[i] = int32(i)
		identity[i*m+i] = 1
	}
	value := func(n chunking.Norm) float64 {
		status, r := regularized(t, p, n, 1e-7)
		if status != chunking.Converged {
			t.Fatal(status, r.Certificate.RelativeGap)
		}
		return (r.Certificate.Primal + r.Certificate.Dual) / 2
	}
	same := func(name string, a, b chunking.Norm) {
		if x, y := value(a), value(b); !toy.Near(x, y, 3e-7) {
			t.Errorf("%s: %.10g and %.10g", name, x, y)
		}
	}
	for _, e := range toy.Norms {
		for _, other := range []float64{1, 1.5, 2, 5, math.Inf(1)} {
			same(fmt.Sprintf("p = %g over single kernels, q = %g", e, other), NewHierarchical(e, other, each, nil), NewBlock(e, nil))
			same(fmt.Sprintf("one group of q = %g, p = %g", e, other), NewHierarchical(other, e, one, nil), NewBlock(e, nil))
		}
		same(fmt.Sprintf("p = q = %g", e), NewHierarchical(e, e, groups(m), nil), NewBlock(e, nil))
		same(fmt.Sprintf("p = %g of equal importances", e), NewWeighted(NewBlock(e, nil), slices.Repeat([]float64{1}, m)), NewBlock(e, nil))
	}
	same("E = I", NewInteraction(identity, nil), NewBlock(2, nil))
	importance := []float64{1, 2, 0.5, 3, 0.1}
	diagonal := make([]float64, m*m)
	for i, x := range importance {
		diagonal[i*m+i] = x
	}
	same("E diagonal", NewInteraction(diagonal, nil), NewWeighted(NewBlock(2, nil), importance))
	same("weights of sum 1", NewSum(nil), NewBlock(1, nil))
	same("elastic net near p = 1", NewElasticNet(1e-8, nil), NewBlock(1, nil))
	for _, e := range []float64{1, 4.0 / 3, 1.9, 2, 4} {
		const lambda = 0.2
		_, r := regularized(t, p, NewSquared(e, lambda, nil), 1e-8)
		n := NewBlock(e, nil).Dual(p.Energies(r.Alpha))
		other := *p
		other.Cost = divided(p.Cost, slices.Repeat([]float64{n * n / (2 * lambda)}, len(p.Cost)), 1)
		status, block := regularized(t, &other, NewBlock(e, nil), 1e-8)
		if w, b := slices.Max(r.WNorms), slices.Max(block.WNorms); status != chunking.Converged || !toy.Near(w, b, 1e-3) || !toy.Near(r.Certificate.Bias, block.Certificate.Bias, 1e-3) {
			t.Errorf("p = %g, squared: ||w|| = %v, bias %v; with C s %v and %v", e, r.WNorms, r.Certificate.Bias, block.WNorms, block.Certificate.Bias)
		}
	}
	same("elastic net near the sum", NewElasticNet(1-1e-9, nil), NewBlock(2, nil))
}

// TestRegularizersIndefinite: with a kernel that is not positive semi-definite the run ends, alpha
// stays in its box, and a kernel of a negative V_m has no weight.
func TestRegularizersIndefinite(t *testing.T) {
	rng := toy.Random(t, 26)
	p, x := toy.Cloud("indefinite", rng, 40, 3)
	noise := make([]float64, 40*40)
	for i := range 40 {
		for j := range i + 1 {
			noise[i*40+j] = rng.NormFloat64()
			noise[j*40+i] = noise[i*40+j]
		}
	}
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Sigmoid(x), noise, toy.Linear(x, 0, 3)}
	for _, d := range defineds(rng, len(p.K)) {
		s := chunking.New(len(p.Y), len(p.K), loss.NewHinge(p.Signs(), [2]float64{1, 1}, p.Cost), d.make([]bool{false, true, true, false}), gradienttest.NewDense(len(p.Y), p.K), 1e-3, chunking.Tuning{})
		if _, err := chunking.NewDriver(s, chunking.Limits{Iterations: 100}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := s.Solution()
		p.Feasible(t, r.Alpha)
		for m, v := range p.Energies(r.Alpha) {
			if v < -1e-9 && r.Theta[m] != 0 {
				t.Errorf("%s: V = %v has weight %v", d.name, v, r.Theta[m])
			}
		}
		if c := r.Certificate; c.Primal-c.Primal != 0 || c.Dual-c.Dual != 0 {
			t.Errorf("%s: certificate %+v", d.name, c)
		}
	}
}
