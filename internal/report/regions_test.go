package report

import (
	"math"
	"strings"
	"testing"

	"bigmkl/internal/model"
	"bigmkl/predict"
)

// TestRegions: the figures of a page about intervals and sets are the counted ones; rows without a target or a class do not count, and a class that the
// model lacks is in no set.
func TestRegions(t *testing.T) {
	t.Parallel()
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	svr := &model.Model{Task: model.TaskSVR, Conformal: &model.Conformal{Share: .2, Rows: 50, Scores: ten}}
	two := &model.Model{Task: model.TaskClass, Positive: "a", Negative: "b", Conformal: &model.Conformal{Folds: 5, Rows: 10, Scores: []float64{-9, -8, -7, -6, -5, -4, -3, -2, -1, 0}}}
	for name, c := range map[string]struct {
		m         *model.Model
		rows      []predict.Prediction
		want, not []string
	}{
		"interval": {svr, []predict.Prediction{{Decision: 1, Target: 10}, {Decision: 1, Target: 12}, {Decision: 1, Target: math.NaN()}},
			// 0.2839 is the root of 9/11 2/11 13/(2 12). Of 10 scores the 9th belongs to .8, the 10th to .9, and there is none for .95.
			[]string{"<td>0.5000 of 2 rows</td><td>0.8182 ± 0.2839</td><td>18</td>", "<td>20</td>", "no bound: that takes 19 scores", "whatever the data"}, nil},
		"without rows": {svr, nil, []string{"<td>18</td>"}, []string{"met"}},
		"no targets":   {svr, []predict.Prediction{{Decision: 1, Target: math.NaN()}}, []string{"<td>18</td>"}, []string{"met"}},
		"sets": {two, []predict.Prediction{{Decision: 9, Known: "a"}, {Decision: 9, Known: "b"}, {Decision: .5, Known: "b"}, {Decision: .5, Known: "z"}, {Decision: 3}},
			// At .8 the threshold is -1: {a}, {a}, {} and {}; at .9 it is 0.
			[]string{"<td>0.2500 of 4 rows</td><td>0.5</td><td>2</td><td>0.0000 of 2 rows, class b</td>", "nothing proves it"}, []string{"expected"}},
		"sets without rows": {two, nil, []string{"report --test"}, []string{"<td>"}},
		"no scores":         {&model.Model{Task: model.TaskSVR}, nil, nil, []string{"Intervals"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h *HeldOut
			if c.rows != nil {
				h = newHeldOut(c.m)
				for _, p := range c.rows {
					h.add(p)
				}
			}
			p := New("t", "s")
			p.AddRegions(c.m, h)
			var b strings.Builder
			if err := p.Write(&b); err != nil {
				t.Fatal(err)
			}
			wellFormed(t, name, b.String())
			_, text, _ := strings.Cut(b.String(), "</style>")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("the page has no %q\n%s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("the page has %q", not)
				}
			}
		})
	}
}
