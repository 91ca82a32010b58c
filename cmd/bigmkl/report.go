package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// part is a share of the kernels: a view, a kind, or a single kernel.
type part struct {
	Name    string
	Kernels int
	Active  int     // kernels whose ||w_m|| is not negligible
	Theta   float64 // sum of theta of those
	Share   float64 // of the sum of ||w_m|| over all kernels
}

const (
	negligible = 1e-6 // of the largest ||w_m||
	mostListed = 20   // kernels that are listed one by one
	mostSpec   = 60   // letters of the specification of a kernel, in a table
)

// parts sums up the weights by group or view; without views kernel by kernel, or, if there are many, by kind. by names what they are.
func parts(m *model.Model, b *kernelspec.Bank) (by string, list []part) {
	name := func(id int) string { return b.Kernels[id].Kind.String() }
	by = "kind"
	groups := b.Grouping()
	switch {
	case groups != nil:
		by, name = "group", func(id int) string {
			if j := int(groups[id]); j < len(b.Groups) {
				return b.Groups[j]
			}
			return "(alone)"
		}
	case slices.ContainsFunc(b.SetViews, func(v string) bool { return v != "" }):
		by, name = "view", func(id int) string { return viewOf(b, id) }
	case len(b.Kernels) <= mostListed:
		by, name = "kernel", b.Describe
	}
	total, largest := 0.0, 0.0
	for _, w := range m.WNorms {
		total, largest = total+w, max(largest, w)
	}
	at := map[string]int{}
	for id := range b.Kernels {
		key := name(id)
		if by == "kernel" {
			key = fmt.Sprint(id) // equal kernels stay apart
		}
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, part{Name: name(id)})
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

// viewOf names the view of a kernel's features.
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
	return cmp.Or(b.SetViews[k.Set], "(other features)")
}

// printParts writes the table.
func printParts(w io.Writer, by string, list []part) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if by == "kernel" {
		fmt.Fprintf(t, "kernel\ttheta\tshare of ||w||\n")
	} else {
		fmt.Fprintf(t, "%s\tkernels\tactive\tsum of theta\tshare of ||w||\n", by)
	}
	for _, p := range list {
		if by == "kernel" {
			fmt.Fprintf(t, "%s\t%.4g\t%5.1f %%\n", fail.Cut(p.Name), p.Theta, 100*p.Share)
		} else {
			fmt.Fprintf(t, "%s\t%d\t%d\t%.4g\t%5.1f %%\n", fail.Cut(p.Name), p.Kernels, p.Active, p.Theta, 100*p.Share)
		}
	}
	return t.Flush()
}

// byWeight orders the kernels by ||w_m||, then theta, the greatest first.
func byWeight(m *model.Model) []int {
	order := make([]int, len(m.Theta))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.WNorms[b], m.WNorms[a]), cmp.Compare(m.Theta[b], m.Theta[a]))
	})
	return order
}

// share is a part of a whole that may be 0.
func share(x, total float64) float64 {
	if total == 0 {
		return 0
	}
	return x / total
}

// clip cuts a long text short.
func clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-2]) + ".."
	}
	return text
}

// sum adds up.
func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
