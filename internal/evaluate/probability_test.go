package evaluate

import (
	"math"
	"testing"
)

func TestLikelihood(t *testing.T) {
	type row struct {
		p     []float64
		known int
	}
	for name, c := range map[string]struct {
		rows       []row
		log, brier float64
	}{
		"two classes":  {[]row{{[]float64{0.25, 0.75}, 1}, {[]float64{0.9, 0.1}, 1}}, -(math.Log(0.75) + math.Log(0.1)) / 2, (0.0625 + 0.81) / 2},
		"three":        {[]row{{[]float64{0.5, 0.3, 0.2}, 0}}, -math.Log(0.5), 0.25 + 0.09 + 0.04},
		"unknown":      {[]row{{[]float64{0.5, 0.3, 0.2}, -1}}, 52 * math.Ln2, 1 + 0.25 + 0.09 + 0.04},
		"certain":      {[]row{{[]float64{0, 1}, 1}}, 0, 0},
		"surely wrong": {[]row{{[]float64{0, 1}, 0}}, 52 * math.Ln2, 1},
		"no rows":      {nil, math.NaN(), math.NaN()},
	} {
		var l Likelihood
		for _, r := range c.rows {
			l.Add(r.p, r.known)
		}
		for i, v := range [][2]float64{{l.LogLoss(), c.log}, {l.Brier(), c.brier}} {
			if !(math.Abs(v[0]-v[1]) < 1e-12) && !(math.IsNaN(v[0]) && math.IsNaN(v[1])) {
				t.Errorf("%s, %d: %v, want %v", name, i, v[0], v[1])
			}
		}
	}
	var labels, classes Likelihood
	for i, p := range []float64{0.1, 0.5, 0.8} {
		labels.AddLabel(p, i > 0)
		classes.Add([]float64{1 - p, p}, min(i, 1))
	}
	if math.Abs(labels.LogLoss()-classes.LogLoss()) > 1e-15 || math.Abs(labels.Brier()-classes.Brier()) > 1e-15 {
		t.Errorf("labels give %v and %v, classes %v and %v", labels.LogLoss(), labels.Brier(), classes.LogLoss(), classes.Brier())
	}
}
