package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/model"
)

// mostTimes is the largest number of times of a curve.
const mostTimes = 10000

// parseTimes parses times above 0 that are separated by commas.
func parseTimes(text string) (times []float64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		t, err := parseNumber(strings.TrimSpace(word))
		if err == nil && !(t > 0 && t <= math.MaxFloat64) {
			err = fmt.Errorf("%s is not a time above 0", fail.Cut(word))
		}
		if err != nil {
			return nil, err
		}
		if times = append(times, t); len(times) > mostTimes {
			return nil, fmt.Errorf("more than %d times", mostTimes)
		}
	}
	return times, nil
}

// curve gives the probabilities of no event up to some times.
type curve struct {
	baseline *model.Baseline
	times    []float64
}

// newCurve returns nil if no times are asked for. A model without hazards is an error of class usage.
func newCurve(m *model.Model, times []float64) (*curve, error) {
	if times == nil {
		return nil, nil
	}
	if !model.GivesHazards(m.Task) {
		return nil, fail.New(fail.Usage, "--times: models of task %s have no hazards", m.Task).WithHint("train --task cox")
	}
	return &curve{&m.Baseline, times}, nil
}

// append appends the probabilities of a row to its line.
func (c *curve) append(line []byte, decision float64) []byte {
	if c == nil {
		return line
	}
	for _, t := range c.times {
		line = append(strconv.AppendFloat(line, c.baseline.Survival(t, decision), 'g', 6, 64), ' ')
	}
	return line
}
