package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestHelpHasAPlaceForAll: every command stands in a group and has a description and an example, and every flag stands in one group.
func TestHelpHasAPlaceForAll(t *testing.T) {
	root, _ := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).newRootCommand()
	places := map[string]int{}
	for _, g := range flagGroups {
		for _, name := range strings.Fields(g.names) {
			places[name]++
		}
	}
	used := map[string]bool{"help": true, "version": true}
	check := func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		text := usageText(c)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			used[f.Name] = true
			if places[f.Name] != 1 || strings.Count(text, "--"+f.Name+" ") < 1 {
				t.Errorf("%s: --%s has %d places", c.Name(), f.Name, places[f.Name])
			}
		})
		if strings.Contains(text, "Further:") || !c.HasExample() || c.Long == "" {
			t.Errorf("%s has no example, no description or flags without a place:\n%s", c.Name(), text)
		}
		for line := range strings.SplitSeq(c.Long, "\n") {
			if len(line) > 100 {
				t.Errorf("%s: a line of %d letters: %s", c.Name(), len(line), line)
			}
		}
	}
	check(root)
	for _, c := range root.Commands() {
		check(c)
		if c.GroupID == "" {
			t.Errorf("%s stands in no group", c.Name())
		}
	}
	for name := range places {
		if !used[name] {
			t.Errorf("no command has --%s", name)
		}
	}
	text := commandtest.Must(t, "--help").Stdout
	if demo, clean := strings.Index(text, "\n  demo "), strings.Index(text, "\n  clean "); demo < 0 || clean < demo {
		t.Errorf("commands are not in order:\n%s", text)
	}
	if text := commandtest.Must(t, "help", "train").Stdout; strings.Index(text, "--kernels SPECS") > strings.Index(text, "--cache MODE") || !strings.Contains(text, "1/(2 sigma^2)") {
		t.Errorf("flags are not in order:\n%s", text)
	}
}

// TestSuggestions: an unknown flag is met with those that it may stand for and with the help of its command.
func TestSuggestions(t *testing.T) {
	for args, want := range map[string]string{
		"train --kernel x": "unknown flag: --kernel (did you mean --kernels? bigmkl help train lists the flags)", "train --kernls=x": "did you mean --kernels?", "train -c 10": "did you mean -C?",
		"train -norm 1": "did you mean --norm? bigmkl help train", "train --multi-class ovr": "did you mean --multiclass?", "inspect --al m": "did you mean --all? bigmkl help inspect",
		"train --qqqqqqqq": "unknown flag: --qqqqqqqq (bigmkl help train lists the flags)", "--hlp": "did you mean --help? bigmkl --help lists", "train --norm": "flag needs an argument: --norm (bigmkl help train",
		"tarin": "Did you mean this? train", "train --norm 0.5 -o m d": "p = 0.5 is not in [1, inf]: 1 keeps few",
	} {
		if o := commandtest.Try(strings.Fields(args)...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, want) {
			t.Errorf("%s: exit code %d, %q, want %q", args, o.Code, o.Stderr, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"norm", "norm", 0}, {"ab", "ba", 2}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
