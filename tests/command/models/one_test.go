package models

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// plural is one of a thing, written as several.
var plural = regexp.MustCompile(`\b1 (rows|features|kernels|groups|support vectors|iterations|classifiers|trainings|of 1 )`)

// TestOneOfAThing: what there is one of is written so, and a number has no digits that rounding has added.
func TestOneOfAThing(t *testing.T) {
	f := commandtest.NewFolder(t)
	var targets, classes strings.Builder
	for i := range 40 {
		x := float64(i%17) + 0.1*float64(i)
		fmt.Fprintf(&targets, "%g 1:%g\n", 48.1*float64(2*(i%2)-1), x)
		fmt.Fprintf(&classes, "%d 1:%d\n", i%2, 1+i/2) // Both classes have the same rows.
	}
	data, two := f.File("targets", targets.String()), f.File("classes", classes.String())
	check := func(o commandtest.Outcome) {
		t.Helper()
		if text := plural.FindString(o.Stdout + o.Stderr); text != "" {
			t.Errorf("%q in\n%s%s", text, o.Stdout, o.Stderr)
		}
	}
	check(commandtest.Must(t, "plan", "--task", "svr", "--kernels", "linear", data))
	o := commandtest.Must(t, "train", "--quiet", "--task", "svr", "--kernels", "gauss:0.05", "-o", f.At("m"), data)
	check(o)
	if !strings.Contains(o.Stdout, "40 rows, 1 feature, 1 kernel, ") {
		t.Errorf("%s", o.Stdout)
	}
	o = commandtest.Must(t, "inspect", f.At("m"))
	check(o)
	if !strings.Contains(o.Stdout, "in a tube of half-width 4.81\n") || !strings.Contains(o.Stdout, "40 rows, 1 feature, stored") {
		t.Errorf("%s", o.Stdout)
	}
	check(commandtest.Must(t, "config", "--of", f.At("m")))
	check(commandtest.Must(t, "verify", f.At("m"), data))
	o = commandtest.Try("train", "--quiet", "--kernels", "linear", "--probability", "--gap", "0.1", "-o", f.At("p"), two)
	check(o)
	if !strings.Contains(o.Stderr, "the classifier does not tell held-out rows apart") {
		t.Errorf("%s", o.Stderr)
	}
	check(commandtest.Must(t, "inspect", f.At("p")))
}
