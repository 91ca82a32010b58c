package chunking

// iterate is a point on the way to the optimum. Between steps alpha, theta, the combined gradient, V
// and the certificate belong together; every function that changes one of them ends by renewing the
// others.
type iterate struct {
	selection // with the dual variables
	weights
	shrinking

	joint      Joint     // the loss, if it is one
	combined   []float64 // ghat = sum_m theta_m g_m
	levels     []float64 // biases of the classes at the weights in hand, of a loss of Contrasts
	iterations int
	cert       Certificate

	// largest is the largest sum_m theta_m V_m since the gradients were computed again. See fallen.
	largest     float64
	uncancelled float64 // sum of |alpha_i| (H_ii)^(1/2) over the last working set

	// shift is by how much rounding of the combined gradient has moved the best bias, as drift
	// measured it last.
	shift float64
	// doubt is what rounding may add to the primal value of a result whose gap was not accepted.
	doubt float64
}

// Certificate gives the certificate of the state in hand. That of a Solution may differ from it by
// what rounding is found to do at the end.
func (s *iterate) Certificate() Certificate { return s.cert }

// known reports whether the combined gradient of all points belongs to the dual variables and
// weights in hand, and V to all support vectors: no point sleeps, or those that do have been
// looked at since the last step.
func (s *iterate) known() bool { return s.active == nil || s.looked == s.iterations }
