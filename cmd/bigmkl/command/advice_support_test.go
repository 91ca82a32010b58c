package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// TestNearlyAllSupportVectorsAreSaid: labels that follow from nothing get one line, labels that follow from
// the features and losses with which every row is a support vector none.
func TestNearlyAllSupportVectorsAreSaid(t *testing.T) {
	f := commandtest.NewFolder(t)
	rng := rand.New(rand.NewPCG(5, 6))
	write := func(name string, n int, shift float64) string {
		var b strings.Builder
		for i := range n {
			y := 1 - 2*(i%2)
			fmt.Fprintf(&b, "%d", y)
			for j := range 10 {
				fmt.Fprintf(&b, " %d:%.4f", j+1, rng.NormFloat64()+shift*float64(y))
			}
			b.WriteByte('\n')
		}
		return f.File(name, b.String())
	}
	three := func(name string, shift float64) string {
		var b strings.Builder
		for i := range 150 {
			fmt.Fprintf(&b, "%d", i%3)
			for j := range 6 {
				fmt.Fprintf(&b, " %d:%.4f", j+1, rng.NormFloat64()+shift*float64((i+j)%3))
			}
			b.WriteByte('\n')
		}
		return f.File(name, b.String())
	}
	noise3, told3 := three("noise3", 0), three("told3", 2)
	noise, told, few := write("noise", 120, 0), write("told", 120, 1.5), write("few", 90, 0)
	for _, c := range []struct {
		data string
		args []string
		want bool
	}{
		{noise, nil, true}, {noise, []string{"--kernels", "gauss:50"}, true}, {noise, []string{"--loss", "squared-hinge"}, false},
		{noise, []string{"--task", "square"}, false}, {told, nil, false}, {few, nil, false}, {told, []string{"--kernels", "gauss:100"}, true},
		{noise3, []string{"--multiclass", "ovr", "--kernels", "gauss:50"}, true}, {told3, []string{"--multiclass", "ovr"}, false}, {noise3, []string{"--multiclass", "ovo", "--kernels", "gauss:50"}, false},
	} {
		o := commandtest.Try(append([]string{"train", "-o", f.At("m"), c.data}, c.args...)...)
		if got := strings.Count(o.Stderr, "of the rows are support vectors"); got > 1 || (got == 1) != c.want {
			t.Errorf("%q on %s: %s", c.args, c.data, o.Stderr)
		}
		if verified := commandtest.Try("verify", f.At("m"), c.data); verified.Code != 0 {
			t.Errorf("%q: %s", c.args, verified.Stderr)
		}
	}
}
