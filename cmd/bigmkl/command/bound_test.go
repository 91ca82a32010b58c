package command

import (
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/evaluate/bound"
	"bigmkl/internal/model"
	"bigmkl/tests/commandtest"
)

// TestBound: the factors follow from the model's ||w_m||, and for several models from the medians.
func TestBound(t *testing.T) {
	f, data, _, path := commandtest.Trained(t)
	m, err := model.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(w []float64, args ...string) {
		t.Helper()
		j := commandtest.Object(t, contract.ExitFine, append([]string{"bound", "--json", "--norms", "1,4/3,3,inf", "--alpha", "2"}, args...)...)
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
	commandtest.Must(t, append(train, "0.01", "-o", f.At("m2"))...)
	commandtest.Must(t, append(train, "5", "-o", f.At("m3"))...)
	var others []*model.Model
	for _, name := range []string{"m2", "m3"} {
		o, err := model.Read(f.At(name))
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
	check(medians, path, f.At("m2"), f.At("m3"))
	if o := commandtest.Must(t, "bound", path); strings.Count(o.Stdout, "\n") != len(boundNorms)+5 || !strings.Contains(o.Stdout, "nu_p is least ") {
		t.Error(o.Stdout)
	}
	if o := commandtest.Must(t, "bound", "--alpha", "1.5", path, f.At("m2")); !strings.Contains(o.Stdout, "medians over 2 models") || !strings.Contains(o.Stdout, "excess risk factor is least ") {
		t.Error(o.Stdout)
	}
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", data, "-o", f.At("m4"))
	if o := commandtest.Try("bound", path, f.At("m4")); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "m4: the kernels are not those of ") {
		t.Errorf("%d %s", o.Code, o.Stderr)
	}
}
