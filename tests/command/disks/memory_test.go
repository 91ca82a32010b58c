//go:build linux

package disks

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/files"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestMemoryOfAStream trains on streams, at the least budget on ten times as much data, and watches what the process takes.
func TestMemoryOfAStream(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	large := int64(240 << 20)
	if testlevel.Reached(testlevel.ManyTimes) {
		large = 1280 << 20
	}
	type stream struct {
		name   string
		budget int64 // MiB
		data   commandtest.Cloud
		args   []string
	}
	for _, c := range testlevel.Few(t, "", 1, []stream{
		{"dense", 128, commandtest.Cloud{Size: large, D: 256, Each: 256, Digits: 17}, []string{"--kernels", "gauss:auto/2", "-C", "0.01"}},
		{"calibration", 128, commandtest.Cloud{Size: large, D: 256, Each: 256, Digits: 17}, []string{"--kernels", "gauss:auto/2", "-C", "0.01", "--conformal", "split:0.2"}},
		{"calibration of short rows", 256, commandtest.Cloud{Size: 12 << 20, D: 3, Each: 3, Digits: 3}, []string{"--kernels", "linear", "-C", "0.01", "--conformal", "split:0.2"}},
		{"sparse", 256, commandtest.Cloud{Size: large, D: 100_000, Each: 100, Digits: 17}, []string{"--kernels", "gauss:auto/2", "-C", "0.01"}},
		{"spherical", 512, commandtest.Cloud{Size: 200 << 20, D: 256, Each: 256, Digits: 4}, []string{"--kernels", "gauss:auto/5,poly:2..4,linear", "--normalize", "spherical", "--scale", "standard"}},
		{"products", 512, commandtest.Cloud{Size: 100 << 20, D: 256, Each: 256, Digits: 4}, []string{"--kernels", "prod(gauss:auto,poly:2,laplace:0.01@1-128),pow(linear,2)", "--normalize", "spherical", "--scale", "standard"}},
		{"many kernels", 512, commandtest.Cloud{Size: 16 << 20, D: 64, Each: 64, Digits: 4}, []string{"--kernels", "gauss:1@random:10*500,linear@each-feature", "--normalize", "none"}},
		{"sixteen groups", 2048, commandtest.Cloud{Size: 140 << 20, D: 256, Each: 256, Digits: 4}, []string{"--kernels", "gauss:auto/1@random:64*16", "--cache", "always"}},
	}) {
		t.Run(fmt.Sprintf("%s, %d MiB", c.name, c.budget), func(t *testing.T) {
			folder, scratch := t.TempDir(), t.TempDir()
			args := append([]string{"train", "--memory", fmt.Sprintf("%dMiB", c.budget), "--scratch", scratch, "--max-iter", "8", "--gap", "1e-2",
				"--json", "--quiet", "-o", filepath.Join(folder, "model"), "-"}, c.args...)
			p := watched(t, commandtest.NewProcess(args...), scratch, c.data.Write)
			if p.Code != contract.ExitFine && p.Code != contract.ExitStopped {
				t.Fatalf("exit code %d\n%s", p.Code, p.Stderr)
			}
			report := commandtest.Decode(t, p.Stdout)
			t.Logf("%d rows, peaks of %d MiB of memory and %d MiB of disk in %d samples, %v after %v iterations, gap %v, %vs of reading and %vs of training",
				p.rows, p.anonymous>>20, p.scratch>>20, p.samples, report["status"], report["iterations"], report["relative_gap"],
				report["read_seconds"], report["train_seconds"])
			if n := report["n"].(float64); n != float64(p.rows) && (!slices.Contains(c.args, "--conformal") || n < .7*float64(p.rows)) {
				t.Errorf("n is %v of %d rows", report["n"], p.rows)
			}
			if limit := c.budget + c.budget/10 + 64; p.anonymous > limit<<20 || p.anonymous == 0 {
				t.Errorf("%d MiB of anonymous memory for a budget of %d MiB, at most %d MiB are fine", p.anonymous>>20, c.budget, limit)
			}
		})
	}
}

// TestMemoryOfModels predicts with models that are much larger than the budget, the least that there is, and verifies them on their data.
func TestMemoryOfModels(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	type support struct {
		layout   dataset.Layout
		n, d, nz int
	}
	for _, c := range testlevel.Few(t, "", 1, []support{{dataset.LayoutDense, 4000, 12_000, 20}, {dataset.LayoutSparse, 25_000, 8000, 300}}) {
		t.Run(string(c.layout), func(t *testing.T) {
			f := commandtest.NewFolder(t)
			text := modelOf(t, f.At("m"), c.layout, c.n, c.d, c.nz)
			data, few := f.File("data", text), f.File("few", strings.Join(strings.SplitAfterN(text, "\n", 200)[:199], ""))
			info, err := os.Stat(f.At("m"))
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"predict", "--quiet", f.At("m"), few, "-o", f.At("out")}, {"verify", "--quiet", "--sample", "16", f.At("m"), data}} {
				var least int64
				rejection := commandtest.Try(append(args, "--memory", "1")...).Stderr
				if _, rest, ok := strings.Cut(rejection, "the least that is enough is --memory "); !ok || len(rest) == 0 {
					t.Fatal(rejection)
				} else if _, err := fmt.Sscanf(rest, "%dMiB", &least); err != nil {
					t.Fatal(rejection)
				}
				p := watched(t, commandtest.NewProcess(append(args, "--memory", fmt.Sprintf("%dMiB", least))...), f.Path, func(io.Writer) (int, error) { return 0, nil })
				t.Logf("%s: a model of %d MiB, a budget of %d MiB, a peak of %d MiB in %d samples", args[0], info.Size()>>20, least, p.anonymous>>20, p.samples)
				if p.Code != contract.ExitFine && (args[0] != "verify" || p.Code != contract.ExitCorrupt) { // its certificate is made up
					t.Errorf("%s: exit code %d\n%s", args[0], p.Code, p.Stderr)
				}
				if limit := least + least/10 + 64; p.anonymous > limit<<20 || p.anonymous == 0 {
					t.Errorf("%s: %d MiB of anonymous memory for a budget of %d MiB, at most %d MiB are fine", args[0], p.anonymous>>20, least, limit)
				}
				if args[0] == "predict" && info.Size()>>20 < least+least/10+64+16 && c.layout == dataset.LayoutDense {
					t.Errorf("a model of %d MiB fits the budget of %d MiB: the test has lost its point", info.Size()>>20, least)
				}
			}
		})
	}
}

// modelOf writes a model of n support vectors with nz of d features other than zero, which nobody has trained, and gives its data.
func modelOf(t *testing.T, path string, layout dataset.Layout, n, d, nz int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 3))
	m := &model.Model{
		Task: "class", Norm: 2, C: 1, Gap: 1e-3, Precision: "32", Negative: "-1", Positive: "1", PositiveWeight: 1, NegativeWeight: 1, Points: n, SupportVectors: model.SupportVectors{Features: d},
		Store: layout, Kernels: []string{"gauss:0.1"}, Scaling: dataset.Scaling{Kind: "none"}, Normalization: model.Normalization{Kind: "none"},
		Theta: []float64{1}, WNorms: []float64{1}, Certificate: model.Certificate{Kind: "gap"},
	}
	if layout == dataset.LayoutDense {
		m.Vectors = make([]float32, n*d)
	} else {
		m.Sparse = &model.Sparse{Start: []int64{0}}
	}
	var text strings.Builder
	for i := range n {
		m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, 0.5-float64(i%2))
		fmt.Fprintf(&text, "%+d", 1-2*(i%2))
		at := 0
		for range nz {
			at += 1 + rng.IntN(d/nz)
			fmt.Fprintf(&text, " %d:%d", at, 1+at%3)
			if x := float32(1 + at%3); m.Sparse == nil {
				m.Vectors[i*d+at-1] = x
			} else {
				m.Sparse.Index, m.Sparse.Value = append(m.Sparse.Index, int32(at-1)), append(m.Sparse.Value, x)
			}
		}
		text.WriteByte('\n')
		if m.Sparse != nil {
			m.Sparse.Start = append(m.Sparse.Start, int64(len(m.Sparse.Index)))
		}
	}
	if err := model.Write(t.Context(), path, m); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestDiskOfARun: what a run that spills has in scratch files, in all, stays within its budget, with rows that are kept to calibrate as well.
func TestDiskOfARun(t *testing.T) {
	for name, more := range map[string][]string{"plain": nil, "split": {"--conformal", "split:0.3"}, "folds": {"--conformal", "folds:2"}} {
		t.Run(name, func(t *testing.T) {
			if name != "plain" {
				testlevel.Sample(t, 4, 4)
			}
			testDiskOfARun(t, more)
		})
	}
}

func testDiskOfARun(t *testing.T, more []string) {
	scratch := t.TempDir()
	// The cache leaves 1 GiB or a twentieth of a disk free, and spills nothing onto a fuller one.
	if free, total, err := files.Space(scratch); err != nil || free < max(1<<30, total/20)+1<<30 {
		t.Skipf("%s has %d of %d MiB free, %v", scratch, free>>20, total>>20, err)
	}
	f := commandtest.NewFolder(t)
	data := commandtest.Cloud{Size: 12 << 20, D: 64, Each: 64, Digits: 3}
	args := []string{"--memory", "44MiB", "--kernels", "gauss:auto/4,poly:2", "--cache", "always", "--max-iter", "60", "--gap", "1e-2", "--json", "--quiet"}
	args = append(append(args, more...), "-")
	plan := watched(t, commandtest.NewProcess(append([]string{"plan"}, args...)...), f.Path, data.Write)
	if plan.Code != contract.ExitFine {
		t.Fatal(plan.Stderr)
	}
	least := int64(commandtest.Decode(t, plan.Stdout)["disk"].(map[string]any)["least_bytes"].(float64))
	budget := least + 150<<20
	p := watched(t, commandtest.NewProcess(append([]string{"train", "--disk", fmt.Sprint(budget), "--scratch", scratch, "-o", f.At("m")}, args...)...), scratch, data.Write)
	if p.Code != contract.ExitFine && p.Code != contract.ExitStopped {
		t.Fatalf("exit code %d\n%s", p.Code, p.Stderr)
	}
	spilled := commandtest.Decode(t, p.Stdout)["cache"].(map[string]any)["spilled_bytes"].(float64)
	t.Logf("%d rows, a budget of %d MiB of which %d are fixed, %.0f MiB spilled, %d MiB allocated at most in %d samples", p.rows, budget>>20, least>>20, spilled/(1<<20),
		p.scratch>>20, p.samples)
	if p.scratch > budget+budget/20 {
		t.Errorf("%d bytes of disk for a budget of %d", p.scratch, budget)
	}
	if spilled == 0 || p.scratch < least/2 {
		t.Error("nothing was spilled: the test has lost its point")
	}
}
