package random

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// ofObjects draws a kernel on one column of objects, or a product of such kernels.
func ofObjects(rng *rand.Rand) string {
	one := func(column string) string {
		kinds := []string{"linear", "poly:2", "gauss:auto", "gauss:0.3", "laplace:auto", "matern:1.5:auto"}
		return anyOf(rng, kinds...) + "@" + column
	}
	switch rng.IntN(4) {
	case 0:
		return one(anyOf(rng, "drug", "target"))
	case 1:
		return "gauss:auto/3@" + anyOf(rng, "each-view", "drug")
	case 2:
		return "prod(" + one("drug") + "," + one("drug") + "," + one("target") + ")"
	}
	return "prod(" + one("drug") + "," + one("target") + ")"
}

// TestRandomObjects: for any command line of rows that name objects, the model is a function of data and options. It verifies, and other threads,
// caches and budgets, and a run that was stopped and resumed, write the same bytes.
func TestRandomObjects(t *testing.T) {
	count := 4
	if testlevel.Reached(testlevel.EveryKind) {
		count = commandtest.Repeats(t, "BIGMKL_COMMANDS", 20, 100)
	}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 77))
		f := commandtest.NewFolder(t)
		drugs, targets, data := commandtest.Pairs(t, f, 30+rng.IntN(900), 4+rng.IntN(40))
		objects := []string{"--objects", drugs, "--objects", targets}
		specs := []string{ofObjects(rng)}
		for range rng.IntN(4) {
			specs = append(specs, ofObjects(rng))
		}
		args := append([]string{"train", "--quiet", "--kernels", strings.Join(specs, ","), "--norm", anyOf(rng, "1", "4/3", "2", "inf"),
			"--task", anyOf(rng, "class", "class", "svr", "square", "logistic"), "--normalize", anyOf(rng, "multiplicative", "spherical", "none"),
			"-C", between(rng, -2, 3), "--gap", anyOf(rng, "1e-2", "1e-3", "1e-5"), "--max-iter", "300", data}, objects...)
		whole := commandtest.Try(append(args, "-o", f.At("whole"))...)
		if slices.ContainsFunc(rightful, func(text string) bool { return strings.Contains(whole.Stderr, text) }) {
			continue
		}
		if whole.Code != contract.ExitFine && whole.Code != contract.ExitStopped {
			t.Errorf("seed %d: %q: code %d, %s", seed, args, whole.Code, whole.Stderr)
			continue
		}
		commandtest.Must(t, append([]string{"verify", "--quiet", f.At("whole"), data}, objects...)...)
		commandtest.Must(t, "predict", "--quiet", "-o", f.At("p"), f.At("whole"), data)
		same := func(how ...string) {
			o := commandtest.Try(append(append(args, "-o", f.At("m")), how...)...)
			if o.Code != whole.Code || f.Read("m") != f.Read("whole") {
				t.Errorf("seed %d: %q %q: code %d or another model, %s", seed, args, how, o.Code, o.Stderr)
			}
		}
		same("--threads", strconv.Itoa(1+rng.IntN(4)), "--cache", anyOf(rng, "always", "never"))
		same("--threads", "2", "--memory", fmt.Sprint(48+rng.IntN(64))+"MiB")
		kept := f.At("kept")
		stop := append(append(args, "-o", f.At("m")), "--checkpoint", kept, "--max-iter", strconv.Itoa(1+rng.IntN(6)))
		if o := commandtest.Try(stop...); o.Code != contract.ExitFine && o.Code != contract.ExitStopped {
			t.Errorf("seed %d: %q: code %d, %s", seed, stop, o.Code, o.Stderr)
		}
		same("--checkpoint", kept, "--resume")
		os.RemoveAll(kept)
	}
}
