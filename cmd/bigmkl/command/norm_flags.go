package command

import (
	"fmt"
	"strings"

	"bigmkl"
	"bigmkl/chunking/norm"
	"bigmkl/internal/fail"
)

// normFlags holds the flags that choose the norm. The files are read after all flags are checked. Until
// then the options have no matrix and no weights.
type normFlags struct {
	// theta is the norm q on the weights.
	theta float64
	// net is the value of --elastic-net. The next three fields are texts: a matrix, FILE:EPS, and a
	// file or a rule.
	net       float64
	matrix    string
	laplacian string
	weights   string
	// alternatives lists the flags of other norms that were given. Other checks use it, for example of
	// a grid of norms.
	alternatives []string
}

// rulePrefix begins a value of --weights that names a rule. A file whose name begins like this can be
// given as ./rule:NAME.
const rulePrefix = "rule:"

// file returns the file of fixed weights, "" if there is none.
// The caller checks that no result replaces this file.
func (n *normFlags) file() string {
	if strings.HasPrefix(n.weights, rulePrefix) {
		return ""
	}
	return n.weights
}

// checkFlags finds norms that exclude each other, and sets the block norm that follows from the
// flags. --theta-norm is the same family by the norm q on the weights, q = p/(2-p) (Kloft 2011). The
// flags exclude each other because each defines a norm. The library has one field for each and would
// have to prefer one of them silently.
func (n *normFlags) checkFlags(f *flags, o *bigmkl.Options, faults *usageFaults) {
	if f.Changed("theta-norm") {
		faults.require(!f.Changed("norm"), "use one of them: q = p/(2-p)",
			"--norm and --theta-norm cannot be combined")
		o.Norm = n.theta
	}
	// A second call with the same flags, as for a file of options, starts from nothing.
	n.alternatives = nil
	var chosen []option
	for _, o := range normOptions {
		if o.norm != nil && f.Changed(o.name) {
			chosen, n.alternatives = append(chosen, o), append(n.alternatives, "--"+o.name)
		}
	}
	faults.require(len(n.alternatives) < 2, "use one of them",
		"%s cannot be combined", strings.Join(n.alternatives, " and "))
	p := "--norm"
	if f.Changed("theta-norm") {
		p = "--theta-norm"
	}
	// A value of --norm beside another norm is rejected even where it is the default: the user
	// has typed it and expects an effect.
	given := f.Changed("norm") || f.Changed("theta-norm")
	for _, other := range chosen {
		faults.require(!given || other.norm.decides == "" || o.Norm == other.norm.exponent, "leave "+p+" out",
			"%s cannot be combined with --%s, which %s", p, other.name, other.norm.decides)
	}
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
	// A rule computes the weights from the data, before the training.
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
		// A rule fixes the weights, so no block norm may remain in the options.
	} else if given {
		o.Norm = 0
	}
	if n.laplacian != "" {
		_, _, err := n.splitLaplacian()
		faults.require(err == nil, "--norm-laplacian G.npy:0.1", "--norm-laplacian: %v", err)
	}
}

// splitLaplacian splits FILE:EPS at its last colon. Names of files may contain colons, and EPS does
// not. EPS makes the inverse exist: a Laplacian is singular.
func (n *normFlags) splitLaplacian() (path string, eps float64, err error) {
	// An empty name of a file is a fault, too.
	i := strings.LastIndexByte(n.laplacian, ':')
	if i < 1 {
		return "", 0, fmt.Errorf("%s is not of the form FILE:EPS", fail.Quote(n.laplacian))
	}
	eps, err = parsePositive(n.laplacian[i+1:])
	return n.laplacian[:i], eps, err
}

// readFiles reads the matrix of interactions, the graph or the fixed weights into the options. An
// interaction must be symmetric and positive definite without negative entries. Faults name the file.
func (n *normFlags) readFiles(r *bigmkl.Regularizer) error {
	var err error
	switch {
	// The library compares the number of weights with the number of kernels.
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
		// checkFlags has rejected a text of another form.
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
