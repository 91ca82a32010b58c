package train

import (
	"regexp"

	"bigmkl/dataset"
	"bigmkl/model"
)

// unnamed are lists of kernels of products and squared distances that name no features.
var unnamed = regexp.MustCompile(
	`^((linear|gauss|poly)(:[0-9a-z./+-]+)*( norm=(none|multiplicative|spherical))?(,|$))*$`)

// compactable reports whether features of the rows may be numbered anew where few of many occur: if
// nothing names them, and all kernels are functions of products and squared distances, for which
// the features that do not occur are one (see dataset.Occurring).
func (o *Options) compactable() bool {
	d := &o.Data
	return len(d.Views) == 0 && d.Missing == "" && d.Sequences == dataset.Numbers &&
		len(o.Kernels.Users) == 0 && o.Gating.Kind == "" && o.Team == nil &&
		!model.HasComponents(o.Problem.Task) && unnamed.MatchString(o.Kernels.Specs)
}
