package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/internal/fail"
)

// flags are the flags of one command. Values are checked as they are parsed, and their faults are
// collected for the user to see all of them at once.
type flags struct {
	*pflag.FlagSet
	faults []error
	// offers registers completions for values.
	offers completions
}

// usageFaults collects the faults of a command line as a whole. Each names a remedy. All faults are
// printed together: a user can then correct a command line in one step.
type usageFaults []error

// require adds a fault unless ok holds. The hint names the remedy.
func (u *usageFaults) require(ok bool, hint, format string, args ...any) {
	if !ok {
		*u = append(*u, fail.New(fail.Usage, format, args...).WithHint("%s", hint))
	}
}

// newFlags returns the flags of a command.
func newFlags(c *cobra.Command) *flags { return &flags{FlagSet: c.Flags(), offers: completions{c}} }

// err joins the faults of all values.
func (f *flags) err() error { return errors.Join(f.faults...) }

// add defines a flag whose value is parsed by a function. The name is "long" or "long,short". The
// text def shows the default in the help; the target already holds its value. The target holds the
// default as a value, and def as a text, because the best text is often another one: 4/3, or "all
// processors".
func add[T any](f *flags, to *T, name, kind, def string, parse func(string) (T, error),
	usage string) {
	long, short, _ := strings.Cut(name, ",")
	v := &value[T]{flags: f, name: "--" + long, kind: kind, text: def, to: to, parse: parse}
	if short != "" {
		v.name = "-" + short
	}
	f.VarP(v, long, short, usage)
}

// value is a flag whose text is read by a function.
type value[T any] struct {
	flags *flags
	name  string
	kind  string
	text  string
	to    *T
	parse func(string) (T, error)
}

// Set parses the text. A fault is collected and not returned: parsing continues with the next
// flag.
func (v *value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err != nil {
		v.flags.faults = append(v.flags.faults, fail.New(fail.Usage, "%s: %w", v.name, err))
		return nil
	}
	v.text, *v.to = text, x
	return nil
}

// String returns the text that was set, or else the text of the default.
func (v *value[T]) String() string { return v.text }

// Type returns the name of the value in the help.
func (v *value[T]) Type() string { return v.kind }
