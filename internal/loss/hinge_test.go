package loss

import (
	"bigmkl/internal/toy"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sample is a loss with labels, costs and decision values.
type sample struct{ y, cost, f []float64 }

// at is the loss at one bias, by the definition.
func (s *sample) at(bias float64) float64 {
	sum := 0.0
	for i, x := range s.f {
		sum += s.cost[i] * max(0, 1-s.y[i]*(x+bias))
	}
	return sum
}

// slopes gives the subgradient of the loss at the bias; a point within slack of its margin counts
// as on it.
func (s *sample) slopes(bias, slack float64) (low, high float64) {
	for i, x := range s.f {
		y, c := s.y[i], s.cost[i]
		switch m := 1 - y*(x+bias); {
		case math.Abs(m) <= slack:
			low, high = low+min(0, -y*c), high+max(0, -y*c)
		case m > 0:
			low, high = low-y*c, high-y*c
		}
	}
	return low, high
}

// check compares Primal with all kinks and with the condition for a minimum.
func (s *sample) check(t *testing.T) {
	t.Helper()
	bias, sum := hinge(s.y, s.cost).Primal(s.f)
	best, total, scale := math.Inf(1), 0.0, 1+math.Abs(bias)
	for i, x := range s.f {
		best = min(best, s.at(s.y[i]-x))
		total += s.cost[i]
		scale = max(scale, math.Abs(x))
	}
	if at := s.at(bias); !(math.Abs(at-sum) <= 1e-13*total*scale) {
		t.Fatalf("the sum is %v, the loss at bias %v is %v", sum, bias, at)
	}
	if !(math.Abs(sum-best) <= 1e-12*total*scale) {
		t.Fatalf("loss %v at bias %v, the best kink has %v\n%+v", sum, bias, best, *s)
	}
	if low, high := s.slopes(bias, 1e-13*scale); low > 1e-12*total || high < -1e-12*total {
		t.Fatalf("the slope at bias %v is in [%v, %v]", bias, low, high)
	}
}

func newSample(n int) *sample {
	return &sample{make([]float64, n), make([]float64, n), make([]float64, n)}
}

func TestHingePrimal(t *testing.T) {
	costs := map[string]func(*rand.Rand) float64{
		"one":    func(*rand.Rand) float64 { return 1 },
		"tenths": func(*rand.Rand) float64 { return 0.1 },
		"random": func(r *rand.Rand) float64 { return r.ExpFloat64() },
		"wide":   func(r *rand.Rand) float64 { return math.Pow(10, 12*r.Float64()-6) },
	}
	values := map[string]func(*rand.Rand) float64{
		"continuous": func(r *rand.Rand) float64 { return 2 * r.NormFloat64() },
		"ties":       func(r *rand.Rand) float64 { return float64(r.IntN(4)) / 2 },
		"constant":   func(*rand.Rand) float64 { return 0.25 },
		"offset":     func(r *rand.Rand) float64 { return 1e6 + r.NormFloat64() },
	}
	rng := toy.Random(t, 1)
	for _, positive := range []float64{0.02, 0.5, 0.9} {
		for nameC, cost := range costs {
			for nameF, value := range values {
				for _, n := range []int{2, 3, 7, 31, 33, 64, 65, 300} {
					s := newSample(n)
					for i := range s.y {
						s.y[i], s.cost[i], s.f[i] = -1, cost(rng), value(rng)
						if i == 0 || rng.Float64() < positive {
							s.y[i] = 1
						}
					}
					s.y[1] = -1
					t.Run(fmt.Sprintf("%s/%s/%g/%d", nameC, nameF, positive, n), func(t *testing.T) {
						s.check(t)
					})
				}
			}
		}
	}
}

// TestHingeTiesOnOneSide: a whole class at one kink, the other spread out.
func TestHingeTiesOnOneSide(t *testing.T) {
	rng := toy.Random(t, 2)
	for _, n := range []int{4, 40, 200} {
		for _, tied := range []float64{1, -1} {
			s := newSample(n)
			for i := range s.y {
				s.y[i], s.cost[i], s.f[i] = float64(1-2*(i%2)), 1, rng.NormFloat64()
				if s.y[i] == tied {
					s.f[i] = 0.5
				}
			}
			s.check(t)
		}
	}
}

// TestHingeOneClass: without a second class the loss can be driven to zero.
func TestHingeOneClass(t *testing.T) {
	for _, n := range []int{1, 5, 33, 100} {
		for _, label := range []float64{1, -1} {
			for _, tied := range []bool{true, false} {
				t.Run(fmt.Sprintf("%d/%g/%v", n, label, tied), func(t *testing.T) {
					s := newSample(n)
					for i := range s.y {
						s.y[i], s.cost[i] = label, 1
						if !tied {
							s.f[i] = float64(i*7%n) / 10
						}
					}
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("panic: %v", r)
						}
					}()
					s.check(t)
				})
			}
		}
	}
}

// TestHingeMiddle: where every bias of an interval is best, the middle is taken, however the points
// are ordered.
func TestHingeMiddle(t *testing.T) {
	// Kinks at -1 (twice) and 1 (twice): every bias between is best.
	h := hinge([]float64{1, 1, -1, -1}, []float64{1, 1, 1, 1})
	if bias, sum := h.Primal([]float64{2, 2, -2, -2}); bias != 0 || sum != 0 {
		t.Errorf("bias %v, loss %v; want 0, 0", bias, sum)
	}
	rng := toy.Random(t, 3)
	y, f := make([]float64, 100), make([]float64, 100)
	for i := range y {
		y[i], f[i] = float64(1-2*(i%2)), math.Round(8*rng.NormFloat64())/4
	}
	first := math.NaN()
	for range 20 {
		rng.Shuffle(len(y), func(i, j int) { y[i], y[j], f[i], f[j] = y[j], y[i], f[j], f[i] })
		c := slices.Repeat([]float64{1}, len(y))
		bias, _ := hinge(y, c).Primal(f)
		if math.IsNaN(first) {
			first = bias
		}
		if bias != first {
			t.Fatalf("bias %v, in another order %v", bias, first)
		}
	}
}

// TestHingeConjugate: lin is y'alpha with the slope y, and the box is 0 <= y alpha <= C.
func TestHingeConjugate(t *testing.T) {
	rng := toy.Random(t, 4)
	const n = 20
	y, c, alpha := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], c[i] = float64(1-2*rng.IntN(2)), rng.ExpFloat64()
		alpha[i] = y[i] * c[i] * rng.Float64()
	}
	h := hinge(y, c)
	for i := range y {
		low, high := h.Box(i)
		if low != min(0, y[i]*c[i]) || high != max(0, y[i]*c[i]) {
			t.Errorf("point %d, y = %g, C = %g: box [%g, %g]", i, y[i], c[i], low, high)
		}
		if got := h.Slope(i, alpha[i]); got != y[i] {
			t.Errorf("point %d: slope %v, want %v", i, got, y[i])
		}
		// Fenchel: the largest of alpha (slope - f) over the box is the loss at bias 0.
		f := rng.NormFloat64()
		slope := max(low*(y[i]-f), high*(y[i]-f))
		if want := c[i] * max(0, 1-y[i]*f); !toy.Near(slope, want, 1e-14) {
			t.Errorf("point %d, f = %v: the conjugate gives %v, the loss is %v", i, f, slope, want)
		}
	}
	if lin := h.Linear(alpha); !toy.Near(lin, toy.Dot(y, alpha), 1e-14) {
		t.Errorf("lin = %v, want %v", lin, toy.Dot(y, alpha))
	}
	// Costs of classes and weights of points multiply.
	weighted := NewHinge([]int8{1, -1, 1}, [2]float64{2, 3}, []float64{5, 7, 1})
	for i, want := range []float64{15, -14, 3} {
		if low, high := weighted.Box(i); low+high != want {
			t.Errorf("cost of point %d: box [%g, %g], want one end %g", i, low, high, want)
		}
	}
	for i, want := range []float64{3, -2} {
		if low, high := NewHinge([]int8{1, -1}, [2]float64{2, 3}, nil).Box(i); low+high != want {
			t.Errorf("cost of point %d without weights: box [%g, %g], want one end %g", i, low, high, want)
		}
	}
}

// twoClasses are the losses of two classes.
var twoClasses = map[string]func(y []int8, cost [2]float64, weight []float64) TwoClass{
	"hinge":         func(y []int8, cost [2]float64, weight []float64) TwoClass { return NewHinge(y, cost, weight) },
	"squared hinge": func(y []int8, cost [2]float64, weight []float64) TwoClass { return NewSquaredHinge(y, cost, weight) },
}

// A loss without some points equals the loss of the others, the bias of the hinge to the bit, and holds 0 for the dual
// variables of these points.
func TestWithout(t *testing.T) {
	rng := toy.Random(t, 11)
	for trial := range 200 {
		n := 3 + rng.IntN(100)
		y, f, out := make([]int8, n), make([]float64, n), []int(nil)
		var weight, few, kept []float64
		var left []int8
		for i := range y {
			y[i], f[i] = int8(1-2*(i%2)), float64(rng.IntN(9))/4
			weight = append(weight, 1+rng.Float64())
			if i > 1 && rng.IntN(3) == 0 {
				out = append(out, i)
				continue
			}
			left, kept, few = append(left, y[i]), append(kept, f[i]), append(few, weight[i])
		}
		if trial%2 == 0 {
			weight, few = nil, nil
		}
		cost := [2]float64{0.5, 2}
		for name, of := range twoClasses {
			rest, positive, negative := of(y, cost, weight).Without(out)
			if !positive || !negative {
				t.Fatal("a class is gone")
			}
			bias, sum := rest.Primal(f)
			b, s := of(left, cost, few).Primal(kept)
			if name == "hinge" && b != bias || math.Abs(b-bias) > 1e-12 || math.Abs(s-sum) > 1e-12*s {
				t.Errorf("%s: %d of %d points left: bias %v and loss %v, of these alone %v and %v", name, len(left), n, bias, sum, b, s)
			}
			for _, i := range out {
				if low, high := rest.Box(i); low != 0 || high != 0 {
					t.Errorf("%s: room for %d: %v to %v", name, i, low, high)
				}
			}
		}
	}
	for class, of := range [][2]bool{{false, true}, {true, false}} {
		if _, positive, negative := NewHinge([]int8{1, -1, -1}, [2]float64{1, 1}, nil).Without([][]int{{0}, {1, 2}}[class]); positive != of[0] || negative != of[1] {
			t.Errorf("left %v, %v, want %v", positive, negative, of)
		}
	}
}

// hinge is the loss for labels y and a cost of each point.
func hinge(y, cost []float64) *Hinge {
	sign := make([]int8, len(y))
	for i, v := range y {
		sign[i] = int8(v)
	}
	return NewHinge(sign, [2]float64{1, 1}, cost)
}
