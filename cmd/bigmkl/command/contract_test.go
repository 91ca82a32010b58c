package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// schema is the part of a JSON schema that docs/output.schema.json uses.
type schema struct {
	Description string             `json:"description"`
	Type        any                `json:"type"` // a name or a list of names
	Enum        []string           `json:"enum"`
	Const       *float64           `json:"const"`
	Ref         string             `json:"$ref"`
	AnyOf       []*schema          `json:"anyOf"`
	Items       *schema            `json:"items"`
	MinItems    int                `json:"minItems"`
	MaxItems    int                `json:"maxItems"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
	Defs        map[string]*schema `json:"$defs"`
}

// contractSchema is read once.
var contractSchema = sync.OnceValues(func() (*schema, error) {
	b, err := os.ReadFile("../../../docs/output.schema.json")
	if err != nil {
		return nil, err
	}
	s := &schema{}
	return s, json.Unmarshal(b, s)
})

// definitionOf is the definition that the object of a command follows.
func definitionOf(object map[string]any) string {
	switch command := object["command"]; {
	case command == "predict":
		return "evaluation"
	case command == "serve" && object["message"] != nil:
		return "serve_error"
	case command == "train" && object["models"] != nil:
		return "path"
	default:
		return fmt.Sprint(command)
	}
}

// checkContract holds an object that --json has printed to the schema.
func checkContract(t testing.TB, object map[string]any) {
	t.Helper()
	root, err := contractSchema()
	if err != nil {
		t.Fatal(err)
	}
	if err := root.check(root, object); err != nil {
		t.Errorf("--json: %v", err)
	}
	own := maps.Clone(object)
	delete(own, "contract")
	delete(own, "command")
	name := definitionOf(object)
	d := root.Defs[name]
	if d == nil {
		t.Fatalf("no definition %s", name)
	}
	if err := d.check(root, own); err != nil {
		t.Errorf("--json of %s: %v", name, err)
	}
}

// check says where a value differs from the schema.
func (s *schema) check(root *schema, v any) error {
	if s.Ref != "" {
		d := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if d == nil {
			return fmt.Errorf("no definition %s", s.Ref)
		}
		return d.check(root, v)
	}
	if s.AnyOf != nil {
		var first error
		for _, a := range s.AnyOf {
			err := a.check(root, v)
			if err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
		return first
	}
	if types := s.types(); types != nil && !slices.ContainsFunc(types, func(name string) bool { return isOf(name, v) }) {
		return fmt.Errorf("%.80q is no %s", fmt.Sprint(v), strings.Join(types, " or "))
	}
	if s.Const != nil && v != *s.Const {
		return fmt.Errorf("%v is not %v", v, *s.Const)
	}
	if text, ok := v.(string); ok && s.Enum != nil && !slices.Contains(s.Enum, text) {
		return fmt.Errorf("%q is none of %q", text, s.Enum)
	}
	switch v := v.(type) {
	case []any:
		if len(v) < s.MinItems || s.MaxItems > 0 && len(v) > s.MaxItems {
			return fmt.Errorf("%d elements", len(v))
		}
		for i, x := range v {
			if err := s.Items.check(root, x); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	case map[string]any:
		for _, key := range s.Required {
			if _, ok := v[key]; !ok {
				return fmt.Errorf("no key %s", key)
			}
		}
		for key, x := range v {
			p := s.Properties[key]
			if p == nil {
				if s.Additional != nil && !*s.Additional {
					return fmt.Errorf("key %s is in no document", key)
				}
				continue
			}
			if err := p.check(root, x); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return nil
}

// types lists the types that a value may have.
func (s *schema) types() (list []string) {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		for _, name := range t {
			list = append(list, fmt.Sprint(name))
		}
	}
	return list
}

// isOf reports whether a value is of a type of JSON schemas.
func isOf(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case string:
		return name == "string"
	case []any:
		return name == "array"
	}
	return name == "object"
}

// TestContract: objects of every command and kind of model are what the schema says, and the tables of docs/JSON.md have every key.
func TestContract(t *testing.T) {
	f, data, test, path := trained(t)
	several := f.file("several", threeClasses(60))
	rows := f.file("numbers", grouped(60, 3, "svr"))
	sets := f.file("sets", grouped(60, 3, "labels"))
	for _, args := range [][]string{
		{"train", "--quiet", "-o", f.at("two"), "--probability", "--test", test, data}, {"train", "--quiet", "-o", f.at("ovr"), "--multiclass", "ovr", "--probability", several},
		{"train", "--quiet", "-o", f.at("ovo"), "--multiclass", "ovo", several}, {"train", "--quiet", "-o", f.at("labels"), "--multiclass", "labels", sets},
		{"train", "--quiet", "-o", f.at("joint"), "--multiclass", "ovr", "--one-theta", several}, {"train", "--quiet", "-o", f.at("svr"), "--task", "svr", rows},
		{"train", "--quiet", "-o", f.at("one"), "--task", "oneclass", "--norm", "inf", data}, {"train", "--quiet", "-o", f.at("net"), "--elastic-net", "0.5", "--kernels", "linear,gauss:0.1", "--views", f.file("views", "a 1 9\n"), data},
		{"train", "--quiet", "-o", f.at("soft"), "--posteriors", "knn:4", data}, {"train", "--quiet", "-o", f.at("found"), "--loss", "squared-hinge", "--norm", "1", "-C", "joint", data}, {"inspect", f.at("found")}, {"verify", f.at("found"), data}, {"inspect", f.at("soft")}, {"verify", f.at("soft"), data}, {"plan", "--posteriors", "knn:4", data},
		{"train", "--quiet", "-o", f.at("p%C"), "--path-C", "1,2", data}, {"train", "--quiet", "-o", f.at("p%C"), "--path-C", "1,2", "--test", test, data},
		{"train", "--quiet", "-o", f.at("costs"), "--kernels", "linear@a cost=2,gauss:0.1@b cost=3,linear cost=9", "--views", f.file("parts", "a 1 4\nb 5 9\n"), "--norm", "1", data}, {"train", "--quiet", "-o", f.at("g%G"), "--kernels", "linear cost=2,gauss:nn/2", "--path-cost", "0..1/3", data},
		{"inspect", f.at("costs")}, {"inspect", "--charge", "1,1,2", f.at("costs")}, {"train", "--quiet", "-o", f.at("ovrcosts"), "--multiclass", "ovr", "--kernels", "linear cost=2,gauss:nn", several}, {"inspect", "--machine", "2", f.at("ovrcosts")},
		{"train", "--quiet", "-o", f.at("rule"), "--weights", "rule:alignf", "--kernels", "linear,gauss:1", data}, {"inspect", f.at("rule")}, {"align", "--kernels", "linear,gauss:1", "--rule", "frobenius", data},
		{"train", "--quiet", "-o", f.at("rkda"), "--task", "rkda", several}, {"inspect", f.at("rkda")}, {"inspect", "--machine", "2", f.at("rkda")}, {"verify", f.at("rkda"), several}, {"predict", f.at("rkda"), several},
		{"train", "--quiet", "-o", f.at("ridge"), "--task", "rkda", "--lambda", "joint", several}, {"inspect", f.at("ridge")}, {"inspect", "--machine", "2", f.at("ridge")}, {"verify", f.at("ridge"), several},
		{"plan", "--task", "rkda", several}, {"bound", f.at("rkda")}, {"train", "--quiet", "-o", f.at("rkda"), "--task", "rkda", "--test", test, data},
		{"train", "--quiet", "-o", f.at("med"), "--task", "med", "--kernels", "linear,gauss:0.1", "--restarts", "1", "--rounds", "2", "--gap", "0.01", data}, {"inspect", f.at("med")}, {"verify", f.at("med"), data}, {"predict", f.at("med"), data}, {"plan", "--task", "med", data},
		{"train", "--quiet", "-o", f.at("likelihood"), "--task", "mixture", "--kernels", "linear,gauss:0.1", "--restarts", "1", "--gap", "0.1", data}, {"inspect", f.at("likelihood")}, {"verify", f.at("likelihood"), data}, {"predict", f.at("likelihood"), data}, {"plan", "--task", "mixture", data},
		{"plan", "--kernels", "linear,gauss:1..4,prod(linear,hist)", data},
		{"train", "--quiet", "-o", f.at("single"), "--multiclass", "single", several}, {"inspect", f.at("single")}, {"inspect", "--machine", "2", f.at("single")}, {"verify", f.at("single"), several}, {"predict", f.at("single"), several}, {"bound", f.at("single")}, {"plan", "--multiclass", "single", several},
		{"train", "--quiet", "-o", f.at("gates"), "--gating", "regions:2", "--gate-on", "1-9", data}, {"predict", f.at("gates"), data}, {"inspect", f.at("gates")}, {"train", "--quiet", "-o", f.at("learned"), "--gating", "softmax", "--gate-tol", "0.1", "--gate-floor", "0.01", "--kernels", "linear copies=2,gauss:0.1", data}, {"inspect", f.at("learned")}, {"predict", f.at("learned"), data}, {"plan", "--gating", "regions:2", data},
		{"train", "--quiet", "-o", f.at("landmarks"), "--gating", "sigmoid", "--gate-on", "kernel:gauss:0.1*6", "--gate-tol", "0.1", "--kernels", "linear copies=2,gauss:0.1", data}, {"inspect", f.at("landmarks")}, {"predict", f.at("landmarks"), data}, {"plan", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*6", data},
		{"train", "--quiet", "-o", f.at("projections"), "--kernels", "proj(gauss:0.1,2),proj(poly:2,1),linear", "--gate-tol", "0.1", data}, {"inspect", f.at("projections")}, {"plan", "--kernels", "proj(gauss:0.1,2)", data},
		{"train", "--quiet", "-o", f.at("both"), "--kernels", "proj(gauss:0.1,2),linear", "--gating", "softmax", "--gate-tol", "0.1", data}, {"inspect", f.at("both")}, {"predict", f.at("both"), data}, {"verify", f.at("both"), data}, {"train", "--quiet", "-o", f.at("shared"), "--kernels", "gauss:0.1,linear", "--gating", "softmax", "--multiclass", "ovr", "--one-gate", "--gate-tol", "0.1", several}, {"inspect", f.at("shared")}, {"predict", f.at("shared"), several}, {"verify", f.at("shared"), several},
		{"train", "--quiet", "-o", f.at("projected"), "--kernels", "proj(gauss:0.1,2)", "--gate-tol", "0.1", data}, {"inspect", f.at("projected")}, {"predict", f.at("projected"), data}, {"verify", f.at("projected"), data},
		{"predict", path, data}, {"predict", "--probability", f.at("two"), data}, {"predict", f.at("ovr"), several}, {"predict", f.at("ovo"), several}, {"predict", f.at("labels"), sets}, {"predict", f.at("svr"), rows}, {"predict", f.at("one"), data},
		{"inspect", path}, {"inspect", f.at("two")}, {"inspect", f.at("ovr")}, {"inspect", "--machine", "1", f.at("ovo")}, {"inspect", f.at("joint")}, {"inspect", f.at("net")}, {"inspect", "--all", f.at("one")},
		{"verify", path, data}, {"verify", f.at("ovo"), several}, {"plan", data}, {"plan", "--ranks", "4", data}, {"plan", "--multiclass", "ovr", "--checkpoint", f.at("ck"), several}, {"align", "--kernels", "linear,gauss:1", data},
		{"bound", path}, {"bound", "--alpha", "2", path}, {"bound", f.at("ovr")}, {"version"},
		{"select", "-o", f.at("s1"), "--kernels", "linear,gauss:1", "--grid-norm", "1,inf", "--grid-C", "1", "--nested", "--folds", "3", data}, {"select", "-o", f.at("s2"), "--part", "1/2", data},
		{"select", "-o", f.at("trials"), "--kernels", "linear@a missing=none,gauss:1@b", "--views", f.file("trialviews", "a 1 2\nb 3 30\n"), "--grid-C", "1", "--folds", "4", "--contrast", "rest", "--missing", "0.2@a", "--noise", "1@a", data},
		{"select", "-o", f.at("counted"), "--kernels", "linear,gauss:1", "--grid-C", "1", "--folds", "2", "--grid-cost-power", "0,1", "--cost-base", "eigen", data},
		{"select", "-o", f.at("tuned"), "--kernels", "linear,gauss:1", "--grid-C", "1", "--folds", "2", "--tune", "weights", data},
		{"select", "-o", f.at("s3"), "--kernels", "linear,gauss:1", "--grid-C", "0.01,1", "--folds", "2", "--repeat", "5", data}, {"select", "-o", f.at("s4"), "--multiclass", "ovr", "--kernels", "linear", "--grid-C", "1", several},
		{"select", "-o", f.at("s5"), "--multiclass", "labels", "--kernels", "linear", "--grid-C", "1", sets}, {"select", "-o", f.at("s6"), "--task", "svr", "--kernels", "linear", "--grid-C", "1", rows},
	} {
		got := object(t, contract.ExitFine, append(args, "--json")...)
		if got["contract"] != float64(contract.Version) || got["command"] != args[0] {
			t.Errorf("%q: contract %v of %v", args, got["contract"], got["command"])
		}
	}
	if got := decode(t, try("verify", "--json", path, f.file("other", text(80, 9))).stdout); len(got["faults"].([]any)) == 0 {
		t.Error("no faults of other data")
	}
	b, err := os.ReadFile("../../../docs/JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := contractSchema()
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

// TestContractIsChecked: the check finds what differs.
func TestContractIsChecked(t *testing.T) {
	root, err := contractSchema()
	if err != nil {
		t.Fatal(err)
	}
	good := func() map[string]any { return map[string]any{"a": 1.0, "b": nil} }
	sigmoid := root.Defs["sigmoid"]
	if err := sigmoid.check(root, good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(map[string]any){
		"a key too many": func(m map[string]any) { m["c"] = 1.0 }, "a key too few": func(m map[string]any) { delete(m, "a") }, "a text": func(m map[string]any) { m["a"] = "1" },
		"a list": func(m map[string]any) { m["a"] = []any{1.0} },
	} {
		m := good()
		if spoil(m); sigmoid.check(root, m) == nil {
			t.Errorf("%s is not found", name)
		}
	}
	for key, v := range map[string]any{"status": "fine", "n": 1.5, "theta": []any{"x"}, "warnings": 1.0, "test": map[string]any{}, "cache": nil} {
		if root.Defs["train"].Properties[key].check(root, v) == nil {
			t.Errorf("%s may be %v", key, v)
		}
	}
}
