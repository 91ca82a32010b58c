package kernelspec

import (
	"errors"
	"fmt"
	"strings"
)

// These constants bound the names of kernels whose code the user provides.
const (
	maxName     = 64
	nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
)

// parse parses a specification. It leaves the text of the feature set to selectSets.
func parse(text string, features int) (item, error) {
	it := item{text: text}
	if len(text) > maxText {
		return it, usage(text, fmt.Errorf("this is %d bytes long, and %d are the limit", len(text),
			maxText))
	}
	suffix := Suffix(text)
	body := text[:len(text)-len(suffix)]
	if body == "" && suffix != "" {
		return it, usage(text, errors.New("this names no kernel: write it behind one, after a "+
			"blank"))
	}
	var err error
	if it.attributes, err = parseAttributes(suffix, features); err != nil {
		return it, usage(text, err)
	}
	// A file name may contain any character, @ and : included.
	if file, ok := strings.CutPrefix(body, "precomputed:"); ok && file != "" {
		it.file, it.proto, it.count = file, Kernel{Kind: Precomputed, Normalizer: it.normalizer,
			Set: AllFeatures}, 1
		return it, nil
	}
	if strings.HasPrefix(body, projectionPrefix) {
		return it, usage(text, errors.New("a projection is learned by a training, "+
			"and stands by itself in a list that is no file"))
	}
	if isProduct(body) {
		it.proto, it.count = Kernel{Kind: Product, Normalizer: it.normalizer, Set: AllFeatures}, 1
		if err := it.product(body, features); err != nil {
			return it, usage(text, err)
		}
		return it, nil
	}
	if isPair(body) {
		it.proto, it.count = Kernel{Kind: Pairwise, Normalizer: it.normalizer, Set: AllFeatures}, 1
		if err := it.pair(body, features); err != nil {
			return it, usage(text, err)
		}
		return it, nil
	}
	body, set, hasSet := strings.Cut(body, "@")
	if hasSet && set == "" {
		return it, usage(text, errors.New("features are missing after @"))
	}
	it.features = set
	name, args, hasArgs := strings.Cut(body, ":")
	kind, known := kindOf(name)
	if !known {
		small := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		other := otherNames[small]
		if _, there := kindOf(small); there {
			other = small
		}
		if other != "" {
			return it, usage(text, fmt.Errorf("there is no kernel %s", clip(name))).WithHint("it is called %s here", other)
		}
		return it, usage(text, fmt.Errorf("there is no kernel %s", clip(name))).
			WithHint("there are gauss, laplace, matern, linear, poly, sigmoid, chi2, intersection and " +
				"precomputed, for sequences spectrum and wd, and prod(A,B) and pow(A,2) of them")
	}
	if err := it.arguments(kind, args, hasArgs, features); err != nil {
		return it, usage(text, err)
	}
	it.proto.Normalizer, it.proto.Missing = it.normalizer, it.missing
	return it, nil
}

func (it *item) arguments(kind Kind, args string, given bool, features int) error {
	it.proto, it.count = Kernel{Kind: kind}, 1
	switch kind {
	case Linear, Intersection:
		if given {
			return fmt.Errorf("%s takes no argument", kind)
		}
		return nil
	case Poly:
		return it.poly(args, features)
	case Sigmoid:
		return it.sigmoid(args, features)
	case Precomputed:
		return errors.New("the file is missing")
	case User:
		if args == "" || len(args) > maxName || strings.Trim(args, nameLetters) != "" {
			return fmt.Errorf("%s is no name of a kernel: letters, digits and ._- are", clip(args))
		}
		it.user = args
		return nil
	case Product:
		return errors.New("write prod(A,B,..)")
	case Pairwise:
		return errors.New("write pair(KERNEL,SET,SET)")
	case Spectrum:
		return it.spectrum(args)
	case WeightedDegree:
		return it.weightedDegree(args)
	case Matern:
		smoothness, width, _ := strings.Cut(args, ":")
		if smoothness != "1.5" && smoothness != "2.5" {
			return errors.New("write matern:1.5:V or matern:2.5:V, where V is a width such as 0.5 or auto")
		}
		it.proto.Degree = int(smoothness[0] - '0')
		args = width
	}
	if args == "" {
		name := it.proto.Stem()
		return fmt.Errorf("the width is missing, such as %s:0.5 or %s:auto/10; it is a gamma, which is "+
			"larger for narrower kernels", name, name)
	}
	name, n, several := strings.Cut(args, "/")
	if d, ok := distances[name]; ok {
		if d == nearest && kind.Base() != SquaredDistance {
			return fmt.Errorf("widths around the distance of nearest neighbours are for gauss and matern, and "+
				"%s has another distance", kind)
		}
		it.auto, it.around = true, d
		if several {
			var err error
			if it.count, err = countOf(n); err != nil {
				return err
			}
			if it.count > 1000 {
				return fmt.Errorf("%s/%d spans more than float64 does", name, it.count)
			}
		}
		return nil
	}
	return it.gammas(args, features)
}

// maxFactors is the largest number of factors of one product.
const maxFactors = 16

// product parses prod(..) or pow(..).
func (it *item) product(body string, features int) error {
	if end := closing(body); end < len(body) || !strings.HasSuffix(body, ")") {
		return fmt.Errorf("write prod(A,B,..) or pow(A,2), with as many parentheses closed as " +
			"opened, and features behind each factor")
	}
	n := 0
	err := eachFactor(body, features, func(f item, _ int) error {
		if n++; n > maxFactors {
			return fmt.Errorf("a product of more than %d factors", maxFactors)
		}
		if f.auto {
			it.autos++
		}
		return nil
	})
	if err == nil && n == 1 && strings.HasPrefix(body, "prod(") {
		err = errors.New("a product has two factors or more")
	}
	it.factors = n
	return err
}

// eachFactor visits the factors of a product with their powers. The parentheses of the product must
// be closed. It stores nothing, so parsing takes no more memory than the text.
func eachFactor(body string, features int, visit func(f item, power int) error) error {
	one := func(text string) error {
		f, power, err := factor(text, features)
		if err != nil {
			return err
		}
		return visit(f, power)
	}
	inner, ok := strings.CutPrefix(body, "prod(")
	if !ok {
		return one(body)
	}
	inner = inner[:len(inner)-1]
	for more := true; more; {
		var first string
		first, inner, more = next(inner)
		if err := one(strings.Trim(first, " \t")); err != nil {
			return err
		}
	}
	return nil
}

// factor parses a kernel, or pow(kernel,D).
func factor(text string, features int) (f item, power int, err error) {
	power = 1
	if inner, ok := strings.CutPrefix(text, "pow("); ok {
		inner, closed := strings.CutSuffix(inner, ")")
		at := strings.LastIndexByte(inner, ',')
		if !closed || at < 0 {
			return f, 0, fmt.Errorf("%s is no power: write pow(kernel,D)", clip(text))
		}
		if power, err = degree(strings.Trim(inner[at+1:], " \t")); err != nil {
			return f, 0, err
		}
		text = strings.Trim(inner[:at], " \t")
	}
	switch {
	case isProduct(text) || isPair(text):
		return f, 0, fmt.Errorf("%s is no factor: multiply out what is within", clip(text))
	case Suffix(text) != "":
		return f, 0, fmt.Errorf("%s is said of the whole product: write it behind the last "+
			"parenthesis", clip(strings.TrimLeft(Suffix(text), " \t")))
	}
	if f, err = parse(text, features); err != nil {
		return f, 0, err
	}
	switch {
	case f.proto.Kind == Precomputed && !strings.Contains(f.file, "@"):
		return f, 0, errMatrixFactor
	case f.count > 1:
		return f, 0, fmt.Errorf("%s stands for %d kernels, and a factor is one: list the products",
			clip(text), f.count)
	}
	return f, power, nil
}

// otherNames are names of kernels in other programs.
var otherNames = map[string]string{
	"rbf": "gauss:V, with V = gamma", "gaussian": "gauss:V, with V = gamma", "radial": "gauss:V, with V = gamma", "rbfdot": "gauss:V, with V = the sigma of kernlab", "polynomial": "poly:D",
	"polydot": "poly:D", "vanilladot": "linear", "dot": "linear", "laplacian": "laplace:V", "laplacedot": "laplace:V", "tanh": "sigmoid:V", "tanhdot": "sigmoid:V", "chi-squared": "chi2:V", "histogram": "intersection",
	"gamma": "gauss:V, with V = gamma", "sigma": "gauss:V, with V = 1/(2 sigma^2)", "cosine": "linear norm=spherical", "linearkernel": "linear", "chi-square": "chi2:V", "additive-chi2": "chi2:V",
	"kmer": "spectrum:K", "string": "spectrum:K", "weighted-degree": "wd:D",
}
