package harness

import (
	"cmp"

	"bigmkl"
	"bigmkl/dataset"
)

// AsPosed leaves nothing to the data that a paper states: its features are scaled as it states, and
// its costs are numbers. Experiment defaults measures what the data decide. A later change of a default
// would otherwise change the figures of an old experiment.
func AsPosed(o bigmkl.Options) bigmkl.Options {
	// A scaling, C = 1 and epsilon = 0.1 hold unless the experiment states its own.
	o.Scale = cmp.Or(o.Scale, dataset.ScaleNone)
	if o.Task == bigmkl.TaskSVR {
		o.C, o.Epsilon = cmp.Or(o.C, 1), cmp.Or(o.Epsilon, 0.1)
	}
	return o
}
