package command

import (
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/evaluate/bound"
	"bigmkl/model"
)

// TestBound: the factors are those of the model's ||w_m||, of several models those of the medians.
func TestBound(t *testing.T) {
	f, data, _, path := trained(t)
	m, err := model.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(w []float64, args ...string) {
		t.Helper()
		j := object(t, contract.ExitFine, append([]string{"bound", "--json", "--norms", "1,4/3,3,inf", "--alpha", "2"}, args...)...)
		for i, p := range []float64{1, 4.0 / 3, 3, math.Inf(1)} {
			row := j["grid"].([]any)[i].(map[string]any)
			if row["nu"] != bound.Global(w, p) || row["w_norm"] != bound.Norm(w, p) || (p <= 2) != (row["excess_risk_nu"] != nil) {
				t.Errorf("p = %g: %v", p, row)
			}
		}
		least := j["minimum"].(map[string]any)
		if nu := least["nu"].(float64); !(nu <= bound.Global(w, 1)) || !(nu <= bound.Global(w, 2)) || j["excess_risk_minimum"] == nil {
			t.Errorf("%v", j)
		}
	}
	check(m.WNorms, path)
	train := []string{"train", "--quiet", "--kernels", strings.Join(m.Kernels, ","), data, "-C"}
	must(t, append(train, "0.01", "-o", f.at("m2"))...)
	must(t, append(train, "5", "-o", f.at("m3"))...)
	var others []*model.Model
	for _, name := range []string{"m2", "m3"} {
		o, err := model.Read(f.at(name))
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, o)
	}
	medians := make([]float64, len(m.WNorms))
	for i := range medians {
		a, b, c := m.WNorms[i], others[0].WNorms[i], others[1].WNorms[i]
		medians[i] = max(min(a, b), min(max(a, b), c))
	}
	check(medians, path, f.at("m2"), f.at("m3"))
	if o := must(t, "bound", path); strings.Count(o.stdout, "\n") != len(boundNorms)+5 || !strings.Contains(o.stdout, "nu_p is least ") {
		t.Error(o.stdout)
	}
	if o := must(t, "bound", "--alpha", "1.5", path, f.at("m2")); !strings.Contains(o.stdout, "medians over 2 models") || !strings.Contains(o.stdout, "excess risk factor is least ") {
		t.Error(o.stdout)
	}
	must(t, "train", "--quiet", "--kernels", "linear", data, "-o", f.at("m4"))
	if o := try("bound", path, f.at("m4")); o.code != contract.ExitInput || !strings.Contains(o.stderr, "m4: the kernels are not those of ") {
		t.Errorf("%d %s", o.code, o.stderr)
	}
}
