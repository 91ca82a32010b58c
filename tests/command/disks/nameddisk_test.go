package disks

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestNamedDisk: the disk that a rejection names is enough, also where scaling fills zeros and the support vectors of the model
// take more than the data. The rejections come while rows are read, and once their values have been counted.
func TestNamedDisk(t *testing.T) {
	f := commandtest.NewFolder(t)
	var b strings.Builder
	for i := range 150 {
		fmt.Fprint(&b, 2*(i%2)-1)
		for k := range 55 {
			fmt.Fprintf(&b, " %d:%d", 1+55*i+k, 1+k%3)
		}
		b.WriteString("\n")
	}
	data := f.File("wide", b.String())
	for k, disk := range []string{"0", "1MiB", "11MiB"} {
		if k > 0 && !testlevel.Diagonal(t, 0, k, 3, 1) { // Without any disk, each part that the plan forgets shows.
			continue
		}
		args := []string{"train", "--quiet", "--kernels", "gauss:auto", "--scale", "standard", "--store", "sparse", "--max-iter", "2", "-o", f.At("m"), data}
		o := commandtest.Try(append(args, "--disk", disk)...)
		found := commandtest.EnoughBudget.FindStringSubmatch(o.Stderr)
		if o.Code != contract.ExitBudget || found == nil || found[1] != "disk" {
			t.Fatalf("--disk %s: code %d\n%s", disk, o.Code, o.Stderr)
		}
		if o := commandtest.Try(append(args, "--disk", found[2])...); o.Code != contract.ExitFine && o.Code != contract.ExitStopped {
			t.Errorf("--disk %s names %s, which ends with code %d\n%s", disk, found[2], o.Code, o.Stderr)
		}
	}
}

// TestNamedDiskOfComponents: each budget that a rejection of task med names is enough of its kind, whatever the other is, before
// and after the rows are read.
func TestNamedDiskOfComponents(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(600, 1))
	for i, more := range [][]string{{"--components", "1/2,3"}, {}} {
		args := append([]string{"train", "--quiet", "--task", "med", "--restarts", "1", "--rounds", "1", "--max-iter", "1", "--kernels", "gauss:0.05..0.4/4", "--scale", "minmax", "-o", f.At("m"), data}, more...)
		for k, memory := range []string{"20MiB", "30MiB", "60MiB", "100MiB", "1GiB"} {
			if !testlevel.Diagonal(t, i, k, 2, 1) {
				continue
			}
			budgets := map[string]string{"disk": "1KiB", "memory": memory}
			named := map[string]bool{}
			for {
				o := commandtest.Try(append(args[:len(args):len(args)], "--disk", budgets["disk"], "--memory", budgets["memory"])...)
				if o.Code == contract.ExitFine || o.Code == contract.ExitStopped {
					break
				}
				found := commandtest.EnoughBudget.FindStringSubmatch(o.Stderr)
				if o.Code != contract.ExitBudget || found == nil || named[found[1]] {
					t.Errorf("%q, --memory %s, then %v: code %d\n%s", more, memory, budgets, o.Code, o.Stderr)
					break
				}
				budgets[found[1]], named[found[1]] = found[2], true
			}
		}
	}
}
