package models

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// trying is a selection of short trials into a folder.
func trying(f commandtest.Folder, data, folder string, more ...string) []string {
	return append([]string{"select", "--quiet", "--views", f.At("views"), "--kernels", "linear@a norm=centred missing=self,gauss:0.5@b", "--grid-norm", "1", "--grid-C", "1",
		"--folds", "2", "--repeat", "2", "--contrast", "pairs", "--size", "50", "--missing", "0,0.3@a", "--noise", "1@b", "-o", folder, data}, more...)
}

// trialData writes rows of three classes in two views.
func trialData(f commandtest.Folder) string {
	f.File("views", "a 1 2\nb 3 3\n")
	return f.File("data", commandtest.ThreeClasses(66))
}

// compared is what a selection of trials leaves for others.
func compared(t *testing.T, f commandtest.Folder, folder string) string {
	t.Helper()
	if f.Exists(folder + "/" + contract.BestFile) {
		t.Error("a model of a selection that chooses none")
	}
	return f.Read(folder + "/table.json")
}

// TestTrials: the text, the object and the page have the comparisons; parts and --resume give the bytes of one run.
func TestTrials(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := trialData(f)
	o := commandtest.Must(t, trying(f, data, f.At("a"))...)
	for _, line := range []string{
		"accuracy of 3 problems of two classes on the rows left out, mean and standard error over 12 folds", "kernels ", "p = 1 ", ", 0.3 missing", "gauss:0.5@b~1", "by problem, each combination at its best C:", "rows  positive rows",
		"\n0/1 ", "\n1/2 ", "\none-sided p-values (corrected resampled t test) that the combination of the line is better than that of the column:",
	} {
		if !strings.Contains(o.Stdout, line) {
			t.Errorf("no %q in\n%s", line, o.Stdout)
		}
	}
	got := commandtest.Object(t, contract.ExitFine, trying(f, data, f.At("b"), "--threads", "3", "--json", "--measure", "sensitivity")...)
	if got["compares"] != true || got["best"] != -1.0 || got["measure"] != "sensitivity" || len(got["problems"].([]any)) != 3 {
		t.Errorf("%v", got)
	}
	want := compared(t, f, f.At("a")[len(f.Path)+1:])
	for _, part := range []string{"1/2", "2/2"} {
		commandtest.Must(t, trying(f, data, f.At("c"), "--part", part)...)
	}
	if compared(t, f, "c") != want {
		t.Error("two parts find something else")
	}
	commandtest.Must(t, "report", "--quiet", "-o", f.At("page.html"), f.At("a"))
	if page := f.Read("page.html"); !strings.Contains(page, "None was chosen") || !strings.Contains(page, ">positive rows<") || !strings.Contains(page, "p-values that the combination of the row") || !strings.Contains(page, "0/1") {
		t.Error("the page lacks problems or p-values")
	}
}

// TestTrialsInterrupted: a run that is interrupted at any operation of files, or killed at any time, continues with --resume and
// finds the results of one run, to the byte.
func TestTrialsInterrupted(t *testing.T) {
	f := commandtest.KillFolder(t)
	data := trialData(f)
	began := time.Now()
	if s := commandtest.Stop(t, commandtest.NewProcess(trying(f, data, f.At("whole"))...), syscall.SIGTERM, time.Hour); s.Code != contract.ExitFine {
		t.Fatalf("exit code %d\n%s", s.Code, s.Stderr)
	}
	took, want := time.Since(began), compared(t, f, "whole")
	stride := 311
	if testlevel.Reached(testlevel.ManyTimes) {
		stride = 41
	}
	for at := rand.IntN(stride); ; at += stride {
		os.RemoveAll(f.At("s"))
		ctx, cancel := context.WithCancel(context.Background())
		c := &cancelAt{at: at, cancel: cancel}
		restore := files.Inject(c)
		o := commandtest.Execute(ctx, strings.NewReader(""), trying(f, data, f.At("s"))...)
		restore()
		cancel()
		if c.n <= at {
			break
		}
		if o.Code != contract.ExitFine && (o.Code != contract.ExitInterrupted || !strings.HasPrefix(o.Stderr, "bigmkl: interrupted") || strings.Count(o.Stderr, "\n") != 1) {
			t.Errorf("operation %d: exit code %d, %q", at, o.Code, o.Stderr)
		}
		commandtest.Must(t, trying(f, data, f.At("s"), "--resume")...)
		if compared(t, f, "s") != want {
			t.Fatalf("operation %d: other bytes than those of one run", at)
		}
	}
	for range testlevel.Repeats(2, 10) {
		os.RemoveAll(f.At("s"))
		after := time.Duration(rand.Int64N(int64(took)))
		commandtest.Stop(t, commandtest.NewProcess(trying(f, data, f.At("s"))...), syscall.SIGKILL, after)
		commandtest.Must(t, trying(f, data, f.At("s"), "--resume")...)
		if compared(t, f, "s") != want {
			t.Fatalf("killed after %v: other bytes than those of one run", after)
		}
	}
}

// TestHostileTrials: options and rows of which no trials can be made.
func TestHostileTrials(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := trialData(f)
	numbers := f.File("numbers", "1.5 1:1\n2.5 1:2\n0.5 1:3\n")
	sets := f.File("sets", strings.Repeat("1,2 1:1 3:1\n2 1:2 3:2\n- 2:1\n", 10))
	base := []string{"select", "--quiet", "--views", f.At("views"), "--grid-C", "1", "--folds", "2", "-o", f.At("s")}
	for i, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--size", "67", data}, contract.ExitInput, data + ": a repetition of 67 rows of 66"},
		{[]string{"--size", "0", data}, contract.ExitUsage, "--size: "},
		{[]string{"--contrast", "all", data}, contract.ExitUsage, `--contrast: unknown "all"`},
		{[]string{"--contrast", "rest", "--multiclass", "ovr", data}, contract.ExitUsage, "contrasts make problems of two classes"},
		{[]string{"--contrast", "pairs", "--multiclass", "labels", sets}, contract.ExitUsage, "two labels are no pair of classes"},
		{[]string{"--contrast", "rest", "--task", "svr", numbers}, contract.ExitUsage, "contrasts make problems of two classes"},
		{[]string{"--contrast", "rest", "--positive", "1", data}, contract.ExitUsage, "positive labels and class weights beside contrasts of classes"},
		{[]string{"--contrast", "rest", "--least", "60", data}, contract.ExitInput, data + ": no class has enough rows in every repetition"},
		{[]string{"--least", "3", data}, contract.ExitUsage, "a least number of rows of a class"},
		{[]string{"--contrast", "rest", "--folds", "3", "--nested", data}, contract.ExitUsage, "trials compare combinations"},
		{[]string{"--contrast", "rest", "--tune", "weights", data}, contract.ExitUsage, "trials compare combinations"},
		{[]string{"--contrast", "rest", "--cost-base", "eigen", "--kernels", "linear,gauss:1", data}, contract.ExitUsage, "costs that are counted"},
		{[]string{"--contrast", "rest", "--groups-file", numbers, data}, contract.ExitUsage, "groups of rows, posteriors, gates"},
		{[]string{"--missing", "0.5", data}, contract.ExitUsage, `--missing: "0.5" is not SHARES@VIEW`},
		{[]string{"--missing", "0.5@", data}, contract.ExitUsage, "--missing: "},
		{[]string{"--missing", "1@a", data}, contract.ExitUsage, "--missing: "},
		{[]string{"--missing", "nan@a", data}, contract.ExitUsage, "--missing: "},
		{[]string{"--missing", "-0.5@a", data}, contract.ExitUsage, "--missing: "},
		{[]string{"--missing", "0.5@a", "--kernels", "linear@a", data}, contract.ExitUsage, `rows lack a view, and no kernel of "linear@a" says what to put in`},
		{[]string{"--missing", "0.5@c", "--kernels", "linear@a missing=none", data}, contract.ExitUsage, `there is no view "c"`},
		{[]string{"--noise", "1@c", "--kernels", "linear@a", data}, contract.ExitUsage, `there is no view "c"`},
		{[]string{"--noise", "0@a", data}, contract.ExitUsage, "--noise: "},
		{[]string{"--noise", "101@a", data}, contract.ExitUsage, "--noise: "},
		{[]string{"--noise", "1000000000000@a", data}, contract.ExitUsage, "--noise: "},
		{[]string{"--noise", "a", data}, contract.ExitUsage, "--noise: "},
		{[]string{"--measure", "sensitivity", "--multiclass", "ovr", data}, contract.ExitUsage, `"sensitivity" is not a figure to select by`},
		{[]string{"--contrast", "rest", "--measure", "specificityy", data}, contract.ExitUsage, `"specificityy" is not a figure to select by`},
	} {
		t.Run(fmt.Sprint(i, c.args[:2]), func(t *testing.T) {
			commandtest.Check(t, f, commandtest.Fault{Name: fmt.Sprint(c.args), Args: append(base[:len(base):len(base)], c.args...), Code: c.code, Want: c.want})
			if f.Exists("s/table.json") {
				t.Error("a table")
			}
			os.RemoveAll(f.At("s"))
		})
	}
}

// TestNamedTrials: matrices and labels that are joined by names are the rows that a file of features has.
func TestNamedTrials(t *testing.T) {
	f := commandtest.NewFolder(t)
	var plain, first, second, labels strings.Builder
	first.WriteString("name\tx\ty\n")
	second.WriteString("name\tz\n")
	labels.WriteString("name\t0\t1\t2\n")
	var lines []string
	for i := range 60 {
		class, x, y, z := i%3, float64(i%7)+float64(i%3), float64(i*i%11), float64(i%5+1)
		fmt.Fprintf(&plain, "%d 1:%g 2:%g 3:%g\n", class, x, y, z)
		lines = append(lines, fmt.Sprintf("row%d\t%g\t%g\n", i, x, y))
		fmt.Fprintf(&second, "row%d\t%g\n", i, z)
		fmt.Fprintf(&labels, "row%d\t%d\t%d\t%d\n", i, sign(class == 0), sign(class == 1), sign(class == 2))
	}
	rand.Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
	first.WriteString(strings.Join(lines, "") + "stranger\t1\t1\n")
	f.File("views", "a 1 2\nb 3 3\n")
	data := f.File("data", plain.String())
	base := []string{"select", "--quiet", "--kernels", "linear@a norm=centred,gauss:0.5@b", "--grid-C", "1", "--folds", "3", "--contrast", "rest"}
	a, b, of := f.File("a.tsv", first.String()), f.File("b.tsv", second.String()), f.File("labels", labels.String())
	commandtest.Must(t, append(base, "--views", f.At("views"), "-o", f.At("plain"), data)...)
	commandtest.Must(t, append(base, "--named-labels", of, "-o", f.At("named"), a, b)...)
	if compared(t, f, "plain/") != compared(t, f, "named/") {
		t.Error("named rows find something else than the same rows of a file")
	}
	// A row that a matrix does not have lacks its view, and a kernel has to name the value for it.
	short := f.File("a.short.tsv", "name\tx\ty\n"+strings.Join(lines[3:], ""))
	if o := commandtest.Try(append(base, "--named-labels", of, "-o", f.At("short"), short, b)...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "no kernel of") {
		t.Errorf("without missing=: exit code %d, %s", o.Code, o.Stderr)
	}
	commandtest.Must(t, "select", "--quiet", "--kernels", "linear@a norm=centred missing=self,gauss:0.5@b", "--grid-C", "1", "--folds", "3", "--contrast", "pairs", "--named-labels", of, "-o", f.At("lacking"), short, b)
	for i, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--views", f.At("views"), a, b}, contract.ExitUsage, "--views does not go with --named-labels"},
		{[]string{"--multiclass", "labels", a, b}, contract.ExitUsage, "--multiclass does not go with --named-labels"},
		{[]string{a, a}, contract.ExitInput, a + ": two matrices have the name"},
		{[]string{f.At("absent.tsv")}, contract.ExitInput, f.At("absent.tsv") + ": "},
		{[]string{f.File("words.tsv", "n\tx\nrow1\tone\n")}, contract.ExitInput, f.At("words.tsv") + ":2:2: "},
	} {
		commandtest.Check(t, f, commandtest.Fault{Name: fmt.Sprint(i), Args: append(append(base, "--named-labels", of, "-o", f.At("new")), c.args...), Code: c.code, Want: c.want})
	}
	if o := commandtest.Try("select", "--quiet", "--named-labels", of, "-o", f.At("new"), a, b); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "--named-labels has a class for each column, and needs --contrast") {
		t.Errorf("without a contrast: exit code %d, %s", o.Code, o.Stderr)
	}
}

// sign is 1 or -1.
func sign(is bool) int {
	if is {
		return 1
	}
	return -1
}
