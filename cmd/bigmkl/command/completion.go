package command

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/kernelspec"
)

// Completions of a shell offer the words that a flag takes, the columns of a table that is named on the line, and
// its views behind the @ of a kernel. Whatever fails offers nothing.

// addWords defines a flag whose value is one of some words, which completions offer.
func addWords(f *flags, to *string, name, kind, def string, words []string, usage string) {
	add(f, to, name, kind, def, oneOf(words...), usage)
	f.offers.words(name, words...)
}

// completions registers the values that shells may offer for the flags of a command.
// Its methods are called where flags are defined.
type completions struct{ command *cobra.Command }

// words has completions offer words for a flag.
func (o completions) words(name string, words ...string) {
	o.values(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// values has completions ask a function for the values of a flag. The value of a flag carries its
// completions, because the parser's own registry is global. Registering there for each invocation in
// one process would collect the flags of all of them.
func (o completions) values(name string, values cobra.CompletionFunc) {
	flag := o.command.Flags().Lookup(name)
	if flag.DefValue == "[]" { // The help does not know the type of the value any more, and would show the empty list.
		flag.DefValue = ""
	}
	flag.Value = completed{flag.Value, values}
}

// completed is the value of a flag that completions have values for. The embedded value parses and
// prints as before. Code that asks for further methods of a value uses plainValue.
type completed struct {
	pflag.Value
	values cobra.CompletionFunc
}

// plainValue returns the value of a flag without what completes it.
func plainValue(f *pflag.Flag) pflag.Value {
	if v, ok := f.Value.(completed); ok {
		return v.Value
	}
	return f.Value
}

// registerCompletions registers the completions of all flags with the parser of the command line. The parser keeps them, with
// the commands, until the process ends. It is called only where a shell asks for completions.
// Errors name flags that have completions twice, which is a bug.
func registerCompletions(root *cobra.Command) error {
	var faults []error
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if v, ok := f.Value.(completed); ok {
				faults = append(faults, c.RegisterFlagCompletionFunc(f.Name, v.values))
			}
		})
	}
	return errors.Join(faults...)
}

// columns has completions offer the columns of the table on the line for a flag. A list has commas between them.
func (o completions) columns(list bool, names ...string) {
	for _, name := range names {
		o.values(name, func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			// Only the last name of a list is completed.
			before := ""
			if at := strings.LastIndexByte(typed, ','); list && at >= 0 {
				before = typed[:at+1]
			}
			return behind(before, columnsOn(args)), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// kernels has completions offer kernels, and behind an @ the views of the data on the line. Only what
// follows the last comma or @ is completed. A shell replaces the whole word, so the rest is put before
// it.
func (o completions) kernels() {
	o.values("kernels", func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		none := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		last := typed[strings.LastIndexByte(typed, ',')+1:]
		if strings.HasPrefix(typed, "@") { // a file of kernels
			return nil, cobra.ShellCompDirectiveDefault
		}
		if at := strings.LastIndexByte(last, '@'); at >= 0 {
			path := ""
			if views := c.Flag("views"); views != nil {
				path = views.Value.String()
			}
			return behind(typed[:len(typed)-len(last)+at+1], append(viewsOn(path, args), "each-view")), none
		}
		return behind(typed[:len(typed)-len(last)], kernelspec.Examples), none
	})
}

// behind puts each word behind what was typed already.
func behind(typed string, words []string) (list []string) {
	for _, w := range words {
		list = append(list, typed+w)
	}
	return list
}

// viewsOn lists the views of a file of views, or of columns whose names have the same word before a
// dot. A file of views takes precedence over names of columns, as it does in a training.
func viewsOn(path string, args []string) (views []string) {
	if list, err := dataset.ReadViews(path); path != "" && err == nil {
		for _, v := range list {
			views = append(views, v.Name)
		}
		return views
	}
	for _, column := range columnsOn(args) {
		if view, _, in := strings.Cut(column, "."); in && !slices.Contains(views, view) {
			views = append(views, view)
		}
	}
	return views
}

// mostHeader is the largest number of bytes of a line of names that completions look at. A compressed
// file of one long line would otherwise be decompressed to its end while a user waits.
const mostHeader = 1 << 20

// columnsOn lists the names of the columns in the first line of the first table among some files.
// Files other than tables are passed over.
func columnsOn(args []string) []string {
	for _, path := range args {
		if names := headerOf(path); names != nil {
			return names
		}
	}
	return nil
}

// headerOf returns the names in the first line of a file, or nil. It is simpler than the reader
// of tables: a completion must be quick, and a wrong guess costs nothing. It tries the separators tab,
// semicolon and comma in this order: names of columns may contain commas, but hardly tabs.
func headerOf(path string) []string {
	s, err := dataset.OpenStream(path, false)
	if err != nil {
		return nil
	}
	defer s.Close()
	// A file without a line break has no row of data behind its names.
	line, err := bufio.NewReader(io.LimitReader(s, mostHeader)).ReadString('\n')
	if err != nil {
		return nil
	}
	line = strings.TrimRight(strings.TrimPrefix(line, "\ufeff"), "\r\n")
	r := csv.NewReader(strings.NewReader(line))
	for _, r.Comma = range "\t;," {
		if strings.ContainsRune(line, r.Comma) {
			break
		}
	}
	names, err := r.Read()
	// A single column is rarely a table, and control characters mean a binary file.
	if err != nil || len(names) < 2 || !labeltext.Printable(line) && r.Comma != '\t' {
		return nil
	}
	for _, n := range names {
		if _, err := strconv.ParseFloat(n, 64); err == nil || n == "" {
			return nil // a row of numbers
		}
	}
	return names
}
