package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestMemoryOfAStream trains on streams, at the least budget on ten times as much data, and watches what the process takes.
func TestMemoryOfAStream(t *testing.T) {
	if os.Getenv("BIGMKL_LONG") == "" {
		t.Skip("BIGMKL_LONG is not set")
	}
	for _, c := range []struct {
		name   string
		budget int64 // MiB
		data   cloud
		args   []string
	}{
		{"dense", 128, cloud{1280 << 20, 256, 256, 17}, []string{"--kernels", "gauss:auto/2", "-C", "0.01"}},
		{"sparse", 128, cloud{1280 << 20, 100_000, 100, 17}, []string{"--kernels", "gauss:auto/2", "-C", "0.01"}},
		{"spherical", 512, cloud{200 << 20, 256, 256, 4}, []string{"--kernels", "gauss:auto/5,poly:2..4,linear", "--normalize", "spherical", "--scale", "standard"}},
		{"products", 512, cloud{100 << 20, 256, 256, 4}, []string{"--kernels", "prod(gauss:auto,poly:2,laplace:0.01@1-128),pow(linear,2)", "--normalize", "spherical", "--scale", "standard"}},
		{"many kernels", 512, cloud{16 << 20, 64, 64, 4}, []string{"--kernels", "gauss:1@random:10*500,linear@each-feature", "--normalize", "none"}},
		{"sixteen groups", 2048, cloud{140 << 20, 256, 256, 4}, []string{"--kernels", "gauss:auto/1@random:64*16", "--cache", "always"}},
	} {
		t.Run(fmt.Sprintf("%s, %d MiB", c.name, c.budget), func(t *testing.T) {
			folder, scratch := t.TempDir(), t.TempDir()
			args := append([]string{"train", "--memory", fmt.Sprintf("%dMiB", c.budget), "--scratch", scratch, "--max-iter", "8", "--gap", "1e-2",
				"--json", "--quiet", "-o", filepath.Join(folder, "model"), "-"}, c.args...)
			p := watched(t, program(args...), scratch, c.data.write)
			if p.code != exitFine && p.code != exitStopped {
				t.Fatalf("exit code %d\n%s", p.code, p.stderr)
			}
			report := decode(t, p.stdout)
			t.Logf("%d rows, peaks of %d MiB of memory and %d MiB of disk in %d samples, %v after %v iterations, gap %v, %vs of reading and %vs of training",
				p.rows, p.anonymous>>20, p.scratch>>20, p.samples, report["status"], report["iterations"], report["relative_gap"],
				report["read_seconds"], report["train_seconds"])
			if report["n"] != float64(p.rows) {
				t.Errorf("n is %v of %d rows", report["n"], p.rows)
			}
			if limit := c.budget + c.budget/10 + 64; p.anonymous > limit<<20 || p.anonymous == 0 {
				t.Errorf("%d MiB of anonymous memory for a budget of %d MiB, at most %d MiB are fine", p.anonymous>>20, c.budget, limit)
			}
		})
	}
}

// TestDiskOfARun: what a run that spills has in scratch files, in all, stays within its budget.
func TestDiskOfARun(t *testing.T) {
	f := newFolder(t)
	data := cloud{12 << 20, 64, 64, 3}
	args := []string{"--memory", "44MiB", "--kernels", "gauss:auto/4,poly:2", "--cache", "always", "--max-iter", "60", "--gap", "1e-2", "--json", "--quiet", "-"}
	plan := watched(t, program(append([]string{"plan"}, args...)...), f.path, data.write)
	if plan.code != exitFine {
		t.Fatal(plan.stderr)
	}
	least := int64(decode(t, plan.stdout)["disk"].(map[string]any)["least_bytes"].(float64))
	budget := least + 150<<20
	scratch := t.TempDir()
	p := watched(t, program(append([]string{"train", "--disk", fmt.Sprint(budget), "--scratch", scratch, "-o", f.at("m")}, args...)...), scratch, data.write)
	if p.code != exitFine && p.code != exitStopped {
		t.Fatalf("exit code %d\n%s", p.code, p.stderr)
	}
	spilled := decode(t, p.stdout)["cache"].(map[string]any)["spilled_bytes"].(float64)
	t.Logf("%d rows, a budget of %d MiB of which %d are fixed, %.0f MiB spilled, %d MiB allocated at most in %d samples", p.rows, budget>>20, least>>20, spilled/(1<<20),
		p.scratch>>20, p.samples)
	if p.scratch > budget+budget/20 {
		t.Errorf("%d bytes of disk for a budget of %d", p.scratch, budget)
	}
	if spilled == 0 || p.scratch < least/2 {
		t.Error("nothing was spilled: the test has lost its point")
	}
}
