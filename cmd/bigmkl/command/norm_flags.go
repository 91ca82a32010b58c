package command

import (
	"fmt"
	"strings"

	"bigmkl"
	"bigmkl/chunking/norm"
	"bigmkl/internal/fail"
)

// normFlags holds the flags that choose the norm.
type normFlags struct {
	// theta is the norm q on the weights.
	theta     float64
	net       float64
	matrix    string
	laplacian string
	weights   string
	// alternatives lists the flags of other norms that were given.
	alternatives []string
}

// rulePrefix begins a value of --weights that names a rule.
const rulePrefix = "rule:"

// file returns the file of fixed weights, "" if there is none.
func (n *normFlags) file() string {
	if strings.HasPrefix(n.weights, rulePrefix) {
		return ""
	}
	return n.weights
}

// defineFlags defines the flags of the norm. Those that need no file set the options directly.
func (n *normFlags) defineFlags(f *flags, o *bigmkl.Options) {
	add(f, &o.Norm, "norm", "P", "4/3", parseNorm,
		"block norm p in [1, inf], such as 1, 4/3 or inf; sum is p = 2, the plain sum of the kernels (the default with --gating)")
	add(f, &n.theta, "theta-norm", "Q", "", parseThetaNorm,
		"norm q of the weights in [1, inf], in place of --norm: p = 2q/(1+q)")
	add(f, &o.Regularizer.GroupNorm, "group-norm", "Q", "", parseGroupNorm,
		"norm within groups of kernels (group=NAME after a kernel); --norm is then the norm over groups")
	add(f, &n.net, "elastic-net", "L", "", parseShare,
		"use the norm (1-L) (sum ||w||)^2 + L sum ||w||^2, with L from 0 (p = 1) to 1 (the plain sum)")
	add(f, &o.Regularizer.SquaredNorm, "squared-norm", "L", "", parsePositive,
		"add L/2 ||theta||_q^2 to the objective, as SMO-MKL does, instead of the constraint ||theta||_q = 1")
	f.StringVar(&n.matrix, "norm-matrix", "",
		"interactions of kernels from this .npy `FILE`: M x M, symmetric, positive definite, no entry below 0")
	f.StringVar(&n.laplacian, "norm-laplacian", "",
		"interactions (L + EPS I)^-1, where L is the Laplacian of the graph of kernels whose edge weights a .npy file holds, as `FILE:EPS`")
	add(f, &o.CostPower, "cost-power", "G", "1", parseEpsilon,
		"power G of the costs of kernels (cost=D after a kernel): the norm takes D^G ||w||; at 0 costs are only reported")
	f.StringVar(&n.weights, "weights", "",
		"fixed weights of the kernels from this `FILE`, .npy or text, or by a rule, such as rule:align; none are learned")
	add(f, &o.Regularizer.RuleSample, "rule-sample", "N", fmt.Sprint(defaultSample), parseCount,
		"number of rows whose pairs the rule of --weights uses, 0 for all")
}

// checkFlags finds norms that exclude each other, and sets the block norm that follows from the
// flags.
func (n *normFlags) checkFlags(f *flags, o *bigmkl.Options, faults *usageFaults) {
	if f.Changed("theta-norm") {
		faults.require(!f.Changed("norm"), "use one of them: q = p/(2-p)",
			"--norm and --theta-norm cannot be combined")
		o.Norm = n.theta
	}
	n.alternatives = nil
	for _, name := range []string{"group-norm", "elastic-net", "squared-norm", "norm-matrix",
		"norm-laplacian", "weights"} {
		if f.Changed(name) {
			n.alternatives = append(n.alternatives, "--"+name)
		}
	}
	faults.require(len(n.alternatives) < 2, "use one of them",
		"%s cannot be combined", strings.Join(n.alternatives, " and "))
	p := "--norm"
	if f.Changed("theta-norm") {
		p = "--theta-norm"
	}
	given := f.Changed("norm") || f.Changed("theta-norm")
	faults.require(!given || n.weights == "", "leave "+p+" out",
		"%s has no effect with --weights, which fixes the weights", p)
	faults.require(!given || !f.Changed("elastic-net"), "leave "+p+" out",
		"%s cannot be combined with --elastic-net, which lies between p = 1 and p = 2", p)
	interactions := n.matrix != "" || n.laplacian != ""
	faults.require(!given || o.Norm == 2 || !interactions, "leave "+p+" out",
		"%s cannot be combined with interactions of kernels, which extend p = 2", p)
	if f.Changed("elastic-net") && !given {
		// At the two ends the elastic net is a block norm, which is trained faster.
		switch n.net {
		case 0:
			o.Norm = 1
		case 1:
			o.Norm = 2
		default:
			o.Regularizer.ElasticNet = n.net
		}
	}
	rule, ruled := strings.CutPrefix(n.weights, rulePrefix)
	r := &o.Regularizer
	faults.require(ruled || !f.Changed("rule-sample"), "--weights rule:NAME",
		"--rule-sample has no effect without a rule of --weights")
	if r.Rule = rule; ruled && !f.Changed("rule-sample") {
		r.RuleSample = defaultSample
	}
	if ruled {
		_, err := bigmkl.ParseWeightRule(rule)
		if *faults = append(*faults, err); err != nil {
			ruled = false
		}
	}
	if !ruled { // One fault is one line: the options do not repeat a fault of the flags.
		r.Rule, r.RuleSample = "", 0
	} else if given {
		o.Norm = 0
	}
	if n.laplacian != "" {
		_, _, err := n.splitLaplacian()
		faults.require(err == nil, "--norm-laplacian G.npy:0.1", "--norm-laplacian: %v", err)
	}
}

// splitLaplacian splits FILE:EPS at its last colon.
func (n *normFlags) splitLaplacian() (path string, eps float64, err error) {
	i := strings.LastIndexByte(n.laplacian, ':')
	if i < 1 {
		return "", 0, fmt.Errorf("%s is not of the form FILE:EPS", fail.Quote(n.laplacian))
	}
	eps, err = parsePositive(n.laplacian[i+1:])
	return n.laplacian[:i], eps, err
}

// readFiles reads the matrix of interactions, the graph or the fixed weights into the options.
func (n *normFlags) readFiles(r *bigmkl.Regularizer) error {
	var err error
	switch {
	case n.weights != "" && r.Rule == "":
		r.Weights, err = readNumbers(n.weights)
	case n.matrix != "":
		if r.Interaction, err = readSquare(n.matrix); err != nil {
			break
		}
		if e := norm.CheckInteraction(r.Interaction); e != nil {
			err = fail.New(fail.Input, "the matrix of interactions defines no norm: %w",
				e).At(n.matrix, 0, 0)
		}
	case n.laplacian != "":
		path, eps, _ := n.splitLaplacian()
		var g []float64
		if g, err = readSquare(path); err == nil {
			r.Interaction, err = bigmkl.Laplacian(g, eps)
			if e, ok := err.(*fail.Error); ok {
				err = e.At(path, 0, 0)
			}
		}
	}
	return err
}
