package kernelspec

import (
	"fmt"
	"strconv"
	"strings"
)

// Describe returns kernel m as a specification of its own, such as "gauss:0.5@1-76". A set that is
// a view appears by its name.
func (b *Bank) Describe(m int) string { return b.describeWith(m, allDigits) }

// Brief returns the text of Describe with numbers of four digits, for people. It names the kernel
// and need not be a specification of just this kernel.
func (b *Bank) Brief(m int) string { return b.describeWith(m, 4) }

// allDigits asks for the shortest text that reads back as the same number.
const allDigits = -1

// describeWith returns the text of kernel m with so many digits a number.
func (b *Bank) describeWith(m, digits int) string {
	k := &b.Kernels[m]
	text := b.describe(k, digits, false)
	if k.Normalizer != Unsaid {
		text += " norm=" + k.Normalizer.String()
	}
	if k.Missing != MissingUnsaid {
		text += " missing=" + k.Missing.String()
	}
	return text
}

// describe returns the text of a kernel. A factor of a product stands between parentheses and
// commas, so its view must not contain any.
func (b *Bank) describe(k *Kernel, digits int, factor bool) string {
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', digits, 64) }
	s := k.Stem()
	switch k.Kind {
	case Poly:
		s += ":" + strconv.Itoa(k.Degree)
		if k.Gamma != 1 || k.Coef != 1 {
			s += ":" + num(k.Gamma) + ":" + num(k.Coef)
		}
	case Sigmoid:
		s += ":" + num(k.Gamma)
		if k.Coef != 0 {
			s += ":" + num(k.Coef)
		}
	case Product:
		return b.describeProduct(k, digits)
	case Pairwise:
		return b.describePair(k, digits)
	case User:
		s += ":" + b.Users[k.Index]
	case Precomputed:
		s += ":" + b.Files[k.Index]
	case Spectrum:
		s += ":" + strconv.Itoa(k.Degree)
		if k.Mismatches > 0 {
			s += ":" + strconv.Itoa(int(k.Mismatches))
		}
	case WeightedDegree:
		s += ":" + strconv.Itoa(k.Degree)
		if k.Shift > 0 {
			s += ":shift=" + strconv.Itoa(int(k.Shift))
		}
	default:
		if k.Kind.HasWidth() {
			s += ":" + num(k.Gamma)
		}
	}
	if k.Set == AllFeatures {
		return s
	}
	if v := b.SetViews[k.Set]; v != "" && !reserved(v) &&
		!(factor && strings.ContainsAny(v, "(), \t")) {
		return s + "@" + v
	}
	return s + "@" + formatSet(b.Sets[k.Set])
}

// reserved reports whether a name of a view means something else after @.
func reserved(name string) bool {
	return name == "each-view" || name == "each-feature" || strings.HasPrefix(name, "random:") ||
		isRanges(name)
}

// formatSet returns a list of features in the syntax in which it is read: runs as a-b, joined by +.
func formatSet(set []int32) string {
	var out strings.Builder
	for i := 0; i < len(set); {
		j := i
		for j+1 < len(set) && set[j+1] == set[j]+1 {
			j++
		}
		if i > 0 {
			out.WriteByte('+')
		}
		fmt.Fprintf(&out, "%d", set[i]+1)
		if j > i {
			fmt.Fprintf(&out, "-%d", set[j]+1)
		}
		i = j + 1
	}
	return out.String()
}

// describeProduct returns the text of a product.
func (b *Bank) describeProduct(k *Kernel, digits int) string {
	factors := b.Products[k.Index]
	var parts []string
	for i := range factors {
		f := &factors[i]
		s := b.describe(&f.Kernel, digits, true)
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

func isRanges(text string) bool { return strings.Trim(text, "0123456789-+") == "" }
