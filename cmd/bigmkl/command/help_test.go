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

// TestHelpHasAPlaceForAll: every command is in a group and has a description and an example, and every flag is in one group.
func TestHelpHasAPlaceForAll(t *testing.T) {
	root, _ := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).newRootCommand()
	places := map[string]int{}
	for o := range eachOption {
		places[o.name]++
	}
	used := map[string]bool{"help": true, "version": true}
	check := func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		text := usageText(c, 1000)
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
	if text := commandtest.Must(t, "help", "train", "--all").Stdout; strings.Index(text, "--kernels SPECS") > strings.Index(text, "--cache MODE") || !strings.Contains(text, "sigma^2)") {
		t.Errorf("flags are not in order:\n%s", text)
	}
}

// TestShortHelp: the help of train is a screen, and --all shows every flag. There are topics, and an unknown one is wrong usage.
func TestShortHelp(t *testing.T) {
	short, long := commandtest.Must(t, "help", "train").Stdout, commandtest.Must(t, "help", "train", "--all").Stdout
	if lines := strings.Count(short, "\n"); lines > 50 || strings.Count(short, "\n  bigmkl train ") != 1+shortExamples || short != commandtest.Must(t, "train", "--help").Stdout {
		t.Errorf("%d lines:\n%s", lines, short)
	}
	for command, flags := range shortFlags {
		text := commandtest.Must(t, "help", command).Stdout
		if lines := strings.Count(text, "\n"); lines > 75 {
			t.Errorf("%s: %d lines", command, lines)
		}
		for _, name := range strings.Fields(flags) {
			if !strings.Contains(text, "--"+name+" ") {
				t.Errorf("--%s is not in\n%s", name, text)
			}
		}
		if strings.Contains(text, "(default [])") {
			t.Errorf("a default that says nothing in\n%s", text)
		}
	}
	if strings.Contains(short, "--cache ") || !strings.Contains(long, "--cache ") {
		t.Error("--all shows no more")
	}
	root := commandtest.Must(t, "help").Stdout
	for _, topic := range helpTopics {
		if o := commandtest.Must(t, "help", topic.name); o.Stdout != topic.text || !strings.Contains(root, "\n  "+topic.name+" ") {
			t.Errorf("topic %s:\n%s", topic.name, o.Stdout)
		}
		for line := range strings.SplitSeq(topic.text, "\n") {
			if len(line) > 120 {
				t.Errorf("%s: a line of %d letters: %s", topic.name, len(line), line)
			}
		}
	}
	for args, want := range map[string]string{"help NOSUCH": "no command and no topic \"NOSUCH\"", "help kernel": "did you mean kernels?", "help tran": "did you mean train", "help train predict": "one command or topic"} {
		if o := commandtest.Try(strings.Fields(args)...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, want) {
			t.Errorf("%s: exit code %d, %q", args, o.Code, o.Stderr)
		}
	}
}

// TestSuggestions: for an unknown flag the error has similar flags and the help of its command.
func TestSuggestions(t *testing.T) {
	for args, want := range map[string]string{
		"train --kernel x": "unknown flag: --kernel (did you mean --kernels? bigmkl help train lists the flags)", "train --kernls=x": "did you mean --kernels?", "train -c 10": "did you mean -C?",
		"train -norm 1": "did you mean --norm? bigmkl help train", "train --multi-class ovr": "did you mean --multiclass?", "inspect --al m": "did you mean --all? bigmkl help inspect",
		"train --qqqqqqqq": "unknown flag: --qqqqqqqq (bigmkl help train lists the flags)", "--hlp": "did you mean --help? bigmkl --help lists", "train --norm": "flag needs an argument: --norm (bigmkl help train",
		"train --gamma 1": "gauss:V", "train -g 1": "gauss:V", "train -t 2": "gauss:V", "train --sigma 1": "V = 1/(2 sigma^2)", "train -v 5": "bigmkl select --folds", "train --kernels rbf:1 -o m d": "it is called gauss:V",
		"train --task nu-svc -o m d": "it is called class", "train --task epsilon-svr -o m d": "it is called svr here",
		"train --task C_SVC -o m d": "it is called class here", "train --task SVR -o m d": "it is called svr here", "train --epsilon_svr": "write --task svr", "train --nu-svc": "write --task class, with -C",
		"train --random_state 1": "write --seed", "train --coef0 1": "poly:D:GAMMA:COEF", "train -q": "write --quiet", "train --kernels Linear -o m d": "it is called linear here", "train --kernels gauss:scale -o m d": "auto takes the median distance",
		"train --kernels gamma:1 -o m d": "it is called gauss:V, with V = gamma here", "train --kernels cosine -o m d": "it is called linear norm=spherical here",
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
