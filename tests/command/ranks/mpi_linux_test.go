package ranks

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// commandPackage is the package of the program.
const commandPackage = "bigmkl/cmd/bigmkl"

// buildMPI builds the program with the tag mpi once, and returns its bytes.
var buildMPI = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "bigmkl-mpi")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-tags", "mpi", "-o", file, commandPackage)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	b, err := os.ReadFile(file)
	return string(b), err
})

// mpiProgram writes the program with the tag mpi into a folder, and returns the launchers that are installed. The test is skipped where
// there is none.
func mpiProgram(t *testing.T, f commandtest.Folder) (launchers []string, program string) {
	t.Helper()
	testlevel.SkipBelow(t, testlevel.EveryKind)
	for _, name := range []string{"mpirun.openmpi", "mpirun.mpich"} {
		if _, err := exec.LookPath(name); err == nil {
			launchers = append(launchers, name)
		}
	}
	if launchers == nil {
		t.Skip("neither Open MPI nor MPICH is installed as Debian does it")
	}
	text, err := buildMPI()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.EvalSymlinks(f.Path) // as the system names the folder of a process
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(folder, "bigmkl-mpi")
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return launchers, program
}

// TestMPI: the program that is built with the tag mpi writes the model of one process when mpirun
// starts it several times, and ends with the error and the exit code of a rank that fails. The test
// is skipped where Open MPI or MPICH is not installed.
func TestMPI(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	launchers, program := mpiProgram(t, f)
	args := []string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:0.05..0.4/3,linear", "--norm", "4/3"}
	commandtest.Must(t, append(args, "-o", f.At("alone"), data)...)
	want, err := os.ReadFile(f.At("alone"))
	if err != nil {
		t.Fatal(err)
	}
	for _, launcher := range launchers {
		launch := func(ranks string, args ...string) (string, error) {
			return runRanks(t, launcher, ranks, program, args...)
		}
		for _, ranks := range testlevel.Few(t, launcher, 2, []string{"1", "2", "3", "4"}) {
			if out, err := launch(ranks, append(args, "-o", f.At("together"), data)...); err != nil {
				t.Fatalf("%s, %s ranks: %v\n%s", launcher, ranks, err, out)
			}
			if got, err := os.ReadFile(f.At("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %s ranks write another model than one process: %v", launcher, ranks, err)
			}
		}
		commandtest.Must(t, "verify", f.At("together"), data)
		commandtest.Must(t, "predict", "-o", f.At("predicted alone"), f.At("together"), data)
		if out, err := launch("3", "predict", "-o", f.At("predicted"), f.At("together"), data); err != nil {
			t.Fatalf("%s: %v\n%s", launcher, err, out)
		}
		lines, _ := os.ReadFile(f.At("predicted alone"))
		if got, err := os.ReadFile(f.At("predicted")); err != nil || !bytes.Equal(got, lines) {
			t.Errorf("%s: 3 ranks predict other lines than one process: %v", launcher, err)
		}
		alone := commandtest.Must(t, "verify", "--quiet", f.At("together"), data).Stdout
		if out, err := launch("3", "verify", "--quiet", f.At("together"), data); err != nil || out != alone {
			t.Errorf("%s: 3 ranks verify otherwise than one process: %v\n%s\n%s", launcher, err, out, alone)
		}
		for _, more := range testlevel.Few(t, "more of "+launcher, 1, [][]string{{"--gating", "softmax", "--norm", "2"}, {"--task", "med", "--restarts", "1", "--rounds", "2"},
			{"--kernels", "proj(gauss:0.05,1)", "--norm", "2", "--gate-tol", "0.1"}}) {
			line := append([]string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:0.05..0.4/2,linear"}, more...)
			commandtest.Must(t, append(line, "-o", f.At("alone"), data)...)
			want, _ := os.ReadFile(f.At("alone"))
			if out, err := launch("3", append(line, "-o", f.At("together"), data)...); err != nil {
				t.Fatalf("%s, %q: %v\n%s", launcher, more, err, out)
			}
			if got, err := os.ReadFile(f.At("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %q: 3 ranks write another model than one process: %v", launcher, more, err)
			}
		}
		out, err := launch("3", append(args, "-o", f.At("never"), f.At("nothing"))...)
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != contract.ExitInput || strings.Count(out, "cannot open") != 1 {
			t.Errorf("%s: data that are not there: %v\n%s", launcher, err, out)
		}
	}
	// The ordinary program does not support MPI.
	if out, err := exec.Command("go", "list", "-deps", commandPackage).CombinedOutput(); err != nil || strings.Contains(string(out), "purego") {
		t.Errorf("the program without the tag has purego: %v", err)
	}
}

// TestCommonInterface: a library with the binary interface of MPI 5 gets the handles of that interface. It is between the program
// and Open MPI. The test builds it, and is skipped without a C compiler or Open MPI.
func TestCommonInterface(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	launchers, program := mpiProgram(t, f)
	if _, err := exec.LookPath("cc"); err != nil || launchers[0] != "mpirun.openmpi" {
		t.Skip("there is no C compiler or no Open MPI")
	}
	library := f.At("libmpi_abi.so.1")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, "testdata/libmpi_abi.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := []string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:0.05..0.4/3,linear"}
	commandtest.Must(t, append(args, "-o", f.At("alone"), data)...)
	want, _ := os.ReadFile(f.At("alone"))
	for _, c := range []struct {
		variable, ranks string
		code            int
	}{{"BIGMKL_MPI=" + library, "3", contract.ExitFine}, {"BIGMKL_MPI=" + f.At("libmpi.so.40"), "1", contract.ExitBudget}} {
		command := mpiCommand(t, launchers[0], c.ranks, program, append(args, "-o", f.At("together"), data)...)
		command.Env = append(os.Environ(), c.variable)
		out, _ := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != c.code {
			t.Fatalf("%s: exit code %d\n%s", c.variable, code, out)
		}
	}
	if got, err := os.ReadFile(f.At("together")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("3 ranks write another model than one process: %v", err)
	}
}

// TestLostRank: where a rank is killed or stopped, whichever and whenever, all end with contract.ExitLost and one line that names the
// checkpoints, and a run that is resumed with another number of ranks writes the model of one process.
func TestLostRank(t *testing.T) {
	f, _, _, _ := commandtest.Trained(t)
	launchers, program := mpiProgram(t, f)
	data := filepath.Join(commandtest.DataFolder(t), "a9a", "a9a.libsvm.gz")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 75))
	kinds := map[string][]string{
		"one classifier": {"--gap", "1e-5", "--limit", "5000"},
		"gates":          {"--gating", "softmax", "--gate-on", "pca:5", "--gate-tol", "1e-2", "--limit", "2000"},
		"projection":     {"--kernels", "proj(gauss:0.05,2)", "--norm", "2", "--gate-tol", "0.05", "--limit", "400"},
	}
	for _, name := range testlevel.Few(t, "", 1, slices.Sorted(maps.Keys(kinds))) {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:auto/5", data}, kinds[name]...)
			testLostRank(t, f, rng, launchers, program, args)
		})
	}
}

func testLostRank(t *testing.T, f commandtest.Folder, rng *rand.Rand, launchers []string, program string, args []string) {
	alone := append(slices.Clone(args), "-o", f.At("alone"))
	begin := time.Now()
	if out, err := exec.Command(program, alone...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(begin)
	want, err := os.ReadFile(f.At("alone"))
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "--checkpoint", f.At("kept"), "--checkpoint-every", "50ms", "-o", f.At("together"))
	for at, launcher := range launchers {
		lost := 0
		for trial := 0; lost < testlevel.Repeats(2, 25) && trial < 200; trial++ {
			var out bytes.Buffer
			c := mpiCommand(t, launcher, strconv.Itoa(2+rng.IntN(3)), program, args...)
			c.Stdout, c.Stderr = &out, &out
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := awaitLauncher(c, program)
			by := syscall.SIGKILL
			if at == 0 && lost%7 == 1 {
				by = syscall.SIGSTOP
			}
			struck, err := strikeRank(program, by, rng, took, ended)
			if !struck {
				if err != nil && err != errStuck {
					t.Fatalf("%s: %v\n%s", launcher, err, out.String())
				}
				os.RemoveAll(f.At("kept"))
				continue // It was over before.
			}
			lost++
			// The signal may have come as the run ended.
			switch exit, ok := err.(*exec.ExitError); {
			case err == errStuck: // There is no exit code. The model of a resumed run is compared all the same.
				t.Logf("%s, %v: %v\n%s", launcher, by, err, out.String())
			case err != nil && (!ok || exit.ExitCode() != contract.ExitLost ||
				!strings.Contains(out.String(), "bigmkl: rank ") || strings.Contains(out.String(), "(--checkpoint DIR)")):
				t.Errorf("%s, %v: %v\n%s", launcher, by, err, out.String())
			}
			if out, err := runRanks(t, launcher, strconv.Itoa(1+rng.IntN(3)), program, append(args[:len(args):len(args)], "--resume")...); err != nil {
				t.Fatalf("%s: resumed: %v\n%s", launcher, err, out)
			}
			if got, err := os.ReadFile(f.At("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: a run that lost a rank comes to another model: %v", launcher, err)
			}
			os.RemoveAll(f.At("kept"))
		}
		t.Logf("%s: %d ranks lost", launcher, lost)
		cleanScratch(t) // A killed run leaves its scratch folder.
	}
}

// TestSignalledRank: a signal to any rank, or to the process that watches it, at any moment ends all within 10 s, with one line and
// with contract.ExitInterrupted, the code of an ended process or contract.ExitLost.
func TestSignalledRank(t *testing.T) {
	f, _, _, _ := commandtest.Trained(t)
	launchers, program := mpiProgram(t, f)
	data := filepath.Join(commandtest.DataFolder(t), "a9a", "a9a.libsvm.gz")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 143))
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGKILL}
	heed(t, signals...)
	args := []string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:auto/5", "--gap", "1e-6", "-o", f.At("m"), data}
	for _, launcher := range launchers {
		for trial := range testlevel.Repeats(4, 60) {
			var out bytes.Buffer
			c := mpiCommand(t, launcher, strconv.Itoa(2+rng.IntN(2)), program, args...)
			c.Stdout, c.Stderr = nil, &out
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := awaitLauncher(c, program)
			by := signals[rng.IntN(len(signals))]
			within := 1500 * time.Millisecond
			if trial%2 == 0 {
				within = 200 * time.Millisecond // while the library begins and the data are read
			}
			choose := ranksOf
			if by != syscall.SIGKILL && trial%3 == 0 {
				choose = watchersOf
			}
			struck, err := strikeOne(choose, program, by, rng, within, ended)
			if !struck || err == errStuck {
				continue
			}
			lines, told := 0, out.String()
			for line := range strings.Lines(told) {
				if strings.HasPrefix(line, "bigmkl: ") && !strings.HasPrefix(line, "bigmkl: warning: ") {
					lines++
				}
			}
			exit, ok := err.(*exec.ExitError)
			if !ok || !slices.Contains([]int{contract.ExitInterrupted, contract.ExitLost, 128 + int(syscall.SIGTERM)}, exit.ExitCode()) ||
				lines != 1 || strings.Contains(told, "a bug") || strings.Contains(told, "--checkpoint DIR") && by != syscall.SIGKILL {
				t.Errorf("%s, %v within %v: %v\n%s", launcher, by, within, err, told)
			}
		}
		awaitEnd(t, program)
		cleanScratch(t)
	}
}

// heed ends for a test what nohup and shells do to signals: processes inherit that they are ignored. Those that this
// process catches have their default in the processes that it starts.
func heed(t *testing.T, signals ...syscall.Signal) {
	t.Helper()
	for _, s := range signals {
		if signal.Ignored(s) {
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, s)
			t.Cleanup(func() { signal.Stop(caught) })
		}
	}
}

// cleanScratch removes the scratch folders of killed ranks. The system takes the program of a process that ends from /proc
// before it releases the locks of the process, so the first attempts may find a folder in use.
func cleanScratch(t *testing.T) {
	t.Helper()
	tick, late := time.NewTicker(20*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for {
		commandtest.Must(t, "clean")
		if len(commandtest.List(t, os.TempDir())) == 0 {
			return
		}
		select {
		case <-late:
			return // The end of the test names what is left.
		case <-tick.C:
		}
	}
}
