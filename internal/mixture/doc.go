// Package mixture solves maximum entropy discrimination with mixtures of Gaussians in the spaces of
// kernels (Lewis 2006, chapter 3), which is nonstationary kernel combination.
//
// Each class has components, and component c lives in the space of its kernel k_c. With own(t) the
// components of the class of row t and other(t) the components of the other class, a distribution
// q_t on own(t), and
//
//	s_c(x) = sum_i w_ic k_c(x_i, x) - k_c(x, x)/2 + e_c,
//
// a projection at q is the convex problem
//
//	P = 1/2 sum_c w_c'K_c w_c + sum_t C_t max(0, 2 - H(q_t) - sum_own q_tc s_c(x_t) + log sum_other exp s_c(x_t))
//	D = sum_t l_t (2 - H(q_t) + H(Q_t)) + 1/2 sum_tc w_tc k_c(x_t,x_t) - 1/2 sum_c w_c'K_c w_c
//
// over l_tc >= 0 on other(t) with l_t = sum_c l_tc <= C_t and Q_tc = l_tc / l_t, where w_tc is l_t q_tc
// on own(t) and -l_tc on other(t), and sum_t w_tc = 0 for every c. The multipliers of these sums are
// e_c. Without H(Q), as in the thesis, the largest s_c represents log sum exp.
//
// The softmax of s over own(t) minimises P over q_t exactly, so P never rises from one projection to
// the next. Which stationary point that ends in depends on the start.
//
// Discrimination is compared with mixtures of maximum likelihood in the same spaces, which use
// the rows of one class alone; see likelihood.go.
package mixture
