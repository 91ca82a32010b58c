package norm

import (
	"cmp"
	"slices"

	"bigmkl/chunking"
)

// hierarchical is a block norm p over groups of kernels, of q-norms within them, p and q in [1,
// inf] (Kloft 2011, section 2.3.5). With a = p*, b = q* and U_j = ||(v_m)_{m in j}||_b^2, T_j =
// (U_j^(1/2) / ||v||)^(a-2), t_m = (||v_m|| / U_j^(1/2))^(b-2):
//
//	||w||    = || ( ||(||w_m||)_{m in j}||_q )_j ||_p
//	||v||    = || ( ||(||v_m||)_{m in j}||_b )_j ||_a       the dual norm
//	theta_m  = T_j t_m
//
// and the Hessian of 1/2 ||v||^2 in alpha is, with z_j = sum_{m in j} theta_m g_m,
//
//	sum_m theta_m K_m + (b - 2) sum_m theta_m g_m g_m' / V_m
//	  + (a - b) sum_j z_j z_j' / (T_j U_j) - (a - 2) ghat ghat' / ||v||^2.
//
// Exponents of 1 climb the ladder together. Where q is above 2, V_m + delta^2 takes the place of V_m.
// Where p alone is, only T_j is unbounded, and W_j = U_j + delta^2 takes the place of U_j in it:
//
//	T_j = (W_j^(1/2) / ||v||)^(a-2),  (a - 2) / (T_j W_j) + (2 - b) / (T_j U_j) for (a - b) / (T_j U_j).
//
// A kernel of V_m = 0 in a group of q < 2 then has weight 0, as it has in the end, unless all of its
// group has V_m = 0 and the weights of a start. The weights have norm 1 because theta = T t: s_j = ||(theta_m)_{m in j}|| in the
// exponent q/(2-q), and ||s|| = 1 in the exponent p/(2-p).
type hierarchical struct {
	adapting
	p, q    float64
	group   []int32 // of each kernel
	members [][]int32
	u, top  []float64 // scratch: of the members of a group, of the groups
}

// NewHierarchical returns the norm p over groups of norm q, both in [1, inf]. group has the group
// of each kernel, counted from 0, and no group may be without kernels. indefinite marks kernels
// that may be indefinite; nil means none.
func NewHierarchical(p, q float64, group []int32, indefinite []bool) chunking.Norm {
	n := &hierarchical{p: p, q: q, group: group}
	n.adapting = adapting{one: p == 1 || q == 1, unbounded: p > 2 || q > 2, indefinite: indefinite}
	n.exponent = min(conjugate(p), conjugate(q))
	n.members = make([][]int32, slices.Max(group)+1)
	for m, j := range group {
		n.members[j] = append(n.members[j], int32(m))
	}
	n.top, n.u = make([]float64, len(n.members)), make([]float64, len(group))
	return n
}

// exponents are the conjugate exponents in use, of the groups and within them.
func (n *hierarchical) exponents() (a, b float64) {
	return conjugate(n.smooth(n.p)), conjugate(n.smooth(n.q))
}

// smoothings returns what is added to V_m, and to U_j of the groups.
func (n *hierarchical) smoothings() (within, outside float64) {
	if n.q > 2 {
		return n.smoothing, 0
	}
	return 0, n.smoothing
}

// Weights implements chunking.Norm: first t_m within each group, which gives U_j, then T_j of the
// groups.
func (n *hierarchical) Weights(theta, V []float64) float64 {
	a, b := n.exponents()
	within, outside := n.smoothings()
	some := n.squares(theta, V, within)
	if !some {
		n.even(theta)
	}
	for j, members := range n.members {
		// The members of a group are gathered, weighed and put back.
		u := n.u[:len(members)]
		for k, m := range members {
			u[k] = theta[m]
		}
		length := weigh(u, b)
		n.top[j] = length*length + outside
		if length == 0 && outside > 0 {
			n.evenGroup(u, members, b)
		}
		for k, m := range members {
			theta[m] = u[k]
		}
	}
	length := weigh(n.top, a)
	for m, j := range n.group {
		theta[m] *= n.top[j]
	}
	if !some {
		return 0
	}
	return length
}

// evenGroup gives the members of a group of V = 0 the weights that they have for equal V_m.
func (n *hierarchical) evenGroup(u []float64, members []int32, b float64) {
	for k, m := range members {
		u[k] = 1
		if n.Dropped(int(m)) {
			u[k] = -1
		}
	}
	weigh(u, b)
}

// shares gives T_j U_j and T_j W_j of each group, and the sum of the latter, ||u||^2.
func (n *hierarchical) shares(theta, V []float64) (share, smoothed []float64, total float64) {
	within, outside := n.smoothings()
	share = make([]float64, len(n.members))
	for m, j := range n.group {
		if theta[m] > 0 {
			share[j] += theta[m] * (max(V[m], 0) + within)
		}
	}
	if smoothed = share; outside > 0 {
		a, b := n.exponents()
		smoothed = n.groupNorms(n.lengths(V), func(v []float64) float64 {
			length := VectorNorm(v, b)
			return length*length + outside
		})
		weights := slices.Clone(smoothed)
		weigh(weights, a)
		for j, t := range weights {
			smoothed[j] *= t
		}
	}
	for _, x := range smoothed {
		total += x
	}
	return share, smoothed, total
}

// Curvature implements chunking.Norm. A group of one kernel has no other norm than its kernel, so
// its part is the kernel's and Coupling leaves it out.
func (n *hierarchical) Curvature(rank, theta, V []float64) (float64, bool) {
	a, b := n.exponents()
	within, outside := n.smoothings()
	_, _, total := n.shares(theta, V)
	if total == 0 || a == 2 && b == 2 {
		return 0, false
	}
	for m, x := range V {
		// Within a group the exponent is q*, between groups p*.
		factor, smoothing := b-2, within
		if len(n.members[n.group[m]]) == 1 {
			factor, smoothing = a-2, within+outside
		}
		rank[m] = 0
		if u := max(x, 0) + smoothing; u > 0 && theta[m] > 0 {
			rank[m] = factor * theta[m] / u
		}
	}
	return (a - 2) / total, true
}

// MostRows bounds the rows of a coupling by groups, and with it the memory: a row takes two numbers
// for each point of the working set. If there are more groups, the groups of the largest share have
// one, and the model of the dual is not exact for the others.
const MostRows = 1024

// Coupling implements chunking.Coupled: the sum over z_j z_j'.
func (n *hierarchical) Coupling(theta, V []float64) *chunking.Coupling {
	a, b := n.exponents()
	if a == b {
		return nil
	}
	share, smoothed, _ := n.shares(theta, V)
	var rows []int
	for j, members := range n.members {
		if len(members) > 1 && share[j] > 0 {
			rows = append(rows, j)
		}
	}
	// The sort is stable, so groups of equal shares keep their order and the choice is the same
	// in every run.
	if len(rows) > MostRows {
		slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(share[j], share[i]) })
		rows = rows[:MostRows]
	}
	if len(rows) == 0 {
		return nil
	}
	c := &chunking.Coupling{Rows: len(rows), Row: make([]int32, len(theta)), Factor: theta}
	for m := range c.Row {
		c.Row[m] = -1
	}
	for r, j := range rows {
		c.Diagonal = append(c.Diagonal, (a-2)/smoothed[j]+(2-b)/share[j])
		for _, m := range n.members[j] {
			c.Row[m] = int32(r)
		}
	}
	return c
}

// groupNorms takes a norm of the numbers of each group.
func (n *hierarchical) groupNorms(x []float64, norm func(group []float64) float64) []float64 {
	groups := make([]float64, len(n.members))
	for j, members := range n.members {
		u := n.u[:len(members)]
		for k, m := range members {
			u[k] = x[m]
		}
		groups[j] = norm(u)
	}
	return groups
}

// nested takes the norm of the groups' norms; outside states which of the two norms is asked for.
func (n *hierarchical) nested(x []float64, norm func(group []float64, outside bool) float64) float64 {
	return norm(n.groupNorms(x, func(group []float64) float64 { return norm(group, false) }), true)
}

// Primal implements chunking.Norm.
func (n *hierarchical) Primal(w []float64) float64 {
	return n.nested(w, func(x []float64, outside bool) float64 {
		if outside {
			return VectorNorm(x, n.p)
		}
		return VectorNorm(x, n.q)
	})
}

// Dual implements chunking.Norm.
func (n *hierarchical) Dual(V []float64) float64 {
	return n.nested(n.lengths(V), func(x []float64, outside bool) float64 {
		if outside {
			return VectorNorm(x, conjugate(n.p))
		}
		return VectorNorm(x, conjugate(n.q))
	})
}

// Scale implements chunking.Scaled: the ladder's weights have norm 1 in other exponents only.
func (n *hierarchical) Scale(theta, _ []float64) float64 {
	if !n.one {
		return 1
	}
	return n.nested(theta, func(x []float64, outside bool) float64 {
		if outside {
			return WeightNorm(x, n.p)
		}
		return WeightNorm(x, n.q)
	})
}
