package hostile

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestHostileCentred: kernels that cannot be centred, options that do not go with them, and files of models
// whose rows of the mean cannot be rows of a mean.
func TestHostileCentred(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data.txt", commandtest.Text(80, 1))
	commandtest.Must(t, "gram", "--quiet", "--kernels", "linear", "-o", f.At("K.npy"), data)
	commandtest.Must(t, "train", "--quiet", "-o", f.At("plain"), "--kernels", "linear", data)
	commandtest.Must(t, "train", "--quiet", "-o", f.At("m"), "--kernels", "gauss:0.1 norm=centred,linear", data)
	commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"a matrix", []string{"--kernels", "precomputed:" + f.At("K.npy") + " norm=centred"}, "kernel 1 (precomputed:/"},
		{"a matrix under --normalize", []string{"--kernels", "precomputed:" + f.At("K.npy"), "--normalize", "centred"}, "kernel 1 (precomputed:/"},
		{"a product", []string{"--kernels", "prod(linear,gauss:0.1) norm=centred"}, "kernel 1 (prod(linear,gauss:0.1) norm=ce..): norm=centred of a product of kernels: not yet"},
		{"another word", []string{"--kernels", "linear norm=centered"}, `kernel "linear norm=centered": norm=: "centered" is none of none, multiplicative, spherical and centred`},
		{"another word of the flag", []string{"--normalize", "middle"}, `--normalize: unknown "middle" (none, multiplicative, spherical, centred)`},
		{"gates", []string{"--kernels", "linear norm=centred", "--gating", "regions:2"}, "norm=centred does not go with gates"},
		{"a start", []string{"--kernels", "linear norm=centred", "--init", f.At("plain")}, "norm=centred does not go with a model to start from"},
		{"single precision", []string{"--kernels", "linear norm=centred", "--precision", "32"}, "norm=centred does not go with single precision"},
		{"task med", []string{"--kernels", "linear norm=centred,poly:2", "--task", "med"}, "norm=centred does not go with task med"},
		{"a projection", []string{"--kernels", "proj(gauss:0.1,2)", "--normalize", "centred"}, `"proj(gauss:0.1,2)" does not go with centred normalisation`},
		{"rows that keep coming", []string{"--kernels", "linear norm=centred", "--stream"}, "no stream trains kernels that are centred at the mean of the rows of a run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: append(append([]string{"train", "--quiet", "-o", f.At("new")}, c.args...), data), Code: contract.ExitUsage, Want: c.want})
		})
	}
	o := commandtest.Try("train", "--quiet", "-o", f.At("new"), "--kernels", "precomputed:"+f.At("K.npy")+" norm=centred", data)
	if !strings.Contains(o.Stderr, "(centre the matrix itself, and write norm=none") {
		t.Errorf("of a matrix: %s", o.Stderr)
	}
	for _, format := range []string{"json", "libsvm", "onnx"} {
		commandtest.Check(t, f, commandtest.Fault{Name: format, Args: []string{"export", "--to", format, "-o", f.At("out"), f.At("m")}, Code: contract.ExitUsage, Want: f.At("m") + ": a model of kernels that are centred"})
	}
	for _, args := range [][]string{{"plan"}, {"gram", "-o", f.At("K2.npy")}, {"align"}} {
		commandtest.Must(t, append(append(args, "--quiet", "--kernels", "gauss:0.1 norm=centred"), data)...)
	}
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "at the mean of all 80 rows") {
		t.Errorf("inspect: %s", o.Stdout)
	}
	if o := commandtest.Must(t, "inspect", "--json", f.At("m")); !strings.Contains(o.Stdout, `"centre_rows":80`) {
		t.Errorf("inspect --json: %s", o.Stdout)
	}
}

// TestHostileCentredModels: files of models whose rows for a mean cannot be rows of a mean.
func TestHostileCentredModels(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data.txt", commandtest.Text(60, 1))
	for _, store := range []string{"dense", "sparse"} {
		commandtest.Must(t, "train", "--quiet", "--store", store, "-o", f.At("m"), "--kernels", "gauss:0.1 norm=centred,linear", data)
		good := f.Read("m")
		f.File("forged", commandtest.TakeApart(t, good).Build())
		commandtest.Must(t, "verify", "--quiet", f.At("forged"), data)
		rows := func(i int, v uint32) func(*commandtest.Forgery) {
			return func(m *commandtest.Forgery) { binary.LittleEndian.PutUint32(m.Body["centre_rows"][4*i:], v) }
		}
		drop := func(name string) func(*commandtest.Forgery) { return func(m *commandtest.Forgery) { m.Drop(name) } }
		number := func(name string, v uint32) func(*commandtest.Forgery) {
			return func(m *commandtest.Forgery) { binary.LittleEndian.PutUint32(m.Body[name], v) }
		}
		changes := map[string]func(*commandtest.Forgery){
			"rows missing": drop("centre_rows"), "means missing": drop("centre_means"), "a row twice": rows(1, 0), "a row beyond": rows(59, 60),
			"a row below 0": rows(0, 1<<31), "no rows": func(m *commandtest.Forgery) { m.Zeros("centre_rows", 0) }, "a mean more": func(m *commandtest.Forgery) { m.Zeros("centre_means", 3) },
			"a mean NaN": func(m *commandtest.Forgery) { m.Double("centre_means", 0, math.NaN()) }, "no kernel that is centred": func(m *commandtest.Forgery) { m.Settings["kernels"] = []string{"gauss:0.1", "linear"} },
		}
		if store == "dense" {
			changes["vectors missing"], changes["a feature NaN"] = drop("centre_vectors"), number("centre_vectors", 0x7fc00000)
			changes["vectors turned"] = func(m *commandtest.Forgery) { s := m.Shape["centre_vectors"]; s[0], s[1] = s[1], s[0] }
		} else {
			changes["starts missing"], changes["a value infinite"] = drop("centre_start"), number("centre_value", 0x7f800000)
			changes["a feature beyond"] = number("centre_index", 1<<30)
			changes["starts fall"] = func(m *commandtest.Forgery) { binary.LittleEndian.PutUint64(m.Body["centre_start"][8:], 1<<40) }
		}
		for what, change := range changes {
			t.Run(store+", "+what, func(t *testing.T) {
				m := commandtest.TakeApart(t, good)
				change(m)
				bad := f.File("forged", m.Build())
				for _, args := range testlevel.Some(t, "", 1, [][]string{{"inspect", bad}, {"predict", bad, data, "-o", f.At("out")}, {"verify", bad, data}, {"report", "-o", f.At("out"), bad}}) {
					commandtest.Check(t, f, commandtest.Fault{Name: what, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				}
			})
		}
	}
}
