package command

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// plainNumber matches the decimal numbers of the command line that TOML writes in the same way. TOML
// has integers of 63 bits. Longer integers, such as a seed of 64 bits, are written as texts. Applying a
// setting accepts a text for any number.
// A leading sign or zero, as in +1 or 007, is not a number of TOML.
var plainNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
})

// configText returns the file of options with the values that the flags have, defaults included:
// the file then gives the same training after a default has changed. Notes become comments at
// its end: settings that were used and are not options. The order of the entries and their titles are
// the order of the help, from the table of options.
func configText(f *flags, p *problemFlags, notes []string) (string, error) {
	var b strings.Builder
	b.WriteString("# Options of bigmkl train, for --config; bigmkl help train explains them.\n")
	// The data come first, as a key of their own.
	if len(p.rows.paths) > 0 {
		if err := writeEntry(&b, dataKey, p.rows.paths); err != nil {
			return "", err
		}
	}
	for _, g := range optionTable {
		// The title of a group is written before its first entry, if it has one.
		head := "\n# " + g.title + "\n"
		for _, o := range g.options {
			name := o.name
			flag := f.Lookup(name)
			if flag == nil || name == configFlag || name == ofFlag || name == "help" {
				continue
			}
			value := valueOf(flag)
			// A model has its views as lines, which the file then contains.
			if name == "views" && len(p.rows.viewLines) > 0 {
				value = p.rows.viewLines
			}
			// The default of --norm is in the help as one number. Gates have another one, which
			// checkFlags would set later.
			if name == "norm" && !flag.Changed && p.options.Gating != "" {
				value = "2" // the default beside gates
			}
			if value == nil {
				continue
			}
			b.WriteString(head)
			head = ""
			text, ok := value.(string)
			if ok && plainNumber().MatchString(text) && flag.Value.Type() != "string" {
				fmt.Fprintf(&b, "%s = %s\n", name, text) // as it is on the command line
				continue
			}
			if err := writeEntry(&b, name, value); err != nil {
				return "", err
			}
		}
	}
	// Notes are comments, so the file can be used as it is.
	for i, note := range notes {
		if i == 0 {
			b.WriteString("\n# Not among the options:\n")
		}
		fmt.Fprintf(&b, "# %s\n", strings.Map(printable, note))
	}
	return b.String(), nil
}

// printable replaces control characters. A line break from a name in the data would end the
// comment, and the rest would be an option.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}

// valueOf returns the value of a flag as a TOML value, or nil if it has none. A default with
// blanks is an explanation for the help, such as "all processors", and no value.
func valueOf(flag *pflag.Flag) any {
	text := flag.Value.String()
	// An empty list equals an absent one.
	if list, ok := plainValue(flag).(pflag.SliceValue); ok {
		if all := list.GetSlice(); len(all) > 0 {
			return all
		}
		return nil
	}
	switch {
	case flag.Value.Type() == "bool":
		return text == "true"
	case text == "", !flag.Changed && strings.Contains(text, " "):
		return nil
	}
	return text
}

// writeEntry writes a line of the file.
// The encoder decides about quotes and arrays.
func writeEntry(b *strings.Builder, key string, value any) error {
	line, err := toml.Marshal(map[string]any{key: value})
	b.Write(line)
	return err
}
