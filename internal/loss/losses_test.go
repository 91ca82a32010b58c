package loss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/chunking"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// taskLoss makes the loss of a task on targets y.
func taskLoss(task string, y, weight []float64, cost float64) chunking.Loss {
	switch task {
	case "regression":
		return loss.NewInsensitive(y, cost, weight, 0.3)
	case "least squares":
		return loss.NewLeastSquares(y, cost, weight)
	case "quantile":
		return loss.NewQuantile(y, cost, weight, 0, 0.8)
	case "quantile in a tube":
		return loss.NewQuantile(y, cost, weight, 0.2, 0.1)
	case "survival":
		return loss.NewSurvival(timesOf(y), nil, cost, weight, 0.3, 0.5)
	case "intervals":
		times, uppers := intervalsOf(y)
		return loss.NewSurvival(times, uppers, cost, weight, 0.1, 0.4)
	case "huber":
		return loss.NewHuber(y, cost, weight, 0.4)
	case "expectile":
		return loss.NewExpectile(y, cost, weight, 0.9)
	case "low expectile":
		return loss.NewExpectile(y, cost, weight, 0.02)
	case "logistic":
		return loss.NewLogistic(signs(y), [2]float64{cost, 2 * cost}, weight)
	case "squared hinge":
		return loss.NewSquaredHinge(signs(y), [2]float64{cost, 2 * cost}, weight)
	}
	return loss.NewOneClass(len(y), 0.3, weight)
}

var taskNames = []string{"regression", "least squares", "quantile", "quantile in a tube", "survival", "intervals", "huber", "expectile", "low expectile", "logistic", "squared hinge", "one class"}

// timesOf makes times of targets, whose logarithms these are. Every third time, except for the first, is censored.
func timesOf(y []float64) []float64 {
	times := make([]float64, len(y))
	for i, v := range y {
		if times[i] = math.Exp(v); i%3 == 2 {
			times[i] *= -1
		}
	}
	return times
}

// intervalsOf makes times of targets: events, bounds on either side, and intervals around them, in turn.
func intervalsOf(y []float64) (times, uppers []float64) {
	times, uppers = make([]float64, len(y)), make([]float64, len(y))
	for i, v := range y {
		switch times[i] = math.Exp(v); i % 4 {
		case 1:
			times[i] *= -1
		case 2:
			times[i], uppers[i] = 0, times[i]
		case 3:
			times[i], uppers[i] = -math.Exp(v-0.2*float64(i)), math.Exp(v+0.1)
		}
	}
	return times, uppers
}

// signs makes classes of targets.
func signs(y []float64) []int8 {
	labels := make([]int8, len(y))
	for i, v := range y {
		if labels[i] = 1; v < 0 {
			labels[i] = -1
		}
	}
	return labels
}

// slowLoss is the loss of decision values, bias included.
func slowLoss(task string, l chunking.Loss, y, f []float64, bias float64) float64 {
	sum := 0.0
	for i, x := range f {
		below, c := l.Box(i)
		switch task {
		case "regression":
			sum += c * max(0, math.Abs(y[i]-x-bias)-0.3)
		case "least squares":
			r := y[i] - x - bias
			sum += r * r / 2 / l.(chunking.Curved).Curvature(i)
		case "quantile", "quantile in a tube":
			eps := map[string]float64{"quantile": 0, "quantile in a tube": 0.2}[task]
			sum += c*max(0, y[i]-x-bias-eps) - below*max(0, x+bias-y[i]-eps)
		case "survival":
			sum += c * max(0, y[i]-x-bias-0.3)
			if i%3 != 2 {
				sum += c * max(0, x+bias-y[i]-0.3)
			} else if below != 0 {
				return math.NaN()
			}
		case "intervals":
			above, under := y[i], y[i]
			if i%4 == 3 {
				above, under = y[i]-0.2*float64(i), y[i]+0.1
			}
			if i%4 == 2 && c != 0 || i%4 == 1 && below != 0 {
				return math.NaN()
			}
			sum += c*max(0, above-0.1-x-bias) - below*max(0, x+bias-under-0.1)
		case "huber":
			r, curvature := math.Abs(y[i]-x-bias), l.(chunking.Curved).Curvature(i)
			near := min(r, 0.4)
			sum += (near*near/2 + 0.4*(r-near)) / curvature
		case "expectile", "low expectile":
			r, tau := y[i]-x-bias, map[string]float64{"expectile": 0.9, "low expectile": 0.02}[task]
			c := 1 / l.(chunking.Curved).Curvature(i) // C_i tau
			if r < 0 {
				c *= (1 - tau) / tau
			}
			sum += c / 2 * r * r
		case "logistic":
			sum += max(c, -below) * math.Log1p(math.Exp(-float64(signs(y)[i])*(x+bias)))
		case "squared hinge":
			r := max(0, 1-float64(signs(y)[i])*(x+bias))
			sum += r * r / 2 / l.(chunking.Curved).Curvature(i)
		default:
			sum += c * max(0, -bias-x)
		}
	}
	if task == "one class" {
		sum += bias
	}
	return sum
}

// TestTaskBias compares the best bias with a search.
func TestTaskBias(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 1 + rng.IntN(40)
		y, f, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], f[i], weight[i] = rng.NormFloat64(), rng.NormFloat64(), 0.2+rng.Float64()
			if rng.IntN(3) == 0 && i > 0 {
				y[i], f[i] = y[i-1], f[i-1]
			}
		}
		for _, task := range taskNames {
			l := taskLoss(task, y, weight, 0.7)
			bias, sum := l.Primal(f)
			if !toy.Near(sum, slowLoss(task, l, y, f, bias), 1e-12) {
				t.Fatalf("seed %d, %s: loss %.15g at bias %g is %.15g", seed, task, sum, bias, slowLoss(task, l, y, f, bias))
			}
			for range 200 {
				if other := bias + rng.NormFloat64()*math.Pow(10, -4*rng.Float64()); slowLoss(task, l, y, f, other) < sum-1e-12*(1+math.Abs(sum)) {
					t.Fatalf("seed %d, %s: bias %g is better than %g", seed, task, other, bias)
				}
			}
		}
	}
}
