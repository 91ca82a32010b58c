package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
)

// forgery is a model file taken apart, to be put together again with a checksum that is right: who writes hostile files can
// compute one as well.
type forgery struct {
	t        testing.TB
	settings map[string]any // numbers are json.Number
	names    []string       // tensors in file order
	shape    map[string][]int64
	dtype    map[string]string
	body     map[string][]byte
	text     string // instead of settings, if not ""
	extra    string // behind the tensors
}

// tensor is an entry of the header.
type tensor struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

func takeApart(t testing.TB, file string) *forgery {
	t.Helper()
	n := binary.LittleEndian.Uint64([]byte(file))
	head, body := file[8:8+n], file[8+n:]
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(head), &all); err != nil {
		t.Fatal(err)
	}
	var meta map[string]string
	if err := json.Unmarshal(all["__metadata__"], &meta); err != nil {
		t.Fatal(err)
	}
	f := &forgery{t: t, shape: map[string][]int64{}, dtype: map[string]string{}, body: map[string][]byte{}}
	d := json.NewDecoder(strings.NewReader(meta["model"]))
	d.UseNumber()
	if err := d.Decode(&f.settings); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"theta", "w_norms", "alpha", "normalizer", "sigmoids", "scaling_factor", "scaling_offset", "class_weights", "class_means", "machine_numbers", "centre_means", "vector_start", "centre_start", "machine_classes",
		"machine_support", "support", "vectors", "vector_index", "vector_value", "centre_rows", "centre_vectors", "centre_index", "centre_value"} {
		raw, ok := all[name]
		if !ok {
			continue
		}
		var e tensor
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		f.names = append(f.names, name)
		f.shape[name], f.dtype[name], f.body[name] = e.Shape, e.Dtype, []byte(body[e.Offsets[0]:e.Offsets[1]])
	}
	return f
}

// build gives the file.
func (f *forgery) build() string {
	text := f.text
	if text == "" {
		b, err := json.Marshal(f.settings)
		if err != nil {
			f.t.Fatal(err)
		}
		text = string(b)
	}
	quoted, _ := json.Marshal(text)
	var head, body bytes.Buffer
	version := 1
	if f.dtype["vector_start"] != "" {
		version = 2
	}
	if f.dtype["centre_means"] != "" {
		version = 6
	}
	// A text that a table gives in the place of the settings has the version of plain models.
	if _, columns := f.settings["discriminant"]; columns {
		if version = 5; f.settings["cost_weight"] != nil {
			version = 6
		}
	}
	fmt.Fprintf(&head, `{"__metadata__":{"format":"bigmkl","version":"%d","sha256":"%064d","model":%s}`, version, 0, quoted)
	for _, name := range f.names {
		at := int64(body.Len())
		body.Write(f.body[name])
		entry, _ := json.Marshal(tensor{f.dtype[name], f.shape[name], [2]int64{at, int64(body.Len())}})
		fmt.Fprintf(&head, `,"%s":%s`, name, entry)
	}
	head.WriteByte('}')
	b := binary.LittleEndian.AppendUint64(nil, uint64(head.Len()))
	b = append(append(append(b, head.Bytes()...), body.Bytes()...), f.extra...)
	sum := sha256.Sum256(b)
	hex.Encode(b[bytes.Index(b, []byte(strings.Repeat("0", 64))):], sum[:])
	return string(b)
}

// double sets element i of a tensor of F64.
func (f *forgery) double(name string, i int, v float64) {
	binary.LittleEndian.PutUint64(f.body[name][8*i:], math.Float64bits(v))
}

// zeros makes a tensor one of so many elements, all zero.
func (f *forgery) zeros(name string, dims ...int64) {
	n := map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4}[f.dtype[name]]
	for _, d := range dims {
		n *= d
	}
	f.shape[name], f.body[name] = dims, make([]byte, n)
}

func (f *forgery) drop(name string) {
	for i, n := range f.names {
		if n == name {
			f.names = append(f.names[:i:i], f.names[i+1:]...)
			return
		}
	}
	f.t.Fatalf("no tensor %s", name)
}

// without leaves the model without support vectors, so that nothing in the file shows how many features there are.
func (f *forgery) without() {
	f.zeros("alpha", 0)
	f.zeros("support", 0)
	f.zeros("vectors", 0, 1)
}

// TestHostileModels: files with a right checksum that are wrong in any other way. Whatever reads a model refuses them, before it
// takes memory for what they claim.
func TestHostileModels(t *testing.T) {
	f, data, _, path := trained(t)
	must(t, "train", "--quiet", "--kernels", "gauss:0.05,linear", "--probability", "-o", path, data)
	good := f.read("m")
	if again := takeApart(t, good); true {
		f.file("forged", again.build())
		must(t, "verify", f.at("forged"), data)
	}
	set := func(name string, v any) func(*forgery) { return func(m *forgery) { m.settings[name] = v } }
	kernels := func(specs ...string) func(*forgery) { return set("kernels", specs) }
	support := func(i int, v int32) func(*forgery) {
		return func(m *forgery) { binary.LittleEndian.PutUint32(m.body["support"][4*i:], uint32(v)) }
	}
	number := func(name string, v float64) func(*forgery) { return func(m *forgery) { m.double(name, 0, v) } }
	shape := func(name string, dims ...int64) func(*forgery) {
		return func(m *forgery) { m.shape[name] = dims }
	}
	all := func(changes ...func(*forgery)) func(*forgery) {
		return func(m *forgery) {
			for _, c := range changes {
				c(m)
			}
		}
	}
	for name, change := range map[string]func(*forgery){
		"theta NaN": number("theta", math.NaN()), "theta infinite": number("theta", math.Inf(1)), "theta negative": number("theta", -1),
		"theta missing": func(m *forgery) { m.drop("theta") }, "too few theta": func(m *forgery) { m.zeros("theta", 1) },
		"too many theta": func(m *forgery) { m.zeros("theta", 3); m.zeros("w_norms", 3) }, "norm of w NaN": number("w_norms", math.NaN()),
		"norm of w beyond": number("w_norms", math.MaxFloat64), "norm of w whose square is beyond": number("w_norms", 1.4e154),
		"alpha infinite": number("alpha", math.Inf(-1)), "alpha NaN": number("alpha", math.NaN()), "alpha 0": number("alpha", 0),
		"too few alpha": func(m *forgery) { m.zeros("alpha", 1) }, "support negative": support(0, -1), "support huge": support(0, math.MaxInt32),
		"support twice": support(1, 0), "support at the minimum": support(0, math.MinInt32),
		"vectors missing": func(m *forgery) { m.drop("vectors") }, "vectors turned": func(m *forgery) { s := m.shape["vectors"]; s[0], s[1] = s[1], s[0] },
		"vectors claimed": shape("vectors", math.MaxInt32, math.MaxInt32),
		"vectors not finite": func(m *forgery) {
			binary.LittleEndian.PutUint32(m.body["vectors"], math.Float32bits(float32(math.NaN())))
		},
		"A NaN":                number("sigmoids", math.NaN()),
		"A above 0":            number("sigmoids", 0.5),
		"B infinite":           func(m *forgery) { m.double("sigmoids", 1, math.Inf(1)) },
		"sigmoids missing":     func(m *forgery) { m.drop("sigmoids") },
		"no sigmoids":          func(m *forgery) { m.zeros("sigmoids", 0, 2) },
		"two sigmoids":         func(m *forgery) { m.zeros("sigmoids", 2, 2) },
		"sigmoids turned":      shape("sigmoids", 2, 1),
		"one fold":             set("folds", 1),
		"folds 2^31":           set("folds", int64(1)<<31),
		"normaliser NaN":       number("normalizer", math.NaN()),
		"normaliser negative":  number("normalizer", -1),
		"normaliser missing":   func(m *forgery) { m.drop("normalizer") },
		"shape negative":       shape("theta", -2),
		"shape beyond int64":   shape("theta", math.MaxInt64),
		"dimensions":           shape("theta", 1, 1, 2),
		"type":                 func(m *forgery) { m.dtype["theta"] = "I64" },
		"unknown tensor":       func(m *forgery) { m.names = append(m.names, "x"); m.dtype["x"] = "F64" },
		"bytes behind":         func(m *forgery) { m.extra = "\x00" },
		"features 2^31":        set("features", int64(1)<<31),
		"features negative":    set("features", -1),
		"features huge":        set("features", json.Number("1e30")),
		"features none":        all(set("features", 0), func(m *forgery) { m.zeros("vectors", m.shape["vectors"][0], 0) }),
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
		"field twice":          func(m *forgery) { m.text = `{"c":1,"c":1}` },
		"settings no object":   func(m *forgery) { m.text = `[1]` },
		"settings go on":       func(m *forgery) { b, _ := json.Marshal(m.settings); m.text = string(b) + "{}" },
		"features claimed":     all((*forgery).without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32), kernels("gauss:0.05", "linear@1-2000000000")),
		"random sets claimed": all((*forgery).without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32),
			kernels("linear@random:100000000*1", "linear@random:100000000*1")),
	} {
		t.Run(name, func(t *testing.T) {
			m := takeApart(t, good)
			change(m)
			bad := f.file("forged", m.build())
			for _, args := range [][]string{
				{"inspect", bad}, {"bound", bad}, {"predict", bad, data, "-o", f.at("out")}, {"verify", bad, data}, {"verify", bad, data, "--sample", "5"}, {"export", "--to", "onnx", "-o", f.at("out"), bad}, {"config", "--of", bad},
				{"train", "--quiet", "-o", f.at("new"), "--init", bad, data},
			} {
				used := heaptest.Allocated(func() { check(t, f, fault{name, args, contract.ExitCorrupt, bad + ": "}) })
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
	// Claims that no file can prove or refute cost nothing either.
	for name, change := range map[string]func(*forgery){
		"points":               set("points", math.MaxInt32),
		"a support far behind": all(set("points", math.MaxInt32), func(m *forgery) { n := len(m.body["support"]); support(n/4-1, math.MaxInt32-1)(m) }),
		"the same, sparse":     all(set("points", math.MaxInt32), set("store", "sparse"), func(m *forgery) { n := len(m.body["support"]); support(n/4-1, math.MaxInt32-1)(m) }),
		"features":             all((*forgery).without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32)),
		"features, sparse":     all((*forgery).without, shape("vectors", 0, math.MaxInt32), set("features", math.MaxInt32), set("store", "sparse")),
		"threads":              set("tuning", map[string]any{"working_set": math.MaxInt64}),
	} {
		t.Run(name, func(t *testing.T) {
			m := takeApart(t, good)
			change(m)
			bad := f.file("forged", m.build())
			for _, args := range [][]string{
				{"inspect", bad}, {"predict", "--quiet", bad, data, "-o", f.at("out")}, {"verify", "--quiet", bad, data}, {"verify", "--quiet", bad, data, "--sample", "5"},
				{"export", "--to", "json", "-o", f.at("out"), bad}, {"export", "--to", "onnx", "-o", f.at("out"), bad}, {"export", "--to", "libsvm", "-o", f.at("out"), bad},
				{"train", "--quiet", "--max-iter", "1", "-o", f.at("new"), "--init", bad, data},
			} {
				var o outcome
				used := heaptest.Allocated(func() { o = try(args...) })
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
				if o.code == contract.ExitBug {
					t.Errorf("%q: %s", args, o.stderr)
				}
			}
		})
	}
	must(t, "inspect", path)
}

// TestHostileMachines: models of several machines whose parts do not fit each other.
func TestHostileMachines(t *testing.T) {
	f := newFolder(t)
	data := f.file("train", threeClasses(60))
	must(t, "train", "--quiet", "--multiclass", "ovo", "--kernels", "gauss:0.5,linear", "--class-weight", "1=2", "-o", f.at("m"), data)
	good := f.read("m")
	f.file("forged", takeApart(t, good).build())
	must(t, "predict", "--quiet", f.at("forged"), data, "-o", "/dev/null")
	set := func(name string, v any) func(*forgery) { return func(m *forgery) { m.settings[name] = v } }
	tensor := func(name string, dims ...int64) func(*forgery) { return func(m *forgery) { m.zeros(name, dims...) } }
	integer := func(name string, i int, v int32) func(*forgery) {
		return func(m *forgery) { binary.LittleEndian.PutUint32(m.body[name][4*i:], uint32(v)) }
	}
	many := make([]string, 1<<16)
	for k := range many {
		many[k] = fmt.Sprint(k)
	}
	for name, change := range map[string]func(*forgery){
		"kind unknown": set("multiclass", "one"), "kind another": set("multiclass", "ovr"), "kind missing": func(m *forgery) { delete(m.settings, "multiclass") },
		"labels": set("multiclass", "labels"), "task": set("task", "svr"), "a class less": set("classes", []string{"0", "1"}), "a class more": set("classes", []string{"0", "1", "2", "3"}),
		"classes missing": func(m *forgery) { delete(m.settings, "classes") }, "classes of one name": set("classes", []string{"0", "0", "2"}), "65,536 classes": set("classes", many),
		"65,537 classes": set("classes", append(many, "x")), "a name of two lines": set("classes", []string{"0", "1\n2", "2"}), "positive": set("positive", "0"), "bias": set("bias", 1),
		"certificates missing": func(m *forgery) { delete(m.settings, "certificates") }, "a certificate less": set("certificates", []string{"gap", "gap"}),
		"certificate unknown": set("certificates", []string{"gap", "gap", "proof"}), "a million certificates": set("certificates", make([]string, 1<<20)),
		"numbers missing": func(m *forgery) { m.drop("machine_numbers") }, "numbers cut": tensor("machine_numbers", 11), "a machine more": tensor("machine_classes", 16),
		"no machines": tensor("machine_classes", 0), "classes of machines missing": func(m *forgery) { m.drop("machine_classes") },
		"support missing": func(m *forgery) { m.drop("machine_support") }, "support cut": tensor("machine_support", 1), "alpha cut": tensor("alpha", 1),
		"theta cut": tensor("theta", 5), "theta of one": tensor("theta", 2), "theta none": tensor("theta", 0), "norms": tensor("w_norms", 4), "a norm beyond": func(m *forgery) { m.double("w_norms", 1, 1e300) }, "weights of classes": tensor("class_weights", 2),
		"weight 0": func(m *forgery) { m.double("class_weights", 0, 0) }, "a bias NaN": func(m *forgery) { m.double("machine_numbers", 0, math.NaN()) },
		"a gap infinite": func(m *forgery) { m.double("machine_numbers", 3, math.Inf(1)) }, "class beyond": integer("machine_classes", 0, 3),
		"class huge": integer("machine_classes", 1, math.MaxInt32), "class against itself": integer("machine_classes", 1, 0), "against nobody": integer("machine_classes", 1, -2),
		"precision": integer("machine_classes", 2, 2), "support claimed": integer("machine_classes", 3, math.MaxInt32), "support below 0": integer("machine_classes", 3, -1),
		"support beyond": integer("machine_support", 0, 60), "support at the minimum": integer("machine_support", 0, math.MinInt32), "support twice": integer("machine_support", 1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			m := takeApart(t, good)
			change(m)
			bad := f.file("forged", m.build())
			for _, args := range [][]string{
				{"inspect", bad}, {"inspect", "--machine", "2", bad}, {"bound", bad}, {"export", "--to", "libsvm", "-o", f.at("out"), bad}, {"config", "--of", bad}, {"predict", bad, data, "-o", f.at("out")}, {"verify", bad, data},
				{"train", "--quiet", "-o", f.at("new"), "--init", bad, data},
			} {
				used := heaptest.Allocated(func() { check(t, f, fault{name, args, contract.ExitCorrupt, bad + ": "}) })
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
}

// TestHostileDiscriminants: models of task rkda, with lambda given and found, whose parts do not fit each other.
func TestHostileDiscriminants(t *testing.T) {
	f := newFolder(t)
	data := f.file("train", threeClasses(60))
	for name, lambda := range map[string]string{"given": "1e-2", "found": "joint"} {
		must(t, "train", "--quiet", "--task", "rkda", "--lambda", lambda, "--kernels", "gauss:0.5,linear", "-o", f.at("m"), data)
		good := f.read("m")
		f.file("forged", takeApart(t, good).build())
		must(t, "verify", f.at("forged"), data)
		set := func(name string, v any) func(*forgery) { return func(m *forgery) { m.settings[name] = v } }
		part := func(name string, v any) func(*forgery) {
			return func(m *forgery) { m.settings["discriminant"].(map[string]any)[name] = v }
		}
		changes := map[string]func(*forgery){
			"no discriminant": func(m *forgery) { delete(m.settings, "discriminant") }, "another task": set("task", "class"), "weights apart": set("one_theta", false),
			"lambda below 0": part("lambda", -1), "lambda of text": part("lambda", "joint"), "rule": part("rule", "votes"), "rows": part("rows", []int{60}),
			"rows below 0": part("rows", []int{-20, 40, 40}), "rows beyond": part("rows", []int{1 << 40, 0, 0}), "a million classes": part("rows", make([]int, 1<<20)),
			"means cut": func(m *forgery) { m.zeros("class_means", 8) }, "means missing": func(m *forgery) { m.drop("class_means") },
			"a mean NaN": func(m *forgery) { m.double("class_means", 0, math.NaN()) }, "weight below 0": set("cost_weight", -0.5), "weight above 1": set("cost_weight", 1.5),
			"another weight": set("cost_weight", 0.125), "a weight of text": set("cost_weight", "all"),
		}
		if lambda == "joint" {
			changes["another lambda"], changes["C"], changes["p"] = part("lambda", 0.125), set("c", 2), set("norm", 1.5)
		}
		for what, change := range changes {
			t.Run(name+", "+what, func(t *testing.T) {
				m := takeApart(t, good)
				change(m)
				bad := f.file("forged", m.build())
				for _, args := range [][]string{
					{"inspect", bad}, {"inspect", "--machine", "2", bad}, {"bound", bad}, {"config", "--of", bad}, {"predict", bad, data, "-o", f.at("out")}, {"verify", bad, data},
					{"report", "-o", f.at("out"), bad},
				} {
					check(t, f, fault{what, args, contract.ExitCorrupt, bad + ": "})
				}
			})
		}
	}
}
