package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// configSource is what a file of options is made of.
type configSource struct {
	of string
	// args are the arguments of config, and more has the arguments of a training beside its file.
	args, more []string
	model      string
}

// TestConfigRoundTrip: what config prints for a command line, a model or a checkpoint trains the same bytes. Below level 1 a case has one of the
// first two.
func TestConfigRoundTrip(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	for i, c := range commandtest.ConfigCases {
		data, flags, _ := strings.Cut(c, ": ")
		args := strings.Fields(flags)
		for k, a := range args {
			args[k] = strings.ReplaceAll(strings.ReplaceAll(a, "|", " "), "VIEWS", f.At("views"))
		}
		a, b, d := f.At(fmt.Sprint("a", i)), f.At(fmt.Sprint("b", i)), f.At(fmt.Sprint("d", i))
		code := commandtest.Try(append([]string{"train", "--quiet", "-o", a, f.At(data)}, args...)...).Code
		if code != contract.ExitFine && code != contract.ExitStopped {
			t.Fatalf("%s: exit code %d", c, code)
		}
		files := []configSource{{"a command line", append([]string{"-o", b, f.At(data)}, args...), nil, b}}
		if !strings.Contains(c, "--max-iter") && !strings.Contains(c, "lbfgs") { // A model records neither.
			files = append(files, configSource{"a model", []string{"--of", a}, []string{"-o", d, f.At(data)}, d})
		}
		for _, s := range testlevel.Some(t, c, 1, files) {
			file := f.File("run.toml", commandtest.Must(t, append([]string{"config"}, s.args...)...).Stdout)
			o := commandtest.Try(append([]string{"train", "--quiet", "--config", file}, s.more...)...)
			if o.Code != code || f.Read(filepath.Base(s.model)) != f.Read(filepath.Base(a)) {
				t.Errorf("%s: exit code %d or other bytes by the file of %s\n%s%s", c, o.Code, s.of, o.Stderr, f.Read("run.toml"))
			}
		}
	}
	args := []string{"--quiet", "--kernels", "gauss:0.05,linear", "--norm", "1.5", "--class-weight", "1=2", "--task", "class", "-C", "2"}
	commandtest.Must(t, append(append([]string{"train"}, args...), "--checkpoint", f.At("ck"), "--checkpoint-every", "1ns", "-o", f.At("k1"), f.At("two"))...)
	file := f.File("ck.toml", commandtest.Must(t, "config", "--of", f.At("ck")).Stdout)
	commandtest.Must(t, "train", "--quiet", "--config", file, "-o", f.At("k2"), f.At("two"))
	if f.Read("k1") != f.Read("k2") || !strings.Contains(f.Read("ck.toml"), "# instruction set: ") {
		t.Errorf("other bytes by the file of a checkpoint:\n%s", f.Read("ck.toml"))
	}
	if o := commandtest.Try("config", "--of", f.At("ck"), "--of", t.TempDir()); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "no checkpoint") {
		t.Errorf("an empty folder: %d, %s", o.Code, o.Stderr)
	}
}

// TestConfigPrecedence: the command line beats the file, alternatives of its flags included.
func TestConfigPrecedence(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	file := f.File("run.toml", "data = '"+f.At("two")+"'\nnorm = 1\nC = 3\nkernels = ['linear', 'gauss:0.1']\nquiet = true\nout = '"+f.At("m")+"'\n")
	show := func(args ...string) string {
		return commandtest.Must(t, append([]string{"config", "--config", file}, args...)...).Stdout
	}
	for args, want := range map[string]string{
		"": "norm = 1\nC = 3\n", "-C 5": "norm = 1\nC = 5\n", "--theta-norm 2": "theta-norm = 2\n", "--path-C 1,2": "path-C = '1,2'\n", "--kernels linear": "kernels = 'linear'\n",
		f.At("numbers"): "data = ['" + f.At("numbers") + "']\n",
	} {
		if got := show(strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%q: %q is missing in\n%s", args, want, got)
		}
	}
	if got := show("--theta-norm", "2"); strings.Contains(got, "\nnorm = 1\n") {
		t.Errorf("--norm of the file beside --theta-norm:\n%s", got)
	}
	if got := commandtest.Object(t, contract.ExitFine, "train", "--config", file, "--json", "-C", "2", "--gap", "0.01"); got["C"] != 2.0 || got["p"] != 1.0 || got["kernels"] != 2.0 {
		t.Errorf("%v", got)
	}
	commandtest.Must(t, "plan", "--config", file)
}

// TestConfigOfSelections: select and importance read their options from a file as train does. There a value that is the
// default of its flag counts as given: one norm is not a choice of three.
func TestConfigOfSelections(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	file := f.File("run.toml", "data = '"+f.At("two")+"'\nkernels = ['linear', 'gauss:0.1']\nnorm = '4/3'\ngrid-C = [0.5, 2]\nfolds = 2\nquiet = true\nno-baselines = true\n")
	if said := commandtest.Must(t, "select", "--config", file, "-o", f.At("by file")).Stdout; !strings.Contains(said, "This accuracy is the best of 4 combinations on the same rows, so it is optimistic. --nested measures") {
		t.Errorf("the best figure is not called optimistic:\n%s", said)
	}
	commandtest.Must(t, "select", "--quiet", "--kernels", "linear", "--kernels", "gauss:0.1", "--norm", "4/3", "--grid-C", "0.5,2", "--folds", "2", "--no-baselines", "-o", f.At("by flags"), f.At("two"))
	if by, other := f.Read("by file/best.model"), f.Read("by flags/best.model"); by != other {
		t.Error("the file and the flags give different models")
	}
	file = f.File("run.toml", "data = '"+f.At("two")+"'\nkernels = 'linear,gauss:0.1'\neach = 'kernel'\nnorm = '4/3'\ngrid-C = 1\nfolds = 2\nsamples = 1\nquiet = true\n")
	if got := commandtest.Must(t, "importance", "--config", file, "--repeat", "1", "-o", f.At("imp")).Stdout; !strings.Contains(got, "norm and C of the folds: p = 4/3 (as given, not chosen); C = 1 (as given, not chosen)\n") {
		t.Errorf("folds choose the norm of the file:\n%s", got)
	}
	for _, command := range []string{"select", "importance"} {
		o := commandtest.Try(command, "--config", f.File("run.toml", "solver = 'smo'\n"), "-o", f.At("none"), f.At("two"))
		if want := `run.toml:1:1: unknown option "solver" (bigmkl help ` + command + ` lists the options)`; o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, want) {
			t.Errorf("%s: exit code %d, %s", command, o.Code, o.Stderr)
		}
	}
}

// TestHostileConfig: whatever is wrong with a file is one usage error with its line and column.
func TestHostileConfig(t *testing.T) {
	f := commandtest.ConfigFolder(t)
	for text, want := range map[string]string{
		"kernals = 'linear'": `run.toml:1:1: unknown option "kernals" (did you mean kernels?)`, "C = 1\n\n  qqqqqq = 2": `run.toml:3:3: unknown option "qqqqqq" (bigmkl help train lists the options)`,
		"C = 1\nC = 2": "run.toml:2:", "norm = 0.5": "run.toml:1:1: --norm: p = 0.5 is not in [1, inf]", "C = true": "run.toml:1:1: C: a value of kind bool where there should be one of kind string or integer or float",
		"resume = 'yes'": "run.toml:1:1: resume: a value of kind string where there should be one of kind bool", "out = 5": "run.toml:1:1: out: a value of kind integer",
		"[train]\nC = 1": `run.toml:1:2: train: a table`, "[[C]]\nx = 1": "a table", "C.x = 1": `run.toml:1:1: C.x: a table`, "C = {x = 1}": "run.toml:1:1: C: no option has a value of kind inlinetable", "C = [1, [2]]": "run.toml:1:1: C: no option has a value of kind array",
		"max-time = 07:32:00": "run.toml:1:1: max-time: no option has a value of kind localtime", "limit = 0x10": `run.toml:1:1: --limit: "0x10" is not a whole number`, "limit = 3.0": `--limit: "3.0" is not a whole number`, "gap = nan": "--gap: ",
		"config = 'x'": "run.toml:1:1: a file of options names no other one (leave config out)", "of = 'x'": "", "C = ": "run.toml:1:", "C = 1\n\x00": "run.toml:2:", "C = '\xff'": "run.toml:1:", "C = 1 2": "run.toml:1:", "help = true": "unknown option", "views = ['a 1']": "run.toml:1:1: a view is a name",
		"views = ['a 1 2', 'a 3 4']": `view "a" is given twice`, "kernels = ['gaus:1']": "gaus", "data = 5": "run.toml:1:1: data: a value of kind integer", "C = 1\nnorm = 9999999999999999999999": "run.toml:2:", strings.Repeat("#", maxConfig+1): "at most 1048576 bytes",
	} {
		file := f.File("run.toml", text)
		o := commandtest.Try("train", "--config", file, "--quiet", "-o", f.At("m"), f.At("two"))
		if o.Code != contract.ExitUsage && o.Code != contract.ExitInput || want != "" && !strings.Contains(o.Stderr, want) || f.Exists("m") || o.Code == contract.ExitInput && !strings.Contains(text, "views") {
			t.Errorf("%.60q: exit code %d, %s, want %s", text, o.Code, o.Stderr, want)
		}
	}
	if o := commandtest.Try("train", "--config", f.At("none"), "-o", f.At("m"), f.At("two")); o.Code != contract.ExitInput {
		t.Errorf("no file: %d, %s", o.Code, o.Stderr)
	}
	if o := commandtest.Try("train", "--config", f.File("run.toml", "norm = 0.5\nC = -1\nfoo = 1\n"), "--gap", "7"); strings.Count(o.Stderr, "\n") != 4 {
		t.Errorf("not all faults at once:\n%s", o.Stderr)
	}
}

// FuzzConfig: any text is rejected with a usage error, or is what is printed of it again.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{"C = 1\nnorm = '4/3'\nkernels = ['linear', \"gauss:1\"]\n", "views = ['a 1 2']\nid = ['x', 'a,b']\nquiet = true", "seed = '18446744073709551615'\ndata = ['a']\nmemory='1GiB'", "max-iter = 1_0\npath-C = '1,2'\ngram-test = ['a']", "[x]\ny=1", "C = 1\nC = 2", "\ufeffgap = +1e-3 # x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		again, err := configOf([]byte(text))
		if err != nil {
			for _, e := range splitJoined(err) {
				if code := exitCode(e); code != contract.ExitUsage && code != contract.ExitInput {
					t.Fatalf("%v: exit code %d", e, code)
				}
			}
			return
		}
		twice, err := configOf([]byte(again))
		if err != nil || twice != again {
			t.Fatalf("%q is printed as\n%s\nand then (%v) as\n%s", text, again, err, twice)
		}
	})
}

// configOf prints the options of a file again.
func configOf(text []byte) (string, error) {
	c := &trainFlags{}
	f := newFlags(&cobra.Command{})
	c.defineFlags(f)
	new(pathFlags).defineFlags(f)
	list, err := parseConfig(text)
	if err == nil {
		err = applySettings(f, list, &c.problemFlags)
	}
	if err != nil {
		return "", err
	}
	return configText(f, &c.problemFlags, nil)
}
