package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/internal/kernelspec"
	"bigmkl/tests/commandtest"
)

// offered returns what a completion offers for the last word of a command line.
func offered(t *testing.T, args ...string) []string {
	t.Helper()
	out := commandtest.Must(t, append([]string{"__complete"}, args...)...).Stdout
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[:len(lines)-1] // The last one is for the shell.
}

// TestCompletedWordsAreTaken: a flag takes every word that its completion offers and no other one, and each flag whose fault
// lists words offers them.
func TestCompletedWordsAreTaken(t *testing.T) {
	t.Parallel()
	some := 0
	for _, c := range rootCommand().Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			value, has := f.Value.(completed)
			complete := value.values
			faults, counts := faultsOf(f.Value)
			if !counts || f.Name == "kernels" {
				return
			}
			if !has {
				if text := faults("no such word"); strings.Contains(text, "unknown") && !slices.Contains(openLists, f.Name) {
					t.Errorf("%s --%s offers nothing: %s", c.Name(), f.Name, text)
				}
				return
			}
			words, directive := complete(c, nil, "")
			if directive != cobra.ShellCompDirectiveNoFileComp || len(words) == 0 {
				t.Errorf("%s --%s: %q, %d", c.Name(), f.Name, words, directive)
			}
			for _, w := range words {
				if some++; faults(w) != "" {
					t.Errorf("%s --%s offers %s: %s", c.Name(), f.Name, w, faults(w))
				}
			}
			if faults("no such word") == "" {
				t.Errorf("%s --%s takes any word", c.Name(), f.Name)
			}
		})
	}
	if some < 200 {
		t.Errorf("%d words", some)
	}
}

// openLists are flags whose values are not a list of words, although their faults name an unknown one.
var openLists = []string{"conformal"}

// collected returns the flags that collect the faults of the value.
func (v *value[T]) collected() *flags { return v.flags }

// faultsOf returns what parses a text as the value of a flag and returns its fault, for flags that are parsed by functions.
func faultsOf(v pflag.Value) (func(string) string, bool) {
	if c, is := v.(completed); is {
		v = c.Value
	}
	of, ok := v.(interface{ collected() *flags })
	if !ok {
		return nil, false
	}
	return func(text string) string {
		f := of.collected()
		f.faults = nil
		if err := v.Set(text); err != nil {
			return err.Error()
		}
		if len(f.faults) > 0 {
			return f.faults[0].Error()
		}
		return ""
	}, true
}

// TestCompletedKernels: every kernel that is offered whole is one.
func TestCompletedKernels(t *testing.T) {
	t.Parallel()
	for _, w := range offered(t, "train", "--kernels", "linear,") {
		one, listed := strings.CutPrefix(w, "linear,")
		if !listed {
			t.Errorf("%q does not begin with what was typed", w)
		}
		if strings.HasSuffix(one, "(") || strings.HasSuffix(one, ":") {
			continue
		}
		if _, err := kernelspec.Split(w); err != nil || checkKernels(w) != nil {
			t.Errorf("%s: %v, %v", w, err, checkKernels(w))
		}
	}
}

// TestCompletedColumns: the columns of a table on the line are offered, and its views behind an @, which a file of views
// names before the columns do.
func TestCompletedColumns(t *testing.T) {
	f := commandtest.NewFolder(t)
	table := f.File("t.csv", "site.depth,site.slope,\"soil.ph, dry\",label\n1,2,3,a\n")
	tabs := f.File("t.tsv", "one\ttwo, three\n1\t2\n")
	numbers, views := f.File("n.csv", "1,2,3\n4,5,6\n"), f.File("v.txt", "pixels 1 2\nedges 3 4\n")
	for _, c := range []struct{ args, want []string }{
		{[]string{"train", table, "--label", ""}, []string{"site.depth", "site.slope", "soil.ph, dry", "label"}},
		{[]string{"train", numbers, f.At("nowhere"), tabs, "--time", ""}, []string{"one", "two, three"}},
		{[]string{"select", table, "--id", "label,si"}, []string{"label,site.depth", "label,site.slope"}},
		{[]string{"train", table, "--kernels", "linear,gauss:1@"}, []string{"linear,gauss:1@site", "linear,gauss:1@soil", "linear,gauss:1@each-view"}},
		{[]string{"importance", "--views", views, numbers, "--kernels", "linear@p"}, []string{"linear@pixels"}},
		{[]string{"train", numbers, "--label", ""}, []string{}},
		{[]string{"train", f.At("nowhere"), "--label", ""}, []string{}},
		{[]string{"train", "--kernels", "@"}, []string{}},
		{[]string{"export", "--to", "o"}, []string{"onnx"}},
		{[]string{"train", "--multiclass", "o"}, []string{"ovr", "ovo"}},
	} {
		// The shell cuts what does not begin as typed; the program offers all.
		typed := c.args[len(c.args)-1]
		got := slices.DeleteFunc(offered(t, c.args...), func(w string) bool { return !strings.HasPrefix(w, typed) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}
