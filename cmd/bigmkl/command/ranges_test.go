package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// TestRowsOfOtherUnitsAreSaid: rows to predict of other units get one line under every scaling, from predict
// and from a test, and rows like the training rows, one odd row and few rows get none.
func TestRowsOfOtherUnitsAreSaid(t *testing.T) {
	f := commandtest.NewFolder(t)
	rng := rand.New(rand.NewPCG(7, 8))
	write := func(name string, n int, factor, shift float64) string {
		var b strings.Builder
		for i := range n {
			y := float64(1 - 2*(i%2))
			fmt.Fprintf(&b, "%+g 1:%.4f 2:%.4f 3:%.4f 4:7\n", y, factor*rng.NormFloat64()+y+shift, 50*factor*rng.NormFloat64()+shift,
				factor*rng.NormFloat64()-y+shift)
		}
		return f.File(name, b.String())
	}
	data, alike, odd, few := write("data", 80, 1, 0), write("alike", 80, 1, 0), write("odd", 80, 1000, 0), write("few", 9, 1000, 0)
	moved, one := write("moved", 80, 1, 1e5), f.File("one", "+1 1:1e9\n"+f.Read("alike"))
	for _, scale := range []string{"auto", "standard", "minmax", "global", "none"} {
		commandtest.Must(t, "train", "--quiet", "--scale", scale, "--kernels", "gauss:auto", "-o", f.At("m"), data)
		for rows, want := range map[string]int{data: 0, alike: 0, few: 0, one: 0, odd: 1, moved: 1} {
			const line = "of the values of these rows are far from those of the training"
			predicted := commandtest.Must(t, "predict", "--quiet", f.At("m"), rows)
			tested := commandtest.Must(t, "train", "--quiet", "--scale", scale, "--kernels", "gauss:auto", "--test", rows, "-o", f.At("n"), data)
			for _, o := range []commandtest.Outcome{predicted, tested} {
				if got := strings.Count(o.Stderr, line); got != want {
					t.Errorf("%s on %s: %d lines: %s", scale, rows, got, o.Stderr)
				}
			}
		}
	}
}
