package commandtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
)

// Selecting is a selection of a few short trainings into a folder.
func Selecting(data, folder string, more ...string) []string {
	return append([]string{"select", "--quiet", "--kernels", "gauss:0.05,linear", "--grid-norm", "1,4/3", "--grid-C", "0.1,1", "--folds", "3", "-o", folder, data}, more...)
}

// Measuring is an importance of a few short trainings into a folder.
func Measuring(data, folder string, more ...string) []string {
	return append([]string{"importance", "--quiet", "--kernels", "linear@1-3,gauss:0.05@4-6,linear@4-6", "--norm", "1.5", "--grid-C", "0.1,1", "--folds", "2", "--repeat", "1",
		"--samples", "2", "-o", folder, data}, more...)
}

// Selected is what a selection leaves for others: the table and the model.
func Selected(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"table.json", contract.BestFile} {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// SpillingTo is a command line that spills cached rows to disk.
func SpillingTo(f Folder, data, out string, more ...string) []string {
	return append([]string{"train", "--kernels", "gauss:0.05..0.4/3,laplace:0.2,poly:2", "--precision", "32", "-C", "0.3", "--memory", "40MiB",
		"--cache", "always", "-o", out, data}, more...)
}

// ConfigCases are trainings whose options a file has to have. DATA is replaced by a file of the kind before the colon.
var ConfigCases = []string{
	"two: --kernels gauss:0.05,linear", "two: --kernels gauss:auto/4 --norm 1.0667 -C 3.5 --gap 1e-4 --scale minmax --seed 18446744073709551615 --precision 64",
	"two: --theta-norm 2 --limit 60 --normalize spherical", "two: --class-weight +1=2,-1=0.25 --store sparse --norm inf --max-iter 40",
	"two: --kernels linear|group=a,gauss:0.1|group=a|prior=2,poly:2|group=b --group-norm 1 --norm 2", "two: --elastic-net 0.5 --kernels linear,gauss:0.1", "two: --squared-norm 0.5 --kernels linear,gauss:0.1",
	"two: --task oneclass --nu 0.3", "two: --probability --folds 3", "two: --kernels gauss:auto@each-view --views VIEWS",
	"classes: --multiclass ovr", "classes: --multiclass ovo --class-weight 1=2", "classes: --multiclass ovr --one-theta --norm 2", "classes: --multiclass single --norm 3 --class-weight 2=1.5", "classes: --task rkda --lambda 0.01 --rule indicator", "two: --task rkda --norm 1.5", "classes: --task rkda --lambda joint", "classes: --positive 1,2 --kernels linear", "two: --task med --kernels linear,gauss:0.1 --components 1,2/2 --restarts 2 --gap 0.01 -C 3",
	"numbers: --task svr --epsilon 0 -C 10", "numbers: --task square --kernels linear --solver lbfgs", "numbers: --task square --norm 1 -C joint", "sets: --multiclass labels",
	"table: --label y --id name --kernels gauss:auto@each-view,linear", "table: --label y --id name --categories n.1",
}

// ConfigFolder has a data file of each kind.
func ConfigFolder(t *testing.T) Folder {
	f := NewFolder(t)
	f.File("two", Text(80, 1))
	f.File("classes", ThreeClasses(36))
	f.File("numbers", Grouped(36, 3, "svr"))
	f.File("sets", Grouped(36, 3, "labels"))
	f.File("views", "early 1 4\nlate 5 9\n")
	var b strings.Builder
	b.WriteString("name,n.1,n.2,word,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "r%d,%d,%d,%s,%s\n", i, i%7, (i*i)%11, []string{"a", "b", "c"}[i%3], []string{"yes", "no"}[i*7/5%2])
	}
	f.File("table", b.String())
	return f
}
