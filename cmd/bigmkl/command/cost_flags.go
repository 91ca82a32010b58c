package command

import (
	"bigmkl"
	"bigmkl/internal/model"
)

// costFlags are the cost of the loss and the ridge parameter, which task rkda has in its place. Either may
// be found along with the weights. C multiplies the losses and lambda the norm, so a large lambda
// corresponds to a small C.
type costFlags struct {
	cost cost
	// given is set if the command line has a cost.
	given bool
	ridge cost
}

// takeUp enters both in the options of a training.
func (c *costFlags) takeUp(f *flags, o *bigmkl.Options, faults *usageFaults) {
	discriminant := model.HasDiscriminant(o.Task)
	c.given = f.Changed("C")
	faults.require(!c.cost.joint || !discriminant, "--lambda joint", "C beside lambda: task rkda finds lambda and not C")
	faults.require(!c.ridge.joint || discriminant, "-C joint", "lambda without task rkda: other tasks have C")
	o.C, o.Lambda = c.cost.value, c.ridge.value
	// Both words set one option of the library, which finds the parameter of the task.
	o.JointCost = c.cost.joint && !discriminant || c.ridge.joint && discriminant
}
