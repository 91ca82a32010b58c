package dataset

// responses belong to the points of a store: classes or targets, weights, posteriors.
type responses struct {
	labels     []int32   // labels holds an index into classes for each point.
	targets    []float64 // targets holds the numbers to predict in regression.
	uppers     []float64 // uppers holds the upper bounds of times, and is nil if all are 0.
	classes    []string
	weights    []float64
	posteriors []float64 // posteriors is nil if labels are certain.
}

// Labels returns the class of each point as an index into Classes.
func (r *responses) Labels() []int32 { return r.labels }

// Classes returns the names of the classes that occur, in the order of labeltext.Sort.
func (r *responses) Classes() []string { return r.classes }

// Targets returns the target of each point. It returns nil if labels are not targets.
func (r *responses) Targets() []float64 { return r.targets }

// Uppers returns Row.Upper of each point. It returns nil if all are 0.
func (r *responses) Uppers() []float64 { return r.uppers }

// addTarget appends the target of a point. It keeps upper bounds only from the first one on.
func (r *responses) addTarget(target, upper float64) {
	if upper != 0 && r.uppers == nil {
		r.uppers = make([]float64, len(r.targets), max(1024, 2*len(r.targets)))
	}
	r.targets = append(r.targets, target)
	if r.uppers != nil {
		r.uppers = append(r.uppers, upper)
	}
}

// upperOf returns the upper bound of a point.
func (r *responses) upperOf(i int) float64 {
	if r.uppers == nil {
		return 0
	}
	return r.uppers[i]
}

// Weights returns the weight of each point. It returns nil if all weights are 1.
func (r *responses) Weights() []float64 { return r.weights }

// Posteriors returns the probability of the second class for each point, or the probabilities of
// all classes, n x classes, row-major. It returns nil if the labels are certain.
func (r *responses) Posteriors() []float64 { return r.posteriors }

// repeats reports whether posteriors are 0 and 1 as the labels are.
func (r *responses) repeats(p []float64) bool {
	n, k := len(r.labels), len(r.classes)
	certain := len(p) == n || len(p) == n*k
	for i := 0; certain && i < len(p); i++ {
		if len(p) == n {
			certain = p[i] == float64(r.labels[i])
		} else if is := i%k == int(r.labels[i/k]); is {
			certain = p[i] == 1
		} else {
			certain = p[i] == 0
		}
	}
	return certain
}

// pick returns the responses of some points, given by their indices, without posteriors.
func (r *responses) pick(index []int32) responses {
	picked := responses{classes: r.classes}
	for _, i := range index {
		if r.labels != nil {
			picked.labels = append(picked.labels, r.labels[i])
		}
		if r.targets != nil {
			picked.addTarget(r.targets[i], r.upperOf(int(i)))
		}
		if r.weights != nil {
			picked.weights = append(picked.weights, r.weights[i])
		}
	}
	return picked
}

// append appends labels, targets and weights of points first to n-1, whose classes r has to have. As in Build, there are no weights
// if all of them are 1, because the fingerprint depends on the difference.
func (r *responses) append(from *responses, first, n int, weighted bool) {
	if from.labels != nil {
		place := make(map[string]int32, len(r.classes))
		for c, name := range r.classes {
			place[name] = int32(c)
		}
		number := make([]int32, len(from.classes)) // of each class of from among those of r
		for c, name := range from.classes {
			number[c] = place[name]
		}
		for _, c := range from.labels[first:] {
			r.labels = append(r.labels, number[c])
		}
	}
	for i := first; i < len(from.targets); i++ {
		r.addTarget(from.targets[i], from.upperOf(i))
	}
	for i := first; weighted && i < n; i++ {
		w := 1.0
		if from.weights != nil {
			w = from.weights[i]
		}
		r.weights = append(r.weights, w)
	}
}
