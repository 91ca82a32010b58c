package evaluate

import "math"

// Errors compares predicted numbers with targets. All figures are NaN without rows.
type Errors struct {
	n                 int
	squares, absolute float64
	// mean is the mean of the targets, and spread the sum of their squared deviations.
	mean, spread float64
}

// Add adds a prediction and its target.
func (e *Errors) Add(predicted, target float64) {
	e.n++
	d := predicted - target
	e.squares += d * d
	e.absolute += math.Abs(d)
	delta := target - e.mean
	e.mean += delta / float64(e.n)
	e.spread += delta * (target - e.mean)
}

// Len returns the number of rows.
func (e *Errors) Len() int { return e.n }

// RMSE returns the root of the mean squared error.
func (e *Errors) RMSE() float64 { return math.Sqrt(e.squares / float64(e.n)) }

// MAE returns the mean absolute error.
func (e *Errors) MAE() float64 { return e.absolute / float64(e.n) }

// R2 returns the share of the variance of the targets that is explained. It is NaN or -Inf if the
// targets do not vary.
func (e *Errors) R2() float64 { return 1 - e.squares/e.spread }

// AsymmetricSquares compares predicted expectiles with targets (Newey and Powell 1987).
type AsymmetricSquares struct {
	// Tau is the expectile, in (0, 1).
	Tau float64
	n   int
	sum float64
}

// Add adds a prediction and its target.
func (s *AsymmetricSquares) Add(predicted, target float64) {
	s.n++
	d, share := target-predicted, s.Tau
	if d < 0 {
		share = 1 - s.Tau
	}
	s.sum += share * d * d
}

// Loss returns the mean of tau (y - f)^2 where the target y is above the prediction f, and of (1 - tau) (f - y)^2
// elsewhere. It is NaN without rows.
func (s *AsymmetricSquares) Loss() float64 { return s.sum / float64(s.n) }

// Pinball compares predicted quantiles with targets (Koenker and Bassett 1978). All figures are NaN without rows.
type Pinball struct {
	// Tau is the quantile, in (0, 1).
	Tau      float64
	n, below int
	sum      float64
}

// Add adds a prediction and its target.
func (p *Pinball) Add(predicted, target float64) {
	p.n++
	if d := target - predicted; d > 0 {
		p.sum += p.Tau * d
	} else {
		p.sum -= (1 - p.Tau) * d
		p.below++
	}
}

// Loss returns the mean of tau (y - f) where the target y is above the prediction f, and of (1 - tau) (f - y) elsewhere.
func (p *Pinball) Loss() float64 { return p.sum / float64(p.n) }

// Below returns the share of the targets that are at most as large as the prediction, which is tau of good quantiles.
func (p *Pinball) Below() float64 { return float64(p.below) / float64(p.n) }
