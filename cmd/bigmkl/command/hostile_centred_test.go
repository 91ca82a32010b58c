package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// TestHostileCentred: kernels that cannot be centred, options that do not go with them, and files of models
// whose rows of the mean are no such rows.
func TestHostileCentred(t *testing.T) {
	f := newFolder(t)
	data := f.file("data.txt", text(80, 1))
	must(t, "gram", "--quiet", "--kernels", "linear", "-o", f.at("K.npy"), data)
	must(t, "train", "--quiet", "-o", f.at("plain"), "--kernels", "linear", data)
	must(t, "train", "--quiet", "-o", f.at("m"), "--kernels", "gauss:0.1 norm=centred,linear", data)
	must(t, "verify", "--quiet", f.at("m"), data)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"a matrix", []string{"--kernels", "precomputed:" + f.at("K.npy") + " norm=centred"}, "kernel 1 (precomputed:/"},
		{"a matrix under --normalize", []string{"--kernels", "precomputed:" + f.at("K.npy"), "--normalize", "centred"}, "kernel 1 (precomputed:/"},
		{"a product", []string{"--kernels", "prod(linear,gauss:0.1) norm=centred"}, "kernel 1 (prod(linear,gauss:0.1) norm=ce..): norm=centred of a product of kernels: not yet"},
		{"another word", []string{"--kernels", "linear norm=centered"}, `kernel "linear norm=centered": norm=: "centered" is none of none, multiplicative, spherical and centred`},
		{"another word of the flag", []string{"--normalize", "middle"}, `--normalize: unknown "middle" (none, multiplicative, spherical, centred)`},
		{"gates", []string{"--kernels", "linear norm=centred", "--gating", "regions:2"}, "norm=centred does not go with gates"},
		{"a start", []string{"--kernels", "linear norm=centred", "--init", f.at("plain")}, "norm=centred does not go with a model to start from"},
		{"single precision", []string{"--kernels", "linear norm=centred", "--precision", "32"}, "norm=centred does not go with single precision"},
		{"task med", []string{"--kernels", "linear norm=centred,poly:2", "--task", "med"}, "norm=centred does not go with task med"},
		{"a projection", []string{"--kernels", "proj(gauss:0.1,2)", "--normalize", "centred"}, `"proj(gauss:0.1,2)" does not go with centred normalisation`},
		{"rows that keep coming", []string{"--kernels", "linear norm=centred", "--stream"}, "a trainer of kernels that are centred at the mean of the rows of a run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, f, fault{c.name, append(append([]string{"train", "--quiet", "-o", f.at("new")}, c.args...), data), contract.ExitUsage, c.want})
		})
	}
	o := try("train", "--quiet", "-o", f.at("new"), "--kernels", "precomputed:"+f.at("K.npy")+" norm=centred", data)
	if !strings.Contains(o.stderr, "(centre the matrix itself, and write norm=none") {
		t.Errorf("of a matrix: %s", o.stderr)
	}
	for _, format := range []string{"json", "libsvm", "onnx"} {
		check(t, f, fault{format, []string{"export", "--to", format, "-o", f.at("out"), f.at("m")}, contract.ExitUsage, f.at("m") + ": a model of kernels that are centred"})
	}
	for _, args := range [][]string{{"plan"}, {"gram", "-o", f.at("K2.npy")}, {"align"}} {
		must(t, append(append(args, "--quiet", "--kernels", "gauss:0.1 norm=centred"), data)...)
	}
	if o := must(t, "inspect", f.at("m")); !strings.Contains(o.stdout, "at the mean of all 80 rows") {
		t.Errorf("inspect: %s", o.stdout)
	}
	if o := must(t, "inspect", "--json", f.at("m")); !strings.Contains(o.stdout, `"centre_rows":80`) {
		t.Errorf("inspect --json: %s", o.stdout)
	}
}

// TestHostileCentredModels: files of models whose rows for a mean are no such rows.
func TestHostileCentredModels(t *testing.T) {
	f := newFolder(t)
	data := f.file("data.txt", text(60, 1))
	for _, store := range []string{"dense", "sparse"} {
		must(t, "train", "--quiet", "--store", store, "-o", f.at("m"), "--kernels", "gauss:0.1 norm=centred,linear", data)
		good := f.read("m")
		f.file("forged", takeApart(t, good).build())
		must(t, "verify", "--quiet", f.at("forged"), data)
		rows := func(i int, v uint32) func(*forgery) {
			return func(m *forgery) { binary.LittleEndian.PutUint32(m.body["centre_rows"][4*i:], v) }
		}
		drop := func(name string) func(*forgery) { return func(m *forgery) { m.drop(name) } }
		number := func(name string, v uint32) func(*forgery) {
			return func(m *forgery) { binary.LittleEndian.PutUint32(m.body[name], v) }
		}
		changes := map[string]func(*forgery){
			"rows missing": drop("centre_rows"), "means missing": drop("centre_means"), "a row twice": rows(1, 0), "a row beyond": rows(59, 60),
			"a row below 0": rows(0, 1<<31), "no rows": func(m *forgery) { m.zeros("centre_rows", 0) }, "a mean more": func(m *forgery) { m.zeros("centre_means", 3) },
			"a mean NaN": func(m *forgery) { m.double("centre_means", 0, math.NaN()) }, "no kernel that is centred": func(m *forgery) { m.settings["kernels"] = []string{"gauss:0.1", "linear"} },
		}
		if store == "dense" {
			changes["vectors missing"], changes["a feature NaN"] = drop("centre_vectors"), number("centre_vectors", 0x7fc00000)
			changes["vectors turned"] = func(m *forgery) { s := m.shape["centre_vectors"]; s[0], s[1] = s[1], s[0] }
		} else {
			changes["starts missing"], changes["a value infinite"] = drop("centre_start"), number("centre_value", 0x7f800000)
			changes["a feature beyond"] = number("centre_index", 1<<30)
			changes["starts fall"] = func(m *forgery) { binary.LittleEndian.PutUint64(m.body["centre_start"][8:], 1<<40) }
		}
		for what, change := range changes {
			t.Run(store+", "+what, func(t *testing.T) {
				m := takeApart(t, good)
				change(m)
				bad := f.file("forged", m.build())
				for _, args := range [][]string{{"inspect", bad}, {"predict", bad, data, "-o", f.at("out")}, {"verify", bad, data}, {"report", "-o", f.at("out"), bad}} {
					check(t, f, fault{what, args, contract.ExitCorrupt, bad + ": "})
				}
			})
		}
	}
}
