package command

import (
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"
)

// definition defines the flag of an option for a problem. The table is a variable of the package, made
// before any command. Definitions therefore take the problem and the flags of a command as arguments.
type definition func(f *flags, p *problemFlags, o *option)

// parsed returns the definition of a flag whose text a function parses. at returns the place of its value.
func parsed[T any](parse func(string) (T, error), at func(p *problemFlags) *T) definition {
	return func(f *flags, p *problemFlags, o *option) {
		name := o.name
		if o.short != "" {
			name += "," + o.short
		}
		add(f, at(p), name, o.kind, o.def, parse, o.usage)
	}
}

// word returns the definition of a flag whose value is one of the words of its row.
func word(at func(p *problemFlags) *string) definition {
	return func(f *flags, p *problemFlags, o *option) { parsed(oneOf(o.words...), at)(f, p, o) }
}

// text returns the definition of a flag of any text, the empty one by default.
func text(at func(p *problemFlags) *string) definition {
	return func(f *flags, p *problemFlags, o *option) { f.StringVar(at(p), o.name, "", o.usage) }
}

// yes returns the definition of a flag without a value.
func yes(at func(p *problemFlags) *bool) definition {
	return func(f *flags, p *problemFlags, o *option) { f.BoolVar(at(p), o.name, false, o.usage) }
}

// These are the kinds of values in files of options that the type of a flag does not decide.
var (
	// A list whose elements commas separate on a command line may be an array.
	listKinds = []unstable.Kind{unstable.String, unstable.Array, unstable.Integer, unstable.Float}
	// A column has a name or a number.
	columnKinds = []unstable.Kind{unstable.String, unstable.Integer}
	// Views are a file, or an array with the lines of such a file.
	viewKinds = []unstable.Kind{unstable.String, unstable.Array}
)

// given is the value that a model has for an option. Without values it has none. Values are texts in
// the form of the command line, so the same parsers read them again.
type given struct {
	kind   unstable.Kind
	values []string
}

// givenText is a value as it is on a command line. An empty text is not a value.
func givenText(value string) given {
	if value == "" {
		return given{}
	}
	return given{unstable.String, []string{value}}
}

// givenNumber is a number with all of its digits. A repeated training must have the same bits, so no
// digit may be lost.
func givenNumber(x float64) given { return givenText(strconv.FormatFloat(x, 'g', -1, 64)) }

// givenCount is a whole number.
func givenCount(n int) given { return givenText(strconv.Itoa(n)) }

// givenList is an array. An empty one is not a value.
func givenList(values []string) given { return given{unstable.Array, values} }

// givenYes is a flag that is set.
func givenYes(set bool) given {
	if !set {
		return given{}
	}
	return given{unstable.Bool, []string{"true"}}
}
