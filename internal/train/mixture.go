package train

import (
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// Tasks med and mixture solve the problems of package mixture on columns of gradients (package gradient), one
// for each component: the dual variables of a component belong to its column. Of the gradients of a column
// only the gradient of the component's kernel is read. Rows of kernels are computed once for all components.

// Mixture describes the mixtures of tasks med and mixture, and the search for them.
type Mixture struct {
	// Components has the kernels of the components of the positive and of the negative class, counted
	// from 1. Without any, every kernel is a component of both.
	Components [2][]int
	// Entropy is one of model.Entropies, or empty in task mixture.
	Entropy string
	// Restarts is the number of starts and Rounds the largest number of projections, or of steps of EM,
	// from each.
	Restarts, Rounds int
	// Observed has the own component of each row, counted from 1 within its class, and 0 where it is
	// hidden. If it is nil, all are hidden.
	Observed []float64
}

// ParseComponents reads the kernels of the components of both classes, such as 1,2/1,3. Faults are of
// class fail.Usage. An empty text has no components.
func ParseComponents(text string) (list [2][]int, err error) {
	if text == "" {
		return list, nil
	}
	sides := strings.Split(text, "/")
	if len(sides) != 2 {
		return list, fail.New(fail.Usage, "components %s of %d classes, not of two", fail.Quote(text), len(sides)).
			WithHint("such as 1,2/1,3: kernels of the positive class / the negative one")
	}
	for s, side := range sides {
		if side == "" {
			return list, fail.New(fail.Usage, "components %s: a class without any", fail.Quote(text))
		}
		for _, word := range strings.Split(side, ",") {
			k, err := strconv.Atoi(word)
			if err != nil || k < 1 || k > math.MaxInt32 {
				return list, fail.New(fail.Usage, "component %s is no number of a kernel from 1", fail.Quote(word))
			}
			list[s] = append(list[s], k)
		}
		if n := len(list[s]); n > model.MostComponents {
			return list, fail.New(fail.Usage, "%d components of a class, at most %d", n, model.MostComponents)
		}
	}
	return list, nil
}

// dropLimit is log M + log N of M and N components from which on, without the entropy of the other
// class, the problem has its optimum at w = 0.
const dropLimit = 4

// choose completes the components once the kernels are known, and rejects kernels that are not
// known at new rows.
func (x *Mixture) choose(k *kernels.Prepared, task string) error {
	count := k.Len()
	if x.Components[0] == nil {
		if count > model.MostComponents {
			return fail.New(fail.Usage, "%d kernels are components of each class, at most %d", count,
				model.MostComponents).WithHint("--components names some of them")
		}
		for i := range count {
			x.Components[0] = append(x.Components[0], i+1)
		}
		x.Components[1] = x.Components[0]
	}
	product := 1.0
	for _, side := range x.Components {
		product *= float64(len(side))
		for _, component := range side {
			if component > count {
				return fail.New(fail.Usage, "component %d, and there are %d kernels", component, count)
			}
		}
	}
	if x.Entropy == model.EntropyDrop && math.Log(product) >= dropLimit {
		return fail.New(fail.Usage, "%d and %d components without the entropy: the optimum is 0 where the "+
			"logarithms of both sum to 4 or more", len(x.Components[0]), len(x.Components[1])).
			WithHint("--entropy exact")
	}
	for i := range k.Groups {
		if k.Groups[i].Base == kernels.MatrixRow {
			return fail.New(fail.Usage, "precomputed kernels with task %s, whose scores have k(x,x) of new rows",
				task)
		}
	}
	return nil
}
