package hostile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestHostileModels: files with a right checksum that are wrong in any other way. Whatever reads a model rejects them, before it
// takes memory for what they claim.
func TestHostileModels(t *testing.T) {
	f, data, _, path := commandtest.Trained(t)
	commandtest.Must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--probability", "-o", path, data)
	good := f.Read("m")
	if again := commandtest.TakeApart(t, good); true {
		f.File("forged", again.Build())
		commandtest.Must(t, "verify", f.At("forged"), data)
	}
	set := func(name string, v any) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { m.Settings[name] = v }
	}
	kernels := func(specs ...string) func(*commandtest.Forgery) { return set("kernels", specs) }
	support := func(i int, v int32) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { binary.LittleEndian.PutUint32(m.Body["support"][4*i:], uint32(v)) }
	}
	number := func(name string, v float64) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { m.Double(name, 0, v) }
	}
	shape := func(name string, dims ...int64) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { m.Shape[name] = dims }
	}
	all := func(changes ...func(*commandtest.Forgery)) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) {
			for _, c := range changes {
				c(m)
			}
		}
	}
	for name, change := range map[string]func(*commandtest.Forgery){
		"theta NaN": number("theta", math.NaN()), "theta infinite": number("theta", math.Inf(1)), "theta negative": number("theta", -1),
		"theta missing": func(m *commandtest.Forgery) { m.Drop("theta") }, "too few theta": func(m *commandtest.Forgery) { m.Zeros("theta", 1) },
		"too many theta": func(m *commandtest.Forgery) { m.Zeros("theta", 3); m.Zeros("w_norms", 3) }, "norm of w NaN": number("w_norms", math.NaN()),
		"norm of w beyond": number("w_norms", math.MaxFloat64), "norm of w whose square is beyond": number("w_norms", 1.4e154),
		"alpha infinite": number("alpha", math.Inf(-1)), "alpha NaN": number("alpha", math.NaN()), "alpha 0": number("alpha", 0),
		"too few alpha": func(m *commandtest.Forgery) { m.Zeros("alpha", 1) }, "support negative": support(0, -1), "support huge": support(0, math.MaxInt32),
		"support twice": support(1, 0), "support at the minimum": support(0, math.MinInt32),
		"vectors missing": func(m *commandtest.Forgery) { m.Drop("vectors") }, "vectors turned": func(m *commandtest.Forgery) { s := m.Shape["vectors"]; s[0], s[1] = s[1], s[0] },
		"vectors claimed": shape("vectors", math.MaxInt32, math.MaxInt32),
		"vectors not finite": func(m *commandtest.Forgery) {
			binary.LittleEndian.PutUint32(m.Body["vectors"], math.Float32bits(float32(math.NaN())))
		},
		"A NaN":                number("sigmoids", math.NaN()),
		"A above 0":            number("sigmoids", 0.5),
		"B infinite":           func(m *commandtest.Forgery) { m.Double("sigmoids", 1, math.Inf(1)) },
		"sigmoids missing":     func(m *commandtest.Forgery) { m.Drop("sigmoids") },
		"no sigmoids":          func(m *commandtest.Forgery) { m.Zeros("sigmoids", 0, 2) },
		"two sigmoids":         func(m *commandtest.Forgery) { m.Zeros("sigmoids", 2, 2) },
		"sigmoids turned":      shape("sigmoids", 2, 1),
		"one fold":             set("folds", 1),
		"folds 2^31":           set("folds", int64(1)<<31),
		"normaliser NaN":       number("normalizer", math.NaN()),
		"normaliser negative":  number("normalizer", -1),
		"normaliser missing":   func(m *commandtest.Forgery) { m.Drop("normalizer") },
		"shape negative":       shape("theta", -2),
		"shape beyond int64":   shape("theta", math.MaxInt64),
		"dimensions":           shape("theta", 1, 1, 2),
		"type":                 func(m *commandtest.Forgery) { m.Dtype["theta"] = "I64" },
		"unknown tensor":       func(m *commandtest.Forgery) { m.Names = append(m.Names, "x"); m.Dtype["x"] = "F64" },
		"bytes behind":         func(m *commandtest.Forgery) { m.Extra = "\x00" },
		"features 2^31":        set("features", int64(1)<<31),
		"features negative":    set("features", -1),
		"features huge":        set("features", json.Number("1e30")),
		"features none":        all(set("features", 0), func(m *commandtest.Forgery) { m.Zeros("vectors", m.Shape["vectors"][0], 0) }),
		"features broken":      set("features", 3.5),
		"features another":     set("features", 1000),
		"points negative":      set("points", -5),
		"points 2^31":          set("points", int64(1)<<31),
		"points fewer":         set("points", 2),
		"limit":                set("limit", 3),
		"unknown kernel":       kernels("gauss:0.05", "cubic"),
		"10^9 kernels":         kernels("gauss:0.001..10/1000000000"),
		"2^20 kernels":         kernels("gauss:0.001..10/1048576"),
		"10^9 sets":            kernels("linear@random:2*1000000000"),
		"kernel of no feature": kernels("gauss:0.05", "linear@1-1000000"),
		"medians missing":      kernels("gauss:auto/2"),
		"a view missing":       kernels("gauss:0.05", "linear@nowhere"),
		"a view out of range":  all(kernels("gauss:0.05", "linear@v"), set("views", []map[string]any{{"name": "v", "first": 1, "last": 1 << 30}})),
		"a view backwards":     all(kernels("gauss:0.05", "linear@v"), set("views", []map[string]any{{"name": "v", "first": 3, "last": 2}})),
		"a million views":      set("views", make([]map[string]any, 1<<14)),
		"no kernels":           kernels(),
		"kernel without name":  kernels("gauss:0.05", ""),
		"fractions":            kernels("gauss:"+strings.Repeat("1/", 100_000)+"1", "linear"),
		"seed":                 set("seed", -1),
		"norm below 1":         set("norm", 0.5),
		"norm a word":          set("norm", "nan"),
		"C 0":                  set("c", 0),
		"C infinite":           set("c", json.Number("1e999")),
		"bias a word":          set("bias", "NaN"),
		"precision":            set("precision", "16"),
		"task":                 set("task", "regression"),
		"store":                set("store", "csr"),
		"scaling unknown":      set("scaling", "log"),
		"scaling incomplete":   set("scaling", "standard"),
		"normalisation":        set("normalization", map[string]any{"kind": "l2", "sample_size": 0}),
		"certificate":          set("certificate", map[string]any{"kind": "proof"}),
		"equal classes":        all(set("positive", "a"), set("negative", "a")),
		"class of two lines":   set("positive", "1 0.5\n-1"),
		"class of escapes":     set("positive", "\x1b[31m1"),
		"class weight":         set("positive_weight", -1),
		"unknown field":        set("surprise", 1),
		"field twice":          func(m *commandtest.Forgery) { m.Text = `{"c":1,"c":1}` },
		"settings no object":   func(m *commandtest.Forgery) { m.Text = `[1]` },
		"settings go on":       func(m *commandtest.Forgery) { b, _ := json.Marshal(m.Settings); m.Text = string(b) + "{}" },
		"features claimed":     all((*commandtest.Forgery).Without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32), kernels("gauss:0.05", "linear@1-2000000000")),
		"random sets claimed": all((*commandtest.Forgery).Without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32),
			kernels("linear@random:100000000*1", "linear@random:100000000*1")),
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range testlevel.Some(t, "", 2, [][]string{
				{"inspect", bad}, {"bound", bad}, {"predict", bad, data, "-o", f.At("out")}, {"verify", bad, data}, {"verify", bad, data, "--sample", "5"}, {"export", "--to", "onnx", "-o", f.At("out"), bad}, {"config", "--of", bad},
				{"train", "--quiet", "-o", f.At("new"), "--init", bad, data},
			}) {
				used := heaptest.Allocated(func() {
					commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				})
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
	// Claims that no file can prove or refute cost nothing either.
	for name, change := range map[string]func(*commandtest.Forgery){
		"points":               set("points", math.MaxInt32),
		"a support far behind": all(set("points", math.MaxInt32), func(m *commandtest.Forgery) { n := len(m.Body["support"]); support(n/4-1, math.MaxInt32-1)(m) }),
		"the same, sparse":     all(set("points", math.MaxInt32), set("store", "sparse"), func(m *commandtest.Forgery) { n := len(m.Body["support"]); support(n/4-1, math.MaxInt32-1)(m) }),
		"features":             all((*commandtest.Forgery).Without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32)),
		"features, sparse":     all((*commandtest.Forgery).Without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32), set("store", "sparse")),
		"threads":              set("tuning", map[string]any{"working_set": math.MaxInt64}),
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range testlevel.Some(t, "", 2, [][]string{
				{"inspect", bad}, {"predict", "--quiet", bad, data, "-o", f.At("out")}, {"verify", "--quiet", bad, data}, {"verify", "--quiet", bad, data, "--sample", "5"},
				{"export", "--to", "json", "-o", f.At("out"), bad}, {"export", "--to", "onnx", "-o", f.At("out"), bad}, {"export", "--to", "libsvm", "-o", f.At("out"), bad},
				{"train", "--quiet", "--max-iter", "1", "-o", f.At("new"), "--init", bad, data},
			}) {
				var o commandtest.Outcome
				used := heaptest.Allocated(func() { o = commandtest.Try(args...) })
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
				if o.Code == contract.ExitBug {
					t.Errorf("%q: %s", args, o.Stderr)
				}
			}
		})
	}
	commandtest.Must(t, "inspect", path)
}

// TestHostileClassifiers: models of several classifiers whose parts do not fit each other.
func TestHostileClassifiers(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train", commandtest.ThreeClasses(60))
	commandtest.Must(t, "train", "--quiet", "--multiclass", "ovo", "--kernels", "gauss:0.5,linear", "--class-weight", "1=2", "-o", f.At("m"), data)
	good := f.Read("m")
	f.File("forged", commandtest.TakeApart(t, good).Build())
	commandtest.Must(t, "predict", "--quiet", f.At("forged"), data, "-o", "/dev/null")
	set := func(name string, v any) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { m.Settings[name] = v }
	}
	tensor := func(name string, dims ...int64) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { m.Zeros(name, dims...) }
	}
	integer := func(name string, i int, v int32) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { binary.LittleEndian.PutUint32(m.Body[name][4*i:], uint32(v)) }
	}
	many := make([]string, 1<<16)
	for k := range many {
		many[k] = fmt.Sprint(k)
	}
	for name, change := range map[string]func(*commandtest.Forgery){
		"kind unknown": set("multiclass", "one"), "kind another": set("multiclass", "ovr"), "kind missing": func(m *commandtest.Forgery) { delete(m.Settings, "multiclass") },
		"labels": set("multiclass", "labels"), "task": set("task", "svr"), "a class less": set("classes", []string{"0", "1"}), "a class more": set("classes", []string{"0", "1", "2", "3"}),
		"classes missing": func(m *commandtest.Forgery) { delete(m.Settings, "classes") }, "classes of one name": set("classes", []string{"0", "0", "2"}), "65,536 classes": set("classes", many),
		"65,537 classes": set("classes", append(many, "x")), "a name of two lines": set("classes", []string{"0", "1\n2", "2"}), "positive": set("positive", "0"), "bias": set("bias", 1),
		"certificates missing": func(m *commandtest.Forgery) { delete(m.Settings, "certificates") }, "a certificate less": set("certificates", []string{"gap", "gap"}),
		"certificate unknown": set("certificates", []string{"gap", "gap", "proof"}), "a million certificates": set("certificates", make([]string, 1<<20)),
		"numbers missing": func(m *commandtest.Forgery) { m.Drop("machine_numbers") }, "numbers cut": tensor("machine_numbers", 11), "a classifier more": tensor("machine_classes", 16),
		"no classifiers": tensor("machine_classes", 0), "classes of classifiers missing": func(m *commandtest.Forgery) { m.Drop("machine_classes") },
		"support missing": func(m *commandtest.Forgery) { m.Drop("machine_support") }, "support cut": tensor("machine_support", 1), "alpha cut": tensor("alpha", 1),
		"theta cut": tensor("theta", 5), "theta of one": tensor("theta", 2), "theta none": tensor("theta", 0), "norms": tensor("w_norms", 4), "a norm beyond": func(m *commandtest.Forgery) { m.Double("w_norms", 1, 1e300) }, "weights of classes": tensor("class_weights", 2),
		"weight 0": func(m *commandtest.Forgery) { m.Double("class_weights", 0, 0) }, "a bias NaN": func(m *commandtest.Forgery) { m.Double("machine_numbers", 0, math.NaN()) },
		"a gap infinite": func(m *commandtest.Forgery) { m.Double("machine_numbers", 3, math.Inf(1)) }, "class beyond": integer("machine_classes", 0, 3),
		"class huge": integer("machine_classes", 1, math.MaxInt32), "class against itself": integer("machine_classes", 1, 0), "against nobody": integer("machine_classes", 1, -2),
		"precision": integer("machine_classes", 2, 2), "support claimed": integer("machine_classes", 3, math.MaxInt32), "support below 0": integer("machine_classes", 3, -1),
		"support beyond": integer("machine_support", 0, 60), "support at the minimum": integer("machine_support", 0, math.MinInt32), "support twice": integer("machine_support", 1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range testlevel.Some(t, "", 2, [][]string{
				{"inspect", bad}, {"inspect", "--machine", "2", bad}, {"bound", bad}, {"export", "--to", "libsvm", "-o", f.At("out"), bad}, {"config", "--of", bad}, {"predict", bad, data, "-o", f.At("out")}, {"verify", bad, data},
				{"train", "--quiet", "-o", f.At("new"), "--init", bad, data},
			}) {
				used := heaptest.Allocated(func() {
					commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				})
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
}

// TestHostileDiscriminants: models of task rkda, with lambda given and found, whose parts do not fit each other.
func TestHostileDiscriminants(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train", commandtest.ThreeClasses(60))
	for name, lambda := range map[string]string{"given": "1e-2", "found": "joint"} {
		commandtest.Must(t, "train", "--quiet", "--task", "rkda", "--lambda", lambda, "--kernels", "gauss:0.5,linear", "-o", f.At("m"), data)
		good := f.Read("m")
		f.File("forged", commandtest.TakeApart(t, good).Build())
		commandtest.Must(t, "verify", f.At("forged"), data)
		set := func(name string, v any) func(*commandtest.Forgery) {
			return func(m *commandtest.Forgery) { m.Settings[name] = v }
		}
		part := func(name string, v any) func(*commandtest.Forgery) {
			return func(m *commandtest.Forgery) { m.Settings["discriminant"].(map[string]any)[name] = v }
		}
		changes := map[string]func(*commandtest.Forgery){
			"no discriminant": func(m *commandtest.Forgery) { delete(m.Settings, "discriminant") }, "another task": set("task", "class"), "weights apart": set("one_theta", false),
			"lambda below 0": part("lambda", -1), "lambda of text": part("lambda", "joint"), "rule": part("rule", "votes"), "rows": part("rows", []int{60}),
			"rows below 0": part("rows", []int{-20, 40, 40}), "rows beyond": part("rows", []int{1 << 40, 0, 0}), "a million classes": part("rows", make([]int, 1<<20)),
			"means cut": func(m *commandtest.Forgery) { m.Zeros("class_means", 8) }, "means missing": func(m *commandtest.Forgery) { m.Drop("class_means") },
			"a mean NaN": func(m *commandtest.Forgery) { m.Double("class_means", 0, math.NaN()) }, "weight below 0": set("cost_weight", -0.5), "weight above 1": set("cost_weight", 1.5),
			"another weight": set("cost_weight", 0.125), "a weight of text": set("cost_weight", "all"),
		}
		if lambda == "joint" {
			changes["another lambda"], changes["C"], changes["p"] = part("lambda", 0.125), set("c", 2), set("norm", 1.5)
		}
		for what, change := range changes {
			t.Run(name+", "+what, func(t *testing.T) {
				m := commandtest.TakeApart(t, good)
				change(m)
				bad := f.File("forged", m.Build())
				for _, args := range testlevel.Some(t, "", 1, [][]string{
					{"inspect", bad}, {"inspect", "--machine", "2", bad}, {"bound", bad}, {"config", "--of", bad}, {"predict", bad, data, "-o", f.At("out")}, {"verify", bad, data},
					{"report", "-o", f.At("out"), bad},
				}) {
					commandtest.Check(t, f, commandtest.Fault{Name: what, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				}
			})
		}
	}
}
