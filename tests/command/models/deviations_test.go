package models

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestSelectDeviations: accelerations of a motorcycle have a deviation of 48. The default costs count it, the best one
// is not the last that was tried, and the text, the object, the model and its config have the same C.
func TestSelectDeviations(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("motorcycle", strings.Join(commandtest.RealLines(t, "motorcycle/motorcycle.libsvm.gz", 0), "\n")+"\n")
	selecting := func(folder string, more ...string) []string {
		return append([]string{"select", "--quiet", "--task", "svr", "-o", f.At(folder), data}, more...)
	}
	o := commandtest.Must(t, selecting("a")...)
	got := commandtest.Object(t, contract.ExitFine, selecting("b", "--json")...)
	unit := got["cost_unit"].(float64)
	if unit < 45 || unit > 50 || !strings.Contains(o.Stdout, fmt.Sprintf("\nthe deviation of the targets is %.4g: C below is 0.1, 1, 10, .. times that\n", unit)) {
		t.Errorf("deviation %g:\n%s", unit, o.Stdout)
	}
	cells := got["cells"].([]any)
	best := cells[int(got["best"].(float64))].(map[string]any)["C"].(float64)
	var costs []float64
	for _, c := range cells {
		costs = append(costs, c.(map[string]any)["C"].(float64))
	}
	if best == slices.Min(costs) || best == slices.Max(costs) || got["ends"] != nil || strings.Contains(o.Stdout, "may be better") {
		t.Errorf("the best C, %g, is at the end of %v", best, costs)
	}
	m := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("a/"+contract.BestFile))
	config := commandtest.Must(t, "config", "--of", f.At("a/"+contract.BestFile)).Stdout
	if c := regexp.MustCompile(`(?m)^C = '?([^'\n]*)`).FindStringSubmatch(config); m["C"] != best || c == nil || c[1] != fmt.Sprint(best) || !strings.Contains(o.Stdout, fmt.Sprintf(", C = %.6g, is chosen", best)) {
		t.Errorf("C is %g in the object, %v in the model and %v in its config:\n%s", best, m["C"], c, config)
	}
	commandtest.Must(t, "report", "--quiet", f.At("a"), "-o", f.At("page.html"))
	if page := f.Read("page.html"); !strings.Contains(page, "The costs C count the deviation of the targets") {
		t.Error("the page does not say what costs count")
	}
	// The same model by hand.
	arm := got["arms"].([]any)[int(cells[int(got["best"].(float64))].(map[string]any)["arm"].(float64))].(map[string]any)
	commandtest.Must(t, "train", "--quiet", "--task", "svr", "--kernels", fmt.Sprint(arm["kernels"]), "--norm", fmt.Sprint(arm["norm"]), "-C", fmt.Sprint(best), "-o", f.At("m"), data)
	if f.Read("m") != f.Read("a/"+contract.BestFile) {
		t.Error("the model is not that of train")
	}
	if got := commandtest.Object(t, contract.ExitFine, selecting("c", "--json", "--grid-C", "0.1,1", "--kernels", "gauss:0.01")...); got["cost_unit"] != nil || got["cells"].([]any)[1].(map[string]any)["C"] != 1. {
		t.Errorf("given costs are counted: %v", got["cells"])
	}
}
