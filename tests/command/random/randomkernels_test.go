package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// bank draws the kernels of a random problem, over the whole grammar.
type bank struct {
	*rand.Rand
	*sample
	positive bool // no value is below 0 once the features are scaled
	most     int  // kernels
}

// drawn is a list of specifications and the number of kernels of each.
type drawn struct {
	specs  []string
	counts []int
}

func (d *drawn) kernels() (sum int) {
	for _, n := range d.counts {
		sum += n
	}
	return sum
}

// list draws up to five specifications.
func (b *bank) list() (d drawn) {
	for range 1 + b.IntN(5) {
		text, n := b.spec()
		if d.kernels()+n > b.most {
			continue
		}
		if b.IntN(6) == 0 {
			text += " norm=" + anyOf(b.Rand, "none", "multiplicative", "spherical")
		}
		d.specs, d.counts = append(d.specs, text), append(d.counts, n)
		if b.IntN(10) == 0 && d.kernels()+n <= b.most { // a kernel that is there twice
			d.specs, d.counts = append(d.specs, text), append(d.counts, n)
		}
	}
	if d.specs == nil {
		d.specs, d.counts = []string{anyOf(b.Rand, "linear", "poly:2")}, []int{1}
		if b.kind == sequenceClasses {
			d.specs[0] = "wd:4"
		}
	}
	return d
}

// spec draws a specification and counts its kernels.
func (b *bank) spec() (string, int) {
	switch {
	case b.kind == sequenceClasses:
		return b.ofStrings()
	case b.IntN(6) > 0:
		text, n := b.atom()
		set, sets := b.set()
		return text + set, n * sets
	case b.IntN(6) == 0 && b.features > 1:
		half := b.features / 2
		return fmt.Sprintf("pair(%s,1-%d,%d-%d)", anyOf(b.Rand, "linear", "gauss:0.5", "poly:2", "laplace:0.1"), half, half+1, 2*half), 1
	case b.IntN(3) == 0:
		return fmt.Sprintf("pow(%s,%d)", b.factor(), 1+b.IntN(3)), 1
	}
	var factors []string
	for range 2 + b.IntN(2) {
		factors = append(factors, b.factor())
	}
	return "prod(" + strings.Join(factors, ",") + ")", 1
}

// factor draws one kernel, as products have them.
func (b *bank) factor() string {
	for {
		text, n := b.atom()
		if n > 1 {
			continue
		}
		set, sets := b.set()
		if sets > 1 || strings.HasPrefix(set, "@random") || strings.HasPrefix(set, "@each") {
			set = ""
		}
		return text + set
	}
}

// atom draws a kernel of all features, or several of different widths or degrees.
func (b *bank) atom() (string, int) {
	kinds := strings.Fields("gauss gauss gauss laplace matern:1.5 matern:2.5 linear linear poly poly sigmoid")
	if b.positive {
		kinds = append(kinds, "chi2", "chi2", "intersection")
	}
	switch kind := anyOf(b.Rand, kinds...); kind {
	case "linear", "intersection":
		return kind, 1
	case "poly":
		lo := 1 + b.IntN(3)
		hi := lo + b.IntN(3)
		text := fmt.Sprintf("poly:%d..%d", lo, hi)
		if b.IntN(2) == 0 {
			text = fmt.Sprintf("%s:%s:%s", text, b.number(-4, 1), anyOf(b.Rand, "0", "1", "0.5", "10"))
		}
		return text, hi - lo + 1
	case "sigmoid":
		return fmt.Sprintf("sigmoid:%s:%s", b.number(-5, 0), anyOf(b.Rand, "0", "-1", "1")), 1
	default:
		return b.widths(kind)
	}
}

// widths draws one or several widths, far too narrow and far too wide ones included.
func (b *bank) widths(kind string) (string, int) {
	switch b.IntN(8) {
	case 0:
		return kind + ":" + b.centre(kind), 1
	case 6: // so many that a few of them represent all
		n := 40 + b.IntN(260)
		return kind + ":" + anyOf(b.Rand, "auto", "mean", "0.001..10", "1e-6..1e4",
			"0.1..0.2") + "/" + strconv.Itoa(n), n
	case 1:
		n := 2 + b.IntN(5)
		return fmt.Sprintf("%s:%s/%d", kind, b.centre(kind), n), n
	case 2:
		n := 2 + b.IntN(4)
		return fmt.Sprintf("%s:0.001..10/%d", kind, n), n
	case 3:
		return kind + ":2^-6..2^1", 8
	case 4:
		return kind + ":1/features", 1
	case 5:
		return kind + ":" + b.number(-9, 8), 1
	}
	return kind + ":" + b.number(-3, 1), 1
}

// number draws a number between two powers of ten.
func (b *bank) number(lo, hi float64) string { return between(b.Rand, lo, hi) }

func between(rng *rand.Rand, lo, hi float64) string {
	return strconv.FormatFloat(math.Pow(10, lo+(hi-lo)*rng.Float64()), 'g', 3, 64)
}

// set draws the features of a kernel, and counts the sets.
func (b *bank) set() (string, int) {
	switch b.IntN(10) {
	case 0:
		return "@each-feature", b.features
	case 1:
		return "@each-view", len(b.views)
	case 2:
		return "@" + b.views[b.IntN(len(b.views))].Name, 1
	case 3:
		k, sets := 1+b.IntN(min(b.features, 20)), 1+b.IntN(20)
		return fmt.Sprintf("@random:%d*%d", k, sets), sets
	case 4:
		at := 1 + b.IntN(b.features)
		return fmt.Sprintf("@%d-%d+%d", at, at+b.IntN(b.features-at+1), 1+b.IntN(b.features)), 1
	}
	return "", 1
}

// ofStrings draws string kernels.
func (b *bank) ofStrings() (string, int) {
	one := func() string {
		switch b.IntN(4) {
		case 0:
			return fmt.Sprintf("wd:%d", 1+b.IntN(22))
		case 1:
			return fmt.Sprintf("wd:%d:shift=%d", 1+b.IntN(8), b.IntN(5))
		case 2:
			return fmt.Sprintf("spectrum:%d", 1+b.IntN(12))
		}
		return fmt.Sprintf("spectrum:%d:1", 3+b.IntN(4))
	}
	switch b.IntN(8) {
	case 0:
		return fmt.Sprintf("prod(%s,%s)", one(), one()), 1
	case 1:
		return fmt.Sprintf("pow(%s,2)", one()), 1
	case 2:
		return "wd:2..5", 4
	case 3:
		return "spectrum:1..4", 4
	case 4:
		at := 1 + b.IntN(b.features/2)
		return fmt.Sprintf("%s@%d-%d", one(), at, at+b.features/3), 1
	}
	return one(), 1
}

// centre draws the distance around which widths lie.
func (b *bank) centre(kind string) string {
	if kind == "gauss" {
		return anyOf(b.Rand, "auto", "mean", "nn")
	}
	return anyOf(b.Rand, "auto", "mean")
}
