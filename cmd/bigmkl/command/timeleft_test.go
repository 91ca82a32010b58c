package command

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestTimeLeft(t *testing.T) {
	falling := []gapPoint{{1, math.Log(0.1)}, {2, math.Log(0.05)}, {3, math.Log(0.025)}}
	if left, ok := timeLeft(falling, 0.0125); !ok || math.Abs(left-1) > 1e-9 {
		t.Errorf("%v %v, want a second", left, ok)
	}
	if left, ok := timeLeft(falling, 0.5); !ok || left != 0 {
		t.Errorf("%v %v, want nothing", left, ok)
	}
	for name, history := range map[string][]gapPoint{
		"too short": falling[:2], "rising": {{1, 1}, {2, 2}, {3, 3}}, "at one time": {{1, 3}, {1, 2}, {1, 1}},
		"a gap of 0": {{1, 1}, {2, 0}, {3, math.Inf(-1)}},
	} {
		if left, ok := timeLeft(history, 1e-3); ok {
			t.Errorf("%s: %v", name, left)
		}
	}
}

// TestForecastIsSteady: of a curve that falls with jumps of a factor of three, no estimate is more than twice the one before, and the estimates
// of the last half are within a factor of two of the truth.
func TestForecastIsSteady(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		const steps, target = 3000, 1e-4
		rate := -math.Log(target) / steps // The lowest of the jumps reaches the target at the last step.
		f, before, shown := forecast{}, 0.0, 0
		for i := 1; i < steps; i++ {
			f.add(float64(i), 3*math.Exp(-rate*float64(i))*math.Exp((rng.Float64()-0.5)*2*math.Log(3)))
			left, ok := f.left(target)
			if i < leastPoints && ok {
				t.Fatalf("seed %d: an estimate of %d points", seed, i)
			}
			if !ok {
				continue
			}
			shown++
			truth := float64(steps - i)
			if now := left.Seconds(); i > steps/4 && truth > steps/10 {
				if before > 0 && (now > 1.2*before || now < before/1.2) {
					t.Fatalf("seed %d: %g s left after %g s, at step %d", seed, now, before, i)
				}
				if i > steps/2 && (now > 2*truth || now < truth/2) {
					t.Fatalf("seed %d: %g s left at step %d, in truth %g", seed, now, i, truth)
				}
				before = now
			}
		}
		if shown < steps/2 {
			t.Errorf("seed %d: %d estimates in %d steps", seed, shown, steps)
		}
		if len(f.history) > mostPoints {
			t.Errorf("seed %d: %d points are kept", seed, len(f.history))
		}
	}
	var flat forecast
	for i := range 1000 {
		flat.add(float64(i), 1)
		if left, ok := flat.left(1e-3); ok {
			t.Fatalf("a gap that does not fall has %v left", left)
		}
	}
}

func TestFormatLeft(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "1s", 4400 * time.Millisecond: "4s", 13 * time.Second: "15s", 70 * time.Second: "1m", 8*time.Minute + 40*time.Second: "9m", 12 * time.Minute: "10m", 100 * time.Minute: "2h", 80 * time.Hour: "3 days",
	} {
		if got := formatLeft(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
