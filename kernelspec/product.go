package kernelspec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Factor is one factor of a product of kernels: the power of a kernel.
type Factor struct {
	Kernel Kernel
	Power  int
}

// maxFactors bounds the factors of one product.
const maxFactors = 16

// isProduct tells specifications of products and powers.
func isProduct(text string) bool {
	return strings.HasPrefix(text, "prod(") || strings.HasPrefix(text, "pow(")
}

// closing is the end of the parentheses of a product that a text begins with, all of it if they stay open; 0 of any other text.
func closing(text string) int {
	if !isProduct(text) {
		return 0
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// next takes the first specification off a list: up to a comma that is not within the parentheses of a product.
func next(list string) (first, rest string, more bool) {
	from := len(list) - len(strings.TrimLeftFunc(list, unicode.IsSpace))
	from += closing(list[from:])
	i := strings.IndexByte(list[from:], ',')
	if i < 0 {
		return list, "", false
	}
	return list[:from+i], list[from+i+1:], true
}

// product reads prod(..) or pow(..).
func (it *item) product(body string, features int) error {
	if end := closing(body); end < len(body) || !strings.HasSuffix(body, ")") {
		return fmt.Errorf("write prod(A,B,..) or pow(A,2), with as many parentheses closed as opened, and features behind each factor")
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

// eachFactor visits the factors of a product, whose parentheses are closed, with their powers. It keeps nothing: reading text is not
// to take more memory than the text.
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

// factor reads a kernel, or pow(kernel,D).
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
	case isProduct(text):
		return f, 0, fmt.Errorf("%s is no factor: multiply out what is within", clip(text))
	case Suffix(text) != "":
		return f, 0, fmt.Errorf("%s is said of the whole product: write it behind the last parenthesis", clip(strings.TrimLeft(Suffix(text), " \t")))
	}
	if f, err = parse(text, features); err != nil {
		return f, 0, err
	}
	switch {
	case f.proto.Kind == Precomputed:
		return f, 0, errors.New("a matrix is no factor: multiply the matrices themselves")
	case f.count > 1:
		return f, 0, fmt.Errorf("%s stands for %d kernels, and a factor is one: list the products", clip(text), f.count)
	}
	return f, power, nil
}

// describeProduct writes the product of a kernel.
func (b *Bank) describeProduct(k *Kernel) string {
	factors := b.Products[k.Index]
	var parts []string
	for i := range factors {
		f := &factors[i]
		s := b.describe(&f.Kernel, true)
		if f.Power > 1 || len(factors) == 1 {
			s = "pow(" + s + "," + strconv.Itoa(f.Power) + ")"
		}
		parts = append(parts, s)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "prod(" + strings.Join(parts, ",") + ")"
}
