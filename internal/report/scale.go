package report

import (
	"math"
	"strconv"
)

// Axis describes an axis of a chart. The zero value has no name, is linear and as long as the data
// need.
type Axis struct {
	Name string
	// Log asks for a logarithmic axis. Values that are not above 0 are then not drawn.
	Log bool
	// Whole keeps ticks to whole numbers, of which the axis is a count.
	Whole bool
	// From and To are the ends. If they are equal, the data decide.
	From, To float64
	// Ticks replace those that the ends suggest.
	Ticks []Tick
}

// Tick is a place on an axis and what is written there.
type Tick struct {
	At   float64
	Text string
}

// scale places values on an axis.
type scale struct {
	log, whole bool
	low, high  float64
	ticks      []Tick
}

// newScale chooses the ends and the ticks of an axis for values from low to high. Without values
// these are +Inf and -Inf.
func newScale(a Axis, low, high float64) *scale {
	if a.From < a.To {
		low, high = a.From, a.To
	}
	if !(low <= high) {
		// An axis without values has ends that suit both kinds of axes.
		low, high = 1, 10
	}
	s := &scale{log: a.Log, whole: a.Whole, low: low, high: high}
	switch {
	case a.Log:
		s.chooseDecades()
	case a.From < a.To:
		s.chooseSteps(false)
	default:
		s.chooseSteps(true)
	}
	if a.Ticks != nil {
		s.ticks = a.Ticks
	}
	return s
}

// mostValue is the largest value that is drawn. Differences of such values do not overflow, and the
// inverse of one is not 0.
const mostValue = 1e300

// drawable reports whether a value has a place on an axis.
func drawable(x float64, log bool) bool {
	return math.Abs(x) <= mostValue && (!log || x >= 1/mostValue)
}

// place returns where a value lies, 0 at the lower end and 1 at the upper one, and NaN if it has no
// place on the axis.
func (s *scale) place(x float64) float64 {
	if !drawable(x, s.log) {
		return math.NaN()
	}
	if s.log {
		// The quotient is formed before the logarithm. Differences of logarithms would lose digits
		// where the ends are close.
		return math.Log(x/s.low) / math.Log(s.high/s.low)
	}
	return (x - s.low) / (s.high - s.low)
}

// mostTicks is the number of ticks that an axis has room for. At 400 units a label of up to nine
// letters fits between two ticks.
const mostTicks = 7

// leastRange is the length of an axis, as a part of its values, below which they count as equal.
// Ticks that are closer than that need more digits than an axis has room for, and where rounding
// makes them equal, counting from one to the next would never end.
const leastRange = 1e-6

// chooseSteps sets ticks at multiples of 1, 2 or 5 times a power of ten. If round is set, the ends
// move outwards to ticks. Such ticks are easy to read and to halve in the mind. The step is the
// smallest of them that gives at most mostTicks ticks.
func (s *scale) chooseSteps(round bool) {
	if size := max(math.Abs(s.low), math.Abs(s.high)); s.high-s.low <= max(leastRange*size, 1/mostValue) {
		// All values are equal, so the axis is as long as they are large, with the value in the
		// middle.
		pad := size / 2
		if pad <= 1/mostValue {
			pad = 1
		}
		s.low, s.high = s.low-pad, s.high+pad
	}
	exponent := int(math.Floor(math.Log10((s.high - s.low) / mostTicks)))
	if s.whole {
		// A count has no tick at 0.5.
		exponent = max(exponent, 0)
	}
	for _, factor := range []float64{1, 2, 5, 10, 20, 50} {
		// The power is a divisor where it is below 1, because 3/10 is 0.3 and 3 * 0.1 is not.
		at := func(k float64) float64 { return k * factor * math.Pow10(exponent) }
		if exponent < 0 {
			at = func(k float64) float64 { return k * factor / math.Pow10(-exponent) }
		}
		step := at(1)
		// An end that is a tick except for rounding counts as one.
		first, last := math.Ceil(s.low/step-1e-9), math.Floor(s.high/step+1e-9)
		if round {
			first, last = math.Floor(s.low/step+1e-9), math.Ceil(s.high/step-1e-9)
		}
		// The factors ascend, so the first that has few enough ticks is the finest.
		if last-first >= mostTicks {
			continue
		}
		if round {
			s.low, s.high = at(first), at(last)
		}
		for k := first; k <= last; k++ {
			s.ticks = append(s.ticks, Tick{at(k), tickText(at(k), step)})
		}
		return
	}
}

// tickText writes the value of a tick with as many digits as distinguish it from the next one. Ticks of
// a small range far from 0 need many digits, and nearly all others four.
func tickText(x, step float64) string {
	text := number(x)
	for digits := 5; digits < 10; digits++ {
		if shown, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(shown-x) <= step/100 {
			break
		}
		// Ticks such as 1000001 and 1000002 need more than the four digits of number.
		text = strconv.FormatFloat(x, 'g', digits, 64)
	}
	return text
}

// chooseDecades sets ticks at powers of ten. The ends move outwards to powers, or to 1, 2 or 5 times
// a power if the values are less than two powers apart. The small tolerance takes an end that is a
// power of ten, except for rounding, as that power.
func (s *scale) chooseDecades() {
	first, last := int(math.Floor(math.Log10(s.low)+1e-9)), int(math.Ceil(math.Log10(s.high)-1e-9))
	if last <= first {
		last = first + 1
	}
	factors := []float64{1}
	if last-first <= 2 {
		factors = []float64{1, 2, 5}
	}
	// Over many powers of ten every second or third has a tick.
	every := (last-first)/mostTicks + 1
	var ticks []Tick
	for e := first; e <= last; e += every {
		for _, f := range factors {
			ticks = append(ticks, Tick{f * math.Pow10(e), number(f * math.Pow10(e))})
		}
	}
	// Ticks beyond the values are dropped, except for the last one on each side, which is the end of
	// the axis.
	for len(ticks) > 2 && ticks[1].At <= s.low {
		ticks = ticks[1:]
	}
	for n := len(ticks); n > 2 && ticks[n-2].At >= s.high; n-- {
		ticks = ticks[:n-1]
	}
	s.ticks, s.low, s.high = ticks, min(s.low, ticks[0].At), max(s.high, ticks[len(ticks)-1].At)
}
