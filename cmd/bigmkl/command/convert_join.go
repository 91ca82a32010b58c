package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"bigmkl/internal/dataset/convert"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/fail"
)

// joinFlags are the flags of convert that count with --join. Other flags set how numbers and labels are
// read. A join keeps text as it is, so they would have no effect.
var joinFlags = []string{"join", "out", "to", "quiet", "trust-compressed"}

// checkJoin returns all faults of a command line with --join. It rejects standard input, because
// several tables cannot come from one stream.
func (v *convertCommand) checkJoin(set *pflag.FlagSet) error {
	var faults usageFaults
	faults.require(v.joined != "", "--join COLUMN", "no column is named by which tables are joined")
	faults.require(v.to == "csv" || v.out == "", "-o OUT.csv", "joined tables are written as comma-separated values")
	// Visit yields only flags that the command line has set.
	set.Visit(func(f *pflag.Flag) {
		faults.require(slices.Contains(joinFlags, f.Name), "the joined table keeps all text as it is; --"+f.Name+" is for the command that reads it",
			"--%s has no meaning with --join", f.Name)
	})
	// A view in a table is the part of a column name before the first point. A name with a point would end
	// early.
	for _, t := range v.tables() {
		faults.require(t.Path != "-", "FILE, or a named pipe", "--join reads files and not standard input")
		faults.require(!strings.Contains(t.Name, "."), "letters, digits and _", "%s as a name before columns, whose first point ends the name of a view", fail.Quote(t.Name))
	}
	return errors.Join(faults...)
}

// tables returns the files with the names of their views.
// The separator follows from the name of the file: a tab for .tsv, else a comma.
func (v *convertCommand) tables() []convert.Table {
	var list []convert.Table
	for _, arg := range v.data {
		name, path := formats.SplitName(arg)
		list = append(list, convert.Table{Name: name, Path: path, Separator: formats.Separator(path)})
	}
	return list
}

// join joins tables by the identifiers of their objects. It counts objects that a table lacks, since a
// misspelt identifier shows as such an object.
func (v *convertCommand) join(ctx context.Context) error {
	if err := checkOutput(v.out, formats.Paths(v.data)...); err != nil {
		return err
	}
	// Join holds all tables in memory as text. Objects of the first table come first, in its order.
	j, err := convert.Join(ctx, v.tables(), convert.JoinOptions{ID: v.joined, Trusted: v.read.TrustCompressed})
	if err != nil {
		return err
	}
	rows, err := v.write(func(w io.Writer) (int, error) { return j.Write(ctx, w) })
	if err != nil {
		return err
	}
	// A missing object is not an error: real tables are rarely complete. Its empty fields are missing
	// values, which --impute fills in.
	paths := formats.Paths(v.data)
	for k, lacks := range j.Lacks() {
		if lacks > 0 {
			v.complain("%s lacks %d of %d objects: their fields are empty", fail.Path(paths[k]), lacks, rows)
		}
	}
	// The hint names the option that the next command needs. Without it the identifiers would become a
	// feature.
	if !v.quiet {
		views := ""
		if !slices.ContainsFunc(v.data, func(arg string) bool { return strings.Contains(arg, "=") }) {
			views = "; NAME=FILE makes the columns of a file a view, and no file has a name"
		}
		fmt.Fprintf(v.stderr, "%d rows written; --id %s leaves the identifiers out of a training%s\n", rows, fail.Label(j.ID()), views)
	}
	return nil
}
