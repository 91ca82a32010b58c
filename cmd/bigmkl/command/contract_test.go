package command

import (
	"html"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestContract: objects of every command and kind of model fit the schema, and the tables of docs/JSON.md have every key.
func TestContract(t *testing.T) {
	f, data, test, path := commandtest.Trained(t)
	several := f.File("several", commandtest.ThreeClasses(60))
	rows := f.File("numbers", commandtest.Grouped(60, 3, "svr"))
	sets := f.File("sets", commandtest.Grouped(60, 3, "labels"))
	drugs, targets, pairs := commandtest.Pairs(t, f, 60, 8)
	if err := commandtest.WriteArray(f.At("K.npy"), [][]float64{{1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0, 0},
		{0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	objects := []string{"--objects", drugs, "--objects", targets, "--kernels", "gauss:1@drug,prod(linear@drug,precomputed:" + f.At("K.npy") + "@target)"}
	for _, args := range [][]string{
		append(append([]string{"train", "--quiet", "-o", f.At("pairs"), "--scale", "auto"}, objects...), pairs), append(append([]string{"plan"}, objects...), pairs),
		{"inspect", f.At("pairs")}, {"predict", f.At("pairs"), pairs},
		{"train", "--quiet", "-o", f.At("two"), "--probability", "--test", test, data}, {"train", "--quiet", "-o", f.At("ovr"), "--multiclass", "ovr", "--probability", several},
		{"train", "--quiet", "-o", f.At("ovo"), "--multiclass", "ovo", several}, {"train", "--quiet", "-o", f.At("labels"), "--multiclass", "labels", sets},
		{"train", "--quiet", "-o", f.At("joint"), "--multiclass", "ovr", "--one-theta", several}, {"train", "--quiet", "-o", f.At("svr"), "--task", "svr", rows},
		{"train", "--quiet", "-o", f.At("one"), "--task", "oneclass", "--norm", "inf", data}, {"train", "--quiet", "-o", f.At("net"), "--elastic-net", "0.5", "--kernels", "linear,gauss:0.1", "--views", f.File("views", "a 1 9\n"), data},
		{"train", "--quiet", "-o", f.At("soft"), "--posteriors", "knn:4", data}, {"train", "--quiet", "-o", f.At("found"), "--loss", "squared-hinge", "--norm", "1", "-C", "joint", data}, {"inspect", f.At("found")}, {"verify", f.At("found"), data}, {"inspect", f.At("soft")}, {"verify", f.At("soft"), data}, {"plan", "--posteriors", "knn:4", data},
		{"train", "--quiet", "-o", f.At("p%C"), "--path-C", "1,2", data}, {"train", "--quiet", "-o", f.At("p%C"), "--path-C", "1,2", "--test", test, data},
		{"train", "--quiet", "-o", f.At("costs"), "--kernels", "linear@a cost=2,gauss:0.1@b cost=3,linear cost=9", "--views", f.File("parts", "a 1 4\nb 5 9\n"), "--norm", "1", data}, {"train", "--quiet", "-o", f.At("g%G"), "--kernels", "linear cost=2,gauss:nn/2", "--path-cost", "0..1/3", data},
		{"inspect", f.At("costs")}, {"inspect", "--charge", "1,1,2", f.At("costs")}, {"train", "--quiet", "-o", f.At("ovrcosts"), "--multiclass", "ovr", "--kernels", "linear cost=2,gauss:nn", several}, {"inspect", "--class", "2", f.At("ovrcosts")},
		{"train", "--quiet", "-o", f.At("rule"), "--weights", "rule:alignf", "--kernels", "linear,gauss:1", data}, {"inspect", f.At("rule")}, {"align", "--kernels", "linear,gauss:1", "--rule", "frobenius", data},
		{"train", "--quiet", "-o", f.At("rkda"), "--task", "rkda", several}, {"inspect", f.At("rkda")}, {"inspect", "--machine", "2", f.At("rkda")}, {"verify", f.At("rkda"), several}, {"predict", f.At("rkda"), several},
		{"train", "--quiet", "-o", f.At("ridge"), "--task", "rkda", "--lambda", "joint", several}, {"inspect", f.At("ridge")}, {"inspect", "--machine", "2", f.At("ridge")}, {"verify", f.At("ridge"), several},
		{"plan", "--task", "rkda", several}, {"bound", f.At("rkda")}, {"train", "--quiet", "-o", f.At("rkda"), "--task", "rkda", "--test", test, data},
		{"train", "--quiet", "-o", f.At("med"), "--task", "med", "--kernels", "linear,gauss:0.1", "--restarts", "1", "--rounds", "2", "--gap", "0.01", data}, {"inspect", f.At("med")}, {"verify", f.At("med"), data}, {"predict", f.At("med"), data}, {"plan", "--task", "med", data},
		{"train", "--quiet", "-o", f.At("likelihood"), "--task", "mixture", "--kernels", "linear,gauss:0.1", "--restarts", "1", "--gap", "0.1", data}, {"inspect", f.At("likelihood")}, {"verify", f.At("likelihood"), data}, {"predict", f.At("likelihood"), data}, {"plan", "--task", "mixture", data},
		{"plan", "--kernels", "linear,gauss:1..4,prod(linear,hist)", data},
		{"train", "--quiet", "-o", f.At("split"), "--conformal", "split:0.4", "--task", "svr", rows}, {"inspect", f.At("split")}, {"predict", "--coverage", "0.9", f.At("split"), rows}, {"predict", "--coverage", "0.99", f.At("split"), rows}, {"verify", f.At("split"), rows},
		{"train", "--quiet", "-o", f.At("quantiles"), "--task", "quantile", "--tau", "0.1,0.9", "--conformal", "split:0.4", "--test", rows, rows}, {"inspect", f.At("quantiles")}, {"inspect", "--class", "0.9", f.At("quantiles")},
		{"train", "--quiet", "-o", f.At("times"), "--task", "survival", "--conformal", "folds:3", rows}, {"inspect", f.At("times")}, {"predict", "--survival-at", "0.5,2", f.At("times"), rows}, {"predict", "--survival-at", "1", f.At("times"), rows}, {"verify", f.At("times"), rows},
		{"predict", "--no-crossing", "--coverage", "0.9", f.At("quantiles"), rows}, {"verify", f.At("quantiles"), rows}, {"bound", f.At("quantiles")}, {"plan", "--task", "quantile", "--tau", "0.1,0.9", rows},
		{"select", "-o", f.At("s7"), "--task", "quantile", "--tau", "0.1,0.9", "--kernels", "linear", "--grid-C", "1", rows},
		{"train", "--quiet", "-o", f.At("folds"), "--conformal", "folds:2,by-class", "--multiclass", "ovr", several}, {"inspect", f.At("folds")}, {"inspect", "--machine", "1", f.At("folds")}, {"predict", "--coverage", "0.9", f.At("folds"), several}, {"plan", "--conformal", "split:0.3", data},
		{"train", "--quiet", "-o", f.At("single"), "--multiclass", "single", several}, {"inspect", f.At("single")}, {"inspect", "--machine", "2", f.At("single")}, {"verify", f.At("single"), several}, {"predict", f.At("single"), several}, {"bound", f.At("single")}, {"plan", "--multiclass", "single", several},
		{"train", "--quiet", "-o", f.At("gates"), "--gating", "regions:2", "--gate-on", "1-9", data}, {"predict", f.At("gates"), data}, {"inspect", f.At("gates")}, {"train", "--quiet", "-o", f.At("learned"), "--gating", "softmax", "--gate-tol", "0.1", "--gate-floor", "0.01", "--kernels", "linear copies=2,gauss:0.1", data}, {"inspect", f.At("learned")}, {"predict", f.At("learned"), data}, {"plan", "--gating", "regions:2", data},
		{"train", "--quiet", "-o", f.At("landmarks"), "--gating", "sigmoid", "--gate-on", "kernel:gauss:0.1*6", "--gate-tol", "0.1", "--kernels", "linear copies=2,gauss:0.1", data}, {"inspect", f.At("landmarks")}, {"predict", f.At("landmarks"), data}, {"plan", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*6", data},
		{"train", "--quiet", "-o", f.At("projections"), "--kernels", "proj(gauss:0.05,2),proj(poly:2,1),linear", "--gate-tol", "0.1", data}, {"inspect", f.At("projections")}, {"plan", "--kernels", "proj(gauss:0.1,2)", data},
		{"train", "--quiet", "-o", f.At("both"), "--kernels", "proj(gauss:0.1,2),linear", "--gating", "softmax", "--gate-tol", "0.1", data}, {"inspect", f.At("both")}, {"predict", f.At("both"), data}, {"verify", f.At("both"), data}, {"train", "--quiet", "-o", f.At("shared"), "--kernels", "gauss:0.1,linear", "--gating", "softmax", "--multiclass", "ovr", "--one-gate", "--gate-tol", "0.1", several}, {"inspect", f.At("shared")}, {"predict", f.At("shared"), several}, {"verify", f.At("shared"), several},
		{"train", "--quiet", "-o", f.At("projected"), "--kernels", "proj(gauss:0.1,2)", "--gate-tol", "0.1", data}, {"inspect", f.At("projected")}, {"predict", f.At("projected"), data}, {"verify", f.At("projected"), data},
		{"predict", path, data}, {"predict", "--probability", f.At("two"), data}, {"predict", f.At("ovr"), several}, {"predict", f.At("ovo"), several}, {"predict", f.At("labels"), sets}, {"predict", f.At("svr"), rows}, {"predict", f.At("one"), data},
		{"inspect", path}, {"inspect", f.At("two")}, {"inspect", f.At("ovr")}, {"inspect", "--machine", "1", f.At("ovo")}, {"inspect", f.At("joint")}, {"inspect", f.At("net")}, {"inspect", "--all", f.At("one")},
		{"verify", path, data}, {"verify", f.At("ovo"), several}, {"plan", data}, {"plan", "--ranks", "4", data}, {"plan", "--multiclass", "ovr", "--checkpoint", f.At("ck"), several}, {"align", "--kernels", "linear,gauss:1", data},
		{"bound", path}, {"bound", "--alpha", "2", path}, {"bound", f.At("ovr")}, {"version"},
		{"select", "-o", f.At("s1"), "--kernels", "linear,gauss:1", "--grid-norm", "1,inf", "--grid-C", "1", "--nested", "--folds", "3", data}, {"select", "-o", f.At("s2"), "--kernels", "linear,gauss:1", "--grid-norm", "1,2", "--grid-C", "1", "--folds", "2", "--part", "1/2", data},
		{"select", "-o", f.At("trials"), "--kernels", "linear@a missing=none,gauss:1@b", "--views", f.File("trialviews", "a 1 2\nb 3 30\n"), "--grid-C", "1", "--folds", "2", "--contrast", "rest", "--missing", "0.2@a", "--noise", "1@a", data},
		{"select", "-o", f.At("counted"), "--kernels", "linear,gauss:1", "--grid-C", "1", "--folds", "2", "--grid-cost-power", "0,1", "--cost-base", "eigen", data},
		{"select", "-o", f.At("tuned"), "--kernels", "linear,gauss:1", "--grid-C", "1", "--folds", "2", "--tune", "weights", data},
		{"importance", "-o", f.At("i1"), "--kernels", "linear@a,gauss:1@b", "--views", f.File("impviews", "a 1 2\nb 3 9\n"), "--grid-C", "1", "--folds", "3", "--repeat", "1", "--samples", "2", data},
		{"importance", "-o", f.At("i2"), "--each", "kernel", "--kernels", "linear,gauss:1", "--norm", "1", "--folds", "2", "--part", "1/2", data},
		{"select", "-o", f.At("s3"), "--kernels", "linear,gauss:1", "--grid-C", "0.01,1", "--folds", "2", "--repeat", "2", data}, {"select", "-o", f.At("s4"), "--multiclass", "ovr", "--kernels", "linear", "--grid-C", "1", several},
		{"select", "-o", f.At("s5"), "--multiclass", "labels", "--kernels", "linear", "--grid-C", "1", sets}, {"select", "-o", f.At("s6"), "--task", "svr", "--kernels", "linear", "--grid-C", "1", rows},
	} {
		got := commandtest.Object(t, contract.ExitFine, append(args, "--json")...)
		if got["contract"] != float64(contract.Version) || got["command"] != args[0] {
			t.Errorf("%q: contract %v of %v", args, got["contract"], got["command"])
		}
		checkSpoilt(t, args, got)
	}
	if got := commandtest.Decode(t, commandtest.Try("verify", "--json", path, f.File("other", commandtest.Text(80, 9))).Stdout); len(got["faults"].([]any)) == 0 {
		t.Error("no faults of other data")
	}
	b, err := os.ReadFile("../../../docs/JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := commandtest.ContractSchema()
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range root.Defs {
		for key, p := range d.Properties {
			if p.Description == "" && p.Ref == "" || !strings.Contains(string(b), "`"+key+"`") || !strings.Contains(string(b), name) {
				t.Errorf("%s.%s stands not in docs/JSON.md, or has no description", name, key)
			}
		}
	}
}

// checkSpoilt changes an object in every place, takes every key away that has to be there, and gives it to every other command: the
// schema rejects all of it.
func checkSpoilt(t *testing.T, args []string, object map[string]any) {
	t.Helper()
	root, err := commandtest.ContractSchema()
	if err != nil {
		t.Fatal(err)
	}
	commandtest.Spoilt(object, []string{"settings"}, func(place string, spoilt any) {
		if root.Check(root, spoilt) == nil {
			t.Errorf("%q: another object fits the schema, changed at %s", args, place)
		}
	})
	for _, key := range append(slices.Clone(root.Required), root.Defs[definitions[args[0]]].Required...) {
		less := maps.Clone(object)
		if delete(less, key); root.Check(root, less) == nil && len(less) < len(object) && object["models"] == nil {
			t.Errorf("%q: %s may be missing", args, key)
		}
	}
	for _, command := range root.Properties["command"].Enum {
		other := maps.Clone(object)
		if other["command"] = command; command != args[0] && root.Check(root, other) == nil {
			t.Errorf("%q: the object may be one of %s", args, command)
		}
	}
}

// definitions names the definition of the object of each command.
var definitions = map[string]string{
	"train": "train", "predict": "evaluation", "inspect": "inspect", "verify": "verify", "plan": "plan", "align": "align", "bound": "bound",
	"version": "version", "export": "export", "select": "select", "importance": "importance",
}

// TestContractOfDocument: each table of docs/JSON.md has the keys of its definition in the schema and no other, with their types and
// meanings, and in italics where they may be absent. The schema has links as plain text.
func TestContractOfDocument(t *testing.T) {
	root, err := commandtest.ContractSchema()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../../../docs/JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	named, link := regexp.MustCompile("(\\*?)`([A-Za-z_0-9]+)`"), regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	of, found := "", map[string]map[string]bool{} // By definition and key: whether it is in italics.
	for line := range strings.SplitSeq(string(b), "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			of = strings.TrimPrefix(heading, "Part: ")
		} else if m := named.FindStringSubmatch(line); m != nil && strings.HasPrefix(line, "Definition ") {
			of = m[2]
		}
		row, ok := strings.CutPrefix(line, "| ")
		if keys, rest, _ := strings.Cut(row, " | "); ok && strings.Contains(keys, "`") {
			words, meaning, _ := strings.Cut(rest, " | ")
			meaning = html.UnescapeString(link.ReplaceAllString(strings.TrimSuffix(meaning, " |"), "$1"))
			if found[of] == nil {
				found[of] = map[string]bool{}
			}
			for _, m := range named.FindAllStringSubmatch(keys, -1) {
				found[of][m[2]] = m[1] != ""
				d := root.Defs[of]
				if d == nil || d.Properties[m[2]] == nil {
					continue // The keys are compared below.
				}
				if p := d.Properties[m[2]]; p.Words() != words || p.Description != meaning {
					t.Errorf("%s.%s is in docs/JSON.md\n%s: %s\nand in the schema\n%s: %s", of, m[2], words, meaning, p.Words(), p.Description)
				}
			}
		}
	}
	for name, d := range root.Defs {
		for key := range d.Properties {
			if italics, ok := found[name][key]; !ok {
				t.Errorf("the table of %s has no key %s", name, key)
			} else if italics == slices.Contains(d.Required, key) {
				t.Errorf("%s.%s is in italics, which is %t, though the schema says otherwise", name, key, italics)
			}
		}
		for key := range found[name] {
			if d.Properties[key] == nil {
				t.Errorf("%s.%s is not in the schema", name, key)
			}
		}
		delete(found, name)
	}
	for name := range found {
		t.Errorf("%s is no definition of the schema", name)
	}
}

// TestContractIsChecked: the check finds what differs.
func TestContractIsChecked(t *testing.T) {
	root, err := commandtest.ContractSchema()
	if err != nil {
		t.Fatal(err)
	}
	good := func() map[string]any { return map[string]any{"a": 1.0, "b": nil} }
	sigmoid := root.Defs["sigmoid"]
	if err := sigmoid.Check(root, good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(map[string]any){
		"a key too many": func(m map[string]any) { m["c"] = 1.0 }, "a key too few": func(m map[string]any) { delete(m, "a") }, "a text": func(m map[string]any) { m["a"] = "1" },
		"a list": func(m map[string]any) { m["a"] = []any{1.0} },
	} {
		m := good()
		if spoil(m); sigmoid.Check(root, m) == nil {
			t.Errorf("%s is not found", name)
		}
	}
	for key, v := range map[string]any{"status": "fine", "n": 1.5, "theta": []any{"x"}, "warnings": 1.0, "test": map[string]any{}, "cache": nil} {
		if root.Defs["train"].Properties[key].Check(root, v) == nil {
			t.Errorf("%s may be %v", key, v)
		}
	}
}
