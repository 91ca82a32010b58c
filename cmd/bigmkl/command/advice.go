package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// howToReadWeights describes which columns of a table of weights answer which question. It follows
// every table of weights, because readers take a large share for importance. Values of theta are
// comparable only between kernels of one scale, which normalised kernels have.
func howToReadWeights(m *model.Model) string {
	normalised := ""
	if m.Normalization.Kind != "none" {
		normalised = "normalised "
	}
	return "A share of ||w|| is the part of a kernel in f(x); theta is its weight in the sum of the " + normalised + "kernels. " +
		"Neither is its importance: noise has a share, too. bigmkl importance measures the loss without a source."
}

// describeUnusedViews names the views of the data if no kernel is on one of them, and is empty otherwise. Names of
// columns with a common prefix define views, which the default kernels do not use. In a kernel on all
// features, a view with many features dominates the distances, and its weight cannot be learned.
func describeUnusedViews(views []dataset.View, b *kernelspec.Bank) string {
	if len(views) < 2 || slices.ContainsFunc(b.SetViews, func(v string) bool { return v != "" }) {
		return ""
	}
	return fmt.Sprintf("%d views (%s) have no kernels of their own: --kernels gauss:auto/5@each-view gives each five",
		len(views), fail.List(func(i int) string { return fail.Label(views[i].Name) }, len(views)))
}

// leastWidths is the number of widths from which a list has borders and something between them.
const leastWidths = 3

// adviseWidths returns a sentence if more than half of ||w|| belongs to the smallest or to the
// largest width of the lists of widths. Better widths may then lie outside of the lists. It
// returns "" otherwise, and if the weights are not learned or not settled.
func adviseWidths(m *model.Model, b *kernelspec.Bank) string {
	if m.Weights != nil || !m.Convergence().Reached() {
		return ""
	}
	// With several classifiers there is one sentence, about their mean: each of them uses the same
	// lists.
	m = averageClassifiers(m)
	type list struct {
		stem string
		set  int32
	}
	lists := map[list][]int{} // kernels that differ in their widths alone
	var order []list
	for id, k := range b.Kernels {
		if k.Kind.HasWidth() {
			l := list{k.Stem(), k.Set}
			if lists[l] == nil {
				// A map has no order of its own, and the same model must give the same sentence.
				order = append(order, l)
			}
			lists[l] = append(lists[l], id)
		}
	}
	var share [2]float64                              // of the smallest and of the largest widths
	var heaviest, opposite = [2]int{-1, -1}, [2]int{} // a kernel at each border, and the other end
	for _, l := range order {
		ids := lists[l]
		// Gamma is what widths of all kinds have in common: a large one is a narrow kernel.
		slices.SortStableFunc(ids, func(x, y int) int {
			return cmp.Compare(b.Kernels[x].Gamma, b.Kernels[y].Gamma)
		})
		ends := [2]int{ids[0], ids[len(ids)-1]}
		if len(ids) < leastWidths || b.Kernels[ends[0]].Gamma == b.Kernels[ends[1]].Gamma {
			continue
		}
		for side, id := range ends {
			// ||w_m|| is the size of a kernel's part in f(x). Theta depends on the block norm in
			// addition.
			share[side] += m.WNorms[id]
			if h := heaviest[side]; h < 0 || m.WNorms[id] > m.WNorms[h] {
				heaviest[side], opposite[side] = id, ends[1-side]
			}
		}
	}
	total := sum(m.WNorms)
	for side, name := range []string{"smallest", "largest"} {
		// Half of ||w|| at a border means that the list is cut there. Less is usual.
		if share[side] <= total/2 {
			continue
		}
		id := heaviest[side]
		return fmt.Sprintf("the %s V of its list, such as %s, has %.0f %% of ||w||: a better V may lie "+
			"outside of the list (try %s)", name, shorten(b.Brief(id), mostSpec),
			100*share[side]/total, widerList(m, b, id, opposite[side], side == 1))
	}
	return ""
}

// widening is the factor by which the advice moves the border of a range of widths. It is five powers
// of 2, as lists of widths usually are such powers. A list that is wider by less often ends at its
// border again.
const widening = 32

// widerList returns a specification of more widths than those from kernel end to kernel id, which
// holds most of the weight. It doubles the number of automatic widths, and moves the end of others.
// With upwards, id is the kernel of the largest gamma, and end the kernel of the smallest one. A list
// of automatic widths has its centre at a distance in the data, so more of them cover a wider range on
// both sides.
func widerList(m *model.Model, b *kernelspec.Bank, id, end int, upwards bool) string {
	stem := b.Kernels[id].Stem()
	for _, spec := range m.Kernels {
		for _, word := range []string{"auto", "mean", "nn"} {
			if rest, ok := strings.CutPrefix(spec, stem+":"+word+"/"); ok {
				rest, _, _ = strings.Cut(rest, " ")
				n, _, _ := strings.Cut(rest, "@")
				if n, err := strconv.Atoi(n); err == nil {
					return fmt.Sprintf("%s:%s/%d", stem, word, 2*n)
				}
			}
		}
	}
	low, high := b.Kernels[id].Gamma/widening, b.Kernels[end].Gamma
	if upwards {
		low, high = b.Kernels[end].Gamma, b.Kernels[id].Gamma*widening
	}
	return fmt.Sprintf("%s:%.2g..%.2g/20", stem, low, high)
}

// describeStationary gives the reason why a small gap proves no optimum. Nothing is known about
// the file of a matrix. Precomputed kernels therefore count as indefinite. For convex problems the
// relative gap bounds the distance to the optimum. An indefinite kernel or a family that is trained by
// alternating steps makes the problem non-convex, and the same number then has another meaning.
func describeStationary(m *model.Model, b *kernelspec.Bank) string {
	if m.Family.Mixture() != nil {
		if model.MaximisesLikelihood(m.Task) {
			return "the gap is what another step of EM would gain: other starts may end in a larger likelihood"
		}
		return "the gap is that of the last projection: other starts may end in other responsibilities"
	}
	other := func(k kernelspec.Kernel) bool {
		return k.Kind == kernelspec.Sigmoid || k.Kind == kernelspec.User || k.Kind == kernelspec.Pairwise || k.Kind == kernelspec.Product
	}
	if len(b.Files) > 0 && !slices.ContainsFunc(b.Kernels, other) {
		return "nothing is known about the matrices of precomputed kernels: the gap proves the optimum " +
			"if all are positive semi-definite, and a stationary point otherwise"
	}
	return "a kernel may be indefinite: the gap shows a stationary point and does not prove an optimum"
}

// specifications returns the specification of each kernel for JSON, or nil if there are more than
// mostNumbers. Scripts read them to find the kernel of a number. A list of millions of kernels would be
// larger than the model.
func specifications(b *kernelspec.Bank) []string {
	if len(b.Kernels) > mostNumbers {
		return nil
	}
	names := make([]string, len(b.Kernels))
	for id := range names {
		names[id] = b.Describe(id)
	}
	return names
}
