package loss

// Hinge is the two-class loss max(0, 1 - y f): lin(alpha) = sum_i y_i alpha_i, 0 <= y_i alpha_i <= C_i. C_i is the cost of
// the class times the weight of the point.
type Hinge struct {
	y      []int8    // +1 or -1
	weight []float64 // nil: all 1
	cost   [2]float64

	kinks kinks   // the bias at which point i meets its margin
	total float64 // sum of the costs of the positive class
}

// NewHinge returns the loss for labels y (+1 or -1), the cost of the negative and of the positive class, and a weight for
// each point, nil for 1.
func NewHinge(y []int8, cost [2]float64, weight []float64) *Hinge {
	h := &Hinge{y: y, weight: weight, cost: cost}
	h.kinks = newKinks(len(y), h.at)
	for i, c := range y {
		if c > 0 {
			h.total += h.at(i)
		}
	}
	return h
}

// Without is the loss without some of its points: they cost nothing and their dual variables are 0, so that the combined gradient on
// them is what the others make of them. positive and negative tell whether those are of either class: it takes both to train.
func (h *Hinge) Without(out []int) (rest *Hinge, positive, negative bool) {
	weight := make([]float64, len(h.y))
	for i := range weight {
		weight[i] = 1
	}
	copy(weight, h.weight)
	for _, i := range out {
		weight[i] = 0
	}
	for i, c := range h.y {
		positive, negative = positive || c > 0 && weight[i] > 0, negative || c < 0 && weight[i] > 0
	}
	return NewHinge(h.y, h.cost, weight), positive, negative
}

// Positive tells whether point i is of the positive class.
func (h *Hinge) Positive(i int) bool { return h.y[i] > 0 }

// at is C_i.
func (h *Hinge) at(i int) float64 {
	c := h.cost[(h.y[i]+1)/2]
	if h.weight != nil {
		c *= h.weight[i]
	}
	return c
}

// Box implements Loss.
func (h *Hinge) Box(i int) (lower, upper float64) {
	if h.y[i] < 0 {
		return -h.at(i), 0
	}
	return 0, h.at(i)
}

// Linear implements Loss.
func (h *Hinge) Linear(alpha []float64) float64 {
	s := 0.0
	for i, a := range alpha {
		s += float64(h.y[i]) * a
	}
	return s
}

// Slope implements Loss.
func (h *Hinge) Slope(i int, _ float64) float64 { return float64(h.y[i]) }

// Primal implements Loss: the kinks are y_i - f_i, the slope starts at minus the cost of the positive class.
func (h *Hinge) Primal(f []float64) (bias, sum float64) {
	for i, x := range f {
		h.kinks.at[i] = float64(h.y[i]) - x
	}
	bias = h.kinks.lowest(h.total)
	return bias, h.At(f, bias)
}

// At implements Loss.
func (h *Hinge) At(f []float64, bias float64) (sum float64) {
	for i, x := range f {
		if m := 1 - float64(h.y[i])*(x+bias); m > 0 {
			sum += h.at(i) * m
		}
	}
	return sum
}
