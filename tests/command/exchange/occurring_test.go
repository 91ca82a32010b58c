package exchange

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// scattered writes rows of six features, of which the last two occur in further rows alone, under the numbers of the list.
func scattered(seed uint64, rows int, further bool, number [6]int) string {
	rng := rand.New(rand.NewPCG(seed, 9))
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%+d", i%2*2-1)
		for j := range number {
			x := rng.NormFloat64() + float64(i%2)*0.7
			if rng.IntN(4) > 0 && (j < 4 && j != 3 || further && j != 3) || j == 3 {
				fmt.Fprintf(&b, " %d:%.4f", number[j], x)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestOccurringFeatures: few features of two thousand million give the model of the same features side by side, whatever is scaled
// and normalised, and the same predictions of rows with features that no training row has.
func TestOccurringFeatures(t *testing.T) {
	const seed = 77
	t.Logf("seed %d", seed)
	f := commandtest.NewFolder(t)
	// The last feature that training rows have comes behind those that further rows alone have.
	near, far := [6]int{1, 2, 3, 6, 4, 5}, [6]int{7, 90001, 1 << 20, 1999999999, 1 << 21, 1 << 30}
	order := func(text string) string { // indices ascend
		var out []string
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			words := strings.Fields(line)
			at := func(w string) int { n, _ := strconv.Atoi(w[:strings.IndexByte(w, ':')]); return n }
			for i := 2; i < len(words); i++ {
				for k := i; k > 1 && at(words[k]) < at(words[k-1]); k-- {
					words[k], words[k-1] = words[k-1], words[k]
				}
			}
			out = append(out, strings.Join(words, " "))
		}
		return strings.Join(out, "\n") + "\n"
	}
	file := func(name string, further bool, number [6]int) string {
		return f.File(name, order(scattered(seed, 60, further, number)))
	}
	trains, tests := [2]string{file("near", false, near), file("far", false, far)}, [2]string{file("near2", true, near), file("far2", true, far)}
	for k, options := range [][]string{
		{"--kernels", "linear,gauss:auto/3", "--scale", "none"},
		{"--kernels", "gauss:0.2,poly:2,linear norm=spherical", "--scale", "standard"},
		{"--kernels", "gauss:auto", "--scale", "minmax", "--store", "sparse"},
		{"--scale", "global", "--norm", "1"},
		{"--kernels", "linear,poly:3", "--task", "oneclass", "--nu", "0.3"},
	} {
		var got [2][]string
		for i := range trains {
			m := f.At("m" + strconv.Itoa(i))
			commandtest.Must(t, append([]string{"train", "--quiet", "--gap", "1e-6", "-o", m, trains[i]}, options...)...)
			commandtest.Must(t, "verify", "--quiet", m, trains[i])
			got[i] = strings.Fields(commandtest.Must(t, "predict", "--quiet", m, tests[i]).Stdout)
		}
		for n := range got[0] {
			x, _ := strconv.ParseFloat(got[0][n], 64)
			if y, err := strconv.ParseFloat(got[1][n], 64); err != nil || max(x-y, y-x) > 1e-4 {
				t.Fatalf("options %d: word %d is %s and %s", k, n, got[0][n], got[1][n])
			}
		}
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"feature 2000000000, but the model has only 1999999999", []string{"predict", "--quiet", f.At("m1"), f.File("beyond", "1 2000000000:1\n")}},
		{"", []string{"predict", "--quiet", "--ignore-extra-features", f.At("m1"), f.At("beyond")}},
		{"", []string{"train", "--quiet", "--kernels", "linear,poly:3", "--task", "oneclass", "--nu", "0.3", "--init", f.At("m1"), "-o", f.At("n"), trains[1]}},
		{"other features occur", []string{"train", "--quiet", "--kernels", "linear,poly:3", "--task", "oneclass", "--nu", "0.3", "--init", f.At("m1"), "-o", f.At("n"), f.File("moved", strings.ReplaceAll(f.Read("far"), " 90001:", " 90002:"))}},
		{"fingerprint", []string{"verify", "--quiet", f.At("m1"), f.File("other", strings.ReplaceAll(f.Read("far"), " 90001:", " 90002:"))}},
		{"", []string{"inspect", f.At("m1")}},
	} {
		o := commandtest.Try(c.args...)
		if c.want == "" && o.Code != contract.ExitFine || c.want != "" && (o.Code == contract.ExitFine || !strings.Contains(o.Stderr+o.Stdout, c.want)) {
			t.Errorf("%v: exit code %d, %s%s", c.args, o.Code, o.Stderr, o.Stdout)
		}
	}
}
