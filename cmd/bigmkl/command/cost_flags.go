package command

import (
	"bigmkl"
	"bigmkl/model"
)

// costFlags are the cost of the loss and the ridge parameter, which task rkda has in its place. Either may
// be found along with the weights.
type costFlags struct {
	cost cost
	// given is set if the command line has a cost.
	given bool
	ridge cost
}

// defineCost defines the flag of the cost.
func (c *costFlags) defineCost(f *flags) {
	add(f, &c.cost, "C,C", "C", "", parseCost,
		"cost C of the loss, above 0 (default: 1; 100 for task med; the standard deviation of the targets for svr, quantile and survival), or joint: found with the weights, for a squared loss and p = 1")
}

// defineRidge defines the flag of the ridge parameter.
func (c *costFlags) defineRidge(f *flags) {
	add(f, &c.ridge, "lambda", "L", "5e-4", parseCost,
		"ridge parameter of task rkda, above 0, which replaces C; or joint: found together with the weights, at p = 1")
}

// takeUp enters both in the options of a training.
func (c *costFlags) takeUp(f *flags, o *bigmkl.Options, faults *usageFaults) {
	discriminant := o.Task == model.TaskRKDA
	c.given = f.Changed("C")
	faults.require(!c.cost.joint || !discriminant, "--lambda joint", "C beside lambda: task rkda finds lambda and not C")
	faults.require(!c.ridge.joint || discriminant, "-C joint", "lambda without task rkda: other tasks have C")
	o.C, o.Lambda = c.cost.value, c.ridge.value
	o.JointCost = c.cost.joint && !discriminant || c.ridge.joint && discriminant
}
