package train

import (
	"regexp"
	"sync"

	"bigmkl/dataset"
)

// unnamed are lists of kernels of products and squared distances that name no features.
var unnamed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^((linear|gauss|poly)(:[0-9a-z./+-]+)*( norm=(none|multiplicative|spherical))?(,|$))*$`)
})

// compactable reports whether features of the rows may be numbered again where few of many occur.
// Nothing may name them, and all kernels have to be functions of products and squared distances,
// for which the features that do not occur are one (see dataset.Occurring).
func (o *Options) compactable() bool {
	d := &o.Data
	return len(d.Views) == 0 && d.Objects == nil && d.Missing == "" && d.Sequences == dataset.Numbers &&
		len(o.Kernels.Users) == 0 && o.Gating.Kind == "" && o.Team == nil &&
		!o.Problem.traits().componentColumns && unnamed().MatchString(o.Kernels.Specs)
}
