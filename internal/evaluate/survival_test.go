package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawTimes draws times with ties, of which some are censored, and predictions with ties.
func drawTimes(seed uint64, n int) (predicted, times []float64) {
	rng := rand.New(rand.NewPCG(seed, 17))
	for range n {
		t := float64(1 + rng.IntN(1+n/2))
		if rng.IntN(3) == 0 {
			t = -t
		}
		predicted, times = append(predicted, float64(rng.IntN(n))), append(times, t)
	}
	return predicted, times
}

// TestConcordance compares with the definition, pair by pair.
func TestConcordance(t *testing.T) {
	for seed := range uint64(200) {
		predicted, times := drawTimes(seed, 2+int(seed)%40)
		for name, weight := range map[string]func(float64) float64{"plain": nil, "weighted": func(t float64) float64 { return 1 / (1 + t) }} {
			right, all := 0.0, 0.0
			for i, t := range times {
				for j, other := range times {
					if t < 0 || !(math.Abs(other) > t || other == -t) || i == j {
						continue
					}
					w := 1.0
					if weight != nil {
						w = weight(t)
					}
					all += w
					switch {
					case predicted[j] > predicted[i]:
						right += w
					case predicted[j] == predicted[i]:
						right += w / 2
					}
				}
			}
			if got, want := Concordance(predicted, times, nil, weight), right/all; !(math.Abs(got-want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("seed %d, %s: %v, want %v", seed, name, got, want)
			}
		}
	}
	if c := Concordance([]float64{1, 2}, []float64{-1, -2}, nil, nil); !math.IsNaN(c) {
		t.Errorf("no pair is comparable, and the share is %v", c)
	}
}

// TestCensoring compares with the definition, and with a case by hand.
func TestCensoring(t *testing.T) {
	// 6 rows: an event at 1, a row censored at 2, an event and a row censored at 3, two events at 5.
	at, share := Censoring([]float64{5, -2, 3, 1, -3, 5})
	if len(at) != 2 || at[0] != 2 || at[1] != 3 || math.Abs(share[0]-4.0/5) > 1e-15 || math.Abs(share[1]-4.0/5*2/3) > 1e-15 {
		t.Errorf("%v %v", at, share)
	}
	for _, c := range [][2]float64{{1.9, 1}, {2, 4.0 / 5}, {2.5, 4.0 / 5}, {3, 8.0 / 15}, {99, 8.0 / 15}} {
		if x := ShareLeft(at, share, c[0]); math.Abs(x-c[1]) > 1e-15 {
			t.Errorf("at %g: %v", c[0], x)
		}
	}
	if at, share := Censoring([]float64{1, 2, 2}); at != nil || share != nil || ShareLeft(at, share, 5) != 1 {
		t.Errorf("%v %v without censored rows", at, share)
	}
	for seed := range uint64(100) {
		_, times := drawTimes(seed, 30)
		at, share := Censoring(times)
		for k, t0 := range at {
			want := 1.0
			for _, s := range at[:k+1] {
				risk, leave := 0, 0
				for _, t := range times {
					if math.Abs(t) > s || t == -s {
						risk++
					}
					if t == -s {
						leave++
					}
				}
				want *= 1 - float64(leave)/float64(risk)
			}
			if math.Abs(share[k]-want) > 1e-14 {
				t.Fatalf("seed %d: %v of the rows are left at %v, want %v", seed, share[k], t0, want)
			}
		}
	}
}

// TestConcordanceOfIntervals compares with the definition: a pair counts if all times that one row may have are below all times of the other.
func TestConcordanceOfIntervals(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 19))
		predicted, times := drawTimes(seed, 2+int(seed)%40)
		uppers := make([]float64, len(times))
		for i, x := range times {
			switch rng.IntN(3) {
			case 0:
				times[i], uppers[i] = 0, math.Abs(x)
			case 1:
				times[i], uppers[i] = -math.Abs(x), math.Abs(x)+float64(1+rng.IntN(5))
			}
		}
		// Times are whole numbers. A row without an event has them above its lower bound, up to its upper one.
		may := func(i int) (least, most float64) {
			switch {
			case times[i] > 0:
				return times[i], times[i]
			case uppers[i] == 0:
				return 1 - times[i], math.Inf(1)
			}
			return 0.5 - times[i], uppers[i]
		}
		right, all := 0.0, 0.0
		for i := range times {
			for j := range times {
				_, most := may(i)
				if least, _ := may(j); most >= least {
					continue
				}
				all++
				switch {
				case predicted[j] > predicted[i]:
					right++
				case predicted[j] == predicted[i]:
					right += 0.5
				}
			}
		}
		if got, want := Concordance(predicted, times, uppers, nil), right/all; !(math.Abs(got-want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("seed %d: %v, want %v of %g pairs\n%v\n%v", seed, got, want, all, times, uppers)
		}
	}
}

// TestTimesBrier compares with scikit-survival 0.28.0 (brier_score and integrated_brier_score), for times with ties.
func TestTimesBrier(t *testing.T) {
	train := []float64{-60, 13.1, -9.7, -22.7, -6, -10.9, -6.3, 22.7, -33.6, 5.3, -16.2, 8, -8.9, 26.5, 1.2}
	test := []float64{-22.7, 6.6, 6.6, -8.9, 0.7, -10.1, -10, 10.1, 29.3}
	curves := [][]float64{{0.57, 0.36, 0.32}, {0.99, 0.44, 0.1}, {0.65, 0.21, 0.16}, {0.47, 0.25, 0.24}, {0.66, 0.16, 0.11}, {0.37, 0.2, 0.14}, {0.84, 0.82, 0.1}, {0.98, 0.47, 0.1}, {0.98, 0.74, 0.6}}
	at, share := Censoring(train)
	b := NewTimesBrier([]float64{2, 5, 9.5}, at, share)
	if !math.IsNaN(b.Integrated()) {
		t.Error("a score of no rows")
	}
	for i, curve := range curves {
		b.Add(curve, test[i], 0)
	}
	for k, want := range []float64{0.16081111111111113, 0.3284777777777778, 0.441103367003367} {
		if got := b.Scores()[k]; math.Abs(got-want) > 1e-14 {
			t.Errorf("score %v, want %v", got, want)
		}
	}
	if got := b.Integrated(); math.Abs(got-0.3287321212121212) > 1e-14 {
		t.Errorf("integrated %v", got)
	}
	b.Add(curves[0], -3, 5)
	if !math.IsNaN(b.Scores()[0]) || !math.IsNaN(b.Integrated()) {
		t.Error("a score of an interval")
	}
	// From 12 on, a censored row has no known outcome, and no row was observed for longer. If the last row has an event, all outcomes are known.
	for last, want := range map[float64]bool{-12: false, 12: true} {
		for _, test := range [][]float64{{3, -6, last}, {last, 3, -6}, {math.Abs(last), 3, last}} {
			b := NewTimesBrier([]float64{5, 12, 20}, at, share)
			for _, target := range test {
				b.Add([]float64{0.9, 0.1, 0}, target, 0)
			}
			if s := b.Scores(); math.IsNaN(s[0]) || math.IsNaN(s[1]) == want || math.IsNaN(s[2]) == want || math.IsNaN(b.Integrated()) == want {
				t.Errorf("scores of %v: %v, %v", test, s, b.Integrated())
			}
		}
	}
	late := NewTimesBrier([]float64{70}, at, share) // All training rows are censored until 60.
	late.Add([]float64{0.5}, 80, 0)
	if !math.IsNaN(late.Scores()[0]) || !math.IsNaN(late.Integrated()) {
		t.Errorf("%v where no row is left", late.Scores())
	}
}

// TestSurvival: the estimate of events equals the estimate of censoring, if events and censored rows are exchanged, without ties of both.
func TestSurvival(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 23))
		times, values, events := make([]float64, 30), make([]float64, 30), make([]bool, 30)
		for i := range times {
			values[i], events[i] = float64(1+rng.IntN(10)), rng.IntN(2) == 0
			if !events[i] {
				values[i] += 0.5
			}
			if times[i] = values[i]; events[i] {
				times[i] *= -1
			}
		}
		at, share := Survival(values, events)
		wantAt, want := Censoring(times)
		for k := range wantAt {
			if len(at) != len(wantAt) || at[k] != wantAt[k] || share[k] != want[k] {
				t.Fatalf("seed %d: %v %v, want %v %v", seed, at, share, wantAt, want)
			}
		}
	}
	// Of 5 rows, one has its event at 1, and one of three at 2, where another is censored.
	if at, share := Survival([]float64{2, -3, 1, 2, 5}, []bool{true, false, true, false, false}); len(at) != 2 || share[0] != 0.75 || share[1] != 0.75*(1-1.0/3) {
		t.Errorf("%v %v", at, share)
	}
}
