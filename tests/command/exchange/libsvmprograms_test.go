package exchange

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// TestBesideSvmScale: the output and the saved factors equal the files of svm-scale of LIBSVM, byte by byte.
func TestBesideSvmScale(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := commandtest.RealLines(t, "concrete/concrete.libsvm.gz", 200)
	data, test := f.Lines("data", rows[:150]), f.Lines("test", append(rows[150:], "3 9:1 12:4"))
	sparse := f.File("sparse", "+1 3:1 7:2e-3\n-1 1:5\n0.5 3:-1 9:1000000\n1e-7\n")
	ours(t, "svm-scale", "-s", f.At("first.range"), data)
	for _, args := range [][]string{{data}, {"-l", "0", data}, {"-l", "-2", "-u", "0.25", "-y", "0", "1", data}, {sparse}, {"-l", "0", sparse}, {"-y", "-1", "1", sparse}} {
		want := theirs(t, f, "svm-scale", append([]string{"-s", "t.range"}, args...)...)
		if got := ours(t, "svm-scale", append([]string{"-s", f.At("o.range")}, args...)...); got != want {
			t.Errorf("%q: %.200q, of LIBSVM %.200q", args, got, want)
		}
		if a, b := f.Read("t.range"), f.Read("o.range"); a != b {
			t.Errorf("%q: factors %.200q, of LIBSVM %.200q", args, b, a)
		}
		if want, got := theirs(t, f, "svm-scale", "-r", "t.range", test), ours(t, "svm-scale", "-r", f.At("o.range"), test); got != want {
			t.Errorf("%q, with saved factors: %.200q, of LIBSVM %.200q", args, got, want)
		}
	}
	if o := commandtest.Must(t, "svm-scale", "-r", f.File("three", "x\n0 1\n"+strings.Join(strings.Split(f.Read("first.range"), "\n")[2:], "\n")), test); !strings.Contains(o.Stderr, "feature index 12") {
		t.Errorf("%q", o.Stderr)
	}
	if o := commandtest.Must(t, "svm-scale", sparse); !strings.Contains(o.Stderr, "use -l 0") {
		t.Errorf("%q", o.Stderr)
	}
}

// installed makes the links in a folder, as programs find them.
func installed(t *testing.T, f commandtest.Folder) {
	t.Helper()
	t.Setenv("BIGMKL_TEST_AS_PROGRAM", "1")
	c := commandtest.NewProcess("svm-train", "--install", f.At("bin"))
	out, err := c.Output()
	if err != nil || string(out) != filepath.Join(f.At("bin"), "svm-train")+"\n"+filepath.Join(f.At("bin"), "svm-predict")+"\n"+filepath.Join(f.At("bin"), "svm-scale")+"\n" {
		t.Fatalf("%v: %q", err, out)
	}
	if again, err := commandtest.NewProcess("svm-train", "--install", f.At("bin")).Output(); err != nil || string(again) != string(out) {
		t.Errorf("a second time: %v, %q", err, again)
	}
}

// TestInstall: a program that is called by a link acts as that program, and a file that is there already stays.
func TestInstall(t *testing.T) {
	f := commandtest.NewFolder(t)
	installed(t, f)
	data := f.File("data", commandtest.ThreeClasses(30))
	run := func(program string, args ...string) string {
		out, err := exec.Command(f.At("bin/"+program), args...).Output()
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		return string(out)
	}
	if out := run("svm-train", data, f.At("m")); !strings.Contains(out, "Total nSV = ") {
		t.Errorf("%q", out)
	}
	if out := run("svm-predict", data, f.At("m"), f.At("o")); !strings.HasPrefix(out, "Accuracy = ") {
		t.Errorf("%q", out)
	}
	if out := run("svm-scale", data); strings.Count(out, "\n") != 30 {
		t.Errorf("%q", out)
	}
	if err := os.Mkdir(f.At("other"), 0o777); err != nil {
		t.Fatal(err)
	}
	f.File("other/svm-train", "mine")
	if _, err := commandtest.NewProcess("svm-train", "--install", f.At("other")).Output(); err == nil || f.Read("other/svm-train") != "mine" {
		t.Error("a file of the user was replaced")
	}
}

// TestGridAndEasy: svm-grid and svm-easy of LIBSVM run on these programs unchanged, and choose what they choose on their own.
func TestGridAndEasy(t *testing.T) {
	f := commandtest.NewFolder(t)
	newSet(t, f, "heart", 0, true)
	grid, err := exec.LookPath("svm-grid")
	if err != nil {
		t.Skip("svm-grid of LIBSVM is not installed")
	}
	their, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("svm-train of LIBSVM is not installed")
	}
	installed(t, f)
	chosen := func(train string) string {
		c := exec.Command(grid, "-svmtrain", train, "-gnuplot", "null", "-out", "null", "-log2c", "-1,5,3", "-log2g", "0,-6,-3", "-v", "3", f.At("heart.train"))
		c.Dir = f.Path
		out, err := c.Output()
		if err != nil {
			t.Fatalf("svm-grid with %s: %v", train, err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1]
	}
	if want, got := chosen(their), chosen(f.At("bin/svm-train")); got != want {
		t.Errorf("svm-grid chooses %s, and with LIBSVM's own %s", got, want)
	}
	easy, err := exec.LookPath("svm-easy")
	if err != nil {
		t.Skip("svm-easy of LIBSVM is not installed")
	}
	// It takes the programs from the folder above, and grid.py from its own.
	if err := os.Mkdir(f.At("bin/tools"), 0o777); err != nil {
		t.Fatal(err)
	}
	small := "#!/bin/sh\nfor last; do :; done\nexec '" + grid + "' -svmtrain ../svm-train -gnuplot null -log2c -1,1,2 -log2g -4,-6,-2 \"$last\"\n"
	if err := os.WriteFile(f.At("bin/tools/grid.py"), []byte(small), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/usr/bin/gnuplot"); err != nil {
		t.Skip("svm-easy needs gnuplot")
	}
	c := exec.Command(easy, f.At("heart.train"), f.At("heart.test"))
	c.Dir = f.At("bin/tools")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Accuracy = ") || !strings.Contains(string(out), "Output prediction: heart.test.predict") {
		t.Errorf("svm-easy: %v\n%s", err, out)
	}
}
