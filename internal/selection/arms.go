package selection

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/internal/kernelspec"
)

// Arm is a list of kernels with a norm. Its cells are the costs.
type Arm struct {
	// Kind is the purpose of the arm.
	Kind Kind `json:"kind"`
	// Bank is the number of the requested list of kernels, from 0.
	Bank int `json:"bank"`
	// Kernels holds the specifications.
	Kernels string `json:"kernels"`
	// View names the view, or the features, of an arm of kind View.
	View string `json:"view,omitempty"`
	// Norm is the block norm.
	Norm Norm `json:"norm"`
	// CostPower is the power of the costs of kernels. If it is nil, it is the power of the
	// training.
	CostPower *float64 `json:"cost_power,omitempty"`
	// Missing is the share of rows that lack a view.
	Missing float64 `json:"missing,omitempty"`

	// Files do not have this value, because it follows from the list. Two arms are equal
	// whatever it is.
	one bool // the list has one kernel
}

// equals reports whether two arms are the same.
func (a Arm) equals(b Arm) bool {
	// Pointers are compared by their numbers: arms that were read from a file have other
	// pointers.
	same := a.CostPower == nil && b.CostPower == nil ||
		a.CostPower != nil && b.CostPower != nil && *a.CostPower == *b.CostPower
	a.CostPower, b.CostPower = nil, nil
	a.one, b.one = false, false
	return same && a == b
}

// String names the arm in messages.
func (a Arm) String() string {
	text := fmt.Sprintf("%s of %s, p = %g", a.Kind, a.Kernels, float64(a.Norm))
	if a.CostPower != nil {
		text += fmt.Sprintf(", costs^%g", *a.CostPower)
	}
	if a.Missing > 0 {
		text += fmt.Sprintf(", missing %g", a.Missing)
	}
	return text
}

// Kind is what an arm is for.
type Kind string

// These are the kinds of arms. All of them compete. Where the grid has the norm of Sum or Sparse,
// there is no such arm beside it.
const (
	Grid   Kind = "grid"   // a list of kernels with a norm that was asked for
	Sum    Kind = "sum"    // the plain sum of the kernels, p = 2
	Sparse Kind = "sparse" // p = 1
	View   Kind = "view"   // the plain sum of all kernels of one view
	Single Kind = "single" // one kernel by itself
)

// plainSum is the block norm p = 2, whose kernel is the unweighted sum (all weights 1), and
// sparseSum is p = 1, at which most weights are 0.
const (
	plainSum  = 2
	sparseSum = 1
)

// Norm is a block norm, which JSON has as a number or as "inf".
type Norm float64

// MarshalJSON writes the norm.
func (p Norm) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(p), 1) {
		return []byte(`"inf"`), nil
	}
	return strconv.AppendFloat(nil, float64(p), 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Norm) UnmarshalJSON(b []byte) error {
	if string(b) == `"inf"` {
		*p = Norm(math.Inf(1))
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	*p = Norm(x)
	return err
}

// isBlockNorm reports whether the norm is the block norm p alone. Under another norm, the baselines p = 1 and p = 2 would belong
// to another problem. The zero value of every field means that it is not used.
func isBlockNorm(r *bigmkl.Regularizer) bool { return reflect.ValueOf(*r).IsZero() }

// withMissing returns the arms once for each share of rows that lack a view, or as they are.
func (t *Trials) withMissing(arms []Arm) []Arm {
	if len(t.Missing) == 0 {
		return arms
	}
	var all []Arm
	for _, share := range t.Missing {
		for _, a := range arms {
			// A kernel by itself that fills nothing in does not allow for views that rows lack.
			if list, err := kernelspec.Split(a.Kernels); err != nil || !kernelspec.NamesMissing(list) {
				if share != t.Missing[0] {
					continue
				}
				all = append(all, a)
				continue
			}
			a.Missing = share
			all = append(all, a)
		}
	}
	return all
}

// armsOf lists the arms of one list of kernels: the requested ones, and beside them the plain
// sum, p = 1, each view and each kernel by itself. kernels holds a specification for each kernel
// by itself.
func (o *Options) armsOf(bank int, kernels []string) []Arm {
	specs := o.Banks[bank]
	norms := o.Norms
	if o.anyNorm && len(kernels) < 2 {
		norms = []float64{plainSum} // of one kernel all norms are the same
	}
	var arms []Arm
	for _, p := range norms {
		for _, g := range o.powers() {
			arms = append(arms, Arm{Kind: Grid, Bank: bank, Kernels: specs, Norm: Norm(p), CostPower: g, one: len(kernels) == 1})
		}
	}
	plain := o.plainPower()
	// Baselines have block norms. They answer whether learned weights are worth anything, which
	// a reader of a selection asks first.
	if o.NoBaselines || !isBlockNorm(&o.Training.Regularizer) || len(kernels) < 2 {
		return arms
	}
	if !o.hasPlain(plainSum) {
		arms = append(arms, Arm{Kind: Sum, Bank: bank, Kernels: specs, Norm: plainSum, CostPower: plain})
	}
	if !o.hasPlain(sparseSum) {
		arms = append(arms, Arm{Kind: Sparse, Bank: bank, Kernels: specs, Norm: sparseSum, CostPower: plain})
	}
	arms = append(arms, viewArms(bank, kernels)...)
	if len(kernels) <= MostSingles {
		for _, k := range kernels {
			arms = append(arms, Arm{Kind: Single, Bank: bank, Kernels: k, Norm: plainSum})
		}
	}
	return arms
}

// describeUntried is a sentence about kernels that are not tried alone because a list has many, and empty if there are none. arms are
// the arms of the list, where kernels are to be tried alone.
func describeUntried(arms []Arm, kernels []string) string {
	if len(kernels) <= MostSingles {
		return ""
	}
	views := 0
	for _, a := range arms {
		if a.Kind == View {
			views++
		}
	}
	alone := "no view is tried alone"
	if views > 0 {
		alone = fmt.Sprintf("each of %d views is tried alone", views)
	}
	return fmt.Sprintf("%d kernels are tried together, %s, and no kernel alone: at most %d are", len(kernels), alone, MostSingles)
}

// viewArms lists an arm for each view that has several kernels of the list and not all of them: with
// one kernel the arm is the arm of the kernel, and with all kernels it is the arm of the list.
func viewArms(bank int, kernels []string) (arms []Arm) {
	of := map[string][]string{}
	var views []string
	for _, k := range kernels {
		body := strings.TrimSuffix(k, kernelspec.Suffix(k))
		_, view, found := strings.Cut(body, "@")
		if !found || strings.ContainsAny(body, "()") { // Factors of a product may be of several views.
			continue
		}
		if of[view] == nil {
			views = append(views, view)
		}
		of[view] = append(of[view], k)
	}
	for _, v := range views {
		if n := len(of[v]); n > 1 && n < len(kernels) && len(views) <= MostSingles {
			arms = append(arms, Arm{Kind: View, Bank: bank, Kernels: strings.Join(of[v], ","), Norm: plainSum, View: v})
		}
	}
	return arms
}

// membersOf lists the numbers of the kernels of a list that an arm has, nil if it has all of them.
// Widths of auto are other numbers in each fold, so an arm names its kernels by their places in the
// list.
func membersOf(a *Arm, kernels []string) (list []int) {
	if a.Kind != Single && a.Kind != View {
		return nil
	}
	own, err := kernelspec.Split(a.Kernels)
	for k, s := range kernels {
		if err == nil && slices.Contains(own, s) || s == a.Kernels {
			list = append(list, k)
		}
	}
	if a.Kind == Single {
		list = list[:1] // A list may have a kernel twice.
	}
	return list
}
