package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// weightShare is the share of weight of a group, a view, a kind of kernels or a single kernel.
type weightShare struct {
	Name string
	// Brief is the name for tables, with fewer digits if it is the name of a kernel.
	Brief   string
	Kernels int
	// Active counts the kernels whose ||w_m|| is not negligible.
	Active int
	// Theta is the sum of theta over the active kernels.
	Theta float64
	// Share is the sum of ||w_m|| over the active kernels, as a share of the sum over all
	// kernels, from 0 to 1.
	Share float64
}

const (
	// negligible is the share of the largest ||w_m|| up to which a kernel counts as unused. A
	// training may leave small positive weights where the optimum has 0.
	negligible = 1e-6
	// mostListed is the number of kernels, or classifiers, that a table lists one by one. A table of
	// that length fits on a screen.
	mostListed = 20
	// mostSpec is the number of letters that a kernel specification has in a table.
	mostSpec = 60
)

// summarizeWeights adds up the weights of kernels that belong together: by region, by group or by view if
// there are any, else kernel by kernel, or by kind if the kernels are many. The result by names the kind
// of these parts. The order of the cases is from the parts that a user named to the parts that follow
// from the kernels. Shares of all parts sum to about 1: negligible kernels are left out.
func summarizeWeights(m *model.Model, b *kernelspec.Bank) (by string, list []weightShare) {
	// name maps a kernel to the part that it belongs to.
	name := func(id int) string { return b.Kernels[id].Kind.String() }
	by = "kind"
	groups := b.Grouping()
	switch {
	case b.Regions > 0:
		by, name = "region", func(id int) string { return fmt.Sprintf("region %d", b.Region(id)+1) }
	case groups != nil:
		by, name = "group", func(id int) string {
			if j := int(groups[id]); j < len(b.Groups) {
				return b.Groups[j]
			}
			return "(alone)"
		}
	case slices.ContainsFunc(b.SetViews, func(v string) bool { return v != "" }):
		by, name = "view", func(id int) string { return viewOf(b, id) }
	// More kernels would not fit on a screen, so they are joined by kind.
	case len(b.Kernels) <= mostListed:
		by, name = "kernel", b.Describe
	}
	brief := name
	if by == "kernel" {
		brief = b.Brief
	}
	// total includes negligible kernels, so a share is of the whole.
	total, largest := 0.0, 0.0
	for _, w := range m.WNorms {
		total, largest = total+w, max(largest, w)
	}
	// Parts are in the order of their first kernels.
	at := map[string]int{}
	for id := range b.Kernels {
		key := name(id)
		if by == "kernel" {
			key = fmt.Sprint(id) // Kernels with equal names must not be added up.
		}
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, weightShare{Name: name(id), Brief: brief(id)})
		}
		p := &list[i]
		p.Kernels++
		if w := m.WNorms[id]; w > negligible*largest {
			p.Active++
			p.Theta += m.Theta[id]
			p.Share += w / total
		}
	}
	return by, list
}

// viewOf names the view that a kernel sees. A precomputed matrix is a view by itself. Products may see
// several views.
func viewOf(b *kernelspec.Bank, id int) string {
	k := b.Kernels[id]
	switch {
	case k.Kind == kernelspec.Precomputed:
		return b.Files[k.Index]
	case k.Kind == kernelspec.Product:
		return "(products)"
	case k.Set == kernelspec.AllFeatures:
		return "(all features)"
	}
	// A set of features that no view has gets a common name.
	return cmp.Or(b.SetViews[k.Set], "(other features)")
}

// printWeights writes a table of the weights.
func printWeights(w io.Writer, by string, list []weightShare) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	// A line of a single kernel needs no counts.
	if by == "kernel" {
		fmt.Fprintf(t, "kernel\ttheta\tshare of ||w||\n")
	} else {
		fmt.Fprintf(t, "%s\tkernels\tactive\tsum of theta\tshare of ||w||\n", by)
	}
	for _, p := range list {
		if by == "kernel" {
			fmt.Fprintf(t, "%s\t%.4g\t%5.1f %%\n", fail.Cut(p.Brief), p.Theta, 100*p.Share)
		} else {
			fmt.Fprintf(t, "%s\t%d\t%d\t%.4g\t%5.1f %%\n", fail.Cut(p.Brief), p.Kernels, p.Active,
				p.Theta, 100*p.Share)
		}
	}
	return t.Flush()
}

// kernelsByWeight orders the kernels by ||w_m|| and then by theta, the largest first. Theta orders
// kernels whose ||w_m|| are both 0.
func kernelsByWeight(m *model.Model) []int {
	order := make([]int, len(m.Theta))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.WNorms[b], m.WNorms[a]), cmp.Compare(m.Theta[b], m.Theta[a]))
	})
	return order
}

// countActive counts the kernels whose ||w_m|| is not negligible.
// The bound is relative to the largest ||w_m||, so it does not depend on the scale of the data.
func countActive(norms []float64) int {
	largest, n := 0.0, 0
	for _, w := range norms {
		largest = max(largest, w)
	}
	for _, w := range norms {
		if w > negligible*largest {
			n++
		}
	}
	return n
}

// ratio divides x by a total, and returns 0 if the total is 0.
func ratio(x, total float64) float64 {
	if total == 0 {
		return 0
	}
	return x / total
}

// sum adds up numbers.
func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
