package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// configCases are trainings whose options a file is to hold. DATA stands for a file of the kind before the colon.
var configCases = []string{
	"two: --kernels gauss:0.05,linear", "two: --kernels gauss:auto/4 --norm 1.0667 -C 3.5 --gap 1e-4 --scale minmax --seed 18446744073709551615 --precision 64",
	"two: --theta-norm 2 --limit 60 --normalize spherical", "two: --class-weight +1=2,-1=0.25 --store sparse --norm inf --max-iter 40",
	"two: --kernels linear|group=a,gauss:0.1|group=a|prior=2,poly:2|group=b --group-norm 1 --norm 2", "two: --elastic-net 0.5 --kernels linear,gauss:0.1", "two: --squared-norm 0.5 --kernels linear,gauss:0.1",
	"two: --task oneclass --nu 0.3", "two: --probability --folds 3", "two: --kernels gauss:auto@each-view --views VIEWS",
	"classes: --multiclass ovr", "classes: --multiclass ovo --class-weight 1=2", "classes: --multiclass ovr --one-theta --norm 2", "classes: --multiclass single --norm 3 --class-weight 2=1.5", "classes: --task rkda --lambda 0.01 --rule indicator", "two: --task rkda --norm 1.5", "classes: --task rkda --lambda joint", "classes: --positive 1,2 --kernels linear", "two: --task med --kernels linear,gauss:0.1 --components 1,2/2 --restarts 2 --gap 0.01 -C 3",
	"numbers: --task svr --epsilon 0 -C 10", "numbers: --task square --kernels linear --solver lbfgs", "numbers: --task square --norm 1 -C joint", "sets: --multiclass labels",
	"table: --label y --id name --kernels gauss:auto@each-view,linear", "table: --label y --id name --categories n.1",
}

// configFolder has a data file of each kind.
func configFolder(t *testing.T) folder {
	f := newFolder(t)
	f.file("two", text(80, 1))
	f.file("classes", threeClasses(60))
	f.file("numbers", grouped(60, 3, "svr"))
	f.file("sets", grouped(60, 3, "labels"))
	f.file("views", "early 1 4\nlate 5 9\n")
	var b strings.Builder
	b.WriteString("name,n.1,n.2,word,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "r%d,%d,%d,%s,%s\n", i, i%7, (i*i)%11, []string{"a", "b", "c"}[i%3], []string{"yes", "no"}[i*7/5%2])
	}
	f.file("table", b.String())
	return f
}

// TestConfigRoundTrip: what config prints for a command line, a model or a checkpoint trains the same bytes.
func TestConfigRoundTrip(t *testing.T) {
	f := configFolder(t)
	for i, c := range configCases {
		data, flags, _ := strings.Cut(c, ": ")
		args := strings.Fields(flags)
		for k, a := range args {
			args[k] = strings.ReplaceAll(strings.ReplaceAll(a, "|", " "), "VIEWS", f.at("views"))
		}
		a, b, d := f.at(fmt.Sprint("a", i)), f.at(fmt.Sprint("b", i)), f.at(fmt.Sprint("d", i))
		code := try(append([]string{"train", "--quiet", "-o", a, f.at(data)}, args...)...).code
		if code != contract.ExitFine && code != contract.ExitStopped {
			t.Fatalf("%s: exit code %d", c, code)
		}
		file := f.file("run.toml", must(t, append([]string{"config", "-o", b, f.at(data)}, args...)...).stdout)
		if o := try("train", "--quiet", "--config", file); o.code != code || f.read(filepath.Base(b)) != f.read(filepath.Base(a)) {
			t.Errorf("%s: exit code %d or other bytes by a file\n%s%s", c, o.code, o.stderr, f.read("run.toml"))
		}
		if strings.Contains(c, "--max-iter") || strings.Contains(c, "lbfgs") {
			continue // A model says neither.
		}
		file = f.file("of.toml", must(t, "config", "--of", a).stdout)
		if o := try("train", "--quiet", "--config", file, "-o", d, f.at(data)); o.code != code || f.read(filepath.Base(d)) != f.read(filepath.Base(a)) {
			t.Errorf("%s: exit code %d or other bytes by the file of a model\n%s%s", c, o.code, o.stderr, f.read("of.toml"))
		}
	}
	args := []string{"--quiet", "--kernels", "gauss:0.05,linear", "--norm", "1.5", "--class-weight", "1=2", "--task", "class", "-C", "2"}
	must(t, append(append([]string{"train"}, args...), "--checkpoint", f.at("ck"), "--checkpoint-every", "1ns", "-o", f.at("k1"), f.at("two"))...)
	file := f.file("ck.toml", must(t, "config", "--of", f.at("ck")).stdout)
	must(t, "train", "--quiet", "--config", file, "-o", f.at("k2"), f.at("two"))
	if f.read("k1") != f.read("k2") || !strings.Contains(f.read("ck.toml"), "# instruction set: ") {
		t.Errorf("other bytes by the file of a checkpoint:\n%s", f.read("ck.toml"))
	}
	if o := try("config", "--of", f.at("ck"), "--of", t.TempDir()); o.code != contract.ExitInput || !strings.Contains(o.stderr, "no checkpoint") {
		t.Errorf("an empty folder: %d, %s", o.code, o.stderr)
	}
}

// TestConfigPrecedence: the command line beats the file, alternatives of its flags included.
func TestConfigPrecedence(t *testing.T) {
	f := configFolder(t)
	file := f.file("run.toml", "data = '"+f.at("two")+"'\nnorm = 1\nC = 3\nkernels = ['linear', 'gauss:0.1']\nquiet = true\nout = '"+f.at("m")+"'\n")
	show := func(args ...string) string {
		return must(t, append([]string{"config", "--config", file}, args...)...).stdout
	}
	for args, want := range map[string]string{
		"": "norm = 1\nC = 3\n", "-C 5": "norm = 1\nC = 5\n", "--theta-norm 2": "theta-norm = 2\n", "--path-C 1,2": "path-C = '1,2'\n", "--kernels linear": "kernels = 'linear'\n",
		f.at("numbers"): "data = ['" + f.at("numbers") + "']\n",
	} {
		if got := show(strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%q: %q is missing in\n%s", args, want, got)
		}
	}
	if got := show("--theta-norm", "2"); strings.Contains(got, "\nnorm = 1\n") {
		t.Errorf("--norm of the file beside --theta-norm:\n%s", got)
	}
	if got := object(t, contract.ExitFine, "train", "--config", file, "--json", "-C", "2", "--gap", "0.01"); got["C"] != 2.0 || got["p"] != 1.0 || got["kernels"] != 2.0 {
		t.Errorf("%v", got)
	}
	must(t, "plan", "--config", file)
}

// TestHostileConfig: whatever is wrong with a file is one usage error with its line and column.
func TestHostileConfig(t *testing.T) {
	f := configFolder(t)
	for text, want := range map[string]string{
		"kernals = 'linear'": `run.toml:1:1: unknown option "kernals" (did you mean kernels?)`, "C = 1\n\n  qqqqqq = 2": `run.toml:3:3: unknown option "qqqqqq" (bigmkl help train lists the options)`,
		"C = 1\nC = 2": "run.toml:2:", "norm = 0.5": "run.toml:1:1: --norm: p = 0.5 is not in [1, inf]", "C = true": "run.toml:1:1: C: a value of kind bool where there should be one of kind string or integer or float",
		"resume = 'yes'": "run.toml:1:1: resume: a value of kind string where there should be one of kind bool", "out = 5": "run.toml:1:1: out: a value of kind integer",
		"[train]\nC = 1": `run.toml:1:2: train: a table`, "[[C]]\nx = 1": "a table", "C.x = 1": `run.toml:1:1: C.x: a table`, "C = {x = 1}": "run.toml:1:1: C: no option has a value of kind inlinetable", "C = [1, [2]]": "run.toml:1:1: C: no option has a value of kind array",
		"max-time = 07:32:00": "run.toml:1:1: max-time: no option has a value of kind localtime", "limit = 0x10": `run.toml:1:1: --limit: "0x10" is not a whole number`, "limit = 3.0": `--limit: "3.0" is not a whole number`, "gap = nan": "--gap: ",
		"config = 'x'": "run.toml:1:1: a file of options names no other one (leave config out)", "of = 'x'": "", "C = ": "run.toml:1:", "C = 1\n\x00": "run.toml:2:", "C = '\xff'": "run.toml:1:", "C = 1 2": "run.toml:1:", "help = true": "unknown option", "views = ['a 1']": "run.toml:1:1: a view is a name",
		"views = ['a 1 2', 'a 3 4']": `view "a" is given twice`, "kernels = ['gaus:1']": "gaus", "data = 5": "run.toml:1:1: data: a value of kind integer", "C = 1\nnorm = 9999999999999999999999": "run.toml:2:", strings.Repeat("#", maxConfig+1): "at most 1048576 bytes",
	} {
		file := f.file("run.toml", text)
		o := try("train", "--config", file, "--quiet", "-o", f.at("m"), f.at("two"))
		if o.code != contract.ExitUsage && o.code != contract.ExitInput || want != "" && !strings.Contains(o.stderr, want) || f.exists("m") || o.code == contract.ExitInput && !strings.Contains(text, "views") {
			t.Errorf("%.60q: exit code %d, %s, want %s", text, o.code, o.stderr, want)
		}
	}
	if o := try("train", "--config", f.at("none"), "-o", f.at("m"), f.at("two")); o.code != contract.ExitInput {
		t.Errorf("no file: %d, %s", o.code, o.stderr)
	}
	if o := try("train", "--config", f.file("run.toml", "norm = 0.5\nC = -1\nfoo = 1\n"), "--gap", "7"); strings.Count(o.stderr, "\n") != 4 {
		t.Errorf("not all faults at once:\n%s", o.stderr)
	}
}

// FuzzConfig: any text is refused with a usage error, or is what is printed of it again.
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
	c := &trainCommand{}
	f := newFlags(&cobra.Command{})
	c.defineFlags(f)
	(&trainPath{trainCommand: c}).definePathFlags(f)
	list, err := parseConfig(text)
	if err == nil {
		err = applySettings(f, list, c)
	}
	if err != nil {
		return "", err
	}
	return configText(f, c, nil)
}
