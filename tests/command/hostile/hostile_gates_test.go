package hostile

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// gateRows are gates of n rows for so many kernels, one of which is bad.
func gateRows(n, kernels int, bad float64) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, kernels)
		for k := range rows[i] {
			rows[i][k] = float64((i+k)%3) / 2
		}
	}
	rows[n-1][kernels-1] = bad
	return rows
}

// TestHostileGates: gates that make no sense, by themselves or beside other options.
func TestHostileGates(t *testing.T) {
	f := commandtest.NewFolder(t)
	const n = 80
	data, test := f.File("data.txt", commandtest.Text(n, 1)), f.File("test.txt", commandtest.Text(50, 2))
	matrix := func(name string, rows [][]float64) string {
		if err := commandtest.WriteArray(f.At(name), rows); err != nil {
			t.Fatal(err)
		}
		return f.At(name)
	}
	good, other := matrix("good.npy", gateRows(n, 2, 1)), matrix("other.npy", gateRows(50, 2, 1))
	bank := []string{"--kernels", "gauss:0.05,linear"}
	commandtest.Must(t, append([]string{"train", "--quiet", "-o", f.At("plain"), data}, bank...)...)
	commandtest.Must(t, append([]string{"train", "--quiet", "-o", f.At("fixed"), "--gating", "fixed:" + good, data}, bank...)...)
	commandtest.Must(t, append([]string{"train", "--quiet", "-o", f.At("regions"), "--gating", "regions:3", "--gate-on", "1-2", data}, bank...)...)
	commandtest.Must(t, append([]string{"train", "--quiet", "-o", f.At("sigmoid"), "--gating", "sigmoid", "--gate-tol", "0.1", data}, bank...)...)
	matrix("K.npy", gateRows(n, n, 0)) // is asymmetric, which is found before anything else
	letters := f.File("letters", "1 acgt\n-1 ttgc\n1 acgg\n-1 tttt\n")
	empty := f.File("views", "a 1 2\nb 3 4\n")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown gates", []string{"--gating", "hard"}, contract.ExitUsage, `unknown gates "hard" (softmax, sigmoid, gauss, regions:R or fixed:FILE)`},
		{"no file", []string{"--gating", "fixed:"}, contract.ExitUsage, `unknown gates "fixed:"`},
		{"no regions", []string{"--gating", "regions:0"}, contract.ExitUsage, `"0" is no number of regions`},
		{"regions that are no number", []string{"--gating", "regions:many"}, contract.ExitUsage, `"many" is no number of regions`},
		{"too many regions", []string{"--gating", "regions:4097"}, contract.ExitUsage, `"4097" is no number of regions`},
		{"more regions than rows", []string{"--gating", "regions:81"}, contract.ExitUsage, "81 regions, and the gating features of all rows have 80 distinct values"},
		{"features without gates", []string{"--gate-on", "1-2"}, contract.ExitUsage, "features of gates are given, but no gates that are functions of features"},
		{"features of fixed gates", []string{"--gating", "fixed:" + good, "--gate-on", "1"}, contract.ExitUsage, "features of gates are given, but no gates that are functions of features"},
		{"an unknown view", []string{"--gating", "regions:2", "--gate-on", "nowhere"}, contract.ExitUsage, `features "nowhere": there is no view "nowhere"`},
		{"another view", []string{"--gating", "regions:2", "--gate-on", "c", "--views", empty}, contract.ExitUsage, `features "c": there is no view "c" among`},
		{"features that are not there", []string{"--gating", "regions:2", "--gate-on", "900"}, contract.ExitUsage, `features "900": features "900" are not within`},
		{"more components than features", []string{"--gating", "regions:2", "--gate-on", "pca:31"}, contract.ExitUsage, `"31" is no number of principal components from 1 to 30 features`},
		{"no components", []string{"--gating", "regions:2", "--gate-on", "pca:0"}, contract.ExitUsage, `"0" is no number of principal components`},
		{"several sets", []string{"--gating", "regions:2", "--gate-on", "each-feature"}, contract.ExitUsage, `features "each-feature": it stands for several sets`},
		{"kernel values without a kernel", []string{"--gating", "softmax", "--gate-on", "kernel:*3"}, contract.ExitUsage, `"kernel:*3" is not kernel:SPEC*L`},
		{"kernel values without a number", []string{"--gating", "softmax", "--gate-on", "kernel:gauss:1"}, contract.ExitUsage, `"kernel:gauss:1" is not kernel:SPEC*L`},
		{"kernel values with no rows", []string{"--gating", "regions:2", "--gate-on", "kernel:gauss:1*0"}, contract.ExitUsage, `"kernel:gauss:1*0" is not kernel:SPEC*L with a number L of rows from 1`},
		{"more landmarks than rows", []string{"--gating", "softmax", "--gate-on", "kernel:gauss:1*81"}, contract.ExitUsage, "gates on kernel values with 81 rows, and there are 80"},
		{"values of several kernels", []string{"--gating", "softmax", "--gate-on", "kernel:gauss:1..2/3*5"}, contract.ExitUsage, `gates look at one kernel, and "gauss:1..2/3" stands for 3`},
		{"values of an unknown kernel", []string{"--gating", "softmax", "--gate-on", "kernel:gaus:1*5"}, contract.ExitUsage, `kernel "gaus:1"`},
		{"values with attributes", []string{"--gating", "softmax", "--gate-on", "kernel:gauss:1 norm=spherical*5"}, contract.ExitUsage, `gates look at the kernel "gauss:1" as it is, without "norm=spherical"`},
		{"values of a kernel of pairs", []string{"--gating", "softmax", "--gate-on", "kernel:pair(gauss:1,1-2,3-4)*5"}, contract.ExitUsage, ""},
		{"values of user's code", []string{"--gating", "softmax", "--gate-on", "kernel:user:mine*5"}, contract.ExitUsage, "there is no code of the kernel user:mine here"},
		{"values of letters' kernels", []string{"--gating", "softmax", "--gate-on", "kernel:spectrum:3*5"}, contract.ExitUsage, `kernel "spectrum:3"`},
		{"values of numbers' kernels for letters", []string{"--gating", "softmax", "--gate-on", "kernel:gauss:1*2", "--sequences", "dna", "--kernels", "wd:2", letters}, contract.ExitUsage, `kernel "gauss:1"`},
		{"values of a matrix of no kernel", []string{"--gating", "softmax", "--gate-on", "kernel:precomputed:" + f.At("K.npy") + "*5"}, contract.ExitUsage, `gates look at the matrix "`},
		{"values that are not finite", []string{"--gating", "softmax", "--gate-on", "kernel:poly:200*5", "--kernels", "linear"}, contract.ExitInput, data + ": the kernel that gates look at takes values that are not finite"},
		{"values with projections", []string{"--gating", "softmax", "--gate-on", "kernel:gauss:1*5", "--kernels", "proj(gauss:1,2)"}, contract.ExitUsage, `gates on "kernel:gauss:1*5" beside a projection`},
		{"values without gates", []string{"--gate-on", "kernel:gauss:1*5"}, contract.ExitUsage, "features of gates are given, but no gates that are functions of features"},
		{"letters", []string{"--gating", "regions:2", "--sequences", "dna", "--kernels", "wd:2", letters}, contract.ExitInput, letters + ": regions of sequences"},
		{"wrapper", []string{"--gating", "regions:2", "--solver", "wrapper"}, contract.ExitUsage, "gates need solver chunking, and not wrapper"},
		{"lbfgs", []string{"--gating", "regions:2", "--solver", "lbfgs", "--task", "square"}, contract.ExitUsage, "gates need solver chunking, and not lbfgs"},
		{"one theta", []string{"--gating", "regions:2", "--multiclass", "ovr", "--one-theta", "--norm", "1"}, contract.ExitUsage, "gates cannot be combined with one set of weights"},
		{"groups", []string{"--gating", "regions:2", "--kernels", "gauss:1 group=a", "--group-norm", "2"}, contract.ExitUsage, `group="a" beside regions`},
		{"copies without gates", []string{"--kernels", "linear copies=3"}, contract.ExitUsage, `kernel "linear copies=3": copies= differ in their gates, and no gates are learned`},
		{"copies in regions", []string{"--gating", "regions:2", "--kernels", "linear copies=3"}, contract.ExitUsage, `kernel "linear copies=3": copies= differ in their gates`},
		{"a gate without gates", []string{"--kernels", "linear gate=a"}, contract.ExitUsage, `kernel "linear gate=a": gate= names a gate that is learned`},
		{"no copies", []string{"--gating", "softmax", "--kernels", "linear copies=0"}, contract.ExitUsage, `kernel "linear copies=0": copies=: "0" is no number from 1 to 4096`},
		{"a gate without a name", []string{"--gating", "softmax", "--kernels", "linear gate="}, contract.ExitUsage, `kernel "linear gate=": gate= without a name`},
		{"a tolerance without gates", []string{"--gate-tol", "1e-2"}, contract.ExitUsage, "--gate-tol is for gates that are learned"},
		{"steps of regions", []string{"--gating", "regions:2", "--gate-steps", "3"}, contract.ExitUsage, "--gate-steps is for gates that are learned"},
		{"starts without gates", []string{"--starts", "3"}, contract.ExitUsage, "--starts is for gates that are learned"},
		{"a decay without gates", []string{"--gate-decay", "1"}, contract.ExitUsage, "a decay or a floor of gates is given, but no gates that are learned"},
		{"a floor without gates", []string{"--gate-floor", "0.1"}, contract.ExitUsage, "a decay or a floor of gates is given, but no gates that are learned"},
		{"a floor of 1", []string{"--gating", "softmax", "--gate-floor", "1"}, contract.ExitUsage, "--gate-floor: 1 is not in [0, 1)"},
		{"a floor below 0", []string{"--gating", "softmax", "--gate-floor", "-0.1"}, contract.ExitUsage, "--gate-floor: -0.1 is not in [0, 1)"},
		{"a decay below 0", []string{"--gating", "softmax", "--gate-decay", "-1"}, contract.ExitUsage, "--gate-decay: -1 is not a number from 0"},
		{"a decay beyond all numbers", []string{"--gating", "softmax", "--gate-decay", "1e200"}, contract.ExitUsage, "the decay of gates 1e+200 is not a number from 0 to 1e+50"},
		{"a tolerance of 1", []string{"--gating", "softmax", "--gate-tol", "1"}, contract.ExitUsage, "--gate-tol: 1 is not between 0 and 1"},
		{"no steps", []string{"--gating", "softmax", "--gate-steps", "0"}, contract.ExitUsage, "--gate-steps: 0 is not a whole number from 1"},
		{"no starts", []string{"--gating", "softmax", "--starts", "0"}, contract.ExitUsage, "--starts: 0 is not a whole number from 1"},
		{"learned gates by a wrapper", []string{"--gating", "softmax", "--solver", "wrapper"}, contract.ExitUsage, "gates need solver chunking, and not wrapper"},
		{"learned gates and one theta", []string{"--gating", "softmax", "--multiclass", "ovr", "--one-theta"}, contract.ExitUsage, "gates cannot be combined with one set of weights"},
		{"learned gates from others", []string{"--gating", "softmax", "--init", f.At("sigmoid")}, contract.ExitUsage, "the model to start from has other gates: 2 of sigmoid"},
		{"learned gates and another norm", []string{"--gating", "softmax", "--elastic-net", "0.5"}, contract.ExitUsage, "gates are learned only with the block norm"},
		{"learned gates on an unknown view", []string{"--gating", "sigmoid", "--gate-on", "nowhere"}, contract.ExitUsage, `features "nowhere": there is no view "nowhere"`},
		{"learned gates on too many components", []string{"--gating", "gauss", "--gate-on", "pca:31"}, contract.ExitUsage, `"31" is no number of principal components from 1 to 30 features`},
		{"learned gates of letters", []string{"--gating", "softmax", "--sequences", "dna", "--kernels", "wd:2", letters}, contract.ExitInput, letters + ": gates of sequences"},
		{"more copies than rows", []string{"--gating", "softmax", "--kernels", "linear copies=81"}, contract.ExitUsage, "81 regions, and the gating features of all rows have 80 distinct values"},
		{"a missing matrix", []string{"--gating", "fixed:" + f.At("absent.npy")}, contract.ExitInput, f.At("absent.npy") + ": "},
		{"gates of another number of kernels", append([]string{"--gating", "fixed:" + good}, "--kernels", "linear"), contract.ExitInput, good + ": gates of 2 kernels, and there are 1"},
		{"gates of other rows", append([]string{"--gating", "fixed:" + other}, bank...), contract.ExitInput, other + ": the gates have 50 rows, the data 80"},
		{"NaN", append([]string{"--gating", "fixed:" + matrix("nan.npy", gateRows(n, 2, math.NaN()))}, bank...), contract.ExitInput, f.At("nan.npy") + ": the gate of row 80 and kernel 2 is NaN"},
		{"below 0", append([]string{"--gating", "fixed:" + matrix("minus.npy", gateRows(n, 2, -1e-9))}, bank...), contract.ExitInput, f.At("minus.npy") + ": the gate of row 80 and kernel 2 is -1e-09"},
		{"infinite", append([]string{"--gating", "fixed:" + matrix("inf.npy", gateRows(n, 2, math.Inf(1)))}, bank...), contract.ExitInput, f.At("inf.npy") + ": the gate of row 80 and kernel 2 is +Inf"},
		{"no matrix at all", append([]string{"--gating", "fixed:" + data}, bank...), contract.ExitInput, data + ": "},
		{"a test without gates", append([]string{"--gating", "fixed:" + good, "--test", test}, bank...), contract.ExitUsage, "--test has no gates for its rows"},
		{"the model over the gates", append([]string{"--gating", "fixed:" + good, "-o", good}, bank...), contract.ExitUsage, good + ": "},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"train", "--quiet", "-o", f.At("new")}, c.args...)
			if !strings.HasSuffix(c.name, "letters") {
				args = append(args, data)
			}
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: args, Code: c.code, Want: c.want})
		})
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"fixed gates are not given", []string{"predict", f.At("fixed"), test}, contract.ExitUsage, "the model has fixed gates, and those of the rows are not given"},
		{"gates for regions", []string{"predict", "--gates", other, f.At("regions"), test}, contract.ExitUsage, "gates of rows for a model without fixed gates"},
		{"gates for a plain model", []string{"predict", "--gates", other, f.At("plain"), test}, contract.ExitUsage, "gates of rows for a model without fixed gates"},
		{"gates of fewer rows", []string{"predict", "--quiet", "--json", "--gates", matrix("few.npy", gateRows(49, 2, 1)), f.At("fixed"), test}, contract.ExitInput, f.At("few.npy") + ": the gates have 49 rows, the data more"},
		{"gates of more rows", []string{"predict", "--quiet", "--json", "--gates", good, f.At("fixed"), test}, contract.ExitInput, good + ": the gates have 80 rows, the data 50"},
		{"gates of more kernels", []string{"predict", "--gates", matrix("wide.npy", gateRows(50, 3, 1)), f.At("fixed"), test}, contract.ExitInput, f.At("wide.npy") + ": gates of 3 kernels, and there are 2"},
		{"gates out of a plain model", []string{"predict", "--gates-out", f.At("out"), f.At("plain"), test}, contract.ExitUsage, f.At("plain") + ": --gates-out: the kernels of the model have no gates"},
		{"weights of a plain model", []string{"predict", "--kernel-weights", f.At("out"), f.At("plain"), test}, contract.ExitUsage, f.At("plain") + ": --kernel-weights: the model has the same weights at all rows"},
		{"weights over the data", []string{"predict", "--kernel-weights", test, f.At("plain"), test}, contract.ExitUsage, test + ": "},
		{"gates over the data", []string{"predict", "--gates-out", test, f.At("regions"), test}, contract.ExitUsage, test + ": "},
		{"fixed gates that verify lacks", []string{"verify", f.At("fixed"), data}, contract.ExitUsage, "the model has fixed gates, and those of the rows are not given"},
		{"gates that verify has no use for", []string{"verify", "--gates", good, f.At("regions"), data}, contract.ExitUsage, "gates of rows for a model without fixed gates"},
		{"gates of other rows for verify", []string{"verify", "--gates", other, f.At("fixed"), data}, contract.ExitInput, other + ": gates of 50 rows and 2 kernels for 80 training rows"},
		{"an export", []string{"export", "--to", "json", "-o", f.At("out"), f.At("regions")}, contract.ExitUsage, f.At("regions") + ": a model with gates"},
	} {
		t.Run(c.name, func(t *testing.T) {
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: c.args, Code: c.code, Want: c.want})
		})
	}
}

// TestGatesOfRows: the output of predict about gates, in its figures and row by row.
func TestGatesOfRows(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("data.txt", commandtest.Text(80, 1)), f.File("test.txt", commandtest.Text(50, 2))
	commandtest.Must(t, "train", "--quiet", "-o", f.At("m"), "--gating", "regions:3", "--gate-on", "1-2", "--kernels", "gauss:0.05,linear", data)
	commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
	var said struct {
		Gates struct {
			Mean          []float64 `json:"mean"`
			ActiveKernels float64   `json:"active_kernels"`
		} `json:"gates"`
	}
	o := commandtest.Must(t, "predict", "--quiet", "--json", "--gates-out", f.At("gates"), f.At("m"), test)
	if err := json.Unmarshal([]byte(o.Stdout), &said); err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, x := range said.Gates.Mean {
		total += x
	}
	if len(said.Gates.Mean) != 3 || math.Abs(total-1) > 1e-12 || !(said.Gates.ActiveKernels > 0 && said.Gates.ActiveKernels <= 6) {
		t.Errorf("gates %+v", said.Gates)
	}
	lines, err := os.ReadFile(f.At("gates"))
	if err != nil || strings.Count(string(lines), "\n") != 50 || len(strings.Fields(string(lines))) != 150 {
		t.Errorf("%v, %q", err, lines)
	}
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "3 regions of features 1-2") {
		t.Errorf("inspect: %s", o.Stdout)
	}
	if o := commandtest.Must(t, "config", "--of", f.At("m")); !strings.Contains(o.Stdout, "gating = 'regions:3'\ngate-on = '1-2'") {
		t.Errorf("config: %s", o.Stdout)
	}
}
